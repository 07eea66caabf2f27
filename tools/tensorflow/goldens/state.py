"""Variables: references and resources."""
from .case import *


def ref_variable(value, name='variable'):
    return v1.Variable(value, use_resource=False, name=name)


@case('ref_variable')
def _(c):
    variable = ref_variable([1.0, 2.0])
    ref = variable._variable
    add, sub = raw.AssignAdd(ref=ref, value=[10.0, 20.0]), raw.AssignSub(ref=ref, value=[1.0, 1.0])
    assign = raw.Assign(ref=ref, value=[7.0, 8.0])
    c.run([], targets=[variable.initializer])
    for op in (add, sub, add, assign, sub): c.run([op])
    c.run([ref, variable.value()])


@case('ref_variable_uninitialised')
def _(c):
    variable = ref_variable([1.0, 2.0])
    ref = variable._variable
    ready = raw.IsVariableInitialized(ref=ref, name='ready')
    c.run([ready])
    c.fails('FAILED_PRECONDITION', [ref])
    c.fails('FAILED_PRECONDITION', [tf.identity(ref, name='read')])
    c.fails('FAILED_PRECONDITION', [raw.AssignAdd(ref=ref, value=[1.0, 1.0], name='more')])
    c.fails('FAILED_PRECONDITION', [raw.ScatterSub(ref=ref, indices=[0], updates=[1.0], name='scatter')])
    c.run([], targets=[variable.initializer])
    c.run([ready, 'read:0', 'more:0'][:2])
    c.run(['scatter:0'])


@case('ref_variable_shapes')
def _(c):
    variable = ref_variable(tf.zeros([2]))
    ref = variable._variable
    strict = raw.Assign(ref=ref, value=opaque([1.0, 2.0, 3.0]), name='strict')
    loose = raw.Assign(ref=ref, value=opaque([1.0, 2.0, 3.0]), validate_shape=False, name='loose')
    read = tf.identity(ref, name='read')
    c.run([], targets=[variable.initializer])
    c.fails('INVALID_ARGUMENT', [strict])
    c.run([read])
    c.run([loose])
    c.run([read])
    c.run([strict])
    c.fails('INVALID_ARGUMENT', [raw.AssignAdd(ref=ref, value=opaque([1.0, 2.0]), name='more')])


@case('ref_variable_without_elements_is_initialised')
def _(c):
    variable = ref_variable(tf.zeros([0, 3]))
    ready = raw.IsVariableInitialized(ref=variable._variable, name='ready')
    c.run([ready])
    c.run([], targets=[variable.initializer])
    c.run([ready, variable.value()])


@case('ref_assign_chain')
def _(c):
    variable = ref_variable(1)
    ref = variable._variable
    first = raw.Assign(ref=ref, value=5)
    second = raw.AssignAdd(ref=first, value=10)
    third = raw.AssignSub(ref=second, value=1, name='third')
    c.run([third])                                   # needs no initializer
    c.run([ref])


@case('ref_scatter_sub')
def _(c):
    variable = ref_variable(tf.ones([3, 2]))
    indices = v1.placeholder(tf.int32, [None], 'indices')
    updates = v1.placeholder(tf.float32, [None, 2], 'updates')
    out = raw.ScatterSub(ref=variable._variable, indices=indices, updates=updates, name='out')
    c.run([], targets=[variable.initializer])
    c.run([out], {indices: [2, 0, 2], updates: [[1, 2], [3, 4], [5, 6]]})
    c.run([out], {indices: [], updates: np.zeros([0, 2])})
    c.fails('INVALID_ARGUMENT', [out], {indices: [3], updates: [[1, 2]]})
    c.fails('INVALID_ARGUMENT', [out], {indices: [-1], updates: [[1, 2]]})
    c.fails('INVALID_ARGUMENT', [out], {indices: [0, 1], updates: [[1, 2]]})


@case('resource_variable')
def _(c):
    handle = raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='variable')
    value = v1.placeholder(tf.float32, [2], 'value')
    assign = raw.AssignVariableOp(resource=handle, value=value, name='assign')
    add = raw.AssignAddVariableOp(resource=handle, value=value, name='add')
    sub = raw.AssignSubVariableOp(resource=handle, value=value, name='sub')
    read = raw.ReadVariableOp(resource=handle, dtype=tf.float32, name='read')
    ready, shape = raw.VarIsInitializedOp(resource=handle, name='ready'), raw.VariableShape(input=handle, name='shape')
    c.run([ready])
    c.run([], {value: [1, 2]}, targets=[assign])
    c.run([ready, read, shape])
    c.run([], {value: [10, 20]}, targets=[add])
    c.run([], {value: [1, 1]}, targets=[sub])
    c.run([read])


