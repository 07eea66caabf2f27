#!/usr/bin/env python3
"""Training as the demo does it: a graph of TensorFlow, and a network built in C++."""

import glob
import json
import re
import subprocess
import tempfile
import unittest

GRAPH_RUNNER = "tools/graph_runner/graph-runner"
TRAIN = [
    GRAPH_RUNNER, "train", "tools/demo_data/digits_training.pb", "--data", "tools/demo_data/digits.npz", "--feed", "images=images/16",
    "--holdout", "5", "--train-op", "train", "--loss", "loss", "--eval", "accuracy", "--threads", "1", "--json",
]


class TrainingTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def train(self, *flags):
        done = subprocess.run([*TRAIN, *flags], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads(done.stdout)

    def test_graph_of_tensorflow(self):
        report = self.train("--epochs", "10", "-i", "training=true", "--summary", self.folder.name)
        self.assertEqual(report["steps"], 450)
        self.assertGE(report["epochs"][-1]["eval"]["accuracy"], 0.97)
        self.assertEqual(glob.glob(self.folder.name + "/events.out.tfevents.*"), [report["events"]])

    def test_network_built_in_cpp(self):
        done = subprocess.run(["tools/digits/digits_training", "tools/demo_data", self.folder.name], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        accuracies = re.findall(r"it reads ([0-9.]+)% of the images held back", done.stdout)
        self.assertEqual(len(accuracies), 4, done.stdout)
        for accuracy in accuracies: self.assertGE(float(accuracy), 96)
        self.assertEqual(len(glob.glob(self.folder.name + "/*/events.out.tfevents.*")), 4)


if __name__ == "__main__":
    unittest.main()
