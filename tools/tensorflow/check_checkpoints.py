#!/usr/bin/env python3
"""Checkpoints and SavedModels between TensorFlow and graph-runner: what one writes, the other reads, bit for bit.

usage: check_checkpoints.py GRAPH_RUNNER [FOLDER]

TensorFlow writes variables of every dtype in all its formats; graph-runner reads them, saves them again in its own ways,
and TensorFlow reads what comes of it. What is not the same is named. The exit code says whether all is.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from check_export import read_arrays

v1 = tf.compat.v1
DTYPES = [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16,
          tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string]
NOT_IN_FIRST_FORMAT = {'bfloat16', 'uint32', 'uint64'}


def bits(array):
    """What tells two arrays apart, NaNs and signs of zeros included."""
    array = np.asarray(array)
    if array.dtype == object: return array.shape, [x if isinstance(x, bytes) else x.encode() for x in array.ravel()]
    return array.shape, array.tobytes()


class Check:
    def __init__(self, program):
        self.program, self.good, self.bad = program, 0, 0

    def run(self, *arguments, code=0):
        command = [self.program, *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != code:
            self.bad += 1
            print(f"exit code {result.returncode}: {' '.join(command)}\n{result.stdout}{result.stderr}")
        return result.stdout

    def same(self, what, want, got):
        """Compares {name: array}."""
        different = [name for name in want.keys() | got.keys()
                     if name not in want or name not in got or bits(want[name]) != bits(got[name])]
        self.good += not different
        self.bad += bool(different)
        if different: print(f'{what}: {sorted(different)} differ')


def value_of(dtype, rng):
    if dtype == tf.string: return np.array([b'', b'word', b'\x00\xff', b'l' * 1000], object)
    if dtype == tf.bool: return np.array([True, False, True])
    raw = rng.bytes(48)  # any bits, NaNs included
    return np.frombuffer(raw, dtype.as_numpy_dtype)


def make_variables():
    """Variables of both kinds and every dtype, and partitioned ones; {name in a checkpoint: value}."""
    rng = np.random.default_rng(1)
    values = {}
    for dtype, kind in itertools.product(DTYPES, ('ref', 'resource')):
        name = f'{kind}/{dtype.name}'
        values[name] = value_of(dtype, rng)
        v1.get_variable(name, initializer=tf.constant(values[name], dtype), use_resource=kind == 'resource')
    for kind in ('ref', 'resource'):
        whole = rng.standard_normal([10, 4]).astype(np.float32)
        values[f'{kind}/parts'] = whole

        def part(shape, dtype=None, partition_info=None, whole=whole):
            begin = partition_info.var_offset[0]
            return tf.constant(whole[begin:begin + shape[0]], dtype)

        v1.get_variable(f'{kind}/parts', shape=[10, 4], initializer=part, partitioner=v1.fixed_size_partitioner(3),
                        use_resource=kind == 'resource')
    values['empty'] = np.zeros([0, 3], np.float32)
    v1.get_variable('empty', initializer=tf.zeros([0, 3]))
    return values


def read_checkpoint(prefix):
    reader = tf.train.load_checkpoint(str(prefix))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def npz_bits(arrays, like):
    """Arrays of an npz with the dtypes of others: bfloat16 is stored as uint16."""
    return {name: array.view(like[name].dtype) if name in like and like[name].dtype != object and
            array.dtype != like[name].dtype else array for name, array in arrays.items()}


def check_formats(check, folder):
    """Checkpoints of both formats, whole and in shards, to npz; and with a session of graph-runner back again."""
    with tf.Graph().as_default(), v1.Session() as session:
        values = make_variables()
        session.run(v1.global_variables_initializer())
        old = [v for v in v1.global_variables() if not any(n in v.op.name.split('/') for n in NOT_IN_FIRST_FORMAT)]
        savers = {'v2': v1.train.Saver(), 'sharded': v1.train.Saver(sharded=True), 'v1': v1.train.Saver(old, write_version=1)}
        for name, saver in savers.items():
            saver.save(session, str(folder / name), write_meta_graph=name == 'v2', write_state=False)

    for name in savers:
        want = {n: v for n, v in values.items() if name != 'v1' or n.split('/')[-1] not in NOT_IN_FIRST_FORMAT}
        check.run('ckpt', 'verify', folder / name)
        check.run('ckpt', 'to-npz', folder / name, '--to', folder / 'out.npz')
        check.same(f'{name} of TensorFlow read', want, npz_bits(read_arrays(folder / 'out.npz'), want))

    # Three times over the same prefix: data files take new names each time.
    for i, shards in enumerate((1, 1, 3, 3, 2)):
        check.run('run', folder / 'v2.meta', '--restore', folder / 'v2', '-t', 'save/filename', '--allow-files', '--save',
                  folder / 'ours', '--shards', shards)
        check.same(f'saved {i + 1} times, {shards} shards', values, read_checkpoint(folder / 'ours'))
    assert tf.train.latest_checkpoint(str(folder)) == str(folder / 'ours')
    check.run('ckpt', 'diff', folder / 'v2', folder / 'ours')
    check.run('ckpt', 'merge', folder / 'v1', '--to', folder / 'merged', '--shards', 2)
    check.same('merged', {v.op.name: values[v.op.name] for v in old if v.op.name in values} |
               {name: value for name, value in values.items() if name.endswith('/parts')},
               read_checkpoint(folder / 'merged'))
    # The Saver of the graph itself, run here.
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(str(folder / 'v2.meta'))
        saver.restore(session, str(folder / 'ours'))
        got = {v.op.name: session.run(v) for v in v1.global_variables() if '/part_' not in v.op.name}
        check.same('restored by TensorFlow', {n: v for n, v in values.items() if not n.endswith('/parts')}, got)


def check_first_format(check, folder):
    """Save and SaveSlices run here, Restore in TensorFlow."""
    value = np.arange(12, dtype=np.float32).reshape(4, 3)
    with tf.Graph().as_default() as graph:
        tf.raw_ops.Save(filename=str(folder / 'save'), tensor_names=['a', 's'], data=[value, tf.constant(['x', 'y'])],
                        name='save')
        tf.raw_ops.SaveSlices(filename=str(folder / 'slices'), tensor_names=['a', 'a'],
                              shapes_and_slices=['4 3 2,2:-', '4 3 0,2:-'], data=[value[2:], value[:2]], name='slices')
        (folder / 'save.pb').write_bytes(graph.as_graph_def().SerializeToString())
    check.run('run', folder / 'save.pb', '-t', 'save', '-t', 'slices', '--allow-files')
    check.same('Save', {'a': value, 's': np.array([b'x', b'y'], object)}, read_checkpoint(folder / 'save'))
    restored = tf.raw_ops.RestoreSlice(file_pattern=str(folder / 'slices'), tensor_name='a', shape_and_slice='4 3 -:-',
                                       dt=tf.float32)
    check.same('SaveSlices', {'a': value}, {'a': restored.numpy()})


def check_objects(check, folder):
    """A checkpoint of objects restores the variables of a graph that has the same names."""
    kernel = np.random.default_rng(2).standard_normal([2, 3]).astype(np.float32)
    tf.train.Checkpoint(layer=tf.Variable(kernel, name='dense/kernel')).write(str(folder / 'objects'))
    with tf.Graph().as_default() as graph:
        tf.identity(v1.get_variable('dense/kernel', [2, 3], use_resource=True), name='y')
        (folder / 'dense.pb').write_bytes(graph.as_graph_def().SerializeToString())
    check.run('run', folder / 'dense.pb', '--restore', folder / 'objects', '-o', f"y={folder / 'y.npy'}")
    check.same('checkpoint of objects', {'y': kernel}, {'y': np.load(folder / 'y.npy')})


def write_old_saved_model(path, words):
    """By version 1 of the API: variables of both kinds, an asset, an init op."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name='x')
        w = v1.get_variable('w', initializer=tf.constant([1.25, -3.0]), use_resource=False)
        h = v1.get_variable('h', initializer=tf.constant([0.5, 2.0]), use_resource=True)
        asset = tf.constant(str(words), name='asset')
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        place = v1.get_variable('place', initializer=tf.constant(''), use_resource=True, collections=['local_variables'])
        y = tf.add(x * w, h, name='y')
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(path))
        signature = v1.saved_model.predict_signature_def({'x': x}, {'y': y, 'place': place.read_value()})
        builder.add_meta_graph_and_variables(session, ['serve'], {'serving_default': signature},
                                             assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
                                             main_op=tf.group(place.assign(asset)), saver=v1.train.Saver())
        builder.save()


