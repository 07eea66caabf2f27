#!/usr/bin/env python3
"""Writes tests/mutation/calls/made.pbtxt: valid calls of ops whose inputs are no plain values.

usage: make_calls.py

Each line is a GraphDef whose last node, `target`, is the call; the nodes before it make its handles, references, lists and
arrays. Calls of ops with plain values are recorded from the ops' own tests instead (tests/testing/op_tester.cc).
tests/mutation/calls_test.cc says which ops have no call in either table.
"""
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import op_def_registry

v1 = tf.compat.v1
raw = tf.raw_ops
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLD = 12  # a version of graphs that still has every op
F, I, L = tf.float32, tf.int32, tf.int64
CALLS = []


def call(build):
    """Registers a function that builds a call; the op that it builds last is the target."""
    CALLS.append(build)
    return build


def const(value, dtype=F):
    return tf.constant(value, dtype)


def op(kind, after=(), **inputs):
    """An op as raw_ops has it, after others."""
    with tf.control_dependencies(list(after)):
        return getattr(raw, kind)(name='target', **inputs)


def variable(value=(1.0, 2.0, 3.0), dtype=F, name=None):
    """A resource variable that has a value: (handle, the op that gives it)."""
    value = tf.constant(value, dtype)
    name = name or f'v{len(v1.get_default_graph().get_operations())}'
    handle = raw.VarHandleOp(dtype=dtype, shape=value.shape, shared_name=name)
    return handle, raw.AssignVariableOp(resource=handle, value=value)


def reference(value=(1.0, 2.0, 3.0), dtype=F):
    value = tf.constant(value, dtype)
    ref = raw.VariableV2(shape=value.shape, dtype=dtype)
    return ref, raw.Assign(ref=ref, value=value).op


# --- Updates of variables: what an argument gets follows from its name and type.

SCALARS = {'lr': 0.1, 'alpha': 0.1, 'l1': 0.01, 'l2': 0.01, 'rho': 0.9, 'epsilon': 1e-3, 'momentum': 0.9, 'beta1': 0.9, 'beta2': 0.99,
           'beta1_power': 0.9, 'beta2_power': 0.99, 'beta': 0.9, 'sign_decay': 0.5, 'logbase': 1.0, 'lr_power': -0.5, 'l2_shrinkage': 0.01}
STATE = ('var', 'accum', 'ms', 'mg', 'mom', 'm', 'v', 'vhat', 'accum_update', 'linear', 'gradient_accumulator',
         'gradient_squared_accumulator', 'ref', 'resource')


def update(kind):
    schema = op_def_registry.get(kind)
    rows = any(arg.name == 'indices' for arg in schema.input_arg)
    nd = 'Nd' in kind
    state = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] if rows else [1.0, 2.0, 3.0]
    inputs, done = {}, []
    for arg in schema.input_arg:
        name = arg.name
        if name in STATE and (arg.is_ref or arg.type == 20):
            inputs[name], made = reference(state) if arg.is_ref else variable(state)
            done.append(made)
        elif name == 'indices':
            inputs[name] = const([[0], [2]] if nd else [0, 2], I)
        elif name in ('updates', 'grad', 'delta'):
            inputs[name] = const([[0.5, 0.25], [1.5, 2.5]] if rows else [0.5, 0.25, 1.5])
        elif name == 'value':
            inputs[name] = const(state)
        elif name == 'global_step':
            inputs[name] = const(3, L)
        elif name in SCALARS:
            inputs[name] = const(SCALARS[name])
        else:
            raise ValueError(f'{kind}: {name}')
    return op(kind, done, **inputs)


