#!/usr/bin/env python3
"""Runs tests with Bazel and counts their cases: tools/run_tests.py [--query QUERY] [--conformance DIR] [BAZEL-FLAG...]

The tests are those of QUERY, by default all. With --conformance the conformance program then runs over each folder of
DIR, if there is any. The last line is `N passed, N failed, N skipped`; the exit code says whether all is well.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ElementTree

CONFORMANCE = "//tests/conformance:conformance"
SUM = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


def query(expression):
    """Labels that the expression names; one that names nothing, or something that is not there, has none."""
    answer = subprocess.run(
        ["bazel", "query", "--keep_going", "--noshow_progress", expression],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    return answer.stdout.split()


def read_cases(xml):
    """(passed, failed, skipped) of one test.xml as GoogleTest or Bazel writes it."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(xml).iter("testcase"):
        if case.get("status") == "notrun":  # disabled
            continue
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def read_events(path):
    """From each test to its last results, one for each shard: (status, path of its test.xml)."""
    results = {}
    for line in path.read_text().splitlines():
        event = json.loads(line)
        result = event.get("id", {}).get("testResult")
        if result is None or "testResult" not in event:
            continue
        outputs = {output["name"]: output.get("uri", "") for output in event["testResult"].get("testActionOutput", [])}
        xml = urllib.parse.unquote(urllib.parse.urlparse(outputs.get("test.xml", "")).path)
        results.setdefault(result["label"], {})[result.get("shard", 0)] = (event["testResult"]["status"], xml)
    return results


def run_tests(tests, patterns, flags):
    """Builds the patterns and runs the tests, which are among them. Returns the sum of their cases."""
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder, "events.json")
        targets = pathlib.Path(folder, "targets")
        targets.write_text("\n".join(patterns))
        status = subprocess.run(
            ["bazel", "test", "--keep_going", "--show_progress_rate_limit=5", "--noshow_loading_progress",
             f"--build_event_json_file={events}", f"--target_pattern_file={targets}", *flags],
            stdin=subprocess.DEVNULL,
        ).returncode  # fmt: skip
        results = read_events(events) if events.exists() else {}
    total = [0, 0, 0]
    for test in tests:
        if test not in results:
            print(f"{test}: did not build")
            total[1] += 1
        for test_status, xml in results.get(test, {}).values():
            counts = read_cases(xml) if os.path.exists(xml) else (0, 0, 0)
            if test_status not in ("PASSED", "FLAKY") and counts[1] == 0:
                print(f"{test}: {test_status.lower()}")
                counts = (counts[0], 1, counts[2])
            total = [a + b for a, b in zip(total, counts)]
    if status != 0 and total[1] == 0:
        print(f"bazel test: exit code {status}")
        total[1] += 1
    return total


def run_conformance(corpus, flags):
    """Runs the conformance program over each folder of the corpus. Returns the sum of the cases."""
    if not corpus.is_dir():
        print(f"conformance: no corpus at {corpus}, not run")
        return [0, 0, 0]
    if not query(CONFORMANCE):
        print(f"conformance: no {CONFORMANCE}, not run")
        return [0, 0, 0]
    build = ["bazel", "build", "--show_progress_rate_limit=5", "--show_result=0", *flags, CONFORMANCE]
    if subprocess.run(build, stdin=subprocess.DEVNULL).returncode != 0:
        return [0, 1, 0]
    binaries = subprocess.run(
        ["bazel", "info", "--noshow_progress", *flags, "bazel-bin"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    total = [0, 0, 0]
    folders = [corpus] if next(corpus.glob("case.json"), None) else sorted(f for f in corpus.iterdir() if f.is_dir())
    for folder in folders:
        if next(folder.rglob("case.json"), None) is None:
            continue
        print(f"conformance over {folder}", flush=True)
        program = subprocess.Popen(
            [f"{binaries}/tests/conformance/conformance", "--corpus", str(folder)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace",
        )  # fmt: skip
        last = ""
        for line in program.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            last = line.strip() or last
        match = SUM.match(last)
        counts = [int(n) for n in match.groups()] if match else [0, 0, 0]
        if program.wait() != 0 and counts[1] == 0:
            print(f"conformance over {folder}: exit code {program.returncode}")
            counts[1] = 1
        total = [a + b for a, b in zip(total, counts)]
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--query", help="which tests, as for bazel query (empty: none); else everything is built too")
    parser.add_argument("--conformance", type=pathlib.Path, metavar="DIR", help="corpus of graphs with known answers")
    args, flags = parser.parse_known_args()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)

    total = [0, 0, 0]
    wanted = "tests(//...)" if args.query is None else args.query
    # A target that is tagged manual is built only where somebody names it.
    tests = query(f'({wanted}) except attr(tags, "\\bmanual\\b", //...)') if wanted else []
    if tests:
        total = run_tests(tests, ["//..."] if args.query is None else tests, flags)
    elif wanted:
        print(f"no tests: {wanted}")
    if args.conformance:
        total = [a + b for a, b in zip(total, run_conformance(args.conformance, flags))]
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
