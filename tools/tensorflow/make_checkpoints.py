#!/usr/bin/env python3
"""Writes tests/runtime/checkpoint/golden: one set of variables in both formats of checkpoints, and a checkpoint of objects.

    make_checkpoints.py [DIRECTORY]
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


v1 = tf.compat.v1


class Layer(tf.Module):
    def __init__(self, name, rows, columns):
        super().__init__(name=name)
        with self.name_scope:
            self.kernel = tf.Variable(np.arange(rows * columns, dtype=np.float32).reshape(rows, columns), name="kernel")
            self.bias = tf.Variable(tf.zeros([columns]), name="bias")


def write_objects(directory):
    layers = [Layer("hidden", 2, 3), Layer("out", 3, 1)]
    step = tf.Variable(5, dtype=tf.int64, name="step")
    twins = [tf.Variable([1.0], name="twin"), tf.Variable([2.0], name="twin")]
    tf.train.Checkpoint(model=tf.Module(), layers=layers, step=step, twins=twins).write(str(directory / "objects"))


def write_variables(directory):
    v1.get_variable("a", initializer=np.arange(6, dtype=np.float32).reshape(2, 3))
    v1.get_variable("part", shape=[10, 4], initializer=v1.random_uniform_initializer(seed=1),
                    partitioner=v1.fixed_size_partitioner(3))
    v1.get_variable("col", shape=[4, 300], initializer=v1.random_uniform_initializer(seed=2),
                    partitioner=v1.fixed_size_partitioner(2, axis=1))
    v1.get_variable("s", initializer=tf.constant(["x", "", "y" * 300]))
    v1.get_variable("b", initializer=tf.constant([True, False]))
    v1.get_variable("c", initializer=tf.constant(1 + 2j, tf.complex128))
    v1.get_variable("h", initializer=tf.constant([1.5, 2], tf.bfloat16))
    v1.get_variable("step", initializer=tf.constant(7, tf.int64))
    v1.get_variable("zero", initializer=tf.zeros([0, 3]))
    savers = {
        "v2": v1.train.Saver(),
        # The first format has no bfloat16.
        "v1": v1.train.Saver([v for v in v1.global_variables() if v.op.name != "h"], write_version=1),
    }
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for name, saver in savers.items():
            saver.save(session, str(directory / name), write_meta_graph=False, write_state=False)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/runtime/checkpoint/golden"
    write_objects(directory)
    with tf.Graph().as_default():
        write_variables(directory)


if __name__ == "__main__":
    main()
