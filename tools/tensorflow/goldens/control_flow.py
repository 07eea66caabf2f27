"""Switch, Merge and dead values."""
from .case import *
from .running import counter


def switch(data, pred, name=None):
    """(taken when false, taken when true)."""
    return raw.Switch(data=data, pred=pred, name=name)


@case('merge_takes_the_live_input')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.constant(5.0), pred)
    out, index = raw.Merge(inputs=[tf.negative(no), tf.square(yes)], name='out')
    c.run([out, index], {pred: True})
    c.run([out, index], {pred: False})


@case('dead_fetch')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.constant(5.0), pred)
    no, yes, other = tf.negative(no, name='no'), tf.square(yes, name='yes'), tf.constant(1, name='other')
    c.run([yes, other], {pred: True})
    c.fails('INVALID_ARGUMENT', [other, no], {pred: True})
    c.fails('INVALID_ARGUMENT', [no, yes], {pred: False})
    c.run([no], {pred: False})


@case('dead_target_is_no_error')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    variable, _ = counter()
    no, yes = switch(tf.constant(5), pred)
    on_yes = v1.assign_add(variable, yes, name='on_yes')
    c.run([], targets=[variable.initializer])
    c.run([], {pred: False}, targets=[on_yes.op])
    c.run([variable])
    c.run([], {pred: True}, targets=[on_yes.op])
    c.run([variable])


@case('control_edge_from_a_switch_is_live')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    variable, _ = counter()
    no, yes = switch(tf.constant(5), pred, 'fork')
    with tf.control_dependencies([yes.op]): always = v1.assign_add(variable, 1, name='always')
    pivot = tf.identity(yes, name='pivot')
    with tf.control_dependencies([pivot]): sometimes = v1.assign_add(variable, 100, name='sometimes')
    c.run([], targets=[variable.initializer])
    for value in (True, False):
        c.run([], {pred: value}, targets=[always.op])
        c.run([variable])
        c.run([], {pred: value}, targets=[sometimes.op])
        c.run([variable])


@case('control_trigger_outlives_dead_inputs')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.constant(5), pred)
    no, yes = tf.identity(no, name='no'), tf.identity(yes, name='yes')
    with tf.control_dependencies([no, yes]):
        trigger, nothing = raw.ControlTrigger(name='trigger'), tf.no_op(name='nothing')
    with tf.control_dependencies([trigger]): live = tf.constant(7, name='live')
    with tf.control_dependencies([nothing]): dead = tf.constant(8, name='dead')
    for value in (True, False):
        c.run([live], {pred: value})
        c.fails('INVALID_ARGUMENT', [dead], {pred: value})


@case('merge_ignores_a_dead_control_input')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.constant(5), pred)
    pivot = tf.identity(yes, name='pivot')
    nine = tf.constant(9)
    with tf.control_dependencies([pivot]):
        out, index = raw.Merge(inputs=[no, yes], name='out')
        single, _ = raw.Merge(inputs=[nine], name='single')
    for value in (True, False): c.run([out, index, single], {pred: value})


@case('merge_of_dead_inputs_is_dead')
def _(c):
    p, q = v1.placeholder(tf.bool, [], 'p'), v1.placeholder(tf.bool, [], 'q')
    outer_no, outer_yes = switch(tf.constant(5), p)
    inner_no, inner_yes = switch(outer_yes, q)
    inner, _ = raw.Merge(inputs=[tf.add(inner_no, 1), tf.add(inner_yes, 2)], name='inner')
    out, index = raw.Merge(inputs=[outer_no, inner], name='out')
    for a in (True, False):
        for b in (True, False): c.run([out, index], {p: a, q: b})
    c.run([inner], {p: True, q: True})
    c.fails('INVALID_ARGUMENT', [inner], {p: False, q: True})


@case('merge_of_four')
def _(c):
    at = v1.placeholder(tf.int32, [], 'at')
    arms = [tf.multiply(switch(tf.constant(i + 1), tf.equal(at, i))[1], 10) for i in range(4)]
    out, index = raw.Merge(inputs=arms, name='out')
    for i in range(4): c.run([out, index], {at: i})
    c.fails('INVALID_ARGUMENT', [out], {at: 9})


@case('one_dead_input_kills_every_output')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.constant([1, 2]), pred)
    first, second = raw.IdentityN(input=[yes, tf.constant(3)], name='both')
    a, b = tf.split(tf.concat([no, [4, 5]], 0), 2, name='halves')
    c.run([first, second], {pred: True})
    c.fails('INVALID_ARGUMENT', [second], {pred: False})
    c.run([a, b], {pred: False})
    c.fails('INVALID_ARGUMENT', [b], {pred: True})


@case('failures_on_a_dead_path_do_not_happen')
def _(c):
    pred, unfed = v1.placeholder(tf.bool, [], 'pred'), v1.placeholder(tf.int32, [], 'unfed')
    def risky():
        checked = raw.Assert(condition=tf.constant(False), data=[tf.constant('taken')])
        with tf.control_dependencies([checked, raw.Abort(error_msg='taken')]): return tf.constant(1) // tf.constant(0)
    out = tf.identity(tf.cond(pred, risky, lambda: tf.constant(2)), name='out')
    other = tf.identity(tf.cond(pred, lambda: tf.gather([1, 2], opaque(7)), lambda: tf.constant(3)), name='other')
    needs_feed = tf.identity(tf.cond(pred, lambda: unfed + 1, lambda: tf.constant(4)), name='needs_feed')
    c.run([out, other], {pred: False})
    c.fails('INVALID_ARGUMENT', [other], {pred: True})
    c.fails('INVALID_ARGUMENT', [needs_feed], {pred: False})     # a placeholder outside the branch runs in any case


