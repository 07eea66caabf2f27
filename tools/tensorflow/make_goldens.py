#!/usr/bin/env python3
"""Writes the golden cases of tests/golden: small graphs of our own with TensorFlow's answers.

usage: make_goldens.py [REGEX]      only the cases whose name matches

Without REGEX, folders of cases that no longer exist are removed.
"""
import os, re, shutil, sys

from goldens.case import CASES, record
from goldens import control_flow, errors, functions, loops, numbers, randoms, running, state, strings

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), 'tests', 'golden')


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ''
    wanted = [name for name in CASES if re.search(pattern, name)]
    failed = []
    for name in wanted:
        try: record(name, *CASES[name], FOLDER)
        except Exception as e:
            failed.append(name)
            print(f'FAILED {name}: {type(e).__name__}: {e}'[:1500])
    if not pattern:
        for name in os.listdir(FOLDER):
            if name not in CASES and os.path.exists(os.path.join(FOLDER, name, 'case.json')):
                shutil.rmtree(os.path.join(FOLDER, name))
    print(f'{len(wanted) - len(failed)} of {len(wanted)} cases written to {FOLDER}')
    return 1 if failed else 0


if __name__ == '__main__': sys.exit(main())
