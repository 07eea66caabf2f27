#!/usr/bin/env python3
"""Writes tools/demo_data/digits_training.pb: a graph that trains a network on the digits, for `graph-runner train`.

usage: make_digits_training.py

Inputs: `images` (float32 [?,8,8,1], grey levels divided by 16), `labels` (int64 [?]), `training` (bool, false by default).
`init` gives the variables their first values; `train` makes a step of Adam and counts it in `global_step`; `loss`, `accuracy`,
`classes` (int64 [?]), `probabilities` (float32 [?,10]) and `summary` (a merged summary) are for looking at.

The network is a small residual one: a convolution, then the same two layers again and again in a while loop, each time with
weights of their own, dropout and a dense layer. Variables are reference variables, as in TensorFlow 1.
"""
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import tensorflow as tf

v1 = tf.compat.v1
OUT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'demo_data', 'digits_training.pb')
CHANNELS, WIDTH, ROUNDS = 16, 96, 3


def main():
    v1.disable_eager_execution()
    v1.disable_control_flow_v2()
    v1.disable_resource_variables()
    v1.set_random_seed(2021)
    images = v1.placeholder(tf.float32, [None, 8, 8, 1], 'images')
    labels = v1.placeholder(tf.int64, [None], 'labels')
    training = v1.placeholder_with_default(False, [], 'training')
    glorot = lambda seed: v1.glorot_uniform_initializer(seed=seed)
    with v1.variable_scope('conv'):
        filters = v1.get_variable('filter', [3, 3, 1, CHANNELS], initializer=glorot(1))
        x = tf.nn.bias_add(tf.nn.conv2d(images, filters, 1, 'SAME'), v1.get_variable('bias', [CHANNELS], initializer=v1.zeros_initializer()))
        x = tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, 'VALID')
    x = tf.reshape(x, [-1, 4 * 4 * CHANNELS])
    with v1.variable_scope('dense'):
        x = tf.nn.relu(tf.matmul(x, v1.get_variable('weights', [4 * 4 * CHANNELS, WIDTH], initializer=glorot(2))) +
                       v1.get_variable('bias', [WIDTH], initializer=v1.zeros_initializer()))
    with v1.variable_scope('rounds'):
        weights = v1.get_variable('weights', [ROUNDS, WIDTH, WIDTH], initializer=v1.random_normal_initializer(stddev=0.05, seed=3))

        def body(i, x):
            return i + 1, x + tf.nn.relu(tf.matmul(x, weights[i]))

        _, x = v1.while_loop(lambda i, x: i < ROUNDS, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, WIDTH])])
    x = v1.cond(training, lambda: v1.nn.dropout(x, rate=0.3, seed=4), lambda: x)
    with v1.variable_scope('out'):
        logits = tf.matmul(x, v1.get_variable('weights', [WIDTH, 10], initializer=glorot(5))) + v1.get_variable(
            'bias', [10], initializer=v1.zeros_initializer())
    tf.nn.softmax(logits, name='probabilities')
    classes = tf.argmax(logits, 1, name='classes')
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name='loss')
    tf.reduce_mean(tf.cast(tf.equal(classes, labels), tf.float32), name='accuracy')
    step = v1.train.get_or_create_global_step()
    v1.train.AdamOptimizer(2e-3).minimize(loss, step, name='train')
    v1.summary.histogram('rounds/weights', weights)
    v1.summary.image('images', images, max_outputs=3)
    tf.identity(v1.summary.merge_all(), name='summary')
    v1.global_variables_initializer()
    graph = v1.get_default_graph().as_graph_def()
    for node in graph.node:
        node.attr.pop('_class', None)
    data = graph.SerializeToString(deterministic=True)
    with open(OUT, 'wb') as f: f.write(data)
    print(f'{OUT}: {len(graph.node)} nodes, {len(data)} bytes, ops: {" ".join(sorted({n.op for n in graph.node}))}')


if __name__ == '__main__': main()
