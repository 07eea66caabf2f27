"""Calls of functions, and If, While and Case, both called and lowered to switches and merges."""
from google.protobuf import text_format
from tensorflow.python.ops import cond_v2, while_v2

from .case import *
from .running import counter

INT, FLOAT = tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)


def function(*specs):
    """Makes the decorated Python function a graph function of the default graph; gives its name as an attr value."""
    def make(body):
        concrete = tf.function(body, input_signature=specs, autograph=False).get_concrete_function()
        concrete.add_to_graph(v1.get_default_graph())
        name = concrete.name
        return v1.NameAttrList(name=name.decode() if isinstance(name, bytes) else name)
    return make


def called_and_lowered(name):
    """Declares the case in two forms, told apart by the attr that asks TensorFlow to lower functional control flow."""
    def declare(build):
        for lower in (False, True):
            @case(f'{name}_{"lowered" if lower else "called"}')
            def _(c, lower=lower):
                build(c)
                graph_def = v1.get_default_graph().as_graph_def()
                for node in [*graph_def.node, *(n for f in graph_def.library.function for n in f.node_def)]:
                    if node.op in ('If', 'StatelessIf', 'While', 'StatelessWhile', 'Case', 'StatelessCase'):
                        node.attr['_lower_using_switch_merge'].b = lower
                c.graph_def = graph_def
        return build
    return declare


def stateless_if(cond, inputs, types, then, otherwise):
    return raw.StatelessIf(cond=cond, input=inputs, Tout=types, then_branch=then, else_branch=otherwise)


@case('partitioned_call')
def _(c):
    swap = function(INT, FLOAT)(lambda i, f: (f * 2, i + 1, i))
    x, y = v1.placeholder(tf.int32, [], 'x'), v1.placeholder(tf.float32, [], 'y')
    out = raw.PartitionedCall(args=[x, y], Tout=[tf.float32, tf.int32, tf.int32], f=swap, name='call')
    again = raw.PartitionedCall(args=[out[1], out[0]], Tout=[tf.float32, tf.int32, tf.int32], f=swap, name='again')
    c.run(out, {x: 3, y: 0.25})
    c.run([again[2], again[0]], {x: 3, y: 0.25})
    c.run([again[0]], {out[0]: 7, out[1]: 1, out[2]: 0})


@case('functions_calling_functions')
def _(c):
    square = tf.function(lambda x: x * x, input_signature=[FLOAT], autograph=False)
    quartic = tf.function(lambda x: square(square(x)) + square(x), input_signature=[FLOAT], autograph=False)
    x = v1.placeholder(tf.float32, [], 'x')
    c.run([tf.identity(quartic(x + 1.0), name='out')], {x: 1})


@case('function_without_inputs_or_outputs')
def _(c):
    variable = v1.Variable(0, use_resource=True, name='variable')
    def add_one(): variable.assign_add(1)
    bump = function()(add_one)
    constant = function()(lambda: tf.constant([1.5, 2.5]))
    call = raw.StatefulPartitionedCall(args=[variable.handle], Tout=[], f=bump, name='bump')
    with tf.control_dependencies([call]): after = tf.identity(variable.read_value(), name='after')
    c.run([], targets=[variable.initializer])
    c.run([after])
    c.run([after])
    c.run(raw.PartitionedCall(args=[], Tout=[tf.float32], f=constant, name='constant'))


@case('function_control_return_runs')
def _(c):
    variable = v1.Variable(0, use_resource=True, name='variable')
    @tf.function(autograph=False)
    def effect_and_value(x):
        variable.assign_add(10)                      # neither an output nor an input of one
        return x + 1
    x = v1.placeholder(tf.int32, [], 'x')
    out = tf.identity(effect_and_value(x), name='out')
    c.run([], targets=[variable.initializer])
    c.run([out], {x: 1})
    c.run([variable.read_value()])