UPDATES = """
ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign ApplyCenteredRMSProp ApplyFtrl
ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp
SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl
SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp
ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam
ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2
ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad
ResourceApplyProximalGradientDescent ResourceApplyRMSProp ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad
ResourceSparseApplyAdagradDA ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl
ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum ResourceSparseApplyProximalAdagrad
ResourceSparseApplyProximalGradientDescent ResourceSparseApplyRMSProp
Assign AssignAdd AssignSub AssignVariableOp AssignAddVariableOp AssignSubVariableOp
ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterSub ScatterUpdate
ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterNdMax ScatterNdMin
ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterSub
ResourceScatterUpdate ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterNdMax ResourceScatterNdMin
""".split()
for kind in UPDATES:
    call(lambda kind=kind: update(kind))


# --- Other uses of variables

@call
def var_handle():
    op('VarHandleOp', dtype=F, shape=[2], shared_name='v')


for kind in ('ReadVariableOp', 'VarIsInitializedOp', 'DestroyResourceOp', 'DisableCopyOnRead', 'VariableShape'):
    @call
    def use(kind=kind):
        handle, done = variable()
        op(kind, [done], **{'input' if kind == 'VariableShape' else 'resource': handle},
           **({'dtype': F} if kind == 'ReadVariableOp' else {}))


@call
def resource_gather():
    handle, done = variable([[1.0, 2.0], [3.0, 4.0]])
    op('ResourceGather', [done], resource=handle, indices=const([1, 0, 1], I), dtype=F)


@call
def resource_gather_nd():
    handle, done = variable([[1.0, 2.0], [3.0, 4.0]])
    op('ResourceGatherNd', [done], resource=handle, indices=const([[1, 0], [0, 1]], I), dtype=F)


@call
def resource_count():
    handle, done = variable(3, I)
    op('ResourceCountUpTo', [done], resource=handle, limit=5, T=I)


@call
def resource_strided_slice_assign():
    handle, done = variable([[1.0, 2.0], [3.0, 4.0]])
    op('ResourceStridedSliceAssign', [done], ref=handle, begin=const([0, 1], I), end=const([2, 2], I), strides=const([1, 1], I),
       value=const([[7.0], [8.0]]))


@call
def strided_slice_assign():
    ref, done = reference([[1.0, 2.0], [3.0, 4.0]])
    op('StridedSliceAssign', [done], ref=ref, begin=const([0, 1], I), end=const([2, 2], I), strides=const([1, 1], I),
       value=const([[7.0], [8.0]]))


@call
def count_up_to():
    ref, done = reference(3, I)
    op('CountUpTo', [done], ref=ref, limit=5)


for kind in ('IsVariableInitialized', 'RefIdentity'):
    @call
    def use_reference(kind=kind):
        ref, done = reference()
        op(kind, [done], **{'ref' if kind == 'IsVariableInitialized' else 'input': ref})


for kind in ('VariableV2', 'Variable', 'TemporaryVariable'):
    call(lambda kind=kind: op(kind, shape=[2], dtype=F))


@call
def destroy_temporary():
    ref = raw.TemporaryVariable(shape=[2], dtype=F, var_name='t')
    assigned = raw.Assign(ref=ref, value=const([1.0, 2.0]))
    op('DestroyTemporaryVariable', ref=assigned, var_name='t')


# --- Control flow

@call
def ref_select():
    (a, a_done), (b, b_done) = reference(), reference()
    op('RefSelect', [a_done, b_done], index=const(1, I), inputs=[a, b])


@call
def ref_switch():
    ref, done = reference()
    op('RefSwitch', [done], data=ref, pred=const(True, tf.bool))


@call
def ref_merge():
    (a, a_done), (b, b_done) = reference(), reference()
    op('RefMerge', [a_done, b_done], inputs=[a, b])


@call
def switch():
    op('Switch', data=const([1.0, 2.0]), pred=const(True, tf.bool))


@call
def merge():
    op('Merge', inputs=[const([1.0]), const([2.0])])


@call
def leave_a_frame():
    inside = raw.Enter(data=const([1.0]), frame_name='frame')
    op('Exit', data=inside)


@call
def leave_a_frame_with_a_reference():
    ref, done = reference()
    with tf.control_dependencies([done]):
        inside = raw.RefEnter(data=ref, frame_name='frame')
    op('RefExit', data=inside)


