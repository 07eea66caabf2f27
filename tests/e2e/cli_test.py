#!/usr/bin/env python3
"""graph-runner from outside: exit codes, what goes to which stream, and the texts of errors."""

import json
import pathlib
import subprocess
import tempfile
import unittest

RUNNER = pathlib.Path("tools/graph_runner/graph-runner").resolve()
DATA = pathlib.Path("tools/demo_data")
COLLATZ = DATA / "collatz.pb"
GOLDEN = pathlib.Path("tests/golden")


def run(*arguments):
    done = subprocess.run([RUNNER, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tmp = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def check_error(self, code, texts, *arguments):
        """The command fails with this exit code, says these texts on standard error and nothing on standard output."""
        got, output, errors = run(*arguments)
        self.assertEqual(got, code, errors)
        self.assertEqual(output, "")
        for text in texts:
            self.assertIn(text, errors)
        # The same as JSON, on standard output.
        got, output, _ = run(*arguments, "--json")
        self.assertEqual(got, code)
        if code != 2 or output:
            self.assertIn("message", json.loads(output)["error"])

    def test_run_prints_outputs(self):
        code, output, errors = run("run", COLLATZ, "-i", "n=27", "-o", "steps", "-o", "peak")
        self.assertEqual((code, output, errors), (0, "steps: int64[] 111\npeak: int64[] 9232\n", ""))

    def test_run_as_json(self):
        code, output, _ = run("run", COLLATZ, "-i", "n=27", "-o", "steps", "--json", "--stats")
        document = json.loads(output)
        self.assertEqual(document["outputs"]["steps"], {"dtype": "int64", "shape": [], "value": 111})
        frames = {f["name"]: f["iterations"] for f in document["stats"]["frames"]}
        self.assertIn(112, frames.values())

    def test_show_then_run_what_it_says(self):
        _, output, _ = run("show", COLLATZ)
        command = next(line.strip() for line in output.splitlines() if line.strip().startswith("graph-runner run"))
        self.assertEqual(run(*command.replace("n=zeros", "n=ones").split()[1:])[0], 0)

    def test_names_that_are_not_there(self):
        self.check_error(1, ["error[NOT_FOUND]", "'nn'", "did you mean 'n'?"], "run", COLLATZ, "-i", "nn=27", "-o", "steps")
        self.check_error(1, ["error[NOT_FOUND]", "'step'", "did you mean 'steps'"], "run", COLLATZ, "-i", "n=27", "-o", "step")
        self.check_error(1, ["error[NOT_FOUND]", "'go'"], "run", COLLATZ, "-i", "n=27", "-t", "go")

    def test_feeds_that_do_not_fit(self):
        self.check_error(1, ["expected int64", "float32"], "run", COLLATZ, "-i", "n=27:f32", "-o", "steps")
        self.check_error(1, ["'n:0'", "expected once, got twice"], "run", COLLATZ, "-i", "n=27", "-i", "n:0=28", "-o", "steps")
        self.check_error(1, ["'steps:0'", "got both"], "run", COLLATZ, "-i", "n=27", "-i", "steps=1", "-o", "steps:0")
        self.check_error(1, ["'n'", "fed"], "run", COLLATZ, "-o", "steps")

    def test_usage(self):
        self.check_error(2, ["NAME=VALUE"], "run", COLLATZ, "-i", "n", "-o", "steps")
        self.check_error(2, ["input 'x'", "expected JSON"], "run", COLLATZ, "-i", "n=x", "-o", "steps")
        self.assertEqual(run("run", COLLATZ, "--nonsense")[0], 2)
        self.assertEqual(run()[0], 2)

    def test_files(self):
        self.check_error(6, ["no such file"], "show", self.tmp / "none.pb")
        self.check_error(6, ["none.npy"], "run", COLLATZ, "-i", "n=@none.npy", "-o", "steps")
        self.check_error(6, ["no/such"], "run", COLLATZ, "-i", "n=3", "-o", "steps=no/such/folder.npy")

    def test_models_that_are_malformed(self):
        bad = self.tmp / "bad.pb"
        bad.write_bytes(COLLATZ.read_bytes()[:-3])
        self.check_error(3, ["bad.pb"], "show", bad)
        text = self.tmp / "bad.pbtxt"
        text.write_text("node {\n  name: 'x' op: 'NoOp'\n  inputs: 'y'\n}\n")
        self.check_error(3, ["bad.pbtxt", "line 3, column"], "show", text)
        text.write_text("node { name: 'x' op: 'NoOp' input: '^missing' }")
        self.check_error(3, ["'x'", "missing"], "show", text)

    def test_all_that_is_missing_is_said_at_once(self):
        text = self.tmp / "missing.pbtxt"
        node = "node {{ name: '{0}' op: '{1}' input: 'c' attr {{ key: 'T' value {{ type: DT_INT32 }} }} {2} }}\n"
        text.write_text(
            "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { "
            "tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }\n"
            + node.format("a", "TPUReplicatedInput", "attr { key: 'N' value { i: 1 } }")
            + node.format("b", "XlaDynamicUpdateSlice", "input: 'c' input: 'c' attr { key: 'Tindices' value { type: DT_INT32 } }")
        )
        self.check_error(
            3, ["TPUReplicatedInput", "XlaDynamicUpdateSlice", "hint:", "--unsupported"], "run", text, "-o", "a", "-o", "b"
        )
        code, output, _ = run("show", text, "--unsupported")
        self.assertEqual(code, 3)
        self.assertIn("TPUReplicatedInput", output)
        self.assertIn("XlaDynamicUpdateSlice", output)
        self.assertEqual(run("show", COLLATZ, "--unsupported")[0], 0)

    def test_timeout(self):
        code, _, errors = run("run", COLLATZ, "-i", "n=0", "-o", "steps", "--timeout", "100ms")  # 0 never comes to 1
        self.assertEqual(code, 5, errors)
        self.assertIn("error[DEADLINE_EXCEEDED]", errors)
        self.assertIn("hint:", errors)

    def test_threads(self):
        for threads in ("1", "3"):
            self.assertIn("111", run("run", COLLATZ, "-i", "n=27", "-o", "steps", "--threads", threads)[1])

    def test_compare(self):
        a, b = self.tmp / "a.npz", self.tmp / "b.npz"
        run("run", COLLATZ, "-i", "n=27", "--outputs", a)
        run("run", COLLATZ, "-i", "n=28", "--outputs", b)
        self.assertEqual(run("compare", a, a)[0], 0)
        code, output, _ = run("compare", a, b)
        self.assertEqual(code, 4)
        self.assertIn("expected 18, got 111", output)
        self.assertEqual(run("compare", a, self.tmp / "none.npz")[0], 6)

    def test_convert_keeps_the_graph(self):
        text, binary = self.tmp / "g.pbtxt", self.tmp / "g.pb"
        self.assertEqual(run("convert", COLLATZ, text)[0], 0)
        self.assertEqual(run("convert", text, binary)[0], 0)
        self.assertEqual(run("run", binary, "-i", "n=27", "-o", "steps")[1], "steps: int64[] 111\n")

    def test_ckpt_of_what_run_saved(self):
        graph, prefix = self.tmp / "v.pbtxt", self.tmp / "m"
        graph.write_text(
            """node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_INT32 } }
                      attr { key: "shape" value { shape { } } } attr { key: "shared_name" value { s: "v" } } }
               node { name: "seven" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
                      attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 7 } } } }
               node { name: "init" op: "AssignVariableOp" input: "v" input: "seven"
                      attr { key: "dtype" value { type: DT_INT32 } } }"""
        )
        self.assertEqual(run("run", graph, "-t", "init", "--save", prefix)[0], 0)
        self.assertEqual(run("ckpt", "cat", self.tmp, "-q")[1], "v: int32[] 7\n")
        self.assertEqual(json.loads(run("ckpt", "ls", prefix, "--json")[1])["tensors"][0]["dtype"], "int32")
        self.assertEqual(run("ckpt", "diff", prefix, prefix)[0], 0)
        data = self.tmp / "m.data-00000-of-00001"
        data.write_bytes(b"xxxx")
        code, output, _ = run("ckpt", "verify", prefix)
        self.assertEqual(code, 3)
        self.assertIn("wrong checksum", output)
        self.check_error(6, ["NOT_FOUND"], "ckpt", "ls", self.tmp / "none")

    def test_bench_of_a_case_prints_one_json_document(self):
        code, output, _ = run("bench", "--case", GOLDEN / "while_nested", "--threads", "1", "--min-time", "0.01", "--json")
        self.assertEqual(code, 0)
        document = json.loads(output)
        for key in ("load_ns", "first_run_ns", "min_ns", "p50_ns", "p90_ns", "runs"):
            self.assertGreater(document[key], 0, key)
        self.assertEqual(
            run("bench", "--case", GOLDEN / "while_nested", "--threads", "1", "--min-time", "0.01", "--no-optimize", "--json")[0], 0
        )

    def test_run_of_a_case_writes_its_last_fetches(self):
        out = self.tmp / "out.npz"
        self.assertEqual(run("run", "--case", GOLDEN / "while_nested", "--outputs", out)[0], 0)
        self.assertEqual(run("compare", out, out)[0], 0)

    def test_bench_as_text(self):
        code, output, _ = run("bench", COLLATZ, "-i", "n=27", "--runs", "50")
        self.assertEqual(code, 0)
        for text in ("50 runs", "p50", "p99", "steps/s", "█"):
            self.assertIn(text, output)

    def test_ops(self):
        self.assertIn("transpose_a", run("ops", "^MatMul$")[1])
        self.assertGreater(len(json.loads(run("ops", "--json")[1])["ops"]), 100)
        self.check_error(3, ["did you mean 'MatMul'"], "ops", "MatMull")

    def test_doctor(self):
        code, output, _ = run("doctor")
        self.assertEqual(code, 0, output)
        self.assertIn("matrix products  right", output)

    def test_colour_is_only_for_terminals(self):
        self.assertNotIn("\x1b", run("show", COLLATZ)[1])
        self.assertIn("\x1b", run("show", COLLATZ, "--color", "always")[1])

    def test_help_names_every_verb(self):
        _, output, _ = run("--help")
        for verb in ("show", "run", "bench", "ops", "convert", "compare", "ckpt", "doctor"):
            self.assertIn(verb, output)


if __name__ == "__main__":
    unittest.main()
