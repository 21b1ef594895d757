# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Implementations of the language's functions by public name. Each takes the tracer, then the function's
parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {}


def implements(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            IMPLEMENTATIONS[name] = function
        return function

    return register
