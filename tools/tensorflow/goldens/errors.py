"""Values that an op must refuse, by the code it refuses them with."""
from .case import *


def refused(name, *ops, code='INVALID_ARGUMENT'):
    """A case with one step per op, each of which must fail. The ops are built late: their inputs are opaque."""
    @case(name)
    def _(c):
        for i, op in enumerate(ops):
            with tf.name_scope(f'step{i}'): out = op()
            if isinstance(out, tf.Operation): c.fails(code, [], targets=[out])
            else: c.fails(code, [out] if isinstance(out, tf.Tensor) else list(out)[:1])


o = opaque
refused('refused_shapes_that_do_not_fit',
        lambda: tf.add(o([1.0, 2, 3]), o([1.0, 2])),
        lambda: tf.matmul(o(np.ones([2, 3]), tf.float32), o(np.ones([2, 3]), tf.float32)),
        lambda: raw.AddN(inputs=[o([1]), o([1, 2])]),
        lambda: raw.ConcatV2(values=[o([[1, 2]]), o([[1], [2]])], axis=0),
        lambda: raw.ConcatV2(values=[o(1), o(2)], axis=0),
        lambda: raw.Pack(values=[o([1, 2]), o([3])]),
        lambda: raw.BiasAdd(value=o([[1.0, 2.0]]), bias=o([1.0, 2.0, 3.0])),
        lambda: raw.BroadcastTo(input=o([1, 2]), shape=o([3])),
        lambda: raw.BroadcastArgs(s0=o([2]), s1=o([3])))
refused('refused_reshapes',
        lambda: tf.reshape(o([1.0, 2, 3]), o([2, 2])),
        lambda: tf.reshape(o([1.0, 2, 3]), o([2, -1])),
        lambda: tf.reshape(o([1.0, 2, 3]), o([-1, -1])),
        lambda: tf.reshape(o([1.0, 2, 3]), o([-2])),
        lambda: raw.Squeeze(input=o([[1, 2]]), axis=[1]),
        lambda: raw.ExpandDims(input=o([1]), axis=o(4)),
        lambda: raw.Fill(dims=o([-1]), value=o(1)))
refused('refused_slices',
        lambda: raw.Slice(input=o([1, 2, 3]), begin=o([2]), size=o([2])),
        lambda: raw.Slice(input=o([1, 2, 3]), begin=o([-1]), size=o([1])),
        lambda: raw.Slice(input=o([1, 2, 3]), begin=o([0, 0]), size=o([1, 1])),
        lambda: raw.StridedSlice(input=o([1, 2]), begin=o([5]), end=o([6]), strides=o([1]), shrink_axis_mask=1),
        lambda: raw.StridedSlice(input=o([1, 2]), begin=o([0]), end=o([2]), strides=o([0])),
        lambda: raw.Split(axis=o(0), value=o([1, 2, 3]), num_split=2),
        lambda: raw.SplitV(value=o([1, 2, 3]), size_splits=o([1, 1], shape=[2]), axis=o(0), num_split=2),
        lambda: raw.Unpack(value=o([1, 2, 3]), num=2),
        lambda: raw.Pad(input=o([1, 2]), paddings=o([[-1, 0]])),
        lambda: raw.Tile(input=o([1]), multiples=o([-1])))
refused('refused_axes_and_permutations',
        lambda: raw.ArgMax(input=o([1, 5]), dimension=o(1)),
        lambda: raw.ArgMax(input=o(np.zeros([0], np.float32)), dimension=o(0)),
        lambda: raw.Cumsum(x=o([1]), axis=o(1, shape=[])),
        lambda: raw.Transpose(x=o([[1, 2]]), perm=o([0, 0])),
        lambda: raw.Transpose(x=o([[1, 2]]), perm=o([0])),
        lambda: raw.ReverseV2(tensor=o([[1]]), axis=o([0, -2])),
        lambda: raw.ReverseV2(tensor=o([[1]]), axis=o([2])),
        lambda: raw.InvertPermutation(x=o([0, 0])),
        lambda: raw.InvertPermutation(x=o([0, 5])),
        lambda: raw.GatherV2(params=o([1]), indices=o([0]), axis=o(1)),
        lambda: raw.ConcatV2(values=[o([1]), o([2])], axis=o(1)))
refused('refused_numbers',
        lambda: raw.FloorDiv(x=o(1), y=o(0)), lambda: raw.FloorMod(x=o(1), y=o(0)), lambda: raw.Div(x=o(1), y=o(0)),
        lambda: raw.Mod(x=o(1), y=o(0)), lambda: raw.Pow(x=o(2), y=o(-1)),
        lambda: raw.CheckNumerics(tensor=o([float('nan')]), message='here'),
        lambda: raw.CheckNumerics(tensor=o([float('-inf')]), message='here'),
        lambda: raw.LinSpace(start=o(0.0, shape=[]), stop=o(1.0, shape=[]), num=o(0, shape=[])),
        lambda: raw.OneHot(indices=o([0]), depth=o(-1), on_value=1, off_value=0),
        lambda: raw.QuantizeV2(input=o([1.0]), min_range=o(2.0), max_range=o(1.0), T='quint8'))
refused('refused_convolutions',
        lambda: raw.Conv2D(input=o(np.ones([1, 2, 2, 3]), tf.float32), filter=o(np.ones([1, 1, 2, 2]), tf.float32),
                           strides=[1, 1, 1, 1], padding='SAME'),
        lambda: raw.Conv2D(input=o(np.ones([2, 2, 3]), tf.float32), filter=o(np.ones([1, 1, 3, 2]), tf.float32),
                           strides=[1, 1, 1, 1], padding='SAME'),
        lambda: raw.MaxPool(input=o(np.ones([2, 2, 3]), tf.float32), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1],
                            padding='SAME'),
        lambda: raw.FusedBatchNormV3(x=o(np.ones([1, 2, 2, 3]), tf.float32), scale=o([1.0]), offset=o([1.0]),
                                     mean=o([1.0]), variance=o([1.0]), is_training=False))


@case('refused_then_going_on')
def _(c):
    x = v1.placeholder(tf.int32, None, 'x')
    inverse = tf.math.floordiv(6, x, name='inverse')
    rows = tf.gather([10, 20, 30], x, name='rows')
    both = tf.add(inverse, rows, name='both')
    for value in (1, 0, 2, 3, -1, 1):
        (c.run if value in (1, 2) else lambda *a: c.fails('INVALID_ARGUMENT', *a))([both], {x: value})
    c.fails('INVALID_ARGUMENT', [rows], {x: 5})
    c.run([inverse], {x: 5})
