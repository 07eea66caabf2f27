#!/usr/bin/env python3
"""Writes tools/demo_data/collatz.pb: a while loop with a cond in its body, as TensorFlow 1 builds them.

usage: make_control_flow.py

From `n` (int64 scalar, at least 1) on, each step halves an even number and takes an odd one to 3n + 1, until it is 1.
`steps` is the number of steps and `peak` the largest number on the way (both int64).
"""
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import tensorflow as tf

v1 = tf.compat.v1
PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'demo_data', 'collatz.pb')


def collatz(n):
    names = ('zero', 'one', 'two', 'three')
    zero, one, two, three = (tf.constant(v, tf.int64, name=name) for v, name in enumerate(names))

    def body(n, steps, peak):
        following = tf.cond(tf.equal(n % two, zero), lambda: n // two, lambda: three * n + one, name='even')
        return following, steps + one, tf.maximum(peak, following)

    _, steps, peak = tf.while_loop(lambda n, steps, peak: tf.not_equal(n, one), body,
                                   [n, zero, n], name='collatz')
    return steps, peak


def main():
    v1.disable_eager_execution()
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, v1.Session() as session:
        n = v1.placeholder(tf.int64, [], 'n')
        steps, peak = collatz(n)
        outputs = tf.identity(steps, 'steps'), tf.identity(peak, 'peak')
        graph_def = graph.as_graph_def()
        for start, want in ((1, (0, 1)), (6, (8, 16)), (27, (111, 9232))):
            got = tuple(session.run(outputs, {n: start}))
            if got != want: raise SystemExit(f'from {start}: expected {want}, got {got}')
    with open(PATH, 'wb') as f: f.write(graph_def.SerializeToString(deterministic=True))
    print(f'{len(graph_def.node)} nodes written to {PATH}')


if __name__ == '__main__': main()
