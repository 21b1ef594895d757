# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter's tests of memory, views, atomics, reductions, shapes and control flow, run on the CPU.

A third of them, by name; all with TILEWRIGHT_ALL_TESTS=1."""

import inspect
import os
import zlib

import pytest
import test_interpreter_atomics
import test_interpreter_control
import test_interpreter_memory
import test_interpreter_reduce
import test_interpreter_shape
import test_interpreter_views

import interpreter

MODULES = (
    test_interpreter_atomics,
    test_interpreter_control,
    test_interpreter_memory,
    test_interpreter_reduce,
    test_interpreter_shape,
    test_interpreter_views,
)

# Compiled code may differ: sums, lanes and blocks in another order, sizes that a launch refuses, and results that are
# undefined. It has no branches in functions of reductions, which no front end writes.
OTHERWISE = (
    "floats_are_added_in_pairs",
    "not_commutative",
    "a_branch_in_the_function",
    "blocks_run_in_order",
    "too_large_an_alloca",
    "a_part_outside_is_zeros",
)


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch, request):
    if zlib.crc32(request.node.name.encode()) % 3 and not os.environ.get("TILEWRIGHT_ALL_TESTS"):
        pytest.skip("one of three runs")
    monkeypatch.setattr(interpreter, "TARGET", "cpu")


for module in MODULES:
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    for name, test in tests.items():
        # A loop without end that only a limit of operations ends.
        if "step_limit" not in inspect.getsource(test) and not any(words in name for words in OTHERWISE):
            globals()[name] = test
