"""Frames and iterations: Enter, Merge, Switch, NextIteration, Exit."""
from .case import *
from .running import counter

while_loop = v1.while_loop


def outputs(*tensors):
    return [tf.identity(t, name=f'out{i}') for i, t in enumerate(tensors)]


class Frame:
    """A loop written with the raw ops: variables are (initial value, step) pairs, the predicate reads the first."""

    def __init__(self, name, limit, *variables, parallel=10, below=tf.less):
        enter = lambda v, constant=False: raw.Enter(data=v, frame_name=name, is_constant=constant,
                                                    parallel_iterations=parallel)
        self.enters = [enter(tf.convert_to_tensor(initial)) for initial, _ in variables]
        self.merges = [raw.Merge(inputs=[e, e])[0] for e in self.enters]
        self.condition = raw.LoopCond(input=below(self.merges[0], enter(limit, constant=True)))
        self.switches = [raw.Switch(data=m, pred=self.condition) for m in self.merges]
        self.bodies = [tf.identity(s[1]) for s in self.switches]
        with tf.control_dependencies(self.bodies[:1]):   # keeps the constants of the steps in the frame
            self.nexts = [raw.NextIteration(data=step(b)) for b, (_, step) in zip(self.bodies, variables)]
        for merge, following in zip(self.merges, self.nexts): merge.op._update_input(1, following)
        self.exits = [raw.Exit(data=s[0]) for s in self.switches]


for p in (1, 2, 10, 32):
    @case(f'while_counter_parallel_{p}')
    def _(c, p=p):
        n = v1.placeholder(tf.int32, [], 'n')
        i, total = while_loop(lambda i, total: i < n, lambda i, total: (i + 1, total + i * i), [0, 0],
                              parallel_iterations=p)
        for value in (0, 1, 5, 100): c.run(outputs(i, total) if value == 0 else ['out0:0', 'out1:0'], {n: value})


    @case(f'while_slow_side_variable_parallel_{p}')
    def _(c, p=p):
        n = v1.placeholder(tf.int32, [], 'n')
        def body(i, slow):
            for _ in range(20): slow = tf.tanh(slow) + 0.01
            return i + 1, slow
        c.run(outputs(*while_loop(lambda i, s: i < n, body, [0, 0.5], parallel_iterations=p)), {n: 40})


@case('while_long')
def _(c):
    i, x = while_loop(lambda i, x: i < 10000, lambda i, x: (i + 1, x * 0.999 + 1.0), [0, 0.0])
    c.run(outputs(i, x))


@case('while_zero_iterations')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    def body(i, words, empty): return i + 1, tf.strings.join([words, 'x']), tf.concat([empty, [i]], 0)
    i, words, empty = while_loop(lambda i, words, empty: i < n, body, [5, 'w', tf.zeros([0], tf.int32)],
                                 [tf.TensorShape([]), tf.TensorShape([]), tf.TensorShape([None])])
    c.run(outputs(i, words, empty), {n: 5})
    c.run(['out0:0', 'out1:0', 'out2:0'], {n: -3})
    c.run(['out2:0', 'out1:0'], {n: 8})


@case('while_nested')
def _(c):
    n, m = v1.placeholder(tf.int32, [], 'n'), v1.placeholder(tf.int32, [], 'm')
    def outer(i, total):
        _, total = while_loop(lambda j, t: j < m + i, lambda j, t: (j + 1, t + i * j), [0, total])
        return i + 1, total
    out = outputs(*while_loop(lambda i, t: i < n, outer, [0, 0]))
    for a, b in ((4, 3), (0, 3), (3, 0), (5, -2)): c.run(out, {n: a, m: b})


@case('while_nested_four_deep')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    def level(depth, total):
        if depth == 0: return total * 3 % 1009 + 1
        return while_loop(lambda i, t: i < n, lambda i, t: (i + 1, level(depth - 1, t + i)), [0, total],
                          parallel_iterations=depth)[1]
    out = outputs(level(4, tf.constant(1)))
    c.run(out, {n: 3})
    c.run(out, {n: 0})


@case('while_inner_bound_depends_on_outer')
def _(c):
    def outer(i, counts):
        steps = while_loop(lambda n, s: tf.not_equal(n, 1),
                           lambda n, s: (tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1), s + 1),
                           [i, 0])[1]
        return i + 1, tf.concat([counts, [steps]], 0)
    out = while_loop(lambda i, counts: i < 20, outer, [1, tf.zeros([0], tf.int32)],
                     [tf.TensorShape([]), tf.TensorShape([None])])
    c.run(outputs(*out))


@case('while_invariants_of_two_levels')
def _(c):
    scale, shift = v1.placeholder(tf.float32, [2], 'scale'), v1.placeholder(tf.float32, [], 'shift')
    def outer(i, x):
        inner = while_loop(lambda j, x: j < 3, lambda j, x: (j + 1, x * scale + shift), [0, x])[1]
        return i + 1, inner - shift
    c.run(outputs(*while_loop(lambda i, x: i < 4, outer, [0, tf.ones([2])])), {scale: [0.5, -1.5], shift: 0.25})


