"""What a golden case is made of: a graph, the steps to run on it, and how TensorFlow answers them.

A module of this folder declares cases as functions that build a graph and say which steps to record:

    @case('while_zero_iterations')
    def _(c):
        ...
        c.run([out], {n: 0})                       # a step with fetches, feeds and perhaps targets
        c.fails('INVALID_ARGUMENT', [out], {n: -1})  # a step that must fail with this code
"""
import json, os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import error_codes_pb2

v1 = tf.compat.v1
raw = tf.raw_ops
v1.disable_eager_execution()
v1.disable_control_flow_v2()
v1.disable_resource_variables()
v1.logging.set_verbosity('ERROR')

CASES = {}


def case(name, **options):
    """Declares the decorated function as the case `name`; options are those of Case."""
    def declare(build):
        if name in CASES: raise ValueError(f'two cases are named {name}')
        CASES[name] = (build, options)
        return build
    return declare


def opaque(value, dtype=None, shape=None):
    """A tensor with this value whose value (and, without `shape`, whose rank) nothing knows before the run."""
    return v1.placeholder_with_default(tf.constant(value, dtype), shape)


def label(op):
    """The name of a function of tf.raw_ops, to name nodes and cases with."""
    return op.__name__.strip('_')


def name_of(thing):
    return thing if isinstance(thing, str) else thing.name


class Case:
    def __init__(self, compare='values', rtol=1e-5, atol=1e-6, text=False):
        self.compare, self.rtol, self.atol, self.text = compare, rtol, atol, text
        self.steps = []
        self.graph_def = None        # the builder may set it; else it is the default graph's

    def run(self, fetches, feeds=None, targets=()):
        self._add(fetches, feeds, targets, None)

    def fails(self, code, fetches, feeds=None, targets=()):
        self._add(fetches, feeds, targets, code)

    def _add(self, fetches, feeds, targets, code):
        self.steps.append({'fetches': [name_of(f) for f in fetches],
                           'feeds': {name_of(k): v for k, v in (feeds or {}).items()},
                           'targets': [name_of(t) for t in targets], 'code': code})


def stored(values, key, array, dtype):
    """Puts an array into `values` in the form of the corpus; `dtype` is TensorFlow's name for it."""
    array = np.asarray(array)
    if dtype == 'string':
        flat = [v if isinstance(v, bytes) else v.encode() for v in array.reshape(-1).tolist()]
        values[key + '.bytes'] = np.frombuffer(b''.join(flat), np.uint8)
        values[key + '.offsets'] = np.cumsum([0] + [len(v) for v in flat]).astype(np.int64)
        values[key + '.shape'] = np.array(array.shape, np.int64)
        return
    if array.dtype.fields: array = array.view(array.dtype[0])
    if dtype == 'bfloat16': array = array.view(np.uint16)
    elif dtype.startswith('float8'): array = array.view(np.uint8)
    elif dtype in ('int4', 'uint4'): array = array.astype(np.int8 if dtype == 'int4' else np.uint8)
    values[key] = array


def session_for(graph_def, optimizer):
    config = v1.ConfigProto(inter_op_parallelism_threads=2, intra_op_parallelism_threads=1, allow_soft_placement=True)
    config.graph_options.rewrite_options.disable_meta_optimizer = not optimizer
    if not optimizer: config.graph_options.optimizer_options.opt_level = -1
    graph = tf.Graph()
    with graph.as_default(): tf.import_graph_def(graph_def, name='')
    return v1.Session(graph=graph, config=config)


def answers(graph_def, steps, optimizer):
    """For each step either the list of fetched values or the error's (code, message)."""
    found = []
    with session_for(graph_def, optimizer) as session:
        get = session.graph.get_tensor_by_name
        for step in steps:
            feeds = {k: np.asarray(v, get(k).dtype.as_numpy_dtype) for k, v in step['feeds'].items()}
            targets = [session.graph.get_operation_by_name(t) for t in step['targets']]
            try: found.append(session.run([step['fetches'], targets], feeds)[0])
            except tf.errors.OpError as e: found.append((error_codes_pb2.Code.Name(e.error_code), e.message))
    return found


