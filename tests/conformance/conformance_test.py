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

    def add_large(self):
        """Arrays of sizes that kernels share out among threads."""
        nodes, fetches = [], []

        def attr(key, value):
            return f"attr {{ key: '{key}' value {{ {value} }} }}"

        def node(op, *inputs, **attrs):
            name = f"n{len(nodes)}"
            text = " ".join(f"input: '{i}'" for i in inputs) + " " + " ".join(attr(k, v) for k, v in attrs.items())
            nodes.append(f"node {{ name: '{name}' op: '{op}' {text} }}")
            return name

        def constant(*values, shape=True):
            dims = f"dim {{ size: {len(values)} }}" if shape else ""
            numbers = " ".join(f"int_val: {v}" for v in values)
            return node("Const", dtype="type: DT_INT32",
                        value=f"tensor {{ dtype: DT_INT32 tensor_shape {{ {dims} }} {numbers} }}")

        def fetch(op, *inputs, **attrs):
            name = node(op, *inputs, T="type: DT_FLOAT", **attrs)
            fetches.append({"name": name + ":0", "dtype": "float32", "value": None})
            return name

        def numbers(*shape):
            return node("RandomStandardNormal", constant(*shape), dtype="type: DT_FLOAT", T="type: DT_INT32",
                        seed=f"i: {len(nodes) + 1}")

        a, b, c = numbers(600, 700), numbers(700, 500), numbers(600, 700)
        image, window = numbers(4, 40, 40, 16), numbers(3, 3, 16, 24)
        strides = "list { i: 1 i: 1 i: 1 i: 1 }"
        for x, y in ((a, b), (numbers(600, 3), numbers(3, 1200)), (numbers(1, 3000), numbers(3000, 700))):
            fetch("MatMul", x, y)
        fetch("BatchMatMulV2", numbers(20, 60, 70), numbers(20, 70, 50))
        fetch("Softmax", a)
        fetch("LogSoftmax", a)
        fetch("Tanh", fetch("Mul", fetch("AddV2", a, c), a))
        for axis in ((0,), (1,), (0, 1)):
            for op in ("Sum", "Mean", "Max", "Prod"):
                fetch(op, a, constant(*axis), Tidx="type: DT_INT32")
        fetch("Cumsum", a, constant(1, shape=False), Tidx="type: DT_INT32")
        fetch("Transpose", image, constant(3, 0, 2, 1), Tperm="type: DT_INT32")
        folded = fetch("Conv2D", image, window, strides=strides, padding="s: 'SAME'")
        fetch("Conv2DBackpropInput", constant(4, 40, 40, 16), window, folded, strides=strides, padding="s: 'SAME'")
        fetch("Conv2DBackpropFilter", image, constant(3, 3, 16, 24), folded, strides=strides, padding="s: 'SAME'")
        for op in ("AvgPool", "MaxPool"):
            fetch(op, image, ksize="list { i: 1 i: 3 i: 3 i: 1 }", strides=strides, padding="s: 'SAME'")
        fetch("BiasAddGrad", image)
        fetch("FusedBatchNorm", image, numbers(16), numbers(16), numbers(0), numbers(0))
        step = {"feeds": {}, "targets": [], "fetches": fetches, "error": None}
        self.add_case("large", "\n".join(nodes), steps=[step])

    def test_threads_agree(self):
        self.add_large()
        code, lines, _ = run("--corpus", self.corpus)
        self.assertEqual((code, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"), "\n".join(lines))
        code, lines, _ = run("--corpus", self.corpus, "--threads-agree", "1,2,8")
        self.assertEqual((code, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"), "\n".join(lines))
        code, lines, _ = run("--corpus", GOLDEN, "--threads-agree", "1,2,8", "--list", "failed")
        self.assertEqual(code, 0, "\n".join(lines))

    def test_goldens(self):
        for form in ("as-marked", "lowered"):
            code, lines, _ = run("--corpus", GOLDEN, "--list", "failed", "--functional", form)
            self.assertEqual(code, 0, "\n".join([form, *lines]))

    def test_calls_run_what_lowered_ops_leave_out(self):
        case = ("--corpus", GOLDEN / "if_with_unused_effects_lowered", "--functional")
        self.assertEqual([run(*case, form)[0] for form in ("called", "as-marked")], [1, 0])
        self.assertNotEqual(run(*case, "melted")[0], 0)


if __name__ == "__main__":
    unittest.main()