@case('while_in_an_untaken_cond')
def _(c):
    pred, n = v1.placeholder(tf.bool, [], 'pred'), v1.placeholder(tf.int32, [], 'n')
    def loop():
        return while_loop(lambda i, t: i < n, lambda i, t: (i + 1, while_loop(
            lambda j, t: j < i, lambda j, t: (j + 1, t + j), [0, t])[1]), [0, 0])[1]
    out = outputs(tf.cond(pred, loop, lambda: tf.constant(-1)))
    for value in (False, True, False): c.run(out, {pred: value, n: 6})


@case('cond_in_while')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    def body(i, evens, odds):
        evens, odds = tf.cond(tf.equal(i % 2, 0), lambda: (evens + i, odds), lambda: (evens, odds * 2 + i))
        return i + 1, evens, odds
    out = outputs(*while_loop(lambda i, e, o: i < n, body, [0, 0, 0]))
    c.run(out, {n: 11})
    c.run(out, {n: 0})


@case('while_in_cond_in_while')
def _(c):
    def body(i, x):
        power = lambda: while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * 2), [0, x])[1]
        return i + 1, tf.cond(tf.equal(i % 3, 0), lambda: x + 1, power) % 1000003
    c.run(outputs(*while_loop(lambda i, x: i < 12, body, [0, 7])))


@case('while_swaps_its_variables')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    out = outputs(*while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b),
                              [0, tf.constant(0, tf.int64), tf.constant(1, tf.int64)]))
    c.run(out, {n: 60})
    c.run(out, {n: 1})


