#!/usr/bin/env python3
"""Writes the data of the digits demo: tools/demo_data/digits.npz and the frozen network tools/demo_data/digits_cnn.pb.

usage: train_digits.py

The network is trained on four fifths of scikit-learn's digits; image i is held back when i % 5 == 4. The frozen graph
takes `images` (float32 [?,8,8,1], grey levels divided by 16) and gives `probabilities` (float32 [?,10]) and `classes`
(int64 [?]).
"""
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

v1 = tf.compat.v1
OUT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'demo_data')
EPOCHS, BATCH = 40, 32


def network(images, training):
    """The logits, and the ops that move the running statistics of the batch normalisation (when training)."""
    weights = lambda name, shape: v1.get_variable(
        name, shape, initializer=v1.glorot_uniform_initializer(seed=len(name) + shape[-1]), use_resource=False)
    values = lambda name, size, start=0.0: v1.get_variable(
        name, [size], initializer=v1.constant_initializer(start), trainable=name[:7] != 'running', use_resource=False)
    with v1.variable_scope('conv1', reuse=training):
        x = tf.nn.bias_add(tf.nn.conv2d(images, weights('filter', [3, 3, 1, 24]), 1, 'SAME'), values('bias', 24))
        scale, offset = values('scale', 24, 1.0), values('offset', 24)
        mean, variance = values('running_mean', 24), values('running_variance', 24, 1.0)
        if training:
            x, batch_mean, batch_variance = v1.nn.fused_batch_norm(x, scale, offset, is_training=True)
            updates = [v1.assign(mean, 0.95 * mean + 0.05 * batch_mean),
                       v1.assign(variance, 0.95 * variance + 0.05 * batch_variance)]
        else:
            x, _, _ = v1.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)
            updates = []
        x = tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, 'VALID')
    with v1.variable_scope('conv2', reuse=training):
        x = tf.nn.bias_add(tf.nn.conv2d(x, weights('filter', [3, 3, 24, 48]), 1, 'SAME'), values('bias', 48))
        x = tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, 'VALID')
    with v1.variable_scope('dense', reuse=training):
        x = tf.reshape(x, [-1, 2 * 2 * 48])
        return tf.nn.bias_add(tf.matmul(x, weights('weights', [2 * 2 * 48, 10])), values('bias', 10)), updates


def train(images, labels):
    """The trained network as a frozen GraphDef."""
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(2021)
        logits, _ = network(v1.placeholder(tf.float32, [None, 8, 8, 1], 'images'), training=False)
        tf.nn.softmax(logits, name='probabilities')
        tf.argmax(logits, 1, name='classes')
        x, y = v1.placeholder(tf.float32, [BATCH, 8, 8, 1]), v1.placeholder(tf.int64, [BATCH])
        logits, updates = network(x, training=True)
        loss = v1.losses.sparse_softmax_cross_entropy(y, logits)
        with tf.control_dependencies(updates): step = v1.train.AdamOptimizer(2e-3).minimize(loss)
        session.run(v1.global_variables_initializer())
        order = np.random.RandomState(2021)
        for _ in range(EPOCHS):
            shuffled = order.permutation(len(images))
            for at in range(0, len(images) - BATCH + 1, BATCH):
                rows = shuffled[at:at + BATCH]
                session.run(step, {x: images[rows], y: labels[rows]})
        graph = v1.graph_util.convert_variables_to_constants(
            session, session.graph.as_graph_def(), ['probabilities', 'classes'])
        return v1.graph_util.remove_training_nodes(graph, ['probabilities', 'classes'])


def accuracy(graph_def, images, labels):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(graph_def, name='')
        return np.mean(session.run('classes:0', {'images:0': images}) == labels)


def main():
    v1.disable_eager_execution()
    v1.logging.set_verbosity('ERROR')
    tf.config.experimental.enable_op_determinism()
    digits = load_digits()
    np.savez_compressed(os.path.join(OUT, 'digits.npz'),
                        images=digits.images.astype(np.uint8), labels=digits.target.astype(np.uint8))
    images, labels = (digits.images[..., None] / 16).astype(np.float32), digits.target
    held_back = np.arange(len(labels)) % 5 == 4
    graph_def = train(images[~held_back], labels[~held_back])
    with open(os.path.join(OUT, 'digits_cnn.pb'), 'wb') as f: f.write(graph_def.SerializeToString(deterministic=True))
    right = accuracy(graph_def, images[held_back], labels[held_back])
    print(f'accuracy on the {held_back.sum()} images held back: {right:.4f}')


if __name__ == '__main__': main()
