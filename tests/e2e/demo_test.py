#!/usr/bin/env python3
"""The demo's program reads handwritten digits as well as TensorFlow does with the same network."""

import re
import subprocess
import unittest


class DemoTest(unittest.TestCase):
    def test_accuracy(self):
        done = subprocess.run(["tools/digits/digits", "tools/demo_data"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        right = re.search(r"Accuracy: (\d+) of 359 images", done.stdout)
        self.assertIsNotNone(right, done.stdout)
        self.assertEqual(int(right[1]), 357)  # tools/demo_data/README.md
        for text in ("What it got wrong", "One image takes", "Conv2D", "██"):
            self.assertIn(text, done.stdout)

    def test_missing_data(self):
        done = subprocess.run(["tools/digits/digits", "nowhere"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/digits.npz", done.stderr)


if __name__ == "__main__":
    unittest.main()
