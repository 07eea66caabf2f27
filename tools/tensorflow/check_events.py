#!/usr/bin/env python3
"""Reads event files with TensorBoard and record files with TensorFlow, and says what they found.

usage: check_events.py LOGDIR [RECORD_FILE ...]

Fails if TensorBoard finds no event in LOGDIR, or a graph, an image or run metadata that it cannot use, or if TensorFlow cannot
read a record file to its end.
"""
import os
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator


def check_run(folder):
    events = event_accumulator.EventAccumulator(folder, size_guidance={key: 0 for key in ('scalars', 'histograms', 'images', 'audio', 'tensors')})
    events.Reload()
    tags = events.Tags()
    found = 0
    for tag in tags['scalars']:
        values = events.Scalars(tag)
        found += len(values)
        print(f'{folder}: scalar {tag}: {len(values)} values, steps {values[0].step} to {values[-1].step}, last {values[-1].value:.4g}')
    for tag in tags['histograms']:
        found += len(events.Histograms(tag))
        print(f'{folder}: histogram {tag}: {events.Histograms(tag)[-1].histogram_value.num:g} values')
    for tag in tags['images']:
        for image in events.Images(tag):
            assert image.encoded_image_string[1:4] == b'PNG', tag
            assert struct.unpack('>II', image.encoded_image_string[16:24]) == (image.width, image.height), tag
            found += 1
        print(f'{folder}: image {tag}: {image.width}x{image.height}')
    for tag in tags['audio']:
        found += len(events.Audio(tag))
        print(f'{folder}: audio {tag}')
    for tag in tags['tensors']:
        found += len(events.Tensors(tag))
        print(f'{folder}: tensor {tag}')
    if tags['graph']:
        found += 1
        print(f'{folder}: graph of {len(events.Graph().node)} nodes')
    for tag in tags['run_metadata']:
        metadata = events.RunMetadata(tag)
        found += 1
        print(f'{folder}: run metadata {tag}: {sum(len(d.node_stats) for d in metadata.step_stats.dev_stats)} executions')
    return found


def main():
    if len(sys.argv) < 2: sys.exit(__doc__)
    folders = [folder for folder, _, files in os.walk(sys.argv[1]) if any('tfevents' in name for name in files)]
    found = sum(check_run(folder) for folder in sorted(folders))
    if sys.argv[2:]: import tensorflow as tf
    for path in sys.argv[2:]:
        with open(path, 'rb') as f: magic = f.read(2)
        kind = 'GZIP' if magic == b'\x1f\x8b' else 'ZLIB' if magic[:1] == b'\x78' else ''
        records = [record.numpy() for record in tf.data.TFRecordDataset(path, compression_type=kind)]
        example = tf.train.Example.FromString(records[0])
        print(f'{path}: {len(records)} records, {kind or "not compressed"}, features {sorted(example.features.feature)}')
    if not found: sys.exit(f'no events in {sys.argv[1]}')


if __name__ == '__main__': main()
