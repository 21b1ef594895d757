# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA Tile C++ by tilewright-c++ and by NVIDIA's nvcc: both accept, or both refuse."""

import collections
import functools
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import cpp_rules
import nvidia_tools
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, os.fspath(ROOT / "python" / "test" / "cpp"))
import cpp_programs  # noqa: E402

COMPILER = ROOT / "build" / "bin" / "tilewright-c++"

pytestmark = pytest.mark.skipif(not COMPILER.exists(), reason="the front end for C++ was not built")
nvidia_tools.require(*nvidia_tools.NVCC)


@functools.cache
def nvcc():
    """Its command, and its environment: the programs and headers of the toolkit are in several packages."""
    files = importlib.metadata.files("nvidia-cuda-nvcc")
    program = next(file for file in files if file.name == "nvcc").locate()
    headers = next(file for file in importlib.metadata.files("nvidia-cuda-cccl") if file.match("*/nv/target")).locate()
    environment = {**os.environ, "CPLUS_INCLUDE_PATH": os.fspath(pathlib.Path(headers).parents[1])}
    options = [
        "-std=c++20",
        "-arch=sm_90",
        "-enable-tile",
        "--tile-only",
        "-tilebc",
        "-Xcudafe",
        "--error_limit=999999",
    ]
    return [program, *options], environment


def compile_with_nvcc(source, output):
    command, environment = nvcc()
    return subprocess.run([*command, "-o", output, source], env=environment, capture_output=True, text=True)


def compile_with_ours(source, *options):
    return subprocess.run([COMPILER, *options, source], capture_output=True, text=True)


def lines_of_errors(text):
    return {int(number) for number in re.findall(r"program\.cu[:(](\d+)[:)][^\n]*error", text)}


def test_expressions_are_valid_for_the_same_types(tmp_path):
    rules = list(cpp_rules.rules())
    source = tmp_path / "program.cu"
    refused = []
    for compiler, head in (compile_with_ours, cpp_rules.HEAD), (compile_with_nvcc, cpp_rules.TOOLKIT + cpp_rules.HEAD):
        source.write_text(head + "\n".join(line for line, _ in rules) + "\n")
        if compiler is compile_with_ours:
            result = compile_with_ours(source, "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics")
        else:
            result = compile_with_nvcc(source, tmp_path / "program.tilebc")
        first = head.count("\n") + 1
        refused.append({number - first for number in lines_of_errors(result.stderr)})
    ours, theirs = refused
    assert len(theirs) > 1000
    differences = collections.defaultdict(list)
    for number in sorted(ours ^ theirs):
        expression, types = rules[number][1] or (rules[number][0], ())
        differences[expression].append((", ".join(types), "ours refuses" if number in ours else "nvcc refuses"))
    texts = [f"{expression}: {cases}" for expression, cases in differences.items()]
    assert not texts, "\n".join(texts)


def test_both_accept_the_kernels(tmp_path):
    source = tmp_path / "program.cu"
    text = cpp_programs.kernels()
    source.write_text(cpp_rules.TOOLKIT + text)
    theirs = compile_with_nvcc(source, tmp_path / "program.tilebc")
    assert theirs.returncode == 0, theirs.stderr
    source.write_text(text)
    ours = compile_with_ours(source, "--emit=tilebc", "-o", tmp_path / "ours.tilebc")
    assert ours.returncode == 0, ours.stderr


def test_both_refuse(tmp_path):
    def statuses(program):
        name, text, _, _ = program
        source = tmp_path / f"{name}.cu"
        source.write_text(cpp_programs.HEAD + text)
        theirs = compile_with_nvcc(source, tmp_path / f"{name}.tilebc")
        ours = compile_with_ours(source, "--emit=tilebc", "-o", tmp_path / f"{name}.ours")
        return name, theirs.returncode, ours.returncode

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(statuses, cpp_programs.refused()))
    assert not [result for result in results if 0 in result]


# Operations that differ by folding, or that say only where tiles are and in which order memory is used.
FOLDED = set(
    "load_ptr_tko reshape broadcast constant iota offset make_token join_tokens return yield continue break if exti"
    " trunci itof muli addi subi select andi ori xori cmpi loop ptr_to_ptr".split()
)
# Kernels of which other operations differ: isinf compares numbers and not bits, loops that nvcc does not count are a
# `for`, local objects are not in memory, and constants are folded.
DIFFERENT = {
    f"floats{cpp_programs.FLOAT_EXPRESSIONS.index('ct::isinf(x)')}",
    *("for_step", "nested", "pointers", "arrays", "chosen", "tiles_in_arrays", "list", "constants", "structures"),
    *("halves", "casts", "bytes", "atomics", "padded"),
}


def operations(text):
    """The names of the operations of each entry, and how often they are there."""
    result, names = {}, None
    for line in text.splitlines():
        if entry := re.search(r"entry @(\w+)", line):
            names = result[entry[1]] = collections.Counter()
        elif names is not None and (name := re.match(r"\s*(?:%[^=]*= )?([a-z_]+)\b", line)):
            names[name[1]] += name[1] not in FOLDED
    return {entry: +names for entry, names in result.items()}


def test_both_make_the_same_operations(tmp_path):
    source, output = tmp_path / "program.cu", tmp_path / "program.tilebc"
    source.write_text(cpp_rules.TOOLKIT + cpp_programs.kernels())
    assert compile_with_nvcc(source, output).returncode == 0
    theirs = operations(subprocess.check_output([nvidia_tools.tool("tileirdisasm"), output], text=True))
    source.write_text(cpp_programs.kernels())
    assert compile_with_ours(source, "--emit=tilebc", "-o", output).returncode == 0
    ours = operations(subprocess.check_output([ROOT / "build" / "bin" / "tileirdisasm", output], text=True))
    assert ours.keys() == theirs.keys() == set(cpp_programs.names())
    assert {name for name in ours if ours[name] != theirs[name]} == DIFFERENT
