# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of NVIDIA's front end, and one of every operation, type and option, compile for the CPU.

A sample of them; all with TILEWRIGHT_ALL_TESTS=1, which takes some minutes."""

import os

import nvidia_tools
import pytest
from tilewright import _native

EVERY = 1 if os.environ.get("TILEWRIGHT_ALL_TESTS") else 40
NUMBER_IN_CORPUS = 1400

FOREIGN = "preview$call"
"""Calls foreign code, which there is for GPUs only."""


def failures(modules):
    """The modules that do not compile, with the first diagnostic."""
    found = []
    for name, data in modules:
        try:
            # Whether they compile, not how long it takes on a busy machine.
            _native.compile_to(data, name, "cpu", "obj", time_limit=600)
        except Exception as error:
            if FOREIGN not in str(error):
                found.append((name, str(error).splitlines()[0]))
    return found


def test_the_corpus():
    modules = nvidia_tools.corpus()
    if modules is None:
        pytest.skip("no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")
    assert len(modules) >= NUMBER_IN_CORPUS
    assert failures(modules[::EVERY]) == []


def test_every_operation_type_and_option():
    nvidia_tools.require("cuda-tile")
    import tile_ir_generator

    modules = [(module.name, module.data) for module in tile_ir_generator.modules()]
    assert failures(modules[::EVERY]) == []
