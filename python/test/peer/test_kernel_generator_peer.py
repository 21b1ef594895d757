# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels through NVIDIA's front end, compiled and run here: it takes them, and they agree with NumPy, so that
the evaluation is one of the language and not of our front end."""

import warnings

import nvidia_tools
import pytest

nvidia_tools.require("cuda-tile")

from kernel_generator import grammar, outcome, reference  # noqa: E402

PROGRAMS = [grammar.program(seed) for seed in range(80)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_agrees(program, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = outcome.run(program, reference.launch)
    if result.kind == outcome.LEFT_OUT:
        pytest.skip(result.message)
    assert result.kind == outcome.AGREES, result.message