for kind in ('Enter', 'RefEnter', 'NextIteration', 'RefNextIteration'):
    @call
    def loop_parts(kind=kind):
        if kind.startswith('Ref'):
            data, done = reference()
        else:
            data, done = const([1.0]), None
        op(kind, [done] if done is not None else [], data=data, **({'frame_name': 'frame'} if 'Enter' in kind else {}))


@call
def control_trigger():
    op('ControlTrigger', [const(1.0)])


@call
def abort():
    op('Abort', exit_without_error=True)


for kind in ('Placeholder', 'PlaceholderV2'):
    call(lambda kind=kind: op(kind, dtype=F, shape=[1]))


def function(name, build, *types):
    """A function of the library that build makes, by name."""
    @tf.function(input_signature=[tf.TensorSpec(None, t) for t in types], autograph=False)
    def named(*args):
        return build(*args)
    concrete = named.get_concrete_function()
    concrete.add_to_graph(v1.get_default_graph())
    return concrete


@call
def if_():
    t, e = function('t', lambda x: x + 1.0, F), function('e', lambda x: x * 2.0, F)
    op('If', cond=const(True, tf.bool), input=[const([1.0])], Tout=[F], then_branch=t, else_branch=e)


@call
def stateless_if():
    t, e = function('t', lambda x: x + 1.0, F), function('e', lambda x: x * 2.0, F)
    op('StatelessIf', cond=const(False, tf.bool), input=[const([1.0])], Tout=[F], then_branch=t, else_branch=e)


for kind in ('While', 'StatelessWhile'):
    @call
    def while_(kind=kind):
        c = function('c', lambda i, x: i < 3, I, F)
        b = function('b', lambda i, x: (i + 1, x * 2.0), I, F)
        op(kind, input=[const(0, I), const([1.0, 2.0])], cond=c, body=b)


for kind in ('Case', 'StatelessCase'):
    @call
    def case(kind=kind):
        branches = [function('a', lambda x: x + 1.0, F), function('b', lambda x: x * 2.0, F)]
        op(kind, branch_index=const(1, I), input=[const([1.0])], Tout=[F], branches=branches)


for kind in ('PartitionedCall', 'StatefulPartitionedCall'):
    @call
    def calls(kind=kind):
        op(kind, args=[const([1.0])], Tout=[F], f=function('f', lambda x: x + 1.0, F))


@call
def remote_call():
    op('RemoteCall', target=const('/job:localhost/replica:0/task:0/device:CPU:0', tf.string), args=[const([1.0])], Tout=[F],
       f=function('f', lambda x: x + 1.0, F))


@call
def symbolic_gradient():
    op('SymbolicGradient', input=[const([1.0]), const([1.0])], Tout=[F], f=function('f', lambda x: x * x, F))


# --- Lists, arrays, stacks, optionals

def items():
    return raw.TensorListFromTensor(tensor=const([[1.0, 2.0], [3.0, 4.0]]), element_shape=const([2], I))