@case('function_error_reaches_the_caller')
def _(c):
    divide = function(INT)(lambda x: 12 // x)
    x = v1.placeholder(tf.int32, [], 'x')
    out = raw.PartitionedCall(args=[x], Tout=[tf.int32], f=divide, name='call')
    c.run(out, {x: 5})
    c.fails('INVALID_ARGUMENT', out, {x: 0})
    c.run(out, {x: -5})


@case('function_with_a_loop_and_a_cond_inside')
def _(c):
    def collatz(n):
        def body(n, steps):
            return tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1), steps + 1
        return tf.while_loop(lambda n, s: tf.not_equal(n, 1), body, [n, 0])[1]
    x = v1.placeholder(tf.int32, [], 'x')
    out = tf.identity(tf.function(collatz, input_signature=[INT], autograph=False)(x), name='out')
    for value in (1, 6, 27): c.run([out], {x: value})


@case('function_outputs_that_nothing_reads')
def _(c):
    three = function(INT)(lambda x: (x + 1, tf.stack([x, x]), tf.strings.as_string(x)))
    x = v1.placeholder(tf.int32, [], 'x')
    out = raw.PartitionedCall(args=[x], Tout=[tf.int32, tf.int32, tf.string], f=three, name='call')
    c.run([tf.identity(out[1], name='out')], {x: 3})


@called_and_lowered('if')
def _(c):
    pred, x = v1.placeholder(tf.bool, [], 'pred'), v1.placeholder(tf.float32, [], 'x')
    double, negate = function(FLOAT)(lambda x: (x * 2, x)), function(FLOAT)(lambda x: (-x, x + 100))
    out = stateless_if(pred, [x], [tf.float32, tf.float32], double, negate)
    out = [tf.identity(o, name=f'out{i}') for i, o in enumerate(out)]
    for value in (True, False): c.run(out, {pred: value, x: 3})
    c.run(out[1:], {pred: False, x: 3})


@called_and_lowered('if_nested')
def _(c):
    p, q, x = v1.placeholder(tf.bool, [], 'p'), v1.placeholder(tf.bool, [], 'q'), v1.placeholder(tf.int32, [], 'x')
    bool_spec = tf.TensorSpec([], tf.bool)
    more, less = function(INT)(lambda x: x + 1), function(INT)(lambda x: x - 1)
    inner = function(bool_spec, INT)(lambda q, x: stateless_if(q, [x], [tf.int32], more, less)[0] * 10)
    plain = function(bool_spec, INT)(lambda q, x: x)
    out = [tf.identity(stateless_if(p, [q, x], [tf.int32], inner, plain)[0], name='out')]
    for a in (True, False):
        for b in (True, False): c.run(out, {p: a, q: b, x: 7})


@called_and_lowered('if_with_effects')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    variable = v1.Variable(0, use_resource=True, name='variable')
    spec = tf.TensorSpec([], tf.resource)
    def adding(n):
        def body(handle):
            with tf.control_dependencies([raw.AssignAddVariableOp(resource=handle, value=n)]):
                return raw.ReadVariableOp(resource=handle, dtype=tf.int32)
        return function(spec)(body)
    out = raw.If(cond=pred, input=[variable.handle], Tout=[tf.int32], then_branch=adding(1), else_branch=adding(-10))
    out = [tf.identity(out[0], name='out')]
    c.run([], targets=[variable.initializer])
    for value in (True, False, True): c.run(out, {pred: value})


