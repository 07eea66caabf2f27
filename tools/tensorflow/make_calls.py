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


def ragged_rows():
    return raw.RaggedTensorToVariant(rt_nested_splits=[const([0, 2, 2, 3], L)], rt_dense_values=const([1.0, 2.0, 3.0]), batched_input=True)


LISTS = {
    'RaggedTensorFromVariant': lambda: dict(encoded_ragged=ragged_rows(), input_ragged_rank=0, output_ragged_rank=1, Tvalues=F, Tsplits=L),
    'RaggedTensorToVariantGradient': lambda: dict(encoded_ragged_grad=ragged_rows(), row_splits=const([0, 2, 2, 3], L),
                                                  dense_values_shape=const([3], I), Tvalues=F),
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


# --- What waits: queues, barriers, mutexes, staging areas, accumulators

S = tf.string
QUEUES = {'FIFOQueue': {}, 'PaddingFIFOQueue': {}, 'RandomShuffleQueue': dict(seed=1, seed2=2), 'PriorityQueue': {}}


def queue(suffix):
    """A queue of two elements, as reference or resource: (handle, what fills it)."""
    handle = getattr(raw, 'FIFOQueue' + suffix)(component_types=[F, I], shapes=[[2], []])
    return handle, getattr(raw, 'QueueEnqueueMany' + suffix)(handle=handle, components=[const([[1.0, 2.0], [3.0, 4.0]]), const([5, 6], I)])


for suffix in ('', 'V2'):
    for kind, attrs in QUEUES.items():
        types = [F] if kind == 'PriorityQueue' else [F, I]
        shapes = [[2]] if kind == 'PriorityQueue' else [[2], []]
        call(lambda kind=kind + suffix, attrs=attrs, types=types, shapes=shapes: op(kind, component_types=types, shapes=shapes, **attrs))
    for kind, inputs in {'Dequeue': dict(component_types=[F, I]), 'DequeueMany': dict(n=2, component_types=[F, I]),
                         'DequeueUpTo': dict(n=2, component_types=[F, I]), 'Size': {}, 'Close': {}, 'IsClosed': {}}.items():
        @call
        def use_queue(kind='Queue' + kind + suffix, inputs=inputs, suffix=suffix):
            handle, done = queue(suffix)
            op(kind, [done], handle=handle, **{k: const(v, I) if k == 'n' else v for k, v in inputs.items()})
    call(lambda suffix=suffix: op('QueueEnqueue' + suffix, handle=queue(suffix)[0], components=[const([1.0, 2.0]), const(5, I)]))
    call(lambda suffix=suffix: op('QueueEnqueueMany' + suffix, handle=queue(suffix)[0], components=[const([[1.0, 2.0]]), const([5], I)]))


def barrier():
    handle = raw.Barrier(component_types=[F], shapes=[[2]])
    return handle, raw.BarrierInsertMany(handle=handle, keys=const(['a', 'b'], S), values=const([[1.0, 2.0], [3.0, 4.0]]), component_index=0)


call(lambda: op('Barrier', component_types=[F], shapes=[[2]]))
call(lambda: op('BarrierInsertMany', handle=barrier()[0], keys=const(['c'], S), values=const([[1.0, 2.0]]), component_index=0))
for kind, inputs in {'Close': {}, 'IncompleteSize': {}, 'ReadySize': {}, 'TakeMany': dict(num_elements=2, component_types=[F])}.items():
    @call
    def use_barrier(kind='Barrier' + kind, inputs=inputs):
        handle, done = barrier()
        op(kind, [done], handle=handle, **{k: const(v, I) if k == 'num_elements' else v for k, v in inputs.items()})


call(lambda: op('MutexV2'))
call(lambda: op('MutexLock', mutex=raw.MutexV2()))
call(lambda: op('ConsumeMutexLock', mutex_lock=raw.MutexLock(mutex=raw.MutexV2())))

AREA = dict(dtypes=[F, I], shared_name='area')
VALUES = lambda: [const([1.0, 2.0]), const(3, I)]
call(lambda: op('Stage', values=VALUES(), shared_name='area'))
for kind, inputs in {'StageClear': {}, 'StageSize': {}, 'StagePeek': dict(index=0), 'Unstage': {}}.items():
    call(lambda kind=kind, inputs=inputs: op(kind, [raw.Stage(values=VALUES(), shared_name='area')], **AREA,
                                             **{k: const(v, I) for k, v in inputs.items()}))
for prefix in ('', 'Ordered'):
    def stage(prefix=prefix):
        return getattr(raw, prefix + 'MapStage')(key=const(7, L), indices=const([0, 1], I), values=VALUES(), dtypes=[F, I], shared_name='area')

    call(lambda prefix=prefix: op(prefix + 'MapStage', key=const(7, L), indices=const([0, 1], I), values=VALUES(), **AREA))
    for kind in ('Clear', 'IncompleteSize', 'Size'):
        call(lambda kind=prefix + 'Map' + kind, stage=stage: op(kind, [stage()], **AREA))
    for kind in ('Peek', 'Unstage'):
        call(lambda kind=prefix + 'Map' + kind, stage=stage: op(kind, [stage()], key=const(7, L), indices=const([0, 1], I), **AREA))
    call(lambda prefix=prefix, stage=stage: op(prefix + 'MapUnstageNoKey', [stage()], indices=const([0, 1], I), **AREA))

for prefix, maker in (('', 'ConditionalAccumulator'), ('Resource', 'ResourceConditionalAccumulator')):
    def accumulator(prefix=prefix, maker=maker):
        handle = getattr(raw, maker)(dtype=F, shape=[2])
        return handle, getattr(raw, prefix + 'AccumulatorApplyGradient')(handle=handle, local_step=const(0, L), gradient=const([1.0, 2.0]))

    call(lambda maker=maker: op(maker, dtype=F, shape=[2]))
    call(lambda prefix=prefix, accumulator=accumulator: op(prefix + 'AccumulatorApplyGradient', handle=accumulator()[0],
                                                           local_step=const(0, L), gradient=const([1.0, 2.0])))
    for kind, inputs in {'NumAccumulated': {}, 'SetGlobalStep': dict(new_global_step=(3, L)),
                         'TakeGradient': dict(num_required=(1, I))}.items():
        @call
        def use_accumulator(kind=prefix + 'Accumulator' + kind, inputs=inputs, accumulator=accumulator):
            handle, done = accumulator()
            op(kind, [done], handle=handle, **{k: const(*v) for k, v in inputs.items()}, **({'dtype': F} if 'Take' in kind else {}))


def sparse_accumulator():
    handle = raw.SparseConditionalAccumulator(dtype=F, shape=[3, 1])
    return handle, raw.SparseAccumulatorApplyGradient(
        handle=handle, local_step=const(0, L), gradient_indices=const([0, 2], L), gradient_values=const([[1.0], [2.0]]),
        gradient_shape=const([3, 1], L), has_known_shape=True)


call(lambda: op('SparseConditionalAccumulator', dtype=F, shape=[3, 1]))
call(lambda: op('SparseAccumulatorApplyGradient', handle=sparse_accumulator()[0], local_step=const(0, L), gradient_indices=const([0, 2], L),
                gradient_values=const([[1.0], [2.0]]), gradient_shape=const([3, 1], L), has_known_shape=True))


@call
def take_sparse():
    handle, done = sparse_accumulator()
    op('SparseAccumulatorTakeGradient', [done], handle=handle, num_required=const(1, I), dtype=F)


# --- Tables and maps

TABLES = {'HashTable': {}, 'MutableHashTable': {}, 'MutableHashTableOfTensors': dict(value_shape=[2])}
for kind, attrs in TABLES.items():
    for form in (kind, kind + 'V2', 'Anonymous' + kind):
        call(lambda form=form, attrs=attrs: op(form, key_dtype=L, value_dtype=F, **attrs))
call(lambda: op('MutableDenseHashTable', empty_key=const(-1, L), value_dtype=F))
for form in ('MutableDenseHashTableV2', 'AnonymousMutableDenseHashTable'):
    call(lambda form=form: op(form, empty_key=const(-1, L), deleted_key=const(-2, L), value_dtype=F))

for suffix in ('', 'V2'):
    def table(suffix=suffix):
        handle = getattr(raw, 'MutableHashTable' + suffix)(key_dtype=L, value_dtype=F)
        return handle, getattr(raw, 'LookupTableInsert' + suffix)(table_handle=handle, keys=const([1, 2], L), values=const([1.0, 2.0]))

    def fixed(suffix=suffix):
        return getattr(raw, 'HashTable' + suffix)(key_dtype=L, value_dtype=F)

    for kind, inputs in {
            'Export': lambda: dict(Tkeys=L, Tvalues=F), 'Find': lambda: dict(keys=const([2, 3], L), default_value=const(-1.0)),
            'Import': lambda: dict(keys=const([2, 3], L), values=const([5.0, 6.0])),
            'Insert': lambda: dict(keys=const([2, 3], L), values=const([5.0, 6.0])), 'Size': lambda: {},
            **({'Remove': lambda: dict(keys=const([2], L))} if suffix else {})}.items():
        @call
        def use_table(kind='LookupTable' + kind + suffix, inputs=inputs, table=table):
            handle, done = table()
            op(kind, [done], table_handle=handle, **inputs())
    call(lambda suffix=suffix, fixed=fixed: op('InitializeTable' + suffix, table_handle=fixed(), keys=const([1, 2], L), values=const([1.0, 2.0])))

    @call
    def from_file(suffix=suffix):
        handle = getattr(raw, 'HashTable' + suffix)(key_dtype=S, value_dtype=L)
        written = raw.WriteFile(filename=const('words', S), contents=const('one\ntwo\n', S))
        op('InitializeTableFromTextFile' + suffix, [written], table_handle=handle, filename=const('words', S), key_index=-2, value_index=-1)


def tensor_map():
    return raw.TensorMapInsert(input_handle=raw.EmptyTensorMap(), key=const(1, I), value=const([1.0, 2.0]))


call(lambda: op('EmptyTensorMap'))
for kind, inputs in {
        'Erase': lambda: dict(key=const(1, I), value_dtype=F), 'HasKey': lambda: dict(key=const(1, I)),
        'Insert': lambda: dict(key=const(2, I), value=const([3.0])), 'Lookup': lambda: dict(key=const(1, I), value_dtype=F),
        'Size': lambda: {}, 'StackKeys': lambda: dict(key_dtype=I)}.items():
    call(lambda kind='TensorMap' + kind, inputs=inputs: op(kind, input_handle=tensor_map(), **inputs()))

SPARSE = lambda: dict(sparse_indices=const([[0, 0], [2, 1]], L), sparse_values=const([1.0, 2.0]), sparse_shape=const([3, 2], L))
call(lambda: op('AddSparseToTensorsMap', **SPARSE(), shared_name='map'))
call(lambda: op('AddManySparseToTensorsMap', **SPARSE(), shared_name='map'))
call(lambda: op('TakeManySparseFromTensorsMap', sparse_handles=raw.AddManySparseToTensorsMap(**SPARSE(), shared_name='map'), dtype=F,
                shared_name='map'))
call(lambda: op('GetSessionTensor', handle=raw.GetSessionHandle(value=const([1.0])), dtype=F))
call(lambda: op('DeleteSessionTensor', handle=raw.GetSessionHandle(value=const([1.0]))))


@call
def composite():
    encoded = raw.CompositeTensorVariantFromComponents(
        components=[const([1.0, 2.0])], metadata='')
    op('CompositeTensorVariantToComponents', encoded=encoded, metadata='', Tcomponents=[F])


# --- Summaries

def writer():
    handle = raw.SummaryWriter(shared_name='writer')
    return handle, raw.CreateSummaryFileWriter(writer=handle, logdir=const('logs', S), max_queue=const(10, I), flush_millis=const(1000, I),
                                               filename_suffix=const('.v2', S))


call(lambda: op('SummaryWriter', shared_name='writer'))
call(lambda: op('CreateSummaryFileWriter', writer=raw.SummaryWriter(shared_name='writer'), logdir=const('logs', S), max_queue=const(10, I),
                flush_millis=const(1000, I), filename_suffix=const('.v2', S)))
for kind, inputs in {
        'CloseSummaryWriter': lambda: {}, 'FlushSummaryWriter': lambda: {}, 'ImportEvent': lambda: dict(event=const('', S)),
        'WriteAudioSummary': lambda: dict(step=const(1, L), tag=const('t', S), tensor=const([[[0.5], [0.25]]]), sample_rate=const(8000.0)),
        'WriteGraphSummary': lambda: dict(step=const(1, L), tensor=const('', S)),
        'WriteHistogramSummary': lambda: dict(step=const(1, L), tag=const('t', S), values=const([1.0, 2.0])),
        'WriteImageSummary': lambda: dict(step=const(1, L), tag=const('t', S), tensor=const([[[[0.5], [0.25]]]]),
                                          bad_color=const([255, 0, 0, 255], tf.uint8)),
        'WriteRawProtoSummary': lambda: dict(step=const(1, L), tensor=const('', S)),
        'WriteScalarSummary': lambda: dict(step=const(1, L), tag=const('t', S), value=const(0.5)),
        'WriteSummary': lambda: dict(step=const(1, L), tensor=const(0.5), tag=const('t', S), summary_metadata=const('', S))}.items():
    @call
    def summary(kind=kind, inputs=inputs):
        handle, done = writer()
        op(kind, [done], writer=handle, **inputs())


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
SET = lambda n: {f'set{n}_indices': const([[0, 0], [1, 0]], L), f'set{n}_values': const([1, 2], L), f'set{n}_shape': const([2, 1], L)}
TRIPLE = lambda: dict(sparse_indices=const([[0, 0], [1, 1]], L), sparse_values=const([1.0, 2.0]), sparse_shape=const([2, 2], L))
CROSS = lambda: dict(indices=[const([[0, 0], [1, 0]], L)], values=[const(['a', 'b'], tf.string)], shapes=[const([2, 1], L)],
                     dense_inputs=[const([['x'], ['y']], tf.string)])
PLAIN.update({
    'DenseCountSparseOutput': lambda: dict(values=const([[1, 2, 1]], I), weights=const([]), binary_output=False),
    'SparseCountSparseOutput': lambda: dict(indices=const([[0, 0], [1, 1]], L), values=const([1, 2], I), dense_shape=const([2, 2], L),
                                            weights=const([]), binary_output=False),
    'RaggedCountSparseOutput': lambda: dict(splits=const([0, 2, 3], L), values=const([1, 2, 1], I), weights=const([]), binary_output=False),
    'SparseBincount': lambda: dict(indices=const([[0, 0], [1, 1]], L), values=const([1, 2], I), dense_shape=const([2, 2], L),
                                   size=const(3, I), weights=const([])),
    'RaggedBincount': lambda: dict(splits=const([0, 2, 3], L), values=const([1, 2, 1], I), size=const(3, I), weights=const([])),
    'DenseToDenseSetOperation': lambda: dict(set1=const([[1, 2]], L), set2=const([[2, 3]], L), set_operation='union'),
    'DenseToSparseSetOperation': lambda: dict(set1=const([[1, 2], [3, 4]], L), **SET(2), set_operation='union'),
    'SparseToSparseSetOperation': lambda: dict(**SET(1), **SET(2), set_operation='union'),
    'SetSize': lambda: dict(set_indices=const([[0, 0], [1, 0]], L), set_values=const([1, 2], L), set_shape=const([2, 1], L)),
    'EditDistance': lambda: dict(hypothesis_indices=const([[0, 0]], L), hypothesis_values=const([1], L), hypothesis_shape=const([1, 1], L),
                                 truth_indices=const([[0, 0]], L), truth_values=const([2], L), truth_shape=const([1, 1], L)),
    'SerializeTensor': lambda: dict(tensor=const([1.0, 2.0])),
    'ParseTensor': lambda: dict(serialized=raw.SerializeTensor(tensor=const([1.0, 2.0])), out_type=F),
    'SerializeSparse': TRIPLE,
    'SerializeManySparse': TRIPLE,
    'DeserializeSparse': lambda: dict(serialized_sparse=raw.SerializeSparse(**TRIPLE()), dtype=F),
    'DeserializeManySparse': lambda: dict(serialized_sparse=raw.SerializeManySparse(**TRIPLE()), dtype=F),
    'RaggedRange': lambda: dict(starts=const([0, 1], I), limits=const([2, 3], I), deltas=const([1, 1], I)),
    'RaggedTensorToSparse': lambda: dict(rt_nested_splits=[const([0, 2, 3], L)], rt_dense_values=const([1.0, 2.0, 3.0])),
    'SparseCross': lambda: dict(**CROSS(), hashed_output=True, num_buckets=10, hash_key=5, out_type=L, internal_type=tf.string),
    'SparseCrossHashed': lambda: dict(**CROSS(), num_buckets=const(10, L), strong_hash=const(False, tf.bool), salt=const([1, 2], L)),
    'SparseCrossV2': lambda: dict(**CROSS(), sep=const('_', tf.string)),
    'WriteFile': lambda: dict(filename=const('words', tf.string), contents=const('one', tf.string)),
    'MatchingFiles': lambda: dict(pattern=const('*', tf.string)),
})
COLOURS = lambda: const([[[[0.5, 0.25, 0.125], [0.75, 0.5, 0.0]]]])
BOXES, SCORES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]], [0.9, 0.75, 0.6]
SUPPRESS = lambda **more: dict(boxes=const(BOXES), scores=const(SCORES), max_output_size=const(2, I), iou_threshold=const(0.5), **more)
PLAIN.update({
    'AdjustContrastv2': lambda: dict(images=COLOURS(), contrast_factor=const(2.0)),
    'AdjustHue': lambda: dict(images=COLOURS(), delta=const(0.25)),
    'AdjustSaturation': lambda: dict(images=COLOURS(), scale=const(0.5)),
    'RGBToHSV': lambda: dict(images=COLOURS()),
    'ResizeArea': lambda: dict(images=COLOURS(), size=const([1, 1], I)),
    'HSVToRGB': lambda: dict(images=COLOURS()),
    'NonMaxSuppression': lambda: dict(boxes=const(BOXES), scores=const(SCORES), max_output_size=const(2, I)),
    'NonMaxSuppressionV2': lambda: SUPPRESS(),
    'NonMaxSuppressionV3': lambda: SUPPRESS(score_threshold=const(0.1)),
    'NonMaxSuppressionV4': lambda: SUPPRESS(score_threshold=const(0.1)),
    'NonMaxSuppressionV5': lambda: SUPPRESS(score_threshold=const(0.1), soft_nms_sigma=const(0.5)),
    'NonMaxSuppressionWithOverlaps': lambda: dict(overlaps=const([[1.0, 0.6, 0.1], [0.6, 1.0, 0.2], [0.1, 0.2, 1.0]]), scores=const(SCORES),
                                                  max_output_size=const(2, I), overlap_threshold=const(0.5), score_threshold=const(0.1)),
    'CombinedNonMaxSuppression': lambda: dict(
        boxes=const([[[box] for box in BOXES]]), scores=const([[[score] for score in SCORES]]), max_output_size_per_class=const(2, I),
        max_total_size=const(2, I), iou_threshold=const(0.5), score_threshold=const(0.1)),
    'DrawBoundingBoxes': lambda: dict(images=COLOURS(), boxes=const([[[0.0, 0.0, 1.0, 1.0]]])),
    'DrawBoundingBoxesV2': lambda: dict(images=COLOURS(), boxes=const([[[0.0, 0.0, 1.0, 1.0]]]), colors=const([[1.0, 0.0, 0.0]])),
    'RandomGammaGrad': lambda: dict(alpha=const([0.5, 2.0]), sample=const([0.25, 1.0])),
})
SQUARE, RIGHT, POSITIVE = [[2.0, 1.0], [1.0, 3.0]], [[1.0], [2.0]], [[4.0, 1.0], [1.0, 3.0]]
D = tf.float64
PLAIN.update({
    'Cholesky': lambda: dict(input=const(POSITIVE)),
    'CholeskyGrad': lambda: dict(l=const([[2.0, 0.0], [0.5, 1.5]]), grad=const(SQUARE)),
    'Lu': lambda: dict(input=const(SQUARE)),
    'MatrixInverse': lambda: dict(input=const(SQUARE)),
    'MatrixSolve': lambda: dict(matrix=const(SQUARE), rhs=const(RIGHT)),
    'MatrixSolveLs': lambda: dict(matrix=const([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), rhs=const([[1.0], [2.0], [3.0]]), l2_regularizer=const(0.0, D)),
    'MatrixTriangularSolve': lambda: dict(matrix=const(SQUARE), rhs=const(RIGHT)),
    'Qr': lambda: dict(input=const(SQUARE)),
    'BatchCholesky': lambda: dict(input=const([POSITIVE], D)),
    'BatchCholeskyGrad': lambda: dict(l=const([[[2.0, 0.0], [0.5, 1.5]]], D), grad=const([SQUARE], D)),
    'BatchMatrixInverse': lambda: dict(input=const([SQUARE], D)),
    'BatchMatrixSolve': lambda: dict(matrix=const([SQUARE], D), rhs=const([RIGHT], D)),
    'BatchMatrixSolveLs': lambda: dict(matrix=const([SQUARE], D), rhs=const([RIGHT], D), l2_regularizer=const(0.0, D)),
    'BatchMatrixTriangularSolve': lambda: dict(matrix=const([SQUARE], D), rhs=const([RIGHT], D)),
    'BatchSelfAdjointEigV2': lambda: dict(input=const([SQUARE], D)),
    'BatchSvd': lambda: dict(input=const([SQUARE], D)),
    'Bucketize': lambda: dict(input=const([0.5, 2.0]), boundaries=[1.0, 3.0]),
    'HistogramFixedWidth': lambda: dict(values=const([0.5, 2.0]), value_range=const([0.0, 4.0]), nbins=const(4, I)),
    'LowerBound': lambda: dict(sorted_inputs=const([[1.0, 2.0, 3.0]]), values=const([[2.0, 5.0]])),
    'UpperBound': lambda: dict(sorted_inputs=const([[1.0, 2.0, 3.0]]), values=const([[2.0, 5.0]])),
    'ExtractImagePatches': lambda: dict(images=const(IMAGES), ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding='SAME'),
    'ExtractVolumePatches': lambda: dict(input=const([IMAGES]), ksizes=[1, 1, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding='SAME'),
    'InplaceAdd': lambda: dict(x=const([[1.0], [2.0]]), i=const([1], I), v=const([[3.0]])),
    'InplaceSub': lambda: dict(x=const([[1.0], [2.0]]), i=const([1], I), v=const([[3.0]])),
    'InplaceUpdate': lambda: dict(x=const([[1.0], [2.0]]), i=const([1], I), v=const([[3.0]])),
    'GetSessionHandle': lambda: dict(value=const([1.0])),
    'GetSessionHandleV2': lambda: dict(value=const([1.0])),
    'CompositeTensorVariantFromComponents': lambda: dict(components=[const([1.0])], metadata=''),
    'ReduceJoin': lambda: dict(inputs=const([['a', 'b'], ['c', 'd']], tf.string), reduction_indices=const([1], I), separator='-'),
    'UnsortedSegmentJoin': lambda: dict(inputs=const(['a', 'b', 'c'], tf.string), segment_ids=const([1, 0, 1], I), num_segments=const(2, I)),
    'SparseMatMul': lambda: dict(a=const(SQUARE), b=const(SQUARE)),
    'SparseTensorDenseMatMul': lambda: dict(a_indices=const([[0, 0], [1, 1]], L), a_values=const([1.0, 2.0]), a_shape=const([2, 2], L), b=const(SQUARE)),
    'Save': lambda: dict(filename=const('v1', tf.string), tensor_names=const(['a'], tf.string), data=[const([1.0])]),
    'SaveSlices': lambda: dict(filename=const('v1', tf.string), tensor_names=const(['a'], tf.string), shapes_and_slices=const([''], tf.string),
                               data=[const([1.0])]),
})
for rank in ('2', '3'):
    cube = [SQUARE, SQUARE]
    for kind in ('FFT', 'IFFT'):
        PLAIN[f'{kind}{rank}D'] = lambda: dict(input=const(cube, tf.complex64))
    PLAIN[f'RFFT{rank}D'] = lambda rank=int(rank): dict(input=const(cube), fft_length=const([2] * rank, I))
    PLAIN[f'IRFFT{rank}D'] = lambda rank=int(rank): dict(input=const(cube, tf.complex64), fft_length=const([2] * rank, I))
for kind in ('Sum', 'SqrtN'):
    PLAIN[f'SparseSegment{kind}GradV2'] = lambda: dict(
        grad=const([[1.0, 2.0], [3.0, 4.0]]), indices=const([0, 2, 1], I), segment_ids=const([0, 0, 1], I), dense_output_dim0=const(4, I))
for kind, inputs in PLAIN.items():
    call(lambda kind=kind, inputs=inputs: op(kind, **inputs()))


# --- Files

@call
def random_poisson():
    op('RandomPoisson', shape=const([3], I), rate=const([0.5, 2.0]), seed=1, seed2=2)


@call
def read_file():
    written = raw.WriteFile(filename=const('words', tf.string), contents=const('one', tf.string))
    op('ReadFile', [written], filename=const('words', tf.string))


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
