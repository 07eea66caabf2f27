"""Fuzz targets, which tools/fuzz finds and runs."""

def fuzz_target(name, srcs, deps):
    """A libFuzzer program: srcs define LLVMFuzzerTestOneInput. Seeds are the files of corpus/<name>/, if there are any.

    It builds with --config=fuzz only, hence manual.
    """
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        linkopts = ["-fsanitize=fuzzer"],
        tags = [
            "fuzz",
            "manual",
        ],
        deps = deps,
    )
