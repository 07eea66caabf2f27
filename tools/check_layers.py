#!/usr/bin/env python3
"""Checks the layout: the direction of includes, that each source is tested, that each op family is registered.

    tools/check_layers.py [ROOT]
"""

import pathlib
import re
import sys

# A folder may include itself and those before it, which is also what docs/CONTRIBUTING.md shows.
LAYERS = [
    "proto",
    "graph/base",
    "graph/tensor",
    "graph/schema",
    "graph/ir",
    "graph/build",
    "graph/train",
    "graph/io",
    "graph/passes",
    "runtime/memory",
    "runtime/threads",
    "runtime/resource",
    "runtime/kernel",
    "runtime/profile",
    "runtime/plan",
    "runtime/exec",
    "runtime/session",
    "runtime/checkpoint",
    "runtime/data",
    "runtime/events",
    "ops",
    "tools",
]
TOP = {layer.split("/")[0] for layer in LAYERS}
TESTS = "tests"
# What is tested through the families that use it.
SHARED_LOOPS = "ops/kernels/"

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
GUARD = re.compile(r"^#ifndef (\w+)$", re.MULTILINE)
REGISTERS_ALL = "RegisterAllOps"  # calls those of the families
REGISTER = re.compile(r"\b(Register\w+)\(\s*OpLibrary\s*&")


def layer_of(path):
    """Index of the layer of a file or an included path, or None."""
    if path.startswith("flowlatch/proto/"):
        return LAYERS.index("proto")
    for index, layer in enumerate(LAYERS):
        if path.startswith(layer + "/"):
            return index
    return None


def check_includes(path, text):
    own = layer_of(path)
    for included in INCLUDE.findall(text):
        top = included.split("/")[0]
        if top == TESTS:
            yield f"{path}: includes {included}, which is for tests"
            continue
        other = layer_of(included)
        if other is not None and other > own:
            yield f"{path}: {LAYERS[own]} includes {included} of the later layer {LAYERS[other]}"
        elif other is None and top in TOP:
            yield f"{path}: {included} is in no layer"


def check_guard(path, text):
    expected = "FLOWLATCH_" + re.sub(r"[/.-]", "_", path).upper() + "_"
    guard = GUARD.search(text)
    # What is compiled once for each instruction set switches its guard on and off itself.
    if not path.endswith("-inl.h") and (guard is None or guard[1] != expected):
        yield f"{path}: include guard: expected {expected}, got {guard[1] if guard else 'none'}"


def check_tested(sources, tests):
    """Each .cc has a test of its name or a test that includes its header."""
    names = {pathlib.PurePath(path).name for path in tests}
    included = {header for text in tests.values() for header in INCLUDE.findall(text)}
    for path in sources:
        if not path.endswith(".cc") or path.endswith("_main.cc") or path.startswith(SHARED_LOOPS):
            continue
        stem = path.removesuffix(".cc")
        if pathlib.PurePath(stem).name + "_test.cc" not in names and stem + ".h" not in included:
            yield f"{path}: no test has its name or includes {stem}.h"


def check_registered(sources):
    """Each Register<Family> that a header of ops/ declares is called in another file than its own."""
    for path, text in sources.items():
        if not path.startswith("ops/") or not path.endswith(".h"):
            continue
        own = {path, path.removesuffix(".h") + ".cc"}
        for function in REGISTER.findall(text):
            if function == REGISTERS_ALL:
                continue
            call = re.compile(rf"\b{function}\b")
            if not any(call.search(other) for name, other in sources.items() if name not in own):
                yield f"{path}: nobody calls {function}"


def read(root, folders):
    files = (path for folder in sorted(folders) for path in sorted((root / folder).rglob("*")))
    return {str(path.relative_to(root)): path.read_text() for path in files if path.suffix in (".h", ".cc")}


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    sources, tests = read(root, TOP), read(root, {TESTS})
    problems = []
    for path, text in sources.items():
        if layer_of(path) is None:
            problems.append(f"{path}: is in no layer")
            continue
        problems.extend(check_includes(path, text))
        if path.endswith(".h"):
            problems.extend(check_guard(path, text))
    problems.extend(check_tested(sources, tests))
    problems.extend(check_registered(sources))
    print("\n".join(problems) or f"{len(sources)} files keep to {len(LAYERS)} layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