def same(a, b, rtol, atol):
    if isinstance(a, tuple) or isinstance(b, tuple): return type(a) == type(b) and a[0] == b[0]
    def equal(x, y):
        x, y = np.asarray(x), np.asarray(y)
        if x.dtype != y.dtype or x.shape != y.shape: return False
        if x.dtype.kind in 'fcV' and not x.dtype.fields:
            wide = np.complex128 if x.dtype.kind == 'c' else np.float64
            return np.allclose(x.astype(wide), y.astype(wide), rtol, atol, equal_nan=True)
        return np.array_equal(x, y)
    return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))


def used_ops(graph_def):
    """The op types of the graph and of its functions; "function call" stands for calls by a function's name."""
    functions = {f.signature.name for f in graph_def.library.function}
    nodes = [*graph_def.node, *(n for f in graph_def.library.function for n in f.node_def)]
    return sorted({'function call' if n.op in functions else n.op for n in nodes})


def record(name, build, options, folder):
    """Builds the case, lets TensorFlow answer it with and without its optimizer, and writes it to folder/name."""
    c = Case(**options)
    with tf.Graph().as_default() as graph:
        build(c)
        graph_def = c.graph_def or graph.as_graph_def()
    found = answers(graph_def, c.steps, optimizer=True)
    values, steps = {}, []
    for i, (step, answer, plain) in enumerate(zip(c.steps, found, answers(graph_def, c.steps, optimizer=False))):
        if c.compare == 'values' and not same(answer, plain, c.rtol, c.atol):
            raise ValueError(f'{name}, step {i}: the optimizer changes the answer:\n{answer}\n{plain}')
        code = answer[0] if isinstance(answer, tuple) else None
        if code != step['code']: raise ValueError(f'{name}, step {i}: expected {step["code"]}, got {answer}')
        steps.append(written_step(graph_def, i, step, answer, values, c.compare))
    out = os.path.join(folder, name)
    os.makedirs(out, exist_ok=True)
    np.savez_compressed(os.path.join(out, 'data.npz'), **values)
    graph_file = 'graph.pbtxt' if c.text else 'graph.pb'
    with open(os.path.join(out, graph_file), 'wb') as f:
        f.write(str(graph_def).encode() if c.text else graph_def.SerializeToString(deterministic=True))
    about = {'format': 1, 'graph': graph_file, 'graph_kind': 'graphdef_text' if c.text else 'graphdef', 'restore': None,
             'steps': steps, 'gradients': [], 'compare': c.compare, 'rtol': c.rtol, 'atol': c.atol,
             'ops': used_ops(graph_def)}
    with open(os.path.join(out, 'case.json'), 'w') as f:
        json.dump(about, f, indent=1)
        f.write('\n')


def written_step(graph_def, i, step, answer, values, compare):
    """The step in the corpus's form; its arrays go to `values`."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
        dtype = lambda name: graph.get_tensor_by_name(name).dtype.base_dtype
        feeds, fetches, error = {}, [], None
        for j, (name, value) in enumerate(step['feeds'].items()):
            feeds[name] = {'array': f's{i}/f{j}', 'dtype': dtype(name).name}
            stored(values, f's{i}/f{j}', np.asarray(value, dtype(name).as_numpy_dtype), dtype(name).name)
        if isinstance(answer, tuple): error = {'code': answer[0], 'contains': ''}
        for j, name in enumerate(step['fetches']):
            fetches.append({'name': name, 'dtype': dtype(name).name, 'value': None if error else f's{i}/o{j}'})
            if error: continue
            value = answer[j] if compare == 'values' else np.zeros_like(answer[j])
            stored(values, f's{i}/o{j}', value, dtype(name).name)
    return {'feeds': feeds, 'targets': step['targets'], 'fetches': fetches, 'error': error}