def call_in_tensorflow(path, x):
    with tf.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.load(session, ['serve'], str(path))
        signature = meta.signature_def['serving_default']
        fetches = {key: info.name for key, info in signature.outputs.items()}
        return session.run(fetches, {signature.inputs['x'].name: x})


def check_saved_models(check, folder):
    words = folder / 'words.txt'
    words.write_text('a\nb\n')
    write_old_saved_model(folder / 'old', words)
    inputs = {'old': np.array([2.0, -1.5], np.float32)}
    for name, x in inputs.items():
        np.save(folder / 'x.npy', x)
        want = call_in_tensorflow(folder / name, x)
        place = want.pop('place', None)
        close = {key: np.round(value, 5) for key, value in want.items()}

        def compare(what, got):
            if place is not None: check.good += (pathlib.Path(np.asarray(got.pop('place'), object).item().decode()).name == 'words.txt')
            check.same(what, close, {key: np.round(value, 5) for key, value in got.items()})

        check.run('run', folder / name, '-i', f"x=@{folder / 'x.npy'}", '--outputs', folder / 'out.npz')
        compare(f'{name} SavedModel run here', read_arrays(folder / 'out.npz'))
        # Written again from a session of graph-runner, and once more from that.
        for source, target in ((name, name + '_again'), (name + '_again', name + '_once_more')):
            check.run('convert', folder / source, str(folder / target) + '/')
            compare(f'{target}, read by TensorFlow', dict(call_in_tensorflow(folder / target, x)))
            check.same(f'variables of {target}', read_values(folder / source), read_values(folder / target))
        # Variables as constants.
        outputs = ','.join(info.name for key, info in signature_of(folder / name).outputs.items() if key != 'place')
        check.run('convert', folder / name, folder / 'frozen.pb', '--freeze', '--outputs', outputs)
        check.same(f'{name} frozen, run by TensorFlow', close, run_frozen(folder / 'frozen.pb', folder / name, x))

    # A graph without a Saver gets nodes that save and restore.
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name='x')
        w = v1.get_variable('w', initializer=tf.constant([1.25, -3.0]), use_resource=False)
        h = v1.get_variable('h', initializer=tf.constant([0.5, 2.0]), use_resource=True)
        tf.add(x * w, h, name='y')
        v1.global_variables_initializer()
        (folder / 'plain.pb').write_bytes(graph.as_graph_def().SerializeToString())
    check.run('convert', folder / 'plain.pb', str(folder / 'plain') + '/')
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ['serve'], str(folder / 'plain'))
        check.same('nodes that were added', {'y': np.array([1.75, -1.0], np.float32)},
                   {'y': session.run('y:0', {'x:0': np.ones(2, np.float32)})})


def read_values(path):
    values = read_checkpoint(path / 'variables' / 'variables')
    values.pop('_CHECKPOINTABLE_OBJECT_GRAPH', None)
    return values


def signature_of(path):
    model = saved_model_pb2.SavedModel.FromString((path / 'saved_model.pb').read_bytes())
    return model.meta_graphs[0].signature_def['serving_default']


def run_frozen(path, model, x):
    signature = signature_of(model)
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(v1.GraphDef.FromString(path.read_bytes()), name='')
        names = {key: info.name for key, info in signature.outputs.items() if key != 'place'}
        for key, name in names.items():
            node, index = name.split(':')
            if index != '0': names[key] = f'{node}_{index}:0'
        result = session.run(names, {signature.inputs['x'].name: x})
        return {key: np.round(value, 5) for key, value in result.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('graph_runner')
    parser.add_argument('folder', type=pathlib.Path, nargs='?')
    arguments = parser.parse_args()
    check = Check(arguments.graph_runner)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or pathlib.Path(temporary)).resolve()
        for part in (check_formats, check_first_format, check_objects, check_saved_models): part(check, folder)
    print(f'{check.good} same, {check.bad} wrong')
    sys.exit(check.bad > 0)


if __name__ == '__main__': main()