LISTS = {
    'TensorListConcat': lambda: dict(input_handle=items(), element_dtype=F),
    'TensorListConcatV2': lambda: dict(input_handle=items(), element_shape=const([2], I), leading_dims=const([], L), element_dtype=F),
    'TensorListConcatLists': lambda: dict(input_a=items(), input_b=items(), element_dtype=F),
    'TensorListElementShape': lambda: dict(input_handle=items(), shape_type=I),
    'TensorListFromTensor': lambda: dict(tensor=const([[1.0, 2.0], [3.0, 4.0]]), element_shape=const([2], I)),
    'TensorListGather': lambda: dict(input_handle=items(), indices=const([1, 0], I), element_shape=const([2], I), element_dtype=F),
    'TensorListGetItem': lambda: dict(input_handle=items(), index=const(1, I), element_shape=const([2], I), element_dtype=F),
    'TensorListLength': lambda: dict(input_handle=items()),
    'TensorListPopBack': lambda: dict(input_handle=items(), element_shape=const([2], I), element_dtype=F),
    'TensorListPushBack': lambda: dict(input_handle=items(), tensor=const([5.0, 6.0])),
    'TensorListPushBackBatch': lambda: dict(input_handles=tf.stack([items(), items()]), tensor=const([[5.0, 6.0], [7.0, 8.0]])),
    'TensorListReserve': lambda: dict(element_shape=const([2], I), num_elements=const(3, I), element_dtype=F),
    'EmptyTensorList': lambda: dict(element_shape=const([2], I), max_num_elements=const(3, I), element_dtype=F),
    'TensorListResize': lambda: dict(input_handle=items(), size=const(5, I)),
    'TensorListScatter': lambda: dict(tensor=const([[1.0], [2.0]]), indices=const([1, 0], I), element_shape=const([1], I)),
    'TensorListScatterV2': lambda: dict(tensor=const([[1.0], [2.0]]), indices=const([1, 0], I), element_shape=const([1], I),
                                        num_elements=const(3, I)),
    'TensorListScatterIntoExistingList': lambda: dict(input_handle=items(), tensor=const([[1.0, 2.0]]), indices=const([1], I)),
    'TensorListSetItem': lambda: dict(input_handle=items(), index=const(1, I), item=const([5.0, 6.0])),
    'TensorListSplit': lambda: dict(tensor=const([[1.0], [2.0], [3.0]]), element_shape=const([-1, 1], I), lengths=const([1, 2], L)),
    'TensorListStack': lambda: dict(input_handle=items(), element_shape=const([2], I), element_dtype=F),
    'OptionalFromValue': lambda: dict(components=[const([1.0]), const(2, I)]),
    'OptionalGetValue': lambda: dict(optional=raw.OptionalFromValue(components=[const([1.0])]), output_types=[F], output_shapes=[[1]]),
    'OptionalHasValue': lambda: dict(optional=raw.OptionalNone()),
    'OptionalNone': lambda: {},
}
for kind, inputs in LISTS.items():
    call(lambda kind=kind, inputs=inputs: op(kind, **inputs()))


def array(version):
    """A tensor array of two vectors, the second form for version 2 and 3: (handle, flow)."""
    size = const(2, I)
    if version == 3:
        handle, flow = raw.TensorArrayV3(size=size, dtype=F, clear_after_read=False, element_shape=[2])
    elif version == 2:
        handle, flow = raw.TensorArrayV2(size=size, dtype=F, clear_after_read=False, element_shape=[2]), const(0.0)
    else:
        handle, flow = raw.TensorArray(size=size, dtype=F, clear_after_read=False, element_shape=[2]), const(0.0)
    return handle, flow


def filled(version):
    handle, flow = array(version)
    suffix = {1: '', 2: 'V2', 3: 'V3'}[version]
    for i in range(2):
        flow = getattr(raw, 'TensorArrayWrite' + suffix)(handle=handle, index=const(i, I), value=const([1.0, 2.0 + i]), flow_in=flow)
    return handle, flow


for version, suffix in ((1, ''), (2, 'V2'), (3, 'V3')):
    def arrays(kind, make, version=version, suffix=suffix, **inputs):
        @call
        def build():
            handle, flow = make(version)
            op('TensorArray' + kind + suffix, handle=handle, **({} if kind in ('Close',) else {'flow_in': flow}),
               **{name: value() if callable(value) and not isinstance(value, tf.DType) else value for name, value in inputs.items()})

    call(lambda suffix=suffix: op('TensorArray' + suffix, size=const(2, I), dtype=F))
    arrays('Close', array)
    arrays('Concat', filled, dtype=F)
    arrays('Gather', filled, indices=lambda: const([1, 0], I), dtype=F)
    arrays('Grad', filled, source='gradients')
    arrays('Read', filled, index=lambda: const(1, I), dtype=F)
    arrays('Scatter', array, indices=lambda: const([1, 0], I), value=lambda: const([[1.0, 2.0], [3.0, 4.0]]))
    arrays('Size', array)
    arrays('Split', array, value=lambda: const([1.0, 2.0, 3.0, 4.0]), lengths=lambda: const([2, 2], L))
    arrays('Write', array, index=lambda: const(1, I), value=lambda: const([1.0, 2.0]))


