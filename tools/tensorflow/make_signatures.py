#!/usr/bin/env python3
"""Writes graph/schema/tensorflow_ops.inc: the signature of every op of the installed TensorFlow.

usage: make_signatures.py [FILE]

One line an op, sorted by name, in the grammar of our op families (a C++ string literal and a comma):

    Name(port: type, ...) -> (port: type, ...); attr: type [= default]; ...; flag; ...

port type     an attr's name or a dtype; Ref(T) for a reference to a T; `N * T` or `N * Ref(T)` for N of them; a
              list(type) attr's name for a list of mixed types
attr type     int, float, bool, string, type, shape, tensor, func, or list(...) of one; a set of the allowed values
              ({int32, float32}, {"SAME", "VALID"}) takes the place of `type` or `string`; ` >= 1` is the smallest
              int or list length
default       12, 0.5 (shortest decimal that reads back as the same float32; inf, nan), true, "text" (C escapes),
              int32, [2,?] or ? (unknown rank) for a shape, name of a func, tensor(uint8, [2], [255, 0]), [1, 2]
flag          stateful, commutative, aggregate, uninitialized_ok, deprecated VERSION "explanation"

Left out: descriptions, full types, and is_distributed_communication. Every line is read back here and compared
with TensorFlow's OpDef before the file is written.
"""
import ctypes, glob, os, re, sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, op_def_pb2, tensor_pb2, tensor_shape_pb2

FLAGS = [('stateful', 'is_stateful'), ('commutative', 'is_commutative'), ('aggregate', 'is_aggregate'),
         ('uninitialized_ok', 'allows_uninitialized_input')]
FIELDS = {'int': 'i', 'float': 'f', 'bool': 'b', 'string': 's', 'type': 'type', 'shape': 'shape', 'tensor': 'tensor',
          'func': 'func'}


def all_op_defs():
    """The OpDefs that TensorFlow's C library has registered, without words, sorted by name."""
    class Buffer(ctypes.Structure):
        _fields_ = [('data', ctypes.c_void_p), ('length', ctypes.c_size_t), ('deallocator', ctypes.c_void_p)]

    folder = os.path.dirname(tf.__file__)
    library = ctypes.CDLL(glob.glob(os.path.join(folder, 'libtensorflow_cc.so.*'))[0])
    library.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
    buffer = library.TF_GetAllOpList().contents
    ops = op_def_pb2.OpList.FromString(ctypes.string_at(buffer.data, buffer.length)).op
    for op in ops:
        for field in ('summary', 'description', 'is_distributed_communication'): op.ClearField(field)
        for arg in [*op.input_arg, *op.output_arg]:
            for field in ('description', 'experimental_full_type', 'handle_data'): arg.ClearField(field)
        for attr in op.attr: attr.ClearField('description')
        op.ClearField('control_output')
    return sorted(ops, key=lambda op: op.name.encode())


# ---------------------------------------------------------------- writing

def quoted(raw):
    """The bytes as a C string literal."""
    named = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
    return '"' + ''.join(named.get(chr(b)) or (chr(b) if 32 <= b < 127 else f'\\{b:03o}') for b in raw) + '"'


def dtype_name(enum):
    dtype = tf.as_dtype(enum)
    if dtype._is_ref_dtype: raise ValueError(f'reference dtype {dtype} outside Ref()')
    return dtype.name


def shape_text(shape):
    if shape.unknown_rank: return '?'
    return '[' + ','.join('?' if d.size < 0 else str(d.size) for d in shape.dim) + ']'


def scalar_text(kind, value):
    if kind == 'int': return str(value)
    if kind == 'float': return str(np.float32(value))
    if kind == 'bool': return 'true' if value else 'false'
    if kind == 'string': return quoted(value)
    if kind == 'type': return dtype_name(value)
    if kind == 'shape': return shape_text(value)
    if kind == 'tensor':
        dims, elements = ([*v] for v in (tf.make_ndarray(value).shape, value.int_val))
        return f'tensor({dtype_name(value.dtype)}, {dims}, {elements})'
    if value.attr: raise ValueError('a func default with attrs has no text form')
    return value.name


