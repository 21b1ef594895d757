# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit: every `src/**/test/*.mlir` is a test, run by the tools of the build.

`lit build` runs all of them, `lit src/cuda_tile` those of one folder.
"""

import os
import shutil

import lit.formats

SOURCE = os.path.dirname(os.path.abspath(__file__))

# Where tests find files that are not part of the tree.
CORPORA = ("TILEWRIGHT_TILE_IR_TEXTS", "TILEWRIGHT_TILE_IR_MODULES", "TILEWRIGHT_CORPUS")


def cpu_features():
    """The features of the machine that `REQUIRES:` may name."""
    with open("/proc/cpuinfo") as info:
        line = next((line for line in info if line.startswith("flags")), "")
    flags = set(line.split())
    needs = {
        "avx2": {"avx2", "fma"},
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
        "avx512bf16": {"avx512_bf16"},
    }
    return {name for name, needed in needs.items() if needed <= flags}


def emulator():
    """The feature of a machine that runs code for aarch64, if it does."""
    runner = os.path.join(config.tilewright_bin_dir, "aarch64-runner")
    if shutil.which("qemu-aarch64") and os.path.exists(runner):
        return {"aarch64-emulator"}
    lit_config.note("code for aarch64 is not run: no qemu-aarch64 (qemu-user) or aarch64-runner (libc6-dev-arm64-cross)")
    return set()


def python():
    """Python as tests start it: a module under a sanitizer needs the sanitizer's runtime in the process before it, and
    what Python itself never frees is no leak of ours."""
    if not config.sanitizer_runtime:
        return config.python_executable
    options = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    return f"env LD_PRELOAD={config.sanitizer_runtime} ASAN_OPTIONS={options} {config.python_executable}"


def configure():
    config.name = "tilewright"
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir"]
    config.excludes = ["Inputs", "races", "found"]  # races/ is run by RacesTest.cpp, found/ by found.mlir
    config.test_source_root = SOURCE
    config.test_exec_root = os.path.join(config.tilewright_build_dir, "lit")
    config.available_features |= cpu_features() | emulator()
    config.substitutions.append(("%python", python()))

    # The tools of the build come before everything else of the same name.
    path = [config.tilewright_bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
    config.environment["PATH"] = os.pathsep.join(path)
    config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error"
    config.environment["PYTHONPATH"] = config.python_path
    # A test neither uses nor fills the user's cache of compiled kernels.
    config.environment["TILEWRIGHT_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
    for name in ("ASAN_OPTIONS", "ASAN_SYMBOLIZER_PATH", "UBSAN_OPTIONS", *CORPORA):
        if name in os.environ:
            config.environment[name] = os.environ[name]


if hasattr(config, "tilewright_bin_dir"):
    configure()
else:
    # Started on a source folder: the default build says where the tools are.
    lit_config.load_config(config, os.path.join(SOURCE, "..", "build", "lit.site.cfg.py"))
