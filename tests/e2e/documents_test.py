#!/usr/bin/env python3
"""What the documents show is what happens: each command in a `console` block runs, and prints what stands below it.

`...` within a line stands for any text, a line `...` for any lines. Blocks of C++ that name a file are that file's text.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

DOCUMENTS = [pathlib.Path("docs/getting_started.md")]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^// (\S+\.cc)$", re.MULTILINE)


def pattern(expected):
    """A regular expression for output lines of a document."""
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in line.split("...")) + r"\n")
    return re.compile("".join(parts))


class DocumentsTest(unittest.TestCase):
    def test_commands(self):
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path.cwd()
            os.symlink(root / "tools", pathlib.Path(folder, "tools"))
            environment = dict(os.environ, PATH=f"{root}/tools/graph_runner:{os.environ['PATH']}")
            for document in DOCUMENTS:
                for language, text in BLOCK.findall(document.read_text()):
                    if language != "console":
                        continue
                    for command in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                        line, *expected = command.splitlines()
                        done = subprocess.run(
                            line, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
                        )
                        with self.subTest(document=document, command=line):
                            self.assertRegex(done.stdout, re.compile(r"\A" + pattern(expected).pattern + r"\Z"))
                            count += 1
        self.assertGreater(count, 5)

    def test_programs(self):
        found = 0
        for document in DOCUMENTS:
            for language, text in BLOCK.findall(document.read_text()):
                if language != "cpp":
                    continue
                name = FILE.search(text)
                self.assertIsNotNone(name, "a program should begin with the name of its file")
                self.assertIn(text.split("\n", 1)[1], pathlib.Path(name[1]).read_text())
                found += 1
        self.assertGreater(found, 0)

    def test_the_program_runs(self):
        done = subprocess.run(["tests/e2e/collatz"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, " 6:   8 steps, peak 16\n27: 111 steps, peak 9232\n97: 118 steps, peak 9232\n")


if __name__ == "__main__":
    unittest.main()