@call
def array_pack():
    handle, flow = filled(1)
    op('TensorArrayPack', handle=handle, flow_in=flow, dtype=F)


@call
def array_unpack():
    handle, flow = array(1)
    op('TensorArrayUnpack', handle=handle, value=const([[1.0, 2.0], [3.0, 4.0]]), flow_in=flow)


@call
def array_grad_with_shape():
    handle, flow = filled(3)
    op('TensorArrayGradWithShape', handle=handle, flow_in=flow, shape_to_prepend=const([2], I), source='gradients')


for suffix in ('', 'V2'):
    def stack(suffix=suffix):
        return (raw.StackV2(max_size=const(3, I), elem_type=F) if suffix
                else raw.Stack(elem_type=F))

    call(lambda suffix=suffix: op('Stack' + suffix, elem_type=F, **({'max_size': const(3, I)} if suffix else {})))
    call(lambda suffix=suffix, stack=stack: op('StackPush' + suffix, handle=stack(), elem=const([1.0])))
    call(lambda suffix=suffix, stack=stack: op('StackClose' + suffix, handle=stack()))

    @call
    def pop(suffix=suffix, stack=stack):
        handle = stack()
        pushed = getattr(raw, 'StackPush' + suffix)(handle=handle, elem=const([1.0]))
        op('StackPop' + suffix, [pushed], handle=handle, elem_type=F)


# --- Ops with plain values whose tests use only large ones

IMAGES, FILTER = [[[[1.0], [2.0]], [[3.0], [4.0]]]], [[[[1.0]], [[0.5]]]]
PLAIN = {
    'Asinh': lambda: dict(x=const([0.5, 2.0])),
    'Atan': lambda: dict(x=const([0.5, 2.0])),
    'Cosh': lambda: dict(x=const([0.5, 2.0])),
    'Sinh': lambda: dict(x=const([0.5, 2.0])),
    'ToBool': lambda: dict(input=const([0.5])),
    'UniqueV2': lambda: dict(x=const([3.0, 1.0, 3.0]), axis=const([0], I)),
    'RandomShuffle': lambda: dict(value=const([1.0, 2.0, 3.0]), seed=1, seed2=2),
    'RandomStandardNormal': lambda: dict(shape=const([2, 3], I), dtype=F, seed=1, seed2=2),
    'TruncatedNormal': lambda: dict(shape=const([2, 3], I), dtype=F, seed=1, seed2=2),
    'DepthwiseConv2dNativeBackpropInput': lambda: dict(input_sizes=const([1, 2, 2, 1], I), filter=const(FILTER), out_backprop=const(IMAGES),
                                                       strides=[1, 1, 1, 1], padding='SAME'),
    'DepthwiseConv2dNativeBackpropFilter': lambda: dict(input=const(IMAGES), filter_sizes=const([1, 2, 1, 1], I), out_backprop=const(IMAGES),
                                                        strides=[1, 1, 1, 1], padding='SAME'),
    'MaxPoolGradV2': lambda: dict(orig_input=const(IMAGES), orig_output=const([[[[4.0]]]]), grad=const([[[[1.0]]]]),
                                  ksize=const([1, 2, 2, 1], I), strides=const([1, 2, 2, 1], I), padding='VALID'),
    'MaxPoolGradGradV2': lambda: dict(orig_input=const(IMAGES), orig_output=const([[[[4.0]]]]), grad=const(IMAGES),
                                      ksize=const([1, 2, 2, 1], I), strides=const([1, 2, 2, 1], I), padding='VALID'),
    'QuantizeAndDequantizeV4': lambda: dict(input=const([0.5, 2.0]), input_min=const(-1.0), input_max=const(3.0), range_given=True),
    'SparseSegmentSqrtNGrad': lambda: dict(grad=const([[1.0, 2.0], [3.0, 4.0]]), indices=const([0, 2, 1], I), segment_ids=const([0, 0, 1], I),
                                           output_dim0=const(4, I)),
}
for kind in ('Sum', 'SqrtN'):
    PLAIN[f'SparseSegment{kind}GradV2'] = lambda: dict(
        grad=const([[1.0, 2.0], [3.0, 4.0]]), indices=const([0, 2, 1], I), segment_ids=const([0, 0, 1], I), dense_output_dim0=const(4, I))
