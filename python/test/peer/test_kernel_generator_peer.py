# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels through NVIDIA's front end, compiled and run here: it takes them, and they agree with NumPy, so that
the evaluation is one of the language and not of our front end."""

import warnings

import nvidia_tools
import pytest

nvidia_tools.require("cuda-tile")

from kernel_generator import grammar, outcome, reference  # noqa: E402

PROGRAMS = [program for program in map(grammar.program, range(24)) if reference.takes(program)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_agrees(program, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = outcome.run(program, reference.launch)
    if reference.FrontEndFault.__name__ in result.message:
        pytest.skip("NVIDIA's front end fails by a fault of its own")
    if reference.UNSIGNED_FLOOR in result.message:
        pytest.skip("NVIDIA's front end rounds // of unsigned integers down, which its compiler refuses as ours does")
    assert result.kind == outcome.AGREES, result.message
