"""Seeded random ops; the streams are TensorFlow's bit for bit, the normal ones up to the last digit of libm."""
from .case import *

SEEDS = [(1, 0), (0, 7), (87654321, 42), (2**40 + 3, -5)]
SHAPES = [[7], [3, 5], [], [0, 4], [2, 1, 33]]


def streams(c, op, **attrs):
    """Three steps of a few seeds and shapes of one op."""
    made = [op(shape=np.array(shape, np.int32), seed=seed, seed2=seed2, name=f'out{i}{j}', **attrs)
            for i, (seed, seed2) in enumerate(SEEDS) for j, shape in enumerate(SHAPES)]
    for _ in range(3): c.run(made)


for op, exact in ((raw.RandomUniform, True), (raw.RandomStandardNormal, False), (raw.TruncatedNormal, False)):
    for t, tolerance in (('float32', 1e-6), ('float64', 1e-12), ('float16', 2e-3), ('bfloat16', 1e-2)):
        @case(f'{label(op)}_{t}', rtol=0 if exact else tolerance, atol=0)
        def _(c, op=op, t=t): streams(c, op, dtype=t)


for t, limits in (('int32', [(-5, 17), (-2**31, 2**31 - 1), (0, 1)]),
                  ('int64', [(-5, 10**12), (-2**63, 2**63 - 1), (7, 8)])):
    @case(f'random_uniform_int_{t}')
    def _(c, t=t, limits=limits):
        for k, (low, high) in enumerate(limits):
            with tf.name_scope(f'limits{k}'):
                streams(c, raw.RandomUniformInt, minval=tf.constant(low, t), maxval=tf.constant(high, t))


@case('random_stream_goes_on_in_a_session', rtol=0, atol=0)
def _(c):
    a = raw.RandomUniform(shape=[3], dtype=tf.float32, seed=3, seed2=4, name='a')
    b = raw.RandomUniform(shape=[3], dtype=tf.float32, seed=3, seed2=4, name='b')
    doubled = tf.multiply(a, 2.0, name='doubled')
    c.run([a])
    c.run([doubled])                                 # another plan, the same stream
    c.run([a, b])
    c.run([b, doubled])


@case('random_size_changes_between_steps', rtol=0, atol=0)
def _(c):
    shape = v1.placeholder(tf.int64, [None], 'shape')
    out = raw.RandomUniform(shape=shape, dtype=tf.float32, seed=3, seed2=4, name='out')
    for given in ([2], [0], [5, 1], []): c.run([out], {shape: given})
    c.fails('INVALID_ARGUMENT', [out], {shape: [-1]})


@case('random_in_a_loop', rtol=0, atol=0)
def _(c):
    draw = lambda: raw.RandomUniform(shape=[2], dtype=tf.float32, seed=5, seed2=6)
    out = v1.while_loop(lambda i, seen: i < 4, lambda i, seen: (i + 1, tf.concat([seen, draw()], 0)),
                        [0, tf.zeros([0])],
                        [tf.TensorShape([]), tf.TensorShape([None])], parallel_iterations=1)[1]
    out = tf.identity(out, name='out')
    c.run([out])
    c.run([out])


@case('random_unseeded', compare='shapes')
def _(c):
    c.run([raw.RandomUniform(shape=[4], dtype=tf.float32, name='u'),
           raw.TruncatedNormal(shape=[2, 3], dtype=tf.float64, name='t'),
           raw.RandomUniformInt(shape=[5], minval=0, maxval=10, name='i')])


@case('random_int_limits')
def _(c):
    low, high = v1.placeholder(tf.int32, None, 'low'), v1.placeholder(tf.int32, None, 'high')
    some = raw.RandomUniformInt(shape=[2], minval=low, maxval=high, seed=1, name='some')
    none = raw.RandomUniformInt(shape=[0], minval=low, maxval=high, seed=1, name='none')
    c.fails('INVALID_ARGUMENT', [some], {low: 3, high: 3})
    c.run([none], {low: 3, high: 3})
    c.fails('INVALID_ARGUMENT', [some], {low: [3], high: 5})
    c.run([some], {low: 3, high: 5})
