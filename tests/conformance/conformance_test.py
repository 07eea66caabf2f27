#!/usr/bin/env python3
"""The conformance program counts, filters, lists and judges as it says."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path("tests/conformance/conformance")
GOLDEN = pathlib.Path("tests/golden")


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr


class ConformanceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.corpus = pathlib.Path(self.folder.name, "corpus")
        self.add_golden("right")

    def tearDown(self):
        self.folder.cleanup()

    def add_golden(self, name):
        to = self.corpus / name
        to.mkdir(parents=True)
        for file in ("case.json", "data.npz", "graph.pb"):
            shutil.copyfile(GOLDEN / "deep_chain" / file, to / file)

    def add_case(self, name, graph, **case):
        to = self.corpus / name
        to.mkdir(parents=True)
        (to / "graph.pbtxt").write_text(graph)
        document = {"graph": "graph.pbtxt", "graph_kind": "graphdef_text", "compare": "values", "steps": [], **case}
        (to / "case.json").write_text(json.dumps(document))

    def add_wrong(self, name):
        self.add_case(name, "", load={"error": "INVALID_ARGUMENT"})

    def add_missing(self, name):
        node = "node { name: 'x' op: 'TPUReplicatedInput' input: 'c' attr { key: 'T' value { type: DT_INT32 } } attr { key: 'N' value { i: 1 } } }"
        constant = (
            "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
            "attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }"
        )
        step = {"feeds": {}, "targets": ["x"], "fetches": [], "error": None}
        self.add_case(name, node + constant, steps=[step], ops=["Const", "TPUReplicatedInput"])

    def test_all_right(self):
        code, lines, _ = run("--corpus", self.corpus)
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 0 skipped"))

    def test_a_folder_may_be_the_case(self):
        code, lines, _ = run("--corpus", self.corpus / "right")
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 0 skipped"))

    def test_failures_are_named(self):
        self.add_wrong("deeper/wrong")
        code, lines, _ = run("--corpus", self.corpus)
        self.assertEqual(code, 1)
        self.assertEqual(lines, ["FAILED corpus/deeper/wrong: loaded, expected INVALID_ARGUMENT", "1 passed, 1 failed, 0 skipped"])

    def test_filter(self):
        self.add_wrong("wrong")
        code, lines, _ = run("--corpus", self.corpus, "--filter", "/ri.*t$")
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 0 skipped"))
        self.assertEqual(run("--corpus", self.corpus, "--filter", "(")[0], 2)

    def test_what_is_missing_is_counted(self):
        self.add_missing("missing1")
        self.add_missing("missing2")
        code, lines, _ = run("--corpus", self.corpus, "--list", "skipped")
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 2 skipped"))
        self.assertIn("      2       2  op TPUReplicatedInput", lines)

    def test_long_lists_are_cut_unless_asked_for(self):
        for i in range(25):
            self.add_wrong(f"wrong{i}")
        self.assertEqual(len(run("--corpus", self.corpus)[1]), 20 + 2)
        self.assertEqual(len(run("--corpus", self.corpus, "--list", "failed")[1]), 25 + 1)

    def test_known_failures(self):
        self.add_wrong("wrong")
        known = pathlib.Path(self.folder.name, "known.txt")
        known.write_text("# comment\nwrong the reader is too kind\n")
        code, lines, _ = run("--corpus", self.corpus, "--known-failures", known)
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        known.write_text("corpus/right it is right, in truth\n")
        code, lines, _ = run("--corpus", self.corpus, "--known-failures", known, "--filter", "right")
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))
        known.write_text("right\n")
        self.assertEqual(run("--corpus", self.corpus, "--known-failures", known)[0], 2)

    def test_json(self):
        self.add_missing("missing")
        self.add_wrong("wrong")
        file = pathlib.Path(self.folder.name, "out.json")
        run("--corpus", self.corpus, "--json", file)
        results = {r["case"]: r for r in json.loads(file.read_text())}
        self.assertEqual(results["corpus/right"]["outcome"], "passed")
        self.assertEqual(results["corpus/wrong"]["outcome"], "failed")
        self.assertEqual(results["corpus/missing"]["missing"], ["op TPUReplicatedInput"])

    def test_a_case_that_cannot_be_read_fails(self):
        (self.corpus / "broken").mkdir()
        (self.corpus / "broken" / "case.json").write_text("{")
        code, lines, _ = run("--corpus", self.corpus)
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_no_corpus(self):
        code, _, errors = run("--corpus", self.corpus / "none")
        self.assertEqual(code, 2)
        self.assertIn("expected a folder", errors)

    def test_goldens(self):
        code, lines, _ = run("--corpus", GOLDEN, "--list", "failed")
        self.assertEqual(code, 0, "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
