"""Edge cases of arithmetic, reductions and array ops."""
from .case import *

NAN, INF = float('nan'), float('inf')
FLOATS = ('float32', 'float64', 'float16', 'bfloat16')


@case('integer_division_and_remainder')
def _(c):
    for t in ('int32', 'int64', 'int8', 'int16'):
        low = np.iinfo(t).min
        x, y = v1.placeholder(t, [None], f'x_{t}'), v1.placeholder(t, [None], f'y_{t}')
        made = [op(x=x, y=y, name=f'{label(op)}_{t}') for op in (raw.FloorDiv, raw.FloorMod, raw.Div)]
        c.run(made, {x: [7, -7, 7, -7, low, 0, low], y: [3, 3, -3, -3, -1, 5, 1]})
        c.run(made, {x: [], y: [0]})
        for op in made: c.fails('INVALID_ARGUMENT', [op], {x: [1, 2], y: [1, 0]})


@case('float_division_and_remainder')
def _(c):
    x = [7, -7, 7, -7, 5.5, -0.0, 0, INF, 1, NAN, 1, -1, 3, -3]
    y = [3, 3, -3, -3, 2, 3, -3, 2, INF, 1, 0, 0, -INF, INF]
    for t in FLOATS:
        a, b = opaque(x, t, [None]), opaque(y, t, [None])
        c.run([op(x=a, y=b, name=f'{label(op)}_{t}')
               for op in (raw.FloorDiv, raw.FloorMod, raw.RealDiv, raw.Div, raw.DivNoNan)])


