"""Text of tensors, and joined strings."""
from .case import *


def formatted(c, values, summarize):
    made = []
    for i, value in enumerate(values):
        made.append(raw.StringFormat(inputs=[opaque(value)], template='<{}>', placeholder='{}', summarize=summarize,
                                     name=f'out{i}'))
    c.run(made)


for summarize in (3, 1, -1):
    label = 'all' if summarize < 0 else summarize


    @case(f'string_format_shapes_{label}')
    def _(c, summarize=summarize):
        whole = lambda *shape: np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        formatted(c, [np.int32(7), whole(3), whole(6), whole(7), whole(10), whole(3, 4), whole(10, 10), whole(7, 1),
                      whole(2, 3, 4),
                      whole(8, 2, 2), whole(1, 1, 1), whole(0), whole(2, 0), whole(0, 3)], summarize)


@case('string_format_numbers')
def _(c):
    nan, inf = float('nan'), float('inf')
    floats = [0, -0.0, 1, 1.5, 0.1, 1 / 3, 1e-5, 123456, 1234567, 1e10, 1e16, 3.4e38, nan, inf, -inf, 0.0001, 16777216,
              0.3]
    formatted(c, [np.float32(floats), np.float64([*floats, 1e100, 1234567.25, 0.1 + 0.2]),
                  np.float16([0.1, 1 / 3, 65504]),
                  np.array([0.1, 1 / 3, 65504, 1e30], tf.bfloat16.as_numpy_dtype), np.bool_([True, False]),
                  np.uint8([1, 200]),
                  np.int8([-1, 100]), np.int64([-2**63, 2**63 - 1]), np.uint64([2**64 - 1])], -1)


@case('string_format_strings')
def _(c):
    formatted(c, [np.array(b'abc', object), np.array([b'a', b'', b'b c', b'"q"\n\t\\\x00\x7f\xff\''], object),
                  np.array([[b'a', b'b'], [b'c', b'd']], object)], 3)


@case('string_format_templates')
def _(c):
    x, y = v1.placeholder(tf.int32, None, 'x'), v1.placeholder(tf.string, None, 'y')
    two = raw.StringFormat(inputs=[x, y], template='x = %, y = %!', placeholder='%', name='two')
    none = raw.StringFormat(inputs=[], template='nothing here', placeholder='{}', name='none')
    c.run([two, none], {x: [1, 2], y: b'w'})
    c.run([two], {x: 5, y: [b'%', b'{}']})


@case('string_join')
def _(c):
    a, b = v1.placeholder(tf.string, None, 'a'), v1.placeholder(tf.string, None, 'b')
    out = raw.StringJoin(inputs=[a, opaque('-'), b], separator='.', name='out')
    c.run([out], {a: [b'x', b'y'], b: b'z'})
    c.run([out], {a: b'', b: b'z'})
    c.run([out], {a: [[b'1', b'2']], b: [[b'3', b'\xff\x00']]})
    c.run([out], {a: [], b: b'z'})
    c.run([out], {a: [b'x'], b: b'z'})
    c.fails('INVALID_ARGUMENT', [out], {a: [b'x', b'y'], b: [b'z']})


@case('string_values_through_array_ops')
def _(c):
    x = v1.placeholder(tf.string, [None], 'x')
    pair = tf.stack([x, x[::-1]])
    c.run([tf.gather(x, [1, 0, 1], name='gathered'), tf.concat([x, ['end']], 0, name='joined'),
           tf.transpose(pair, name='turned'),
           tf.tile(x, [2], name='tiled'), tf.equal(x, 'b', name='is_b'), tf.reshape(pair, [-1, 1], name='flat'),
           tf.where(tf.equal(x, 'b'), ['B'], x, name='picked'), tf.pad(x, [[1, 1]], name='padded'),
           tf.fill([2], tf.constant('f'), name='filled'), tf.zeros_like(x, name='blank')],
          {x: [b'a', b'b', b'a string that is far too long to be kept inside']})


@case('sharded_filename')
def _(c):
    out = raw.ShardedFilename(basename=opaque('dir/model', shape=[]), shard=opaque(3, shape=[]),
                              num_shards=opaque(12, shape=[]), name='out')
    c.run([out])


@case('assert_reports_and_stops')
def _(c):
    ok = v1.placeholder(tf.bool, None, 'ok')
    check = raw.Assert(condition=ok, data=[tf.constant('value is'), tf.range(5)], summarize=2)
    with tf.control_dependencies([check]): out = tf.constant(1, name='out')
    c.run([out], {ok: True})
    c.fails('INVALID_ARGUMENT', [out], {ok: False})
    c.fails('INVALID_ARGUMENT', [out], {ok: [True, True]})
