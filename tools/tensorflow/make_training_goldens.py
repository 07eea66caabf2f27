#!/usr/bin/env python3
"""Writes tests/graph/train/*_goldens.inc: what TensorFlow's optimizers, learning rates and moving averages give.

usage: make_training_goldens.py
"""
import math, os

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), 'tests', 'graph', 'train')
STEPS = 5
ABOUT = '// Made by tools/tensorflow/make_training_goldens.py with TensorFlow %s.\n' % tf.__version__


def dense(use_resource, dtype):
    """A line through three points: sum((x w + b - y)^2)."""
    w = v1.Variable(np.array([[0.5, -1.0], [2.0, 0.25]], dtype), name='w', use_resource=use_resource)
    b = v1.Variable(np.array([0.125, -0.5], dtype), name='b', use_resource=use_resource)
    x = tf.constant(np.array([[1.0, 0.5], [-0.5, 2.0], [0.25, -1.0]], dtype))
    y = tf.constant(np.array([[1.0, -1.0], [0.5, 0.0], [-2.0, 1.5]], dtype))
    return tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y)), lambda step: {}


def sparse(use_resource, dtype):
    """Rows of a table: sum((t[ids] - y)^2), ids k mod 4, 1 and 1 in step k."""
    t = v1.Variable(np.arange(8, dtype=dtype).reshape(4, 2) / 4 - 1, name='t', use_resource=use_resource)
    ids = v1.placeholder(tf.int32, [3], name='ids')
    y = tf.constant(np.array([[0.5, 1.0], [-0.25, 0.0], [2.0, -1.0]], dtype))
    return tf.reduce_sum(tf.square(tf.gather(t, ids) - y)), lambda step: {ids: [step % 4, 1, 1]}


def slot(v, name, index=0):
    suffix = f'_{index}' if index else ''
    return v1.Variable(np.zeros(v.shape, v.dtype.base_dtype.as_numpy_dtype), name=f'{v.op.name}/{name}{suffix}', trainable=False, use_resource=True)


class Raw:
    """Optimizers that only exist as kernels; where these have no sparse form the dense one takes the whole gradient."""

    def __init__(self, name, slots, apply, powers=(), rows=None):
        self.name, self.slots, self.apply, self.powers, self.rows = name, slots, apply, powers, rows

    def minimize(self, loss):
        variables = v1.trainable_variables()
        powers = [v1.Variable(np.float32(beta), name=name, trainable=False, use_resource=True) for name, beta in self.powers]
        updates = []
        for grad, v in zip(tf.gradients(loss, variables), variables):
            slots = [slot(v, self.name, i) for i in range(self.slots)]
            p = [tf.identity(power) for power in powers]
            if isinstance(grad, tf.IndexedSlices) and self.rows:
                ids, positions = tf.unique(grad.indices)
                updates.append(self.rows(v, slots, p, tf.math.unsorted_segment_sum(grad.values, positions, tf.size(ids)), ids))
            else:
                updates.append(self.apply(v, slots, p, tf.convert_to_tensor(grad)))
        with tf.control_dependencies(updates):
            return tf.group(*[v1.assign(power, power * beta) for power, (_, beta) in zip(powers, self.powers)])


def adamax_rows(v, slots, powers, grad, ids):
    m, u = slots
    new_m = tf.gather(m, ids) * 0.8 + grad * (1 - 0.8)
    new_u = tf.maximum(tf.gather(u, ids) * 0.95, tf.abs(grad))
    change = -0.05 / (1 - powers[0]) * new_m / (new_u + 1e-6)
    with tf.control_dependencies([new_m, new_u, change]):
        return tf.group(v1.scatter_update(m, ids, new_m), v1.scatter_update(u, ids, new_u), v1.scatter_add(v, ids, change))


