# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``pytest -p tilewright.compat.pytest_plugin [--tilewright-device cpu|cuda]``: tests' ``cuda.tile`` is Tilewright."""

from __future__ import annotations

from typing import Any

from tilewright._runtime import tracebacks
from tilewright.compat import install


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("tilewright").addoption(
        "--tilewright-device",
        choices=("cpu", "cuda"),
        help="where kernels of cuda.tile run; default: cuda where there is a GPU, else cpu",
    )


def pytest_load_initial_conftests(early_config: Any) -> None:
    # Before any conftest.py, which may import cuda.tile.
    install(early_config.known_args_namespace.tilewright_device)


def pytest_configure(config: Any) -> None:
    install(config.getoption("--tilewright-device"))


def pytest_exception_interact(call: Any) -> None:
    if call.excinfo is not None:
        tracebacks.trim(call.excinfo.value)