@case('integers_wrap_around')
def _(c):
    for t in ('int32', 'int64'):
        i = np.iinfo(t)
        x = opaque([i.max, i.min, i.min, 65536 * 65536 % (i.max // 2), 3], t, [None])
        y = opaque([1, -1, i.min, 65537, 40], t, [None])
        c.run([op(x=x, y=y, name=f'{label(op)}_{t}') for op in (raw.AddV2, raw.Sub, raw.Mul)])
        c.run([op(x=x, name=f'{label(op)}_{t}') for op in (raw.Neg, raw.Abs, raw.Square, raw.Sign)])


@case('integer_powers')
def _(c):
    x, y = v1.placeholder(tf.int32, [None], 'x'), v1.placeholder(tf.int32, [None], 'y')
    out = raw.Pow(x=x, y=y, name='out')
    c.run([out], {x: [2, 0, -3, 3, 7, -1], y: [5, 0, 3, 40, 0, 31]})
    c.run([out], {x: [], y: [-1]})
    c.fails('INVALID_ARGUMENT', [out], {x: [1], y: [-1]})


@case('float_powers')
def _(c):
    x, y = [0, 0, -8, -2, INF, NAN, 1, -1, 2], [0, -1, 1 / 3, 3, -1, 0, NAN, INF, 0.5]
    c.run([raw.Pow(x=opaque(x, t), y=opaque(y, t), name=f'out_{t}') for t in ('float32', 'float64')])


@case('rounding')
def _(c):
    x = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 8388609, NAN, INF, -0.2, 1e10]
    for t in FLOATS: c.run([op(x=opaque(x, t), name=f'{label(op)}_{t}') for op in (raw.Round, raw.Floor, raw.Ceil)])


@case('unary_at_the_edges')
def _(c):
    x = [0.0, -0.0, -1, INF, -INF, NAN, 1e-10, 4, 100, -100]
    ops = (raw.Sqrt, raw.Rsqrt, raw.Log, raw.Log1p, raw.Exp, raw.Sigmoid, raw.Tanh, raw.Reciprocal, raw.Sign, raw.Abs,
           raw.Square)
    for t in ('float32', 'float64'): c.run([op(x=opaque(x, t), name=f'{label(op)}_{t}') for op in ops])
    for t in FLOATS: c.run([op(features=opaque(x, t), name=f'{label(op)}_{t}') for op in (raw.Relu, raw.Relu6)])


@case('casts_of_floats_to_integers')
def _(c):
    x = [0.5, 1.5, -0.5, -1.5, 2.9, -2.9, 127, 128, 255, 256, 257, -1, -129, 32768, 65536, 3e9, -3e9, 1e10, 1e19, NAN,
         INF, -INF]
    c.run([tf.cast(opaque(x, tf.float32), t, name=f'to_{t}')
           for t in ('int8', 'uint8', 'int16', 'uint16', 'int32', 'int64', 'bool')])
    c.run([tf.cast(opaque(x, tf.float64), t, name=f'wide_to_{t}') for t in ('int32', 'int64', 'bool')])


@case('casts_between_floats')
def _(c):
    x = [65519.99, 65520, 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8, 3.4e38, NAN, INF, -0.0, 1e300]
    for source in ('float32', 'float64'):
        given = opaque(x[:-1] if source == 'float32' else x, source)
        c.run([tf.cast(given, t, name=f'{source}_to_{t}') for t in (*FLOATS, 'complex64')])
    c.run([raw.Cast(x=opaque([1 + 3 * 2**-8, 1.99999, -1.99999], tf.float32), DstT=tf.bfloat16, Truncate=True,
                    name='cut')])


@case('casts_of_integers')
def _(c):
    x = opaque([300, -129, 128, 0, 2**31, -2**63, 2**53 + 1, 2**24 + 1], tf.int64)
    c.run([tf.cast(x, t, name=f'to_{t}')
           for t in ('int8', 'uint8', 'int32', 'uint32', 'uint64', 'float32', 'float64', 'bool', 'complex64')])
    c.run([tf.cast(opaque([True, False]), t, name=f'bool_to_{t}') for t in ('int32', 'float32', 'bfloat16')])
    c.run([tf.cast(opaque([1.9 + 2j, -3 - 1j, 2j], tf.complex64), t, name=f'complex_to_{t}')
           for t in ('float32', 'int32', 'bool')])


@case('nan_in_maximum_and_comparisons')
def _(c):
    for t in FLOATS:
        x, y = opaque([NAN, 1, 2, NAN] * 5, t), opaque([1, NAN, 1, NAN] * 5, t)
        ops = (raw.Maximum, raw.Minimum, raw.Less, raw.GreaterEqual, raw.Equal, raw.NotEqual)
        c.run([op(x=x, y=y, name=f'{label(op)}_{t}') for op in ops])


@case('nan_in_reductions')
def _(c):
    x = [[1, NAN, 3], [NAN, 2, 0], [4, 5, 6], [INF, -INF, 1]]
    for t in FLOATS:
        c.run([op(input=opaque(x, t), axis=opaque(axis, tf.int32), name=f'{label(op)}_{t}_{i}')
               for op in (raw.Max, raw.Min, raw.Sum, raw.Prod) for i, axis in enumerate(([0], [1], [0, 1]))])


@case('argmax_ties_and_nan')
def _(c):
    rows = [[1, 3, 3, 0], [NAN, 1, 2, 2], [2, NAN, 1, 0], [NAN] * 4, [-INF] * 4, [0, -0.0, 0, -0.0]]
    for t in FLOATS:
        c.run([op(input=opaque(rows, t), dimension=opaque(axis), output_type=out,
                  name=f'{label(op)}_{t}_{axis % 2}_{out.name}')
               for op in (raw.ArgMax, raw.ArgMin) for axis in (0, -1) for out in (tf.int32, tf.int64)])
    c.run([raw.ArgMax(input=opaque([5, 7, 7]), dimension=0, name='whole'),
           raw.ArgMin(input=opaque([True, False, False]), dimension=0, name='flags')])


@case('reductions_of_nothing')
def _(c):
    for t in ('float32', 'float64', 'int32', 'int64'):
        x = opaque(np.zeros([0, 2]), t)
        ops = (raw.Sum, raw.Prod, raw.Max, raw.Min, raw.Mean)
        c.run([op(input=x, axis=opaque(axis, tf.int32), name=f'{label(op)}_{t}_{i}')
               for op in ops for i, axis in enumerate(([0], [1], []))])
    flags = opaque(np.zeros([0, 2]), tf.bool)
    c.run([raw.All(input=flags, axis=[0], name='all'), raw.Any(input=flags, axis=[0, 1], name='any')])


@case('reduction_axes')
def _(c):
    x = opaque(np.arange(24).reshape(2, 3, 4), tf.float32)
    axis = v1.placeholder(tf.int32, None, 'axis')
    out, kept = raw.Sum(input=x, axis=axis, name='out'), raw.Mean(input=x, axis=axis, keep_dims=True, name='kept')
    for given in (0, [1], [-1, 0], [], [2, 1, 0]): c.run([out, kept], {axis: given})
    for given in ([3], [-4], [0, 0], [1, -2]): c.fails('INVALID_ARGUMENT', [out], {axis: given})


@case('mean_of_integers')
def _(c):
    c.run([raw.Mean(input=opaque(v, t), axis=0, name=f'out_{t}_{i}')
           for t in ('int32', 'int64') for i, v in enumerate(([1, 2], [-1, -2], [7, 8, -16]))])
    c.run([raw.Mean(input=opaque([2**31 - 1, 2**31 - 1], tf.int32), axis=0, name='wide')])


@case('cumulative_sums')
def _(c):
    x = opaque([[1, 2, 3], [4, 5, 6]], tf.float32)
    c.run([raw.Cumsum(x=x, axis=opaque(axis, shape=[]), exclusive=e, reverse=r, name=f'out{axis % 2}{e:d}{r:d}')
           for axis in (0, -1) for e in (False, True) for r in (False, True)])


@case('top_k')
def _(c):
    x, k = v1.placeholder(tf.float32, None, 'x'), v1.placeholder(tf.int32, None, 'k')
    out = raw.TopKV2(input=x, k=k, name='out')
    for given, count in (([1, 3, 3, 2, 3], 4), ([[1, 2], [4, 3]], 1), ([[1, 2], [4, 3]], 2), ([5, 5, 5], 0),
                         (np.zeros([0, 3]), 2)):
        c.run(out, {x: given, k: count})
    for given, count in (([1, 2], 3), ([1, 2], -1), (5, 1)): c.fails('INVALID_ARGUMENT', out, {x: given, k: count})


@case('ranges')
def _(c):
    for t in ('int32', 'int64', 'float32', 'float64'):
        start, limit, delta = (v1.placeholder(t, [], f'{n}_{t}') for n in ('start', 'limit', 'delta'))
        out = raw.Range(start=start, limit=limit, delta=delta, name=f'out_{t}')
        for a, b, d in ((0, 10, 3), (5, 0, -2), (4, 4, 1)): c.run([out], {start: a, limit: b, delta: d})
        for a, b, d in ((0, 5, 0), (5, 0, 2), (0, 5, -1)):
            c.fails('INVALID_ARGUMENT', [out], {start: a, limit: b, delta: d})


@case('ranges_and_spaces_are_exact', rtol=0, atol=0)
def _(c):
    c.run([raw.Range(start=opaque(0.1), limit=opaque(50.0), delta=opaque(0.7), name='range')])
    c.run([raw.LinSpace(start=opaque(a, shape=[]), stop=opaque(b, shape=[]), num=opaque(n, shape=[]), name=f'space{n}')
           for a, b, n in ((0.1, 7.3, 53), (5.0, -1.7, 11), (2.0, 9.0, 1), (0.0, 1.0, 2))])


@case('reshapes_with_zeros')
def _(c):
    for i, (source, shape) in enumerate((([0], [0, -1]), ([0, 3], [0, -1]), ([3, 0], [-1, 0]), ([2, 3], [-1]),
                                         ([2, 3], [3, -1]), ([1], []), ([0], [5, 0]), ([2, 3], 6))):
        c.run([tf.reshape(opaque(np.zeros(source), tf.float32), opaque(shape, tf.int32), name=f'out{i}')])


@case('broadcasting')
def _(c):
    shapes = (([2, 3], [3]), ([2, 1, 3], [4, 1]), ([], [2, 2]), ([0, 1], [5]), ([1, 1, 1, 1, 2], [3, 1, 1]))
    for i, (a, b) in enumerate(shapes):
        x, y = (opaque(np.arange(np.prod(s), dtype=np.float32).reshape(s)) for s in (a, b))
        c.run([tf.add(x, y, name=f'sum{i}'), tf.less(x, y, name=f'less{i}'),
               *raw.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(y), name=f'axes{i}'),
               raw.BroadcastArgs(s0=opaque(a, tf.int64), s1=opaque(b, tf.int64), name=f'shape{i}')])


@case('one_hot')
def _(c):
    indices = opaque([[0, -1], [3, 2]], tf.int64)
    c.run([raw.OneHot(indices=indices, depth=opaque(3), on_value=opaque(5.0), off_value=opaque(-1.0), axis=axis,
                      name=f'out{axis + 1}')
           for axis in (-1, 0, 1)])
    c.run([raw.OneHot(indices=opaque([0, 255], tf.uint8), depth=opaque(2), on_value=True, off_value=False,
                      name='small')])
    c.run([raw.OneHot(indices=opaque([0]), depth=opaque(0), on_value=1, off_value=0, name='none')])


@case('where_in_order')
def _(c):
    c.run([raw.Where(condition=opaque([[True, False], [True, True]]), name='flags'),
           raw.Where(condition=opaque([0, 1.5, NAN, -0.0]), name='floats'),
           raw.Where(condition=opaque(np.zeros([0, 2], bool)), name='none'),
           raw.Where(condition=opaque([3, 0, -1]), name='whole')])
    c.fails('INVALID_ARGUMENT', [raw.Where(condition=opaque(True), name='scalar')])


@case('unsorted_segment_sums')
def _(c):
    data = opaque([[1, 2], [3, 4], [5, 6]], tf.float32)
    ids, count = v1.placeholder(tf.int32, None, 'ids'), v1.placeholder(tf.int32, None, 'count')
    out = raw.UnsortedSegmentSum(data=data, segment_ids=ids, num_segments=count, name='out')
    for given, n in (([0, -1, 1], 3), ([2, 2, 2], 3), ([[0, 1], [1, 0], [2, 2]], 3), ([-1, -1, -1], 0)):
        c.run([out], {ids: given, count: n})
    for given, n in (([0, 3, 1], 3), ([0, 1], 3), ([0, 0, 0], -1)):
        c.fails('INVALID_ARGUMENT', [out], {ids: given, count: n})


@case('space_to_batch_and_back')
def _(c):
    x = opaque(np.arange(32).reshape(1, 4, 4, 2), tf.float32)
    out = raw.SpaceToBatchND(input=x, block_shape=[2, 3], paddings=opaque([[1, 1], [2, 0]]), name='out')
    c.run([out, raw.BatchToSpaceND(input=out, block_shape=[2, 3], crops=opaque([[1, 1], [2, 0]]), name='back'),
           raw.BatchToSpaceND(input=out, block_shape=[3, 2], crops=opaque([[0, 1], [1, 3]]), name='other')])
    c.fails('INVALID_ARGUMENT', [raw.SpaceToBatchND(input=x, block_shape=[3, 2], paddings=opaque([[0, 0], [0, 0]]),
                                                    name='uneven')])
    c.fails('INVALID_ARGUMENT', [raw.BatchToSpaceND(input=x, block_shape=[2, 2], crops=opaque([[0, 0], [0, 0]]),
                                                    name='batch')])


@case('strided_slices')
def _(c):
    x = opaque(np.arange(24).reshape(2, 3, 4), tf.int32, [2, 3, 4])
    picks = [x[1], x[..., 1], x[:, ::-1], x[0, 2:0:-1, 1::2], x[:, tf.newaxis, 1, ..., tf.newaxis], x[5:],
             x[-1, -2, -3], x[:, 3:1], x[..., -2:, :100]]
    c.run([tf.identity(p, name=f'out{i}') for i, p in enumerate(picks)])


@case('gathers')
def _(c):
    x, indices = opaque(np.arange(12).reshape(3, 4), tf.float32), v1.placeholder(tf.int32, None, 'indices')
    rows = raw.GatherV2(params=x, indices=indices, axis=0, name='rows')
    columns = raw.GatherV2(params=x, indices=indices, axis=-1, name='columns')
    for given in (2, [0, 0, 1], [[1], [2]], []): c.run([rows, columns], {indices: given})
    c.fails('INVALID_ARGUMENT', [rows], {indices: [3]})
    c.fails('INVALID_ARGUMENT', [columns], {indices: [-1]})
    points = raw.GatherNd(params=x, indices=indices, name='points')
    for given in ([[0, 1], [2, 3]], [1], np.zeros([2, 0]), np.zeros([0, 2])): c.run([points], {indices: given})
    c.fails('INVALID_ARGUMENT', [points], {indices: [[0, 4]]})
    c.run([raw.GatherV2(params=opaque([[1, 2], [3, 4]]), indices=opaque([[0], [1]]), axis=1, batch_dims=1,
                        name='batched')])


@case('pieces_and_joins')
def _(c):
    x = opaque(np.arange(12).reshape(3, 4), tf.int32)
    c.run([*raw.SplitV(value=x, size_splits=opaque([1, -1, 0]), axis=1, num_split=3, name='uneven'),
           *raw.Split(axis=-1, value=x, num_split=2, name='even'),
           raw.ConcatV2(values=[x, x[:0], x[:1]], axis=0, name='joined'),
           raw.Pack(values=[x, x], axis=1, name='packed'),
           *raw.Unpack(value=x, num=3, axis=0, name='parts'),
           raw.Tile(input=x, multiples=opaque([1, 0]), name='nothing'),
           raw.PadV2(input=x, paddings=opaque([[0, 1], [2, 0]]), constant_values=-1, name='padded'),
           raw.ReverseV2(tensor=x, axis=opaque([-1]), name='turned'),
           raw.Transpose(x=x, perm=opaque([1, 0]), name='flipped'),
           *raw.ConcatOffset(concat_dim=1, shape=[opaque([2, 3], shape=[2]), opaque([2, 5], shape=[2])],
                             name='offsets'),
           raw.InvertPermutation(x=opaque([2, 0, 1]), name='inverse'),
           raw.MatrixBandPart(input=x, num_lower=1, num_upper=0, name='band')])


@case('products_of_matrices')
def _(c):
    a, b = opaque(np.arange(6).reshape(2, 3) / 4, tf.float32), opaque(np.arange(12).reshape(3, 4) - 5, tf.float32)
    c.run([raw.MatMul(a=a, b=b, name='plain'), raw.MatMul(a=b, b=a, transpose_a=True, transpose_b=True, name='turned'),
           raw.MatMul(a=opaque(np.zeros([2, 0], np.float32)), b=opaque(np.zeros([0, 3], np.float32)), name='nothing')])
    z = opaque(np.array([[[1j, 2], [3, 4 - 1j]]]), tf.complex64)
    c.run([raw.BatchMatMulV2(x=z, y=z, adj_x=True, name='adjoint'),
           raw.BatchMatMulV2(x=tf.ones([2, 1, 2, 3]), y=tf.ones([5, 3, 1]), name='spread')])
    c.run([tf.matmul(opaque([[1, 2]], t), opaque([[3], [4]], t), name=f'out_{t}')
           for t in ('int32', 'float64', 'bfloat16', 'float16')])


@case('batch_norm')
def _(c):
    x = opaque(np.random.RandomState(1).randn(2, 3, 4, 3), tf.float32, [2, 3, 4, 3])
    scale, offset, mean, variance = (
        tf.constant(v) for v in ([1.0, 2, 3], [0.5, 0, -1], [0.1, 0.2, 0.3], [1.0, 2, 0.5]))
    for i, (training, factor) in enumerate(((True, 1.0), (True, 0.25), (False, 1.0))):
        for op in (raw.FusedBatchNorm, raw.FusedBatchNormV2, raw.FusedBatchNormV3):
            c.run(list(op(x=x, scale=scale, offset=offset, mean=mean, variance=variance, is_training=training,
                          exponential_avg_factor=factor, epsilon=1e-3, name=f'{label(op)}_{i}'))[:5 if training else 1])


@case('softmax_and_losses')
def _(c):
    x = opaque([[1, 2, 3], [1000, 0, -1000], [-INF, 0, 0], [0, 0, 0]], tf.float32)
    labels = opaque([[0, 0.5, 0.5], [1, 0, 0], [0.25, 0.5, 0.25], [0, 0, 1]], tf.float32)
    c.run([raw.Softmax(logits=x, name='softmax'), raw.LogSoftmax(logits=x, name='log')])
    c.run([*raw.SoftmaxCrossEntropyWithLogits(features=x, labels=labels, name='dense'),
           *raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=opaque([2, 0, 1, 1]), name='sparse')])
    c.fails('INVALID_ARGUMENT', [raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=opaque([0, 3, 0, 0]),
                                                                         name='outside')[0]])