@case('resource_variable_uninitialised')
def _(c):
    handle = raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='variable')
    c.fails('FAILED_PRECONDITION', [raw.ReadVariableOp(resource=handle, dtype=tf.float32, name='read')])
    c.fails('NOT_FOUND', [], targets=[raw.AssignAddVariableOp(resource=handle, value=[1.0, 1.0], name='add')])
    c.fails('NOT_FOUND', [raw.VariableShape(input=handle, name='shape')])
    c.run([raw.VarIsInitializedOp(resource=handle, name='ready')])


@case('resource_variable_changes_shape')
def _(c):
    handle = raw.VarHandleOp(dtype=tf.int32, shape=None, shared_name='variable')
    value = v1.placeholder(tf.int32, None, 'value')
    assign = raw.AssignVariableOp(resource=handle, value=value, name='assign')
    add = raw.AssignAddVariableOp(resource=handle, value=value, name='add')
    read = raw.ReadVariableOp(resource=handle, dtype=tf.int32, name='read')
    shape = raw.VariableShape(input=handle, out_type=tf.int64, name='shape')
    for given in (5, [1, 2, 3], [[4], [5]], np.zeros([0, 2])):
        c.run([], {value: given}, targets=[assign])
        c.run([read, shape])
    c.fails('INVALID_ARGUMENT', [], {value: [1]}, targets=[add])


@case('two_handles_of_one_variable')
def _(c):
    handles = [raw.VarHandleOp(dtype=tf.int32, shape=[], shared_name='shared', name=n) for n in ('one', 'two')]
    other = raw.VarHandleOp(dtype=tf.int32, shape=[], shared_name='shared', container='elsewhere', name='other')
    set_one = raw.AssignVariableOp(resource=handles[0], value=5, name='set_one')
    set_other = raw.AssignVariableOp(resource=other, value=6, name='set_other')
    reads = [raw.ReadVariableOp(resource=h, dtype=tf.int32, name=f'read{i}') for i, h in enumerate([*handles, other])]
    c.run([], targets=[set_one])
    c.run(reads[:2])
    c.fails('FAILED_PRECONDITION', reads[2:])
    c.run([], targets=[set_other])
    c.run(reads)


@case('resource_gather_and_scatter_update')
def _(c):
    variable = v1.Variable(tf.reshape(tf.range(6), [3, 2]), use_resource=True, name='variable')
    indices = v1.placeholder(tf.int64, None, 'indices')
    updates = v1.placeholder(tf.int32, None, 'updates')
    gather = raw.ResourceGather(resource=variable.handle, indices=indices, dtype=tf.int32, name='gather')
    update = raw.ResourceScatterUpdate(resource=variable.handle, indices=indices, updates=updates, name='update')
    c.run([], targets=[variable.initializer])
    c.run([gather], {indices: [[2, 0], [1, 1]]})
    c.run([gather], {indices: 1})
    c.run([gather], {indices: []})
    c.run([], {indices: [0, 2], updates: [[10, 11], [12, 13]]}, targets=[update])
    c.run([], {indices: [1], updates: 7}, targets=[update])
    c.run([gather], {indices: [0, 1, 2]})
    c.fails('INVALID_ARGUMENT', [gather], {indices: [3]})
    c.fails('INVALID_ARGUMENT', [], {indices: [-1], updates: [[1, 2]]}, targets=[update])


@case('variables_of_many_dtypes')
def _(c):
    types = ('float16', 'bfloat16', 'float64', 'int64', 'complex64', 'int32')
    for t in types:
        variable = v1.Variable(tf.cast([1, 2], t), use_resource=True, name=f'v_{t}')
        add = raw.AssignAddVariableOp(resource=variable.handle, value=tf.cast([3, 4], t), name=f'add_{t}')
        c.run([], targets=[variable.initializer])
        c.run([], targets=[add])
        c.run([variable.read_value()])


@case('string_and_bool_variables')
def _(c):
    words, flags = ref_variable([b'a', b'bb'], 'words'), ref_variable([True, False], 'flags')
    c.run([], targets=[words.initializer, flags.initializer])
    c.run([words.value(), flags.value()])
    c.run([raw.Assign(ref=words._variable, value=[b'', b'longer than any short string here'], name='set')])
    c.run([words.value()])


@case('training_by_hand')
def _(c):
    x, y = v1.placeholder(tf.float32, [4, 2], 'x'), v1.placeholder(tf.float32, [4, 1], 'y')
    weights = ref_variable([[0.0], [0.0]], 'weights')
    error = tf.subtract(tf.matmul(x, weights), y)
    gradient = tf.matmul(x, error, transpose_a=True) * 0.1
    loss = tf.reduce_mean(tf.square(error), name='loss')
    with tf.control_dependencies([loss]): step = v1.assign_sub(weights, gradient, name='step')
    data = {x: [[1, 0], [0, 1], [1, 1], [2, 1]], y: [[1], [2], [3], [4]]}
    c.run([], targets=[weights.initializer])
    for _ in range(5): c.run([loss, step], data)
