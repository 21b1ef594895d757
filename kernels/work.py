# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel on one input: its launch, its reference, and its amount of work."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernels.accuracy import Reference
from kernels.aligned import empty


@dataclass
class Work:
    """`run` launches into `result`, which exists beforehand. `torch` does the same with PyTorch, also into memory that
    exists wherever PyTorch can; it is None without PyTorch."""

    kernel: str
    shape: str
    dtype: str
    amount: float  # floating-point operations, or bytes read and written
    unit: str  # GFLOP/s or GB/s
    run: Callable[[], object]
    result: np.ndarray
    reference: Callable[[], Reference]
    torch: Callable[[], object] | None = None

    @property
    def name(self) -> str:
        return f"{self.kernel} {self.dtype} {self.shape}"

    def rate(self, seconds) -> float:
        return self.amount / seconds / 1e9


def memory_work(kernel, x, result, amount, run, reference, torch) -> Work:
    """A work that memory bounds: `amount` counts bytes; the input x gives it shape and dtype."""
    return Work(
        kernel=kernel,
        shape="x".join(map(str, x.shape)),
        dtype=dtype_name(x.dtype),
        amount=amount,
        unit="GB/s",
        run=run,
        result=result,
        reference=reference,
        torch=torch,
    )


def normal(shape, dtype, seed=0, scale=1.0) -> np.ndarray:
    """Normally distributed numbers, the same for the same seed."""
    numbers = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    if scale != 1.0:
        numbers *= np.float32(scale)
    array = empty(numbers.shape, dtype)
    array[...] = numbers
    return array


def integers(shape, dtype, seed=0) -> np.ndarray:
    """All numbers of an integer type alike, the same for the same seed."""
    bounds = np.iinfo(dtype)
    array = empty(shape, dtype)
    array[...] = np.random.default_rng(seed).integers(bounds.min, bounds.max, shape, dtype, endpoint=True)
    return array


def numbers(shape, dtype, seed=0) -> np.ndarray:
    """Of any type: normally distributed floats, or integers."""
    return (integers if np.dtype(dtype).kind in "iu" else normal)(shape, dtype, seed)


def dtype_name(dtype) -> str:
    """f32, f16, bf16, i8, ..."""
    name = np.dtype(dtype).name.replace("bfloat", "bf").replace("float", "f")
    return name.replace("uint", "u").replace("int", "i")