@case('convolution_and_pooling')
def _(c):
    x = opaque(np.arange(50).reshape(1, 5, 5, 2) % 7, tf.float32, [1, 5, 5, 2])
    w = tf.constant(np.arange(36).reshape(3, 3, 2, 2) % 5 - 2, tf.float32)
    for i, (stride, padding, dilation) in enumerate(((1, 'SAME', 1), (2, 'SAME', 1), (2, 'VALID', 1), (1, 'SAME', 2))):
        window = dict(strides=[1, stride, stride, 1], padding=padding)
        c.run([raw.Conv2D(input=x, filter=w, dilations=[1, dilation, dilation, 1], name=f'conv{i}', **window),
               raw.DepthwiseConv2dNative(input=x, filter=w, name=f'depthwise{i}', **window),
               raw.MaxPool(input=x, ksize=[1, 3, 2, 1], name=f'max{i}', **window),
               raw.AvgPool(value=x, ksize=[1, 3, 2, 1], name=f'mean{i}', **window)])
    c.run([raw.Conv2D(input=x, filter=w, strides=[1, 1, 1, 1], padding='EXPLICIT',
                      explicit_paddings=[0, 0, 2, 0, 0, 1, 0, 0], name='explicit'),
           raw.Conv2D(input=tf.zeros([0, 5, 5, 2]), filter=w, strides=[1, 1, 1, 1], padding='SAME', name='no_batch'),
           raw.Conv2DBackpropInput(input_sizes=[1, 5, 5, 2], filter=w, out_backprop=tf.ones([1, 3, 3, 2]),
                                   strides=[1, 2, 2, 1], padding='SAME', name='back'),
           raw.BiasAdd(value=x, bias=[1.0, -1.0], name='bias')])