@case('while_unused_variable_is_pruned')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    out = outputs(*while_loop(lambda i, bad: i < n, lambda i, bad: (i + 1, 1 // (bad - bad)), [0, 3]))
    c.run(out[:1], {n: 3})
    c.fails('INVALID_ARGUMENT', out, {n: 3})
    c.run(out, {n: 0})
    c.run(out[:1], {n: 4})


@case('while_body_fails_late')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    out = outputs(*while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x + 12 // (4 - i)), [0, 0]))
    c.run(out, {n: 4})
    c.fails('INVALID_ARGUMENT', out, {n: 6})
    c.run(out, {n: 2})


@case('while_body_effects_in_order')
def _(c):
    variable, _ = counter()
    def body(i, seen):
        with tf.control_dependencies([v1.assign_add(variable, i)]): now = variable.read_value()
        return i + 1, tf.concat([seen, [now]], 0)
    out = while_loop(lambda i, seen: i < 6, body, [0, tf.zeros([0], tf.int32)],
                     [tf.TensorShape([]), tf.TensorShape([None])], parallel_iterations=1)
    out = outputs(*out)
    c.run([], targets=[variable.initializer])
    c.run(out)
    c.run(out)
    c.run([variable])


@case('while_maximum_iterations')
def _(c):
    limit = v1.placeholder(tf.int32, [], 'limit')
    i, x = while_loop(lambda i, x: x < 1000, lambda i, x: (i + 1, x * 2), (0, 1), maximum_iterations=limit)
    out = outputs(i, x)
    for value in (0, 3, 50): c.run(out, {limit: value})


@case('while_matrix_power')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    step = tf.constant([[1, 1], [1, 0]], tf.int32)
    c.run(outputs(*while_loop(lambda i, m: i < n, lambda i, m: (i + 1, tf.matmul(m, step)),
                              [0, tf.eye(2, dtype=tf.int32)])), {n: 40})


@case('while_first_true_with_bool_state')
def _(c):
    values = v1.placeholder(tf.float32, [None], 'values')
    found, at = while_loop(lambda found, i: tf.logical_and(tf.logical_not(found), i < tf.size(values)),
                           lambda found, i: (values[i] > 1, i + 1), [False, 0])
    out = outputs(found, at)
    for given in ([0.5, 1.5, 2.5], [0.5], []): c.run(out, {values: given})


@case('two_loops_in_a_row_and_side_by_side')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    first = while_loop(lambda i: i * i < n, lambda i: i + 1, [0])
    second = while_loop(lambda i: i < n, lambda i: i + first, [first])
    third = while_loop(lambda i: i > 0, lambda i: i // 2, [n])
    out = outputs(first, second, third, first + second - third)
    for value in (30, 1, 0): c.run(out, {n: value})


@case('loop_waits_for_a_control_edge')
def _(c):
    variable, more = counter()
    with tf.control_dependencies([more]):
        out = outputs(*while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + variable.read_value()), [0, 0]))
    c.run([], targets=[variable.initializer])
    c.run(out)
    c.run(out)


@case('raw_frame')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    f = Frame('frame', n, (0, lambda i: i + 1), (1.0, lambda x: x * 1.5))
    out = outputs(*f.exits)
    for value in (0, 7): c.run(out, {n: value})
    c.run([f.enters[1], *out], {n: 3})


@case('raw_frame_exit_can_be_fed')
def _(c):
    f = Frame('frame', 5, (0, lambda i: i + 1))
    out = outputs(f.exits[0] * 10)
    c.run(out)
    c.run(out, {f.exits[0]: 3})


@case('raw_frame_merge_value_index')
def _(c):
    enter = raw.Enter(data=tf.constant(0), frame_name='frame')
    merge, index = raw.Merge(inputs=[enter, enter])
    condition = raw.LoopCond(input=tf.less(merge, raw.Enter(data=tf.constant(4), frame_name='frame', is_constant=True)))
    last, body = raw.Switch(data=merge, pred=condition)
    with tf.control_dependencies([tf.identity(body)]): following = raw.NextIteration(data=body + 1)
    merge.op._update_input(1, following)
    last_index, _ = raw.Switch(data=index, pred=condition)
    c.run(outputs(raw.Exit(data=last), raw.Exit(data=last_index)))


@case('raw_frame_back_edge_first')
def _(c):
    enter = raw.Enter(data=tf.constant(0), frame_name='frame')
    merge, _ = raw.Merge(inputs=[enter, enter])
    condition = raw.LoopCond(input=tf.less(merge, raw.Enter(data=tf.constant(4), frame_name='frame', is_constant=True)))
    last, body = raw.Switch(data=merge, pred=condition)
    with tf.control_dependencies([tf.identity(body)]): following = raw.NextIteration(data=body + 3)
    merge.op._update_input(0, following)
    c.run(outputs(raw.Exit(data=last)))


@case('raw_frame_enter_fans_out')
def _(c):
    x = v1.placeholder(tf.float32, [], 'x')
    constant = raw.Enter(data=x, frame_name='frame', is_constant=True)
    enter = raw.Enter(data=tf.constant(0.0), frame_name='frame')
    merge, _ = raw.Merge(inputs=[enter, enter])
    condition = raw.LoopCond(input=tf.less(merge, constant * constant))
    last, body = raw.Switch(data=merge, pred=condition)
    merge.op._update_input(1, raw.NextIteration(data=body + constant))
    out = outputs(raw.Exit(data=last))
    c.run(out, {x: 4})
    c.run(out, {x: 0})


@case('enter_and_exit_without_a_loop')
def _(c):
    x = v1.placeholder(tf.float32, [2], 'x')
    inner = raw.Enter(data=raw.Enter(data=x, frame_name='outer'), frame_name='inner')
    c.run(outputs(raw.Exit(data=raw.Exit(data=inner * inner) + raw.Enter(data=x, frame_name='outer'))), {x: [1, 2]})


@case('next_iteration_in_the_root_frame')
def _(c):
    c.run(outputs(raw.NextIteration(data=tf.constant(3.5))))


@case('loop_of_dead_values')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    no, yes = raw.Switch(data=tf.constant(2), pred=pred)
    f = Frame('frame', tf.identity(yes), (yes * 0, lambda i: i + 1))
    out, index = raw.Merge(inputs=[tf.negative(no), f.exits[0]])
    out = outputs(out, index)
    for value in (True, False): c.run(out, {pred: value})
    c.fails('INVALID_ARGUMENT', outputs(f.exits[0]), {pred: False})


@case('frames_mixed_up')
def _(c):
    x = tf.constant(1)
    inside, other = raw.Enter(data=x, frame_name='one'), raw.Enter(data=x, frame_name='two')
    good = tf.identity(x, name='good')
    c.fails('INVALID_ARGUMENT', [tf.add(inside, x, name='inside_and_root')])
    c.fails('INVALID_ARGUMENT', [tf.add(inside, other, name='two_frames')])
    c.fails('INVALID_ARGUMENT', [raw.Exit(data=x, name='exit_from_root')])
    c.fails('INVALID_ARGUMENT', [raw.Exit(data=raw.Enter(data=x, frame_name=''), name='no_name')])
    c.run([good])                                    # what a step does not need is not checked


@case('frame_name_used_twice')
def _(c):
    a, b = Frame('same', 3, (0, lambda i: i + 1)), Frame('same', 4, (10, lambda i: i - 5), below=tf.greater)
    out = outputs(*a.exits, *b.exits)
    c.run(out[:1])
    c.run(out[1:])
    c.fails('INVALID_ARGUMENT', out)


@case('fetch_inside_a_loop')
def _(c):
    f = Frame('frame', 3, (0, lambda i: i + 1))
    c.fails('INTERNAL', [f.bodies[0]])
    c.run([], targets=[f.bodies[0].op])
    c.run(outputs(*f.exits))


@case('feed_inside_a_loop')
def _(c):
    f = Frame('frame', 3, (0, lambda i: i + 1))
    out = outputs(*f.exits)
    c.fails('INVALID_ARGUMENT', out, {f.bodies[0]: 1})
    c.run(out)