def default_text(kind, value):
    if not kind.startswith('list('): return scalar_text(kind, getattr(value, FIELDS[kind]))
    kind = kind[5:-1]
    return '[' + ', '.join(scalar_text(kind, v) for v in getattr(value.list, FIELDS[kind])) + ']'


def port_text(arg):
    text = arg.type_list_attr or arg.type_attr or dtype_name(arg.type)
    if arg.is_ref: text = f'Ref({text})'
    return f'{arg.name}: ' + (f'{arg.number_attr} * {text}' if arg.number_attr else text)


def attr_text(attr):
    inner = attr.type[5:-1] if attr.type.startswith('list(') else attr.type
    allowed = attr.allowed_values.list
    if allowed.type: inner = '{' + ', '.join(dtype_name(t) for t in allowed.type) + '}'
    if allowed.s: inner = '{' + ', '.join(quoted(s) for s in allowed.s) + '}'
    text = f'{attr.name}: ' + (f'list({inner})' if attr.type.startswith('list(') else inner)
    if attr.has_minimum: text += f' >= {attr.minimum}'
    if attr.HasField('default_value'): text += f' = {default_text(attr.type, attr.default_value)}'
    return text


def signature(op):
    ports = lambda args: '(' + ', '.join(port_text(a) for a in args) + ')'
    parts = [f'{op.name}{ports(op.input_arg)} -> {ports(op.output_arg)}', *(attr_text(a) for a in op.attr)]
    parts += [flag for flag, field in FLAGS if getattr(op, field)]
    if op.HasField('deprecation'):
        parts.append(f'deprecated {op.deprecation.version} {quoted(op.deprecation.explanation.encode())}')
    return '; '.join(parts)


# ---------------------------------------------------------------- reading back