@case('dead_placeholder_needs_no_feed')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    with tf.control_dependencies([tf.identity(switch(tf.constant(1), pred)[1], name='pivot')]):
        guarded = v1.placeholder(tf.int32, [], 'guarded')
        inside = tf.identity(guarded, name='inside')
    with tf.control_dependencies([raw.ControlTrigger(name='drain')]): out = tf.constant(3, name='out')
    c.run([out], {pred: False}, targets=[inside.op])


@case('switch_wants_a_scalar_predicate')
def _(c):
    pred = v1.placeholder(tf.bool, None, 'pred')
    no, yes = switch(tf.constant(5), pred)
    out, _ = raw.Merge(inputs=[no, yes], name='out')
    c.run([out], {pred: True})
    c.fails('INVALID_ARGUMENT', [out], {pred: [True]})
    c.fails('INVALID_ARGUMENT', [out], {pred: []})


@case('cond_with_effects')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    variable, _ = counter()
    out = tf.identity(tf.cond(pred, lambda: v1.assign_add(variable, 1), lambda: v1.assign_sub(variable, 10)),
                      name='out')
    c.run([], targets=[variable.initializer])
    for value in (True, False, True): c.run([out], {pred: value})
    c.run([variable])


@case('cond_nested_three_deep')
def _(c):
    p, q, r = (v1.placeholder(tf.bool, [], n) for n in 'pqr')
    x = v1.placeholder(tf.float32, [2], 'x')
    out = tf.cond(p, lambda: tf.cond(q, lambda: tf.cond(r, lambda: x + 1, lambda: x + 2), lambda: x * 3),
                  lambda: tf.cond(r, lambda: -x, lambda: tf.zeros([2])))
    out = tf.identity(out, name='out')
    for bits in range(8): c.run([out], {p: bits & 1, q: bits & 2, r: bits & 4, x: [1, -2]})


@case('cond_with_several_and_mixed_outputs')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    outs = tf.cond(pred, lambda: (tf.constant(1), tf.constant('yes'), tf.constant([True])),
                   lambda: (tf.constant(2), tf.constant('no'), tf.constant([False, False])))
    outs = [tf.identity(o, name=f'out{i}') for i, o in enumerate(outs)]
    for value in (True, False): c.run(outs, {pred: value})


@case('cond_shapes_differ')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    picked = tf.cond(pred, lambda: tf.zeros([2, 3]), lambda: tf.ones([4]))
    c.run([tf.size(picked, name='size'), tf.rank(picked, name='rank'), tf.identity(picked, name='out')], {pred: True})
    c.run(['size:0', 'rank:0', 'out:0'], {pred: False})


@case('ref_switch_and_merge')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    variable = v1.Variable([1.0, 2.0], use_resource=False, name='variable')
    no, yes = raw.RefSwitch(data=variable._variable, pred=pred)
    merged, index = raw.RefMerge(inputs=[raw.RefIdentity(input=no), raw.RefIdentity(input=yes)], name='merged')
    added = raw.AssignAdd(ref=merged, value=[10.0, 10.0], name='added')
    c.run([], targets=[variable.initializer])
    c.run([added, index], {pred: True})
    c.run([added, index], {pred: False})
    c.run([variable])


@case('ref_switch_passes_an_uninitialised_variable')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    variable = v1.Variable([1.0, 2.0], use_resource=False, name='variable')
    no, yes = raw.RefSwitch(data=variable._variable, pred=pred)
    set_yes = raw.Assign(ref=yes, value=[5.0, 6.0], name='set_yes')
    read_no = tf.identity(no, name='read_no')
    c.fails('FAILED_PRECONDITION', [read_no], {pred: False})
    c.run([set_yes], {pred: True})
    c.run([read_no], {pred: False})


@case('ref_select')
def _(c):
    index = v1.placeholder(tf.int32, [], 'index')
    variables = [v1.Variable(float(i), use_resource=False, name=f'v{i}') for i in range(3)]
    picked = raw.RefSelect(index=index, inputs=[v._variable for v in variables])
    added = raw.AssignAdd(ref=picked, value=100.0, name='added')
    c.run([], targets=[v.initializer for v in variables])
    c.run([added], {index: 2})
    c.run([added], {index: 0})
    c.run([*variables])
    c.fails('INVALID_ARGUMENT', [added], {index: 3})


@case('string_and_resource_values_through_switches')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.constant([b'a', b'', b'\x00']), pred)
    words, _ = raw.Merge(inputs=[tf.strings.join([no, no]), yes], name='words')
    handle = raw.VarHandleOp(dtype=tf.int32, shape=[], shared_name='cell')
    set_cell = raw.AssignVariableOp(resource=handle, value=4, name='set_cell')
    no, yes = switch(handle, pred)
    either, _ = raw.Merge(inputs=[no, yes])
    read = raw.ReadVariableOp(resource=either, dtype=tf.int32, name='read')
    c.run([], targets=[set_cell])
    for value in (True, False): c.run([words, read], {pred: value})


@case('empty_values_are_not_dead')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = switch(tf.zeros([0, 3]), pred)
    out, index = raw.Merge(inputs=[tf.reduce_sum(no, 0), tf.reduce_max(yes, 0)], name='out')
    for value in (True, False): c.run([out, index], {pred: value})
