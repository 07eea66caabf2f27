#!/usr/bin/env python3
"""Runs exported graphs in TensorFlow and compares the results.

usage: check_export.py FOLDER

FOLDER is what tests that build graphs leave there, run with FLOWLATCH_EXPORT_DIR=FOLDER: NAME.pb, a GraphDef, and NAME.npz with the
nodes that initialise variables ("initializers", run one after another), feeds ("feed/x:0") and results ("fetch/y:0").

Graphs that TensorFlow does not load or run, and results that differ, are named. The exit code says whether there are none.
"""
import argparse
import collections
import os
import pathlib
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
# Differences that the order of additions may make, relative to the largest value.
TOLERANCE = {'float64': 1e-10, 'complex128': 1e-10, 'float32': 1e-5, 'complex64': 1e-5, 'float16': 2e-3, 'bfloat16': 2e-2}


def read_arrays(path):
    """{name: array} of an npz; strings, which are three arrays there, as arrays of bytes."""
    arrays = dict(np.load(path))
    for name in [name[:-len('.offsets')] for name in arrays if name.endswith('.offsets')]:
        data, offsets, shape = (arrays.pop(f'{name}.{part}') for part in ('bytes', 'offsets', 'shape'))
        data = data.tobytes()
        strings = np.empty(len(offsets) - 1, object)
        strings[:] = [data[begin:end] for begin, end in zip(offsets, offsets[1:])]
        arrays[name] = strings.reshape(shape)
    return arrays


def with_dtype(array, dtype):
    """The elements of an array as `dtype`: what NumPy has no dtype for is stored as integers of its size."""
    want = np.dtype(dtype.as_numpy_dtype)
    return array if array.dtype == want or want == object else array.view(want)


def difference(want, got):
    """What is different, or ''."""
    if want.shape != got.shape: return f'expected shape {list(want.shape)}, got {list(got.shape)}'
    tolerance = TOLERANCE.get(str(want.dtype))
    if tolerance is None: same = np.array_equal(want, got)
    else:
        wide = np.complex128 if want.dtype.kind == 'c' else np.float64
        want, got = want.astype(wide), got.astype(wide)
        finite = np.abs(want[np.isfinite(want)])
        same = np.allclose(got, want, rtol=0, atol=tolerance * (1 + finite.max(initial=0)), equal_nan=True)
    return '' if same else f'expected {want.tolist()}, got {got.tolist()}'


def check(path):
    """('same' | 'differs' | 'refused', text) of one exported graph."""
    graph_def = v1.GraphDef.FromString(path.read_bytes())
    arrays = read_arrays(path.with_suffix('.npz'))
    feeds, fetches = ({name.removeprefix(kind): array for name, array in arrays.items() if name.startswith(kind)}
                      for kind in ('feed/', 'fetch/'))
    if not fetches: return 'refused', 'no results to compare'
    try:
        with tf.Graph().as_default() as graph, v1.Session() as session:
            tf.import_graph_def(graph_def, name='')
            for name in arrays['initializers']: session.run(name.decode())
            typed = {name: with_dtype(array, graph.get_tensor_by_name(name).dtype) for name, array in feeds.items()}
            results = session.run(list(fetches), typed)
            wanted = [with_dtype(array, graph.get_tensor_by_name(name).dtype) for name, array in fetches.items()]
    except (ValueError, KeyError, tf.errors.OpError) as error:
        lines = [line for line in str(error).splitlines() if line and line != 'Graph execution error:']
        return 'refused', lines[0][:300]
    for name, want, got in zip(fetches, wanted, results):
        if text := difference(want, np.asarray(got, want.dtype)): return 'differs', f'{name}: {text}'
    return 'same', ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path)
    paths = sorted(parser.parse_args().folder.glob('*.pb'))
    counts = collections.Counter()
    for path in paths:
        outcome, text = check(path)
        counts[outcome] += 1
        if outcome == 'same': continue
        print(f'{outcome} {path.stem}: {text}')
    print(f"{len(paths)} graphs: {counts['same']} same, {counts['differs']} differ, {counts['refused']} refused")
    sys.exit(not paths or counts['same'] != len(paths))


if __name__ == '__main__': main()
