#!/usr/bin/env python3
"""Times the kernel of every op against TensorFlow's, on a small and a large input: a table, the slowest first.

usage: bench_ops.py GRAPH_RUNNER [--filter REGEX] [--elements N] [--runs N] [--markdown FILE]

The inputs are those of tests/mutation/calls; for the large ones their first dimensions grow, as far as TensorFlow still takes
them. Both sides run with one thread, and the best of some runs counts: of TensorFlow the time inside the kernel, as its trace
has it, and of Flowlatch a whole step of that node. A row whose ratio is above 1.5 is slower than it should be;
docs/op_speed.md has the reasons.
"""
import argparse
import glob
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np
import tensorflow as tf
from google.protobuf import text_format

v1 = tf.compat.v1
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOW = 1.5
NOISE_NS = 1500  # kernels below this differ by how each side takes its time
PATIENCE_S = 60  # for one op; TensorFlow's kernel cannot be interrupted, so a process of its own is


def read_calls():
    """From op to its first call whose inputs are all values."""
    calls = {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', 'mutation', 'calls', '*.pbtxt'))):
        for line in open(path, encoding='utf-8'):
            if line.startswith('#') or not line.strip():
                continue
            graph = v1.GraphDef()
            try:
                text_format.Parse(line, graph)
            except text_format.ParseError:
                continue
            target = graph.node[-1]
            plain = all(node.op == 'Const' for node in graph.node[:-1])
            if plain and target.input:
                calls.setdefault(target.op, graph)
    return calls


def split(graph):
    """The graph with placeholders for its constants, and their values."""
    fed, values = v1.GraphDef(), {}
    fed.CopyFrom(graph)
    for node in fed.node[:-1]:
        values[node.name] = tf.make_ndarray(node.attr['value'].tensor)
        del node.attr['value']
        node.op = 'Placeholder'
    fed.versions.producer = tf.version.GRAPH_DEF_VERSION
    return fed, values


def grown(values, axis, factor, only=None):
    """The values with a dimension `factor` times as long, by repetition; None if there is nothing to grow."""
    result, some = {}, False
    sizes = {value.shape[axis] for value in values.values() if value.ndim > (axis if axis >= 0 else 0) and value.size}
    for name, value in values.items():
        result[name] = value
        if value.ndim == 0 or value.dtype == object or (only and name not in only) or not value.size:
            continue
        if value.ndim == 1 and value.dtype in (np.int32, np.int64) and only is None and len(sizes) > 1:
            continue  # perhaps a shape
        repeats = [1] * value.ndim
        repeats[axis] = factor
        result[name], some = np.tile(value, repeats), True
    return result if some else None


class TensorFlow:
    def __init__(self, graph, values):
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.graph_util.import_graph_def(graph, name='')
        config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.session = v1.Session(graph=self.graph, config=config)
        self.target = self.graph.get_operation_by_name('target')

    def kernel_ns(self, values, runs):
        feeds = {name + ':0': value for name, value in values.items()}
        options = v1.RunOptions(trace_level=v1.RunOptions.SOFTWARE_TRACE)
        best = None
        for _ in range(runs):
            metadata = v1.RunMetadata()
            self.session.run(self.target, feeds, options=options, run_metadata=metadata)
            for device in metadata.step_stats.dev_stats:
                for node in device.node_stats:
                    if node.node_name == 'target':
                        ns = node.op_end_rel_nanos - node.op_start_rel_nanos
                        best = ns if best is None else min(best, ns)
        return best


def ours(runner, folder, graph, values, runs):
    model, arrays = os.path.join(folder, 'graph.pb'), os.path.join(folder, 'values.npz')
    with open(model, 'wb') as file:
        file.write(graph.SerializeToString())
    command = [runner, 'bench', model, '-t', 'target', '--threads', '1', '--no-optimize', '--json', '--warmup', '2',
               '--runs', str(runs), '--min-time', '0.02', '--max-time', '5']
    stored = {}
    for name, value in values.items():
        if value.dtype == object or value.dtype.kind in 'SU':
            data = [v if isinstance(v, bytes) else str(v).encode() for v in value.reshape(-1)]
            stored[name + '.bytes'] = np.frombuffer(b''.join(data), np.uint8)
            stored[name + '.offsets'] = np.cumsum([0] + [len(v) for v in data], dtype=np.int64)
            stored[name + '.shape'] = np.array(value.shape, np.int64)
        elif value.dtype.name == 'bfloat16':
            stored[name] = value.view(np.uint16)
        elif value.dtype.kind == 'V' or value.dtype.name not in np.sctypeDict:
            raise ValueError(f'no form for {value.dtype}')
        else:
            stored[name] = value
        command += ['-i', f'{name}=@{arrays}[{name}]']
    np.savez(arrays, **stored)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise ValueError(done.stderr.strip()[:200])
    return json.loads(done.stdout.strip().splitlines()[-1])['min_ns']


def measure(runner, folder, graph, values, runs):
    theirs = TensorFlow(graph, values).kernel_ns(values, runs)
    mine = min(ours(runner, folder, graph, values, runs) for _ in range(2))
    return mine, theirs


def large_values(graph, values, elements):
    """Values of about so many elements that TensorFlow takes, or None."""
    size = max((value.size for value in values.values()), default=0)
    if not size:
        return None
    factor = max(2, elements // size)
    largest = [name for name, value in values.items() if value.size == size]
    for axis in (0, -1):
        for only in (None, largest, largest[:1]):
            for f in (factor, max(2, factor // 64)):
                grownup = grown(values, axis, f, only)
                if grownup is None:
                    continue
                try:
                    TensorFlow(graph, grownup).kernel_ns(grownup, 1)
                    return grownup
                except Exception:  # not a valid call of this op: another way to grow may be
                    continue
    return None


def measure_op(runner, op, call, elements, runs):
    """Rows of one op, and what was left out."""
    graph, values = split(v1.GraphDef.FromString(call))
    op += ' ' + next(iter(values.values())).dtype.name.replace('object', 'string')  # of the first input
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where ops that write files may do so
        try:
            rows = [(op, 'small', *measure(runner, folder, graph, values, runs))]
            large = large_values(graph, values, elements)
            if large is None:
                return rows, [f'{op} (no large call found)']
            rows.append((op, 'large', *measure(runner, folder, graph, large, runs)))
        finally:
            os.chdir(ROOT)
    return rows, []


def measure_all(calls, options):
    rows, left_out = [], []
    context = multiprocessing.get_context('spawn')
    pool = context.Pool(1, v1.disable_eager_execution)
    for number, (op, call) in enumerate(sorted(calls.items())):
        print(f'\r{number + 1}/{len(calls)} {op:<40}', end='', file=sys.stderr, flush=True)
        task = pool.apply_async(measure_op, (options.runner, op, call.SerializeToString(), options.elements, options.runs))
        try:
            some, others = task.get(PATIENCE_S)
            rows += some
            left_out += others
        except multiprocessing.TimeoutError:
            left_out.append(f'{op} (longer than {PATIENCE_S} s)')
            pool.terminate()
            pool = context.Pool(1, v1.disable_eager_execution)
        except Exception as error:
            left_out.append(f'{op} ({str(error).splitlines()[0][:80]})')
    pool.terminate()
    print(file=sys.stderr)
    return [row for row in rows if row[3] is not None], left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('runner')
    parser.add_argument('--filter', default='')
    parser.add_argument('--elements', type=int, default=1 << 18)
    parser.add_argument('--runs', type=int, default=12)
    parser.add_argument('--markdown')
    options = parser.parse_args()
    options.runner = os.path.abspath(options.runner)
    calls = {op: graph for op, graph in read_calls().items() if re.search(options.filter, op)}
    rows, left_out = measure_all(calls, options)
    rows.sort(key=lambda row: -row[2] / max(row[3], 1))
    lines = ['| op | input | ours | TensorFlow | ours / TensorFlow |', '|---|---|---|---|---|']
    slow = 0
    for op, size, mine, theirs in rows:
        ratio = mine / max(theirs, 1)
        slow += ratio > SLOW and mine > NOISE_NS
        lines.append(f'| {op} | {size} | {mine / 1e3:.1f} us | {theirs / 1e3:.1f} us | {ratio:.2f} |')
    text = '\n'.join(lines) + '\n'
    if options.markdown:
        with open(options.markdown, 'w', encoding='utf-8') as file:
            file.write(text)
    print('\n'.join(lines[:60]))
    print(f'{len(rows)} rows, {slow} slower than {SLOW} times TensorFlow; left out: {len(left_out)}')
    for name in left_out:
        print('  ' + name)


if __name__ == '__main__':
    main()