@case('quantize_and_dequantize')
def _(c):
    x = opaque([-12, -3.3, -0.5, 0, 0.02, 1.49, 2.5, 7.7, 100], tf.float32)
    for t in ('quint8', 'qint8', 'qint16'):
        for mode in ('MIN_COMBINED', 'MIN_FIRST', 'SCALED'):
            q = raw.QuantizeV2(input=x, min_range=opaque(-3.3), max_range=opaque(7.7), T=t, mode=mode,
                               name=f'q_{t}_{mode}')
            c.run([*q, raw.Dequantize(input=q[0], min_range=q[1], max_range=q[2], mode=mode, name=f'd_{t}_{mode}')])
    c.run(list(raw.QuantizeV2(input=x, min_range=opaque(-1.0), max_range=opaque(2.0), T='qint8', mode='SCALED',
                              round_mode='HALF_TO_EVEN',
                              narrow_range=True, name='narrow')))


@case('bits_and_bytes')
def _(c):
    c.run([raw.Bitcast(input=opaque([1.0, -2.0]), type=tf.int32, name='same'),
           raw.Bitcast(input=opaque([1.0, -2.0]), type=tf.uint8, name='split'),
           raw.Bitcast(input=opaque([[0, 0, 128, 63]], tf.uint8), type=tf.float32, name='join'),
           raw.BitwiseAnd(x=opaque([6, -1]), y=opaque([3, 7]), name='and'),
           raw.LogicalAnd(x=opaque([True, False]), y=True, name='both'),
           raw.LogicalOr(x=opaque([True, False]), y=False, name='either'),
           raw.LogicalNot(x=opaque([True, False]), name='not')])