raw, train = tf.raw_ops, v1.train
OPTIMIZERS = {
    'GradientDescent': lambda: train.GradientDescentOptimizer(0.05),
    'Momentum': lambda: train.MomentumOptimizer(0.02, 0.8),
    'MomentumNesterov': lambda: train.MomentumOptimizer(0.02, 0.8, use_nesterov=True),
    'Adam': lambda: train.AdamOptimizer(0.05, beta1=0.8, beta2=0.95, epsilon=1e-6),
    'RMSProp': lambda: train.RMSPropOptimizer(0.05, decay=0.8, momentum=0.5, epsilon=1e-6),
    'RMSPropCentered': lambda: train.RMSPropOptimizer(0.05, decay=0.8, momentum=0.5, epsilon=1e-3, centered=True),
    'Adagrad': lambda: train.AdagradOptimizer(0.1, initial_accumulator_value=0.2),
    'AdagradDA': lambda: train.AdagradDAOptimizer(0.1, train.get_or_create_global_step(), l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    'Adadelta': lambda: train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-3),
    'Ftrl': lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    'FtrlShrinkage': lambda: train.FtrlOptimizer(0.1, learning_rate_power=-0.6, initial_accumulator_value=0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.02,
                                                 l2_shrinkage_regularization_strength=0.05),
    'ProximalGradientDescent': lambda: train.ProximalGradientDescentOptimizer(0.05, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
    'ProximalAdagrad': lambda: train.ProximalAdagradOptimizer(0.1, initial_accumulator_value=0.2, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
}
RAW = {
    'AMSGrad': lambda: Raw('AMSGrad', 3, lambda v, s, p, g: raw.ResourceApplyAdamWithAmsgrad(
        var=v.handle, m=s[0].handle, v=s[1].handle, vhat=s[2].handle, beta1_power=p[0], beta2_power=p[1], lr=0.05, beta1=0.8, beta2=0.95, epsilon=1e-6, grad=g),
        [('beta1_power', 0.8), ('beta2_power', 0.95)]),
    'AdaMax': lambda: Raw('AdaMax', 2, lambda v, s, p, g: raw.ResourceApplyAdaMax(
        var=v.handle, m=s[0].handle, v=s[1].handle, beta1_power=p[0], lr=0.05, beta1=0.8, beta2=0.95, epsilon=1e-6, grad=g), [('beta1_power', 0.8)], adamax_rows),
    'AddSign': lambda: Raw('AddSign', 1, lambda v, s, p, g: raw.ResourceApplyAddSign(
        var=v.handle, m=s[0].handle, lr=0.02, alpha=1.5, sign_decay=0.75, beta=0.8, grad=g)),
    'PowerSign': lambda: Raw('PowerSign', 1, lambda v, s, p, g: raw.ResourceApplyPowerSign(
        var=v.handle, m=s[0].handle, lr=0.02, logbase=math.log(2), sign_decay=0.75, beta=0.8, grad=g)),
}


def numbers(value):
    return ', '.join(repr(float(x)) for x in np.asarray(value, np.float64).ravel())


def train_case(make, problem, use_resource, dtype):
    """Every variable after some steps, by name."""
    with tf.Graph().as_default(), v1.Session() as session:
        loss, feeds = problem(use_resource, dtype)
        optimizer = make()
        if isinstance(optimizer, train.AdagradDAOptimizer):
            step = optimizer.minimize(loss, global_step=train.get_global_step())
        else:
            step = optimizer.minimize(loss)
        session.run(v1.global_variables_initializer())
        for k in range(STEPS): session.run(step, feeds(k))
        return sorted((v.op.name, session.run(v)) for v in v1.global_variables())


def optimizers():
    cases = []
    for name, make in list(OPTIMIZERS.items()) + list(RAW.items()):
        for kind in ('resource', 'ref'):
            if name in RAW and kind == 'ref': continue
            for problem in (dense, sparse):
                cases.append((f'{name}/{kind}/{problem.__name__}/float32', make, problem, kind == 'resource', np.float32))
    for problem in (dense, sparse):
        cases.append((f'Adam/resource/{problem.__name__}/float64', OPTIMIZERS['Adam'], problem, True, np.float64))
    with open(os.path.join(FOLDER, 'optimizer_goldens.inc'), 'w') as f:
        f.write(ABOUT + f'// Name of the case; the variables after {STEPS} steps.\n')
        for name, *args in cases:
            f.write('{"%s",\n {%s}},\n' % (name, ',\n  '.join('{"%s", {%s}}' % (v, numbers(value)) for v, value in train_case(*args))))


SCHEDULES = {
    'exponential': lambda s: train.exponential_decay(0.1, s, 4, 0.5),
    'exponential staircase': lambda s: train.exponential_decay(0.1, s, 4, 0.5, staircase=True),
    'natural exp': lambda s: train.natural_exp_decay(0.1, s, 4, 0.5),
    'natural exp staircase': lambda s: train.natural_exp_decay(0.1, s, 4, 0.5, staircase=True),
    'inverse time': lambda s: train.inverse_time_decay(0.1, s, 4, 0.5),
    'inverse time staircase': lambda s: train.inverse_time_decay(0.1, s, 4, 0.5, staircase=True),
    'piecewise constant': lambda s: train.piecewise_constant(s, [2, 5], [0.1, 0.05, 0.01]),
    'polynomial': lambda s: train.polynomial_decay(0.1, s, 6, end_learning_rate=0.01, power=2.0),
    'polynomial cycle': lambda s: train.polynomial_decay(0.1, s, 4, end_learning_rate=0.01, power=1.0, cycle=True),
    'cosine': lambda s: train.cosine_decay(0.1, s, 6, alpha=0.1),
    'cosine restarts': lambda s: train.cosine_decay_restarts(0.1, s, 3, t_mul=2.0, m_mul=0.5, alpha=0.1),
    'cosine restarts of one length': lambda s: train.cosine_decay_restarts(0.1, s, 3, t_mul=1.0, m_mul=0.5, alpha=0.1),
    'linear cosine': lambda s: train.linear_cosine_decay(0.1, s, 6, num_periods=1.5, alpha=0.1, beta=0.01),
}


def schedules():
    with open(os.path.join(FOLDER, 'schedule_goldens.inc'), 'w') as f:
        f.write(ABOUT + '// Name of the schedule; the rates in steps 0 to 11.\n')
        for name, make in SCHEDULES.items():
            with tf.Graph().as_default(), v1.Session() as session:
                step = v1.placeholder(tf.int64, [])
                rate = make(step)
                f.write('{"%s", {%s}},\n' % (name, numbers([session.run(rate, {step: k}) for k in range(12)])))


def averages():
    """A variable that goes up by [1, -2] before each update, and a value fed as [k, 3]."""
    cases = {'plain': {}, 'num_updates': {'num_updates': True}, 'zero_debias': {'zero_debias': True}}
    with open(os.path.join(FOLDER, 'moving_average_goldens.inc'), 'w') as f:
        f.write(ABOUT + f'// Name of the case; all variables after {STEPS} updates.\n')
        for name, options in cases.items():
            with tf.Graph().as_default(), v1.Session() as session:
                w = v1.Variable([1.0, 2.0], name='w', use_resource=True)
                x = v1.placeholder(tf.float32, [2], name='x')
                value = tf.identity(x, 'value')
                count = v1.placeholder(tf.int64, [], name='count')
                average = tf.train.ExponentialMovingAverage(0.9, count if 'num_updates' in options else None, zero_debias='zero_debias' in options)
                with tf.control_dependencies([w.assign_add([1.0, -2.0])]): update = average.apply([w, value])
                session.run(v1.global_variables_initializer())
                for k in range(STEPS): session.run(update, {x: [k, 3], count: k})
                f.write('{"%s",\n {%s}},\n' % (name, ',\n  '.join('{"%s", {%s}}' % (v.op.name, numbers(session.run(v))) for v in
                                                                sorted(v1.global_variables(), key=lambda v: v.op.name))))


if __name__ == '__main__':
    optimizers()
    schedules()
    averages()