class Reader:
    """Reads one signature; dtype names are told from attr names by the attrs that follow."""
    TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|>=|[A-Za-z_][A-Za-z0-9_./>]*|-?[0-9][0-9.e+-]*|-inf|'
                       r'[(){}\[\],;:=*?])')

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            match = self.TOKEN.match(text, at)
            if not match: raise ValueError(f'bad character at {text[at:at + 20]!r}')
            self.tokens.append(match[1])
            at = match.end()
        self.tokens.append('')

    def take(self, want=None):
        token = self.tokens.pop(0)
        if want is not None and token != want: raise ValueError(f'expected {want!r}, got {token!r}')
        return token

    def accept(self, want):
        if self.tokens[0] != want: return False
        self.take()
        return True

    def until(self, close, item):
        """Items between commas up to the closing bracket."""
        items = []
        while not self.accept(close):
            if items: self.take(',')
            items.append(item())
        return items

    def op_def(self):
        op = op_def_pb2.OpDef(name=self.take())
        self.take('(')
        inputs = self.until(')', self.port)
        self.take('->'), self.take('(')
        outputs = self.until(')', self.port)
        while self.accept(';'): self.attr_or_flag(op)
        self.take('')
        attrs = {a.name: a.type for a in op.attr}
        for args, ports in ((op.input_arg, inputs), (op.output_arg, outputs)):
            for name, number, kind, is_ref in ports:
                arg = args.add(name=name, number_attr=number, is_ref=is_ref)
                if kind not in attrs: arg.type = tf.as_dtype(kind).as_datatype_enum
                elif attrs[kind] == 'list(type)': arg.type_list_attr = kind
                else: arg.type_attr = kind
        return op

    def port(self):
        name = self.take()
        self.take(':')
        kind = self.take()
        number = ''
        if self.accept('*'): number, kind = kind, self.take()
        is_ref = kind == 'Ref' and self.accept('(')
        if is_ref: kind = self.take()
        if is_ref: self.take(')')
        return name, number, kind, is_ref

    def attr_or_flag(self, op):
        name = self.take()
        if name == 'deprecated' and self.tokens[0] != ':':
            op.deprecation.version = int(self.take())
            op.deprecation.explanation = self.string().decode()
            return
        if not self.accept(':'):
            setattr(op, dict(FLAGS)[name], True)
            return
        attr = op.attr.add(name=name)
        inner = self.take()
        is_list = inner == 'list' and self.accept('(')
        if is_list: inner = self.take()
        if inner == '{':
            inner = 'string' if self.tokens[0].startswith('"') else 'type'
            allowed = self.until('}', lambda: self.scalar(inner))
            getattr(attr.allowed_values.list, FIELDS[inner]).extend(allowed)
        if is_list: self.take(')')
        attr.type = f'list({inner})' if is_list else inner
        if self.accept('>='): attr.has_minimum, attr.minimum = True, int(self.take())
        if self.accept('='): self.default(attr.default_value, inner, is_list)

    def default(self, value, kind, is_list):
        if is_list:
            self.take('[')
            value.list.SetInParent()
            getattr(value.list, FIELDS[kind]).extend(self.until(']', lambda: self.scalar(kind)))
        elif kind in ('shape', 'tensor', 'func'):
            getattr(value, FIELDS[kind]).CopyFrom(self.scalar(kind))
        else:
            setattr(value, FIELDS[kind], self.scalar(kind))

    def string(self):
        return re.sub(rb'\\([0-7]{3}|.)', self.unescaped, self.take()[1:-1].encode())

    @staticmethod
    def unescaped(match):
        code = match[1]
        return bytes([int(code, 8)]) if len(code) == 3 else {b'n': b'\n', b'r': b'\r', b't': b'\t'}.get(code, code)

    def scalar(self, kind):
        if kind == 'string': return self.string()
        if kind == 'shape': return self.shape()
        token = self.take()
        if kind == 'int': return int(token)
        if kind == 'float': return float(token)
        if kind == 'bool': return {'true': True, 'false': False}[token]
        if kind == 'type': return tf.as_dtype(token).as_datatype_enum
        if kind == 'func': return attr_value_pb2.NameAttrList(name=token)
        return self.tensor()

    def tensor(self):
        self.take('(')
        tensor = tensor_pb2.TensorProto(dtype=self.scalar('type'))
        self.take(','), self.take('[')
        tensor.tensor_shape.SetInParent()
        for size in self.until(']', self.take): tensor.tensor_shape.dim.add(size=int(size))
        self.take(','), self.take('[')
        tensor.int_val.extend(self.until(']', lambda: self.scalar('int')))
        self.take(')')
        return tensor

    def shape(self):
        shape = tensor_shape_pb2.TensorShapeProto()
        if self.accept('?'): shape.unknown_rank = True
        else:
            self.take('[')
            for size in self.until(']', self.take): shape.dim.add(size=-1 if size == '?' else int(size))
        return shape


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, 'graph', 'schema', 'tensorflow_ops.inc')
    ops = all_op_defs()
    lines = [signature(op) for op in ops]
    for op, line in zip(ops, lines):
        back = Reader(line).op_def()
        # Text, because a nan default never equals itself.
        if str(back) != str(op): raise SystemExit(f'{op.name} does not read back:\n{line}\n{op}\n{back}')
    with open(path, 'w') as f:
        f.write(f'// The signatures of the {len(ops)} ops of TensorFlow {tf.__version__}, sorted by name: the elements '
                'of an array of\n// strings. Written by tools/tensorflow/make_signatures.py, which also explains the '
                'grammar; do not edit.\n')
        for line in lines: f.write(f'{quoted(line.encode())},\n')
    print(f'{len(ops)} ops written to {path}')


if __name__ == '__main__': main()
