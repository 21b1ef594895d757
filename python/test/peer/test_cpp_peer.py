# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA Tile C++ by tilewright-c++ and by NVIDIA's nvcc: both accept, or both refuse."""

import collections
import functools
import importlib.metadata
import os
import pathlib
import re
import subprocess

import cpp_rules
import nvidia_tools
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
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
