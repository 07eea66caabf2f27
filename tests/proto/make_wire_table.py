#!/usr/bin/env python3
"""Prints wire_table.txt: every message and enum of TensorFlow that //proto has, from the installed package.

    python3 tests/proto/make_wire_table.py > tests/proto/wire_table.txt

A line is a message and its fields, `name=number:type` with `[]` after a repeated type (`[packed]` if so on the wire),
or an enum and its values. TensorFlow 2.21 was used.
"""

import importlib

ROOTS = [
    "tensorflow.core.example.example_pb2",
    "tensorflow.core.framework.graph_pb2",
    "tensorflow.core.framework.step_stats_pb2",
    "tensorflow.core.framework.variable_pb2",
    "tensorflow.core.protobuf.config_pb2",
    "tensorflow.core.protobuf.control_flow_pb2",
    "tensorflow.core.protobuf.fingerprint_pb2",
    "tensorflow.core.protobuf.queue_runner_pb2",
    "tensorflow.core.protobuf.saved_model_pb2",
    "tensorflow.core.protobuf.tensor_bundle_pb2",
    "tensorflow.core.util.event_pb2",
    "tensorflow.core.util.saved_tensor_slice_pb2",
    "tensorflow.python.training.checkpoint_state_pb2",
]
# Options of services and tools that Flowlatch has nothing to do with.
LEFT_OUT = {"coordination_config", "debug", "rewriter_config", "rpc_options"}


def files():
    found, queue = {}, [importlib.import_module(root).DESCRIPTOR for root in ROOTS]
    while queue:
        file = queue.pop()
        stem = file.name.split("/")[-1].removesuffix(".proto")
        if file.name in found or file.name.startswith("google/") or stem in LEFT_OUT:
            continue
        found[file.name] = file
        queue.extend(file.dependencies)
    return found.values()


def field_type(field):
    if field.message_type is not None:
        name = field.message_type.full_name
    elif field.enum_type is not None:
        name = field.enum_type.full_name
    else:
        name = TYPE_NAMES[field.type]
    if not field.is_repeated:
        return name
    return name + ("[packed]" if field.is_packed else "[]")


TYPE_NAMES = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32", 8: "bool", 9: "string",
    12: "bytes", 13: "uint32", 15: "sfixed32", 16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip


def enum_line(enum):
    values = sorted(f"{value.name}={value.number}" for value in enum.values)
    return " ".join(["enum", enum.full_name, *values])


def message_lines(message):
    fields = sorted(f"{field.name}={field.number}:{field_type(field)}" for field in message.fields)
    yield " ".join(["message", message.full_name, *fields])
    yield from (enum_line(enum) for enum in message.enum_types)
    for nested in message.nested_types:
        yield from message_lines(nested)


lines = set()
for file in files():
    lines.update(enum_line(enum) for enum in file.enum_types_by_name.values())
    for message in file.message_types_by_name.values():
        lines.update(message_lines(message))
print("\n".join(sorted(lines)))