@called_and_lowered('if_branch_not_taken_does_not_fail')
def _(c):
    pred, x = v1.placeholder(tf.bool, [], 'pred'), v1.placeholder(tf.int32, [], 'x')
    out = stateless_if(pred, [x], [tf.int32], function(INT)(lambda x: 1 // x), function(INT)(lambda x: x + 1))
    out = [tf.identity(out[0], name='out')]
    c.run(out, {pred: False, x: 0})
    c.fails('INVALID_ARGUMENT', out, {pred: True, x: 0})
    c.run(out, {pred: True, x: 1})


for kind, values in (('int', [0, 3, -1]), ('float', [0.0, -0.5, float('nan')]), ('string', [b'', b'x'])):
    @case(f'if_predicate_{kind}_called')
    def _(c, kind=kind, values=values):
        dtype = {'int': tf.int32, 'float': tf.float32, 'string': tf.string}[kind]
        pred = v1.placeholder(dtype, None, 'pred')
        out = raw.StatelessIf(cond=pred, input=[], Tout=[tf.string],
                              then_branch=function()(lambda: tf.constant('then')),
                              else_branch=function()(lambda: tf.constant('else')), name='out')
        for value in values: c.run(out, {pred: value})
        c.run(out, {pred: values[:1]})               # any shape but a scalar: whether it has elements
        c.run(out, {pred: []})


def adding(variable, n, result):
    """`result`, behind an assignment that nothing else waits for."""
    with tf.control_dependencies([raw.AssignAddVariableOp(resource=variable.handle, value=n)]): return tf.identity(result)


def counters(c, count):
    variables = [v1.Variable(0, use_resource=True, name=f'variable{i}') for i in range(count)]
    c.run([], targets=[v.initializer for v in variables])
    return variables, [tf.identity(v.read_value(), name=f'now{i}') for i, v in enumerate(variables)]


@called_and_lowered('if_with_unused_effects')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    (a, b, other), now = counters(c, 3)
    def then():
        raw.AssignAddVariableOp(resource=other.handle, value=1)
        return adding(a, 1, 10), adding(b, 1, 20)
    first, second = cond_v2.cond_v2(pred, then, lambda: (adding(a, -5, 30), tf.constant(40)), name='if')
    for value in (True, False):
        c.run([first], {pred: value})
        c.run(now)
        c.run([second], {pred: value})
        c.run(now)
    c.run([], {pred: True}, targets=[first.op.inputs[0].op])
    c.run(now)


@called_and_lowered('case_with_unused_effects')
def _(c):
    index = v1.placeholder(tf.int32, [], 'index')
    (a, b), now = counters(c, 2)
    branches = [lambda k=k: (adding(a, k, k), adding(b, 10 * k, k)) for k in (1, 2, 3)]
    first, second = cond_v2.indexed_case(index, branches, name='case')
    for value in (0, 1, 7):
        c.run([second], {index: value})
        c.run(now)
    c.run([first, second], {index: 1})
    c.run(now)


@called_and_lowered('if_awaited')
def _(c):
    pred = v1.placeholder(tf.bool, [], 'pred')
    (a, b), now = counters(c, 2)
    def then():
        def bump(v): raw.AssignAddVariableOp(resource=v, value=1)
        effect = function(tf.TensorSpec([], tf.resource))(bump)
        call = raw.StatefulPartitionedCall(args=[a.handle], Tout=[], f=effect)
        with tf.control_dependencies([call]): return tf.constant(10), adding(b, 1, 10)
    out = cond_v2.cond_v2(pred, then, lambda: (tf.constant(20), adding(b, 100, 20)), name='if')
    with tf.control_dependencies([out[0].op.inputs[0].op]): after = tf.constant(5, name='after')
    for value in (True, False):
        c.run([after], {pred: value})
        c.run(now)
        c.run([out[0]], {pred: value})
        c.run(now)


@called_and_lowered('while_with_unused_effects')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    (a, b, other), now = counters(c, 3)
    def body(i, x, y):
        raw.AssignAddVariableOp(resource=other.handle, value=1)
        return i + 1, adding(a, 1, x + y), adding(b, 1, y * 2)
    out = while_v2.while_loop(lambda i, x, y: i < n, body, [0, 0, 1], name='while')
    for o in out:                                    # x needs y, i needs neither
        c.run([o], {n: 3})
        c.run(now)


@called_and_lowered('while_with_if_with_unused_effects')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    (a, b), now = counters(c, 2)
    def body(i, x):
        step, _ = cond_v2.cond_v2(i < 2, lambda: (adding(a, 1, 1), adding(b, 1, 1)), lambda: (2, adding(b, 1, 2)), name='if')
        return i + step, x + i
    i, x = while_v2.while_loop(lambda i, x: i < n, body, [0, 0], name='while')
    c.run([i, x], {n: 7})
    c.run(now)


CALL_WITH_UNUSED_EFFECTS = '''
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "out" op: "Identity" input: "call" attr { key: "T" value { type: DT_INT32 } } }
%(variables)s
node { name: "call" op: "%(op)s" input: "a" input: "b" input: "c" input: "x" %(attrs)s }
library { function {
  signature {
    name: "f" is_stateful: true control_output: "awaited"
    input_arg { name: "a" type: DT_RESOURCE } input_arg { name: "b" type: DT_RESOURCE }
    input_arg { name: "c" type: DT_RESOURCE } input_arg { name: "x" type: DT_INT32 } output_arg { name: "r" type: DT_INT32 }
  }
  node_def { name: "for_result" op: "AssignAddVariableOp" input: "a" input: "x" attr { key: "dtype" value { type: DT_INT32 } } }
  node_def { name: "returned" op: "AssignAddVariableOp" input: "b" input: "x" attr { key: "dtype" value { type: DT_INT32 } } }
  node_def { name: "unused" op: "AssignAddVariableOp" input: "c" input: "x" attr { key: "dtype" value { type: DT_INT32 } } }
  node_def { name: "y" op: "Identity" input: "x" input: "^for_result" attr { key: "T" value { type: DT_INT32 } } }
  ret { key: "r" value: "y:output:0" } control_ret { key: "awaited" value: "returned" }
} }
'''
COUNTER = '''
node { name: "%(v)s" op: "VarHandleOp" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { } } }
       attr { key: "shared_name" value { s: "%(v)s" } } }
node { name: "zero_%(v)s" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
node { name: "init_%(v)s" op: "AssignVariableOp" input: "%(v)s" input: "zero_%(v)s" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "now_%(v)s" op: "ReadVariableOp" input: "%(v)s" attr { key: "dtype" value { type: DT_INT32 } } }
'''
for kind, op in (('partitioned_call', 'StatefulPartitionedCall'), ('function_call', 'f')):
    @case(f'{kind}_with_unused_effects')
    def _(c, op=op):
        attrs = """attr { key: "Tin" value { list { type: DT_RESOURCE type: DT_RESOURCE type: DT_RESOURCE type: DT_INT32 } } }
                   attr { key: "Tout" value { list { type: DT_INT32 } } } attr { key: "f" value { func { name: "f" } } }"""
        text = CALL_WITH_UNUSED_EFFECTS % {'op': op, 'attrs': attrs if op != 'f' else '',
                                           'variables': ''.join(COUNTER % {'v': v} for v in 'abc')}
        c.graph_def = text_format.Parse(text, v1.GraphDef())
        c.run([], targets=['init_a', 'init_b', 'init_c'])
        c.run(['out:0'], {'x:0': 3})
        c.run(['now_a:0', 'now_b:0', 'now_c:0'])


@called_and_lowered('while')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    specs = [INT, INT, FLOAT]
    out = raw.StatelessWhile(input=[0, n, 1.0], cond=function(*specs)(lambda i, n, x: i < n),
                             body=function(*specs)(lambda i, n, x: (i + 1, n, x * 1.5)))
    out = [tf.identity(o, name=f'out{i}') for i, o in enumerate(out)]
    for value in (0, 1, 12): c.run(out, {n: value})


@called_and_lowered('while_nested_functional')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    inner_specs = [INT, INT, INT]
    inner_cond = function(*inner_specs)(lambda j, i, t: j < i)
    inner_body = function(*inner_specs)(lambda j, i, t: (j + 1, i, t + j))
    def outer_body(i, n, t):
        t = raw.StatelessWhile(input=[tf.constant(0), i, t], cond=inner_cond, body=inner_body)[2]
        return i + 1, n, t
    out = raw.StatelessWhile(input=[0, n, 0], cond=function(*inner_specs)(lambda i, n, t: i < n),
                             body=function(*inner_specs)(outer_body))
    out = [tf.identity(o, name=f'out{i}') for i, o in enumerate(out)]
    for value in (0, 5): c.run(out, {n: value})


@called_and_lowered('while_with_if_inside')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    half, triple = function(INT)(lambda n: n // 2), function(INT)(lambda n: 3 * n + 1)
    def body(n, steps):
        return stateless_if(tf.equal(n % 2, 0), [n], [tf.int32], half, triple)[0], steps + 1
    out = raw.StatelessWhile(input=[n, 0], cond=function(INT, INT)(lambda n, s: tf.not_equal(n, 1)),
                             body=function(INT, INT)(body))
    out = [tf.identity(o, name=f'out{i}') for i, o in enumerate(out)]
    for value in (1, 9): c.run(out, {n: value})


@called_and_lowered('while_with_effects')
def _(c):
    n = v1.placeholder(tf.int32, [], 'n')
    variable = v1.Variable(0, use_resource=True, name='variable')
    specs = [INT, INT, tf.TensorSpec([], tf.resource)]
    def body(i, n, handle):
        added = raw.AssignAddVariableOp(resource=handle, value=i)
        with tf.control_dependencies([added]): return i + 1, tf.identity(n), handle
    out = raw.While(input=[0, n, variable.handle], cond=function(*specs)(lambda i, n, v: i < n),
                    body=function(*specs)(body))
    with tf.control_dependencies([out[0]]): read = tf.identity(variable.read_value(), name='read')
    c.run([], targets=[variable.initializer])
    c.run([tf.identity(out[0], name='out'), read], {n: 5})
    c.run([read], {n: 0})


@called_and_lowered('while_shape_grows')
def _(c):
    specs = [INT, tf.TensorSpec([None], tf.int32)]
    out = raw.StatelessWhile(input=[0, tf.zeros([0], tf.int32)], cond=function(*specs)(lambda i, v: i < 5),
                             body=function(*specs)(lambda i, v: (i + 1, tf.concat([v, [i * i]], 0))),
                             output_shapes=[[], [None]])
    c.run([tf.identity(out[1], name='out')])


@called_and_lowered('case')
def _(c):
    index, x = v1.placeholder(tf.int32, [], 'index'), v1.placeholder(tf.int32, [], 'x')
    branches = [function(INT)(lambda x, k=k: x * 10 + k) for k in range(3)]
    out = raw.StatelessCase(branch_index=index, input=[x], Tout=[tf.int32], branches=branches)
    out = [tf.identity(out[0], name='out')]
    for value in (0, 1, 2, 3, -1, 2**31 - 1): c.run(out, {index: value, x: 4})


@called_and_lowered('case_with_effects')
def _(c):
    index = v1.placeholder(tf.int32, [], 'index')
    variable = v1.Variable(0, use_resource=True, name='variable')
    def adding(n):
        def body(handle):
            with tf.control_dependencies([raw.AssignAddVariableOp(resource=handle, value=n)]):
                return raw.ReadVariableOp(resource=handle, dtype=tf.int32)
        return function(tf.TensorSpec([], tf.resource))(body)
    out = raw.Case(branch_index=index, input=[variable.handle], Tout=[tf.int32], branches=[adding(1), adding(100)])
    out = [tf.identity(out[0], name='out')]
    c.run([], targets=[variable.initializer])
    for value in (0, 1, 5): c.run(out, {index: value})


FACTORIAL = '''
node { name: "n" op: "Placeholder"
  attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape {} } } }
node { name: "call" op: "factorial" input: "n" }
library {
  function {
    signature { name: "factorial" input_arg { name: "n" type: DT_INT32 } output_arg { name: "product" type: DT_INT32 } }
    node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
      attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
    node_def { name: "more" op: "Greater" input: "n" input: "one:output:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "pick" op: "StatelessIf" input: "more:z:0" input: "n"
      attr { key: "Tcond" value { type: DT_BOOL } } attr { key: "Tin" value { list { type: DT_INT32 } } }
      attr { key: "Tout" value { list { type: DT_INT32 } } }
      attr { key: "then_branch" value { func { name: "recur" } } }
      attr { key: "else_branch" value { func { name: "stop" } } } }
    ret { key: "product" value: "pick:output:0" }
  }
  function {
    signature { name: "recur" input_arg { name: "n" type: DT_INT32 } output_arg { name: "product" type: DT_INT32 } }
    node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
      attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
    node_def { name: "less" op: "Sub" input: "n" input: "one:output:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "rest" op: "factorial" input: "less:z:0" }
    node_def { name: "times" op: "Mul" input: "n" input: "rest:product:0" attr { key: "T" value { type: DT_INT32 } } }
    ret { key: "product" value: "times:z:0" }
  }
  function {
    signature { name: "stop" input_arg { name: "n" type: DT_INT32 } output_arg { name: "product" type: DT_INT32 } }
    node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
      attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
    ret { key: "product" value: "one:output:0" }
  }
}
versions { producer: 1882 }
'''


@case('function_recursion')
def _(c):
    # Functions called by their names, because TensorFlow overruns its stack on a PartitionedCall that recurs.
    c.graph_def = text_format.Parse(FACTORIAL, v1.GraphDef())
    for n in (0, 1, 5, 12): c.run(['call:0'], {'n:0': n})