@case('selection')
def _(c):
    x, y = opaque([[1, 2], [3, 4]]), opaque([[5, 6], [7, 8]])
    c.run([raw.Select(condition=opaque(flags), x=x, y=y, name=f'old{i}')
           for i, flags in enumerate((True, [True, False], [[True, False], [False, True]]))])
    c.run([raw.SelectV2(condition=opaque([[True], [False]]), t=opaque([1, 2]), e=opaque(0), name='new')])
    c.fails('INVALID_ARGUMENT', [raw.Select(condition=opaque([True]), x=x, y=y, name='short')])


@case('complex_arithmetic')
def _(c):
    for t in ('complex64', 'complex128'):
        x, y = opaque([1 + 2j, -3j, 0], t), opaque([2 - 1j, 4, 1j], t)
        c.run([op(x=x, y=y, name=f'{label(op)}_{t}') for op in (raw.AddV2, raw.Sub, raw.Mul, raw.RealDiv, raw.Equal)])
        c.run([op(x=x, name=f'{label(op)}_{t}') for op in (raw.Neg, raw.Square, raw.Sign, raw.Exp, raw.Tanh)])
        c.run([raw.Sum(input=x, axis=0, name=f'sum_{t}'), raw.Prod(input=x, axis=0, name=f'prod_{t}')])
