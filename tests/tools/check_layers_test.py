#!/usr/bin/env python3
"""tools/check_layers.py finds what it should find, and nothing else, in small trees."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GUARD = "#ifndef FLOWLATCH_{0}_H_\n#define FLOWLATCH_{0}_H_\n"
GOOD = {
    "graph/base/a.h": GUARD.format("GRAPH_BASE_A"),
    "graph/base/a.cc": '#include "graph/base/a.h"\n',
    "ops/b_ops.h": GUARD.format("OPS_B_OPS") + "absl::Status RegisterBOps(OpLibrary& library);\n",
    "ops/b_ops.cc": '#include "ops/b_ops.h"\n#include "graph/base/a.h"\n',
    "ops/default_ops.cc": "RegisterBOps(library);\n",
    "tests/ops/b_ops_test.cc": '#include "graph/base/a.h"\n#include "tests/testing/t.h"\n',
    "tests/ops/default_ops_test.cc": "",
}


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        script = pathlib.Path("tools/check_layers.py").resolve()
        return subprocess.run([sys.executable, script, root], stdout=subprocess.PIPE, text=True)


class CheckLayersTest(unittest.TestCase):
    def expect(self, changes, *problems):
        answer = check(GOOD | changes)
        self.assertEqual(answer.returncode, 1 if problems else 0, answer.stdout)
        if problems:
            self.assertEqual(answer.stdout.splitlines(), list(problems))

    def test_good(self):
        self.expect({})

    def test_later_layer(self):
        self.expect(
            {"graph/base/a.cc": '#include "ops/b_ops.h"\n'},
            "graph/base/a.cc: graph/base includes ops/b_ops.h of the later layer ops",
        )

    def test_proto_is_first(self):
        self.expect({"graph/base/a.cc": '#include "flowlatch/proto/graph.pb.h"\n'})

    def test_test_helper(self):
        self.expect(
            {"graph/base/a.cc": '#include "tests/testing/t.h"\n'}, "graph/base/a.cc: includes tests/testing/t.h, which is for tests"
        )

    def test_unknown_folder(self):
        self.expect({"graph/other/c.h": ""}, "graph/other/c.h: is in no layer")

    def test_guard(self):
        self.expect(
            {"graph/base/a.h": "#ifndef A_H\n"},
            "graph/base/a.h: include guard: expected FLOWLATCH_GRAPH_BASE_A_H_, got A_H",
        )

    def test_untested(self):
        self.expect({"graph/base/c.cc": ""}, "graph/base/c.cc: no test has its name or includes graph/base/c.h")

    def test_loops_are_tested_through_families(self):
        self.expect({"ops/kernels/c.cc": ""})

    def test_unregistered(self):
        self.expect({"ops/default_ops.cc": ""}, "ops/b_ops.h: nobody calls RegisterBOps")


if __name__ == "__main__":
    unittest.main()
