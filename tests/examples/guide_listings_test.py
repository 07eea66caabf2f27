#!/usr/bin/env python3
"""The listings of docs/guide.md are those that tests/examples/guide_test.cc runs: the same, all of them, in the same order."""

import pathlib
import re
import textwrap
import unittest

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARKED = re.compile(r"^ *// \[guide\]\n(.*?)^ *// \[end\]$", re.MULTILINE | re.DOTALL)


class GuideListingsTest(unittest.TestCase):
    maxDiff = None

    def test_listings_are_tested_code(self):
        shown = BLOCK.findall(pathlib.Path("docs/guide.md").read_text())
        run = [textwrap.dedent(part) for part in MARKED.findall(pathlib.Path("tests/examples/guide_test.cc").read_text())]
        self.assertGreater(len(run), 10)
        for number, (listing, code) in enumerate(zip(shown, run), 1):
            self.assertMultiLineEqual(listing, code, f"listing {number}")
        self.assertEqual(len(shown), len(run))

    def test_every_block_of_the_guide_is_cpp(self):
        opened = re.findall(r"^```(\w+)$", pathlib.Path("docs/guide.md").read_text(), re.MULTILINE)
        self.assertEqual(set(opened), {"cpp"})


if __name__ == "__main__":
    unittest.main()
