#!/usr/bin/env python3
"""tools/run_tests.py reads what GoogleTest and Bazel write."""

import importlib.util
import json
import pathlib
import tempfile
import unittest

spec = importlib.util.spec_from_file_location("run_tests", "tools/run_tests.py")
run_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_tests)

GOOGLE_TEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" disabled="1" errors="0" name="AllTests"><testsuite name="A">
<testcase name="Passes" status="run" result="completed" classname="A" />
<testcase name="Skips" status="run" result="skipped" classname="A"><skipped message="why"/></testcase>
<testcase name="Fails" status="run" result="completed" classname="A"><failure message="f" type=""/></testcase>
<testcase name="DISABLED_x" status="notrun" result="suppressed" classname="A" />
</testsuite></testsuites>"""
CRASH = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="a_test" tests="1" failures="0" errors="1">
<testcase name="a_test" status="run" duration="0"><error message="exited with error code 134"></error></testcase>
</testsuite></testsuites>"""


def result(label, shard, status, xml):
    return {
        "id": {"testResult": {"label": label, "run": 1, "shard": shard, "attempt": 1}},
        "testResult": {"status": status, "testActionOutput": [{"name": "test.xml", "uri": "file://" + xml}]},
    }


class RunTestsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return path

    def test_cases(self):
        self.assertEqual(run_tests.read_cases(self.write("a.xml", GOOGLE_TEST)), (1, 1, 1))

    def test_crash(self):
        self.assertEqual(run_tests.read_cases(self.write("a.xml", CRASH)), (0, 1, 0))

    def test_events(self):
        events = [
            {"id": {"started": {}}, "started": {}},
            result("//a:a_test", 1, "PASSED", "/t/1%20of%202.xml"),
            result("//a:a_test", 2, "FAILED", "/t/2.xml"),
            result("//b:b_test", 0, "PASSED", "/t/b.xml"),
        ]
        path = self.write("events.json", "\n".join(json.dumps(event) for event in events))
        self.assertEqual(
            run_tests.read_events(path),
            {
                "//a:a_test": {1: ("PASSED", "/t/1 of 2.xml"), 2: ("FAILED", "/t/2.xml")},
                "//b:b_test": {0: ("PASSED", "/t/b.xml")},
            },
        )

    def test_sum(self):
        self.assertTrue(run_tests.SUM.match("12 passed, 0 failed, 3 skipped"))
        self.assertFalse(run_tests.SUM.match("about 12 passed, 0 failed, 3 skipped"))


if __name__ == "__main__":
    unittest.main()
