# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment variables, as the table of options (src/options/Table.cpp) has them.

A value that a variable cannot have is an error at the first compilation. docs/environment.md is written from the table.
"""

from __future__ import annotations

from typing import Any

from tilewright import _native

value = _native.read_environment
"""The value of a variable, else that of the one of cuda.tile that says the same, else its initial one. ValueError if it
cannot have it."""

is_set = _native.is_set_in_environment
"""Whether a variable is set, or the one of cuda.tile that says the same."""

check = _native.check_environment
"""Raises ValueError for a variable with an invalid value, even if nothing reads it."""


def variables() -> list[Any]:
    """The rows of the table that are environment variables."""
    return [option for option in _native.options() if option.variable]


def is_reference(variable: str) -> bool:
    """Whether it is one of cuda.tile or of its compiler."""
    return "CUDA_TILE_" in variable or variable.startswith("TILEIR_")
