# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing a kernel's result with its reference."""

from dataclasses import dataclass

import numpy as np
from ml_dtypes import finfo


@dataclass(frozen=True)
class Reference:
    """The result that a kernel should compute, in f64, and how far from it a correct kernel may be.

    An element is right if |result - expected| <= bound * scale. The scale is the magnitude that went into the
    element (for a dot product the sum of |a||b|), so that the bound is one number that depends on the
    shape and the types only.
    """

    expected: np.ndarray
    scale: np.ndarray
    bound: float

    def error(self, result) -> float:
        """The largest |result - expected| / scale; infinite where a value is missing or is no number."""
        result = np.asarray(result).astype(np.float64)
        if result.shape != self.expected.shape:
            raise ValueError(f"result has shape {result.shape}, expected {self.expected.shape}")
        with np.errstate(invalid="ignore"):
            difference = np.abs(result - self.expected)
        difference[result == self.expected] = 0.0
        difference[np.isnan(difference)] = np.inf
        smallest = np.finfo(np.float64).tiny
        return float((difference / np.maximum(self.scale, smallest)).max(initial=0.0))

    def check(self, result) -> None:
        """Raises AssertionError with the worst element if the result is outside the bound."""
        error = self.error(result)
        assert error <= self.bound, f"error {error:.3g} is over the bound {self.bound:.3g}"


def eps(dtype) -> float:
    """The distance from 1 to the next number of a floating-point type."""
    return float(finfo(np.dtype(dtype)).eps)


def narrowing(dtype) -> float:
    """The error that rounding an f32 to a type adds: nothing for f32 and wider types."""
    return eps(dtype) / 2 if np.dtype(dtype).itemsize < 4 else 0.0


def magnitude(expected, dtype) -> np.ndarray:
    """The scale for errors relative to the result: |expected|, but at least the type's smallest normal number.

    Below that number a type's spacing, and so its rounding error, stays what it is there.
    """
    return np.maximum(np.abs(expected), float(finfo(np.dtype(dtype)).tiny))
