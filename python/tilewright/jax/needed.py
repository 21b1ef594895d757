# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX, or what to do where it is not installed."""

from typing import Any


def needed() -> Any:
    """The package. ImportError names this one."""
    try:
        import jax
    except ImportError:
        raise ImportError("tilewright.jax needs JAX, which is not installed: pip install tilewright[jax]") from None
    return jax
