#!/usr/bin/env python3
"""Writes tests/runtime/checkpoint/golden: one set of variables in both formats of checkpoints.

    make_checkpoints.py [DIRECTORY]
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def main():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/runtime/checkpoint/golden"
    v1 = tf.compat.v1
    v1.disable_eager_execution()
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


if __name__ == "__main__":
    main()
