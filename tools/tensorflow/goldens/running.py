"""What a step does with its feeds, fetches and targets."""
from .case import *


def counter(name='count'):
    """An int32 variable that starts at 0, and the op that adds one."""
    variable = v1.Variable(0, name=name, use_resource=False)
    return variable, v1.assign_add(variable, 1, name=name + '_more')


@case('feed_interior_port')
def _(c):
    x = v1.placeholder(tf.float32, [2], 'x')
    doubled = tf.multiply(x, 2.0, name='doubled')
    out = tf.add(doubled, 1.0, name='out')
    c.run([out], {x: [1, 2]})
    c.run([out], {doubled: [10, 20]})                # x is pruned and needs no feed
    c.run([out, doubled], {x: [3, 4]})


@case('feed_one_port_of_two')
def _(c):
    x = v1.placeholder(tf.int32, [4], 'x')
    low, high = tf.split(x, 2, name='halves')
    out = tf.subtract(high, low, name='out')
    c.run([out], {x: [1, 2, 3, 4], low: [100, 200]})
    c.run([out], {x: [1, 2, 3, 4], high: [100, 200]})


@case('feed_all_ports_skips_the_node')
def _(c):
    x = v1.placeholder(tf.int32, [2], 'x')
    a, b = tf.unstack(x, name='parts')
    out = tf.add(a, b, name='out')
    c.run([out], {a: 5, b: 6})
    c.fails('INVALID_ARGUMENT', [out], {a: 5})


@case('feed_leaves_control_edges_on_the_node')
def _(c):
    x = v1.placeholder(tf.float32, [], 'x')
    y = tf.negative(x, name='y')
    with tf.control_dependencies([y]): after = tf.constant(7, name='after')
    c.fails('INVALID_ARGUMENT', [after], {y: 1})     # y still runs and wants x
    c.run([after], {y: 1, x: 2})


@case('feed_takes_control_edges_of_a_placeholder')
def _(c):
    x = v1.placeholder(tf.float32, [], 'x')
    with tf.control_dependencies([x]): after = tf.constant(7, name='after')
    c.run([after], {x: 1})
    c.fails('INVALID_ARGUMENT', [after])


@case('fed_placeholder_with_default_still_runs_for_control')
def _(c):
    variable, more = counter()
    x = v1.placeholder_with_default(more, [], 'x')
    with tf.control_dependencies([x]): after = tf.constant(7, name='after')
    out = tf.identity(x, name='out')
    c.run([], targets=[variable.initializer])
    c.run([out], {x: 50})                            # the default is not computed
    c.run([variable])
    c.run([after], {x: 50})                          # here it is
    c.run([variable])


@case('target_of_a_fed_node_runs_the_node')
def _(c):
    variable, more = counter()
    seen = tf.identity(more, name='seen')
    out = tf.multiply(seen, 10, name='out')
    c.run([], targets=[variable.initializer])
    c.run([out], {seen: 3}, targets=[seen.op])
    c.run([variable])
    c.run([out], {seen: 3})
    c.run([variable])


@case('feed_that_nothing_needs')
def _(c):
    x, y = v1.placeholder(tf.float32, [], 'x'), v1.placeholder(tf.string, [2], 'y')
    out = tf.sqrt(x, name='out')
    c.run([out], {x: 9, y: [b'a', b'b']})


@case('placeholder_unfed')
def _(c):
    x, y = v1.placeholder(tf.float32, [2, None], 'x'), v1.placeholder(tf.int32, name='y')
    z = v1.placeholder_with_default([1, 2], [None], 'z')
    c.fails('INVALID_ARGUMENT', [tf.identity(x, name='of_x')])
    c.fails('INVALID_ARGUMENT', [tf.identity(y, name='of_y')])
    c.run([z])
    c.run([z], {z: [7, 8, 9]})
    c.run(['of_y:0'], {y: [[1], [2]]})
    c.run(['of_x:0'], {x: [[], []]})


@case('fetches_repeated_and_reordered')
def _(c):
    x = v1.placeholder(tf.int64, [None], 'x')
    a, b = tf.square(x, name='a'), tf.negative(x, name='b')
    c.run([a, b, a], {x: [1, 2]})
    c.run([b, a], {x: [3]})
    c.run([a, b], {x: []})


@case('targets_without_fetches')
def _(c):
    variable, more = counter()
    c.run([], targets=[variable.initializer])
    c.run([], targets=[more.op, more.op])
    c.run([more], targets=[more.op])
    c.run([variable])


@case('pruning_keeps_failures_out')
def _(c):
    x = v1.placeholder(tf.int32, [], 'x')
    bad = tf.math.floordiv(1, x - x, name='bad')
    good = tf.add(x, 1, name='good')
    after = tf.add(good, bad, name='after')
    c.run([good], {x: 1})
    c.fails('INVALID_ARGUMENT', [good, after], {x: 1})
    c.run([good], {x: 2})                            # the session goes on


@case('control_edges_order_effects')
def _(c):
    variable, more = counter()
    with tf.control_dependencies([more]): first = tf.identity(variable.read_value(), name='first')
    with tf.control_dependencies([first]): again = v1.assign_add(variable, 10, name='again')
    with tf.control_dependencies([again]): second = tf.identity(variable.read_value(), name='second')
    c.run([], targets=[variable.initializer])
    c.run([first, second])
    c.run([second, first])


@case('control_edge_diamond')
def _(c):
    variable, more = counter()
    with tf.control_dependencies([more]): left, right = tf.no_op(name='left'), tf.no_op(name='right')
    with tf.control_dependencies([left, right, more]): out = tf.identity(variable.read_value(), name='out')
    c.run([], targets=[variable.initializer])
    c.run([out])
    c.run([out], targets=[left])


@case('text_graph', text=True)
def _(c):
    x = v1.placeholder(tf.float32, [None, 3], 'x')
    weights = tf.constant([[0.5, -1.0], [2.0, 1e-3], [float('inf'), 3.0]], name='weights')
    label = tf.constant([b'plain', b'quote " and \\', b'\x00\xff\n'], name='label')
    c.run([tf.matmul(x, weights, name='out'), label], {x: [[1, 2, 0.5]]})


@case('constants_of_every_form')
def _(c):
    wide = [tf.constant(3, t, [2, 3], name=f'filled_{t}')
            for t in ('float32', 'int64', 'float16', 'uint8', 'complex64')]
    c.run([*wide, tf.constant([], tf.float32, name='empty'), tf.constant(True, name='yes'),
           tf.constant([[b'a', b''], [b'bc', b'd']], name='words'),
           tf.constant([1.5, -2.25], tf.bfloat16, name='brain'),
           tf.constant([1 + 2j], tf.complex128, name='complex')])


@case('wide_fan_out')
def _(c):
    x = v1.placeholder(tf.int32, [], 'x')
    c.run([tf.add_n([tf.multiply(x, i) for i in range(200)], name='out')], {x: 3})


@case('deep_chain')
def _(c):
    x = y = v1.placeholder(tf.int32, [], 'x')
    for _ in range(200): y = tf.add(y, 1)
    c.run([tf.identity(y, name='out')], {x: 3})