for kind, inputs in PLAIN.items():
    call(lambda kind=kind, inputs=inputs: op(kind, **inputs()))


# --- Files

def saved():
    return raw.SaveV2(prefix=const('ckpt', tf.string), tensor_names=const(['a'], tf.string), shape_and_slices=const([''], tf.string),
                      tensors=[const([1.0, 2.0])])


@call
def save():
    op('SaveV2', prefix=const('ckpt', tf.string), tensor_names=const(['a', 'b'], tf.string), shape_and_slices=const(['', ''], tf.string),
       tensors=[const([1.0, 2.0]), const(3, I)])


@call
def restore():
    op('RestoreV2', [saved()], prefix=const('ckpt', tf.string), tensor_names=const(['a'], tf.string),
       shape_and_slices=const([''], tf.string), dtypes=[F])


@call
def restore_v1():
    op('Restore', [saved()], file_pattern=const('ckpt', tf.string), tensor_name=const('a', tf.string), dt=F)


@call
def restore_slice():
    op('RestoreSlice', [saved()], file_pattern=const('ckpt', tf.string), tensor_name=const('a', tf.string),
       shape_and_slice=const('2 0,1', tf.string), dt=F)


@call
def merge_checkpoints():
    op('MergeV2Checkpoints', [saved()], checkpoint_prefixes=const(['ckpt'], tf.string), destination_prefix=const('merged', tf.string),
       delete_old_dirs=False)


@call
def sharded_filename():
    op('ShardedFilename', basename=const('ckpt', tf.string), shard=const(0, I), num_shards=const(2, I))


def graph_of(build, producer=None):
    """The graph of a call, of an older version if it is to have one."""
    graph = tf.Graph()
    with graph.as_default():
        if producer:
            tf.graph_util.import_graph_def(v1.GraphDef(versions=dict(producer=producer)), name='')
        build()
    return graph.as_graph_def()


def line(build):
    try:
        proto = graph_of(build)
    except NotImplementedError:
        proto = graph_of(build, OLD)  # an op that is gone
    target = next(node for node in proto.node if node.name == 'target')
    rest = [node for node in proto.node if node.name != 'target']
    del proto.node[:]
    proto.node.extend(rest + [target])
    if proto.versions.producer != OLD:
        proto.ClearField('versions')
    for nodes in [proto.node] + [f.node_def for f in proto.library.function]:
        for node in nodes:
            for name in [name for name in node.attr if name.startswith('_')]:
                del node.attr[name]
    for f in proto.library.function:
        f.attr.clear()
        f.arg_attr.clear()
    return target.op, text_format.MessageToString(proto, as_one_line=True)


def main():
    v1.disable_eager_execution()
    lines = sorted(line(build) for build in CALLS)
    with open(os.path.join(ROOT, 'tests', 'mutation', 'calls', 'made.pbtxt'), 'w', encoding='utf-8') as file:
        file.write('# Written by tools/tensorflow/make_calls.py; do not edit.\n')
        for _, text in lines:
            file.write(text.strip() + '\n')
    print(f'{len(lines)} calls')


if __name__ == '__main__':
    main()
