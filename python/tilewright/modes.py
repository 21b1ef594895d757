# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Enumerations that select how an operation rounds, pads and orders memory. All since 0.1."""

from __future__ import annotations

import enum


class RoundingMode(enum.Enum):
    """How an inexact result is rounded."""

    RN = "nearest_even"
    """To nearest, ties to even. The default everywhere but exp and tanh."""
    RZ = "zero"
    """Towards zero."""
    RM = "negative_inf"
    """Towards minus infinity."""
    RP = "positive_inf"
    """Towards plus infinity."""
    RA = "nearest_away"
    """To nearest, ties away from zero. Conversions only."""
    FULL = "full"
    """A result of full precision, not correctly rounded. float32 only."""
    APPROX = "approx"
    """The fastest result of the target. float32 only."""
    RZI = "nearest_int_to_zero"
    """Towards zero to an integer."""


class PaddingMode(enum.Enum):
    """The element that a load gives outside of the array."""

    UNDETERMINED = "undetermined"
    """Any value: the kernel does not use these elements."""
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    """-0.0; floats only, like the three below."""
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class MemoryOrder(enum.Enum):
    """Ordering of one memory access against those of other blocks."""

    WEAK = "weak"
    """No ordering; the access must not race."""
    RELAXED = "relaxed"
    """Atomic, orders nothing else."""
    ACQUIRE = "acquire"
    """Later accesses of the block stay behind it. Loads and atomics."""
    RELEASE = "release"
    """Earlier accesses of the block stay before it. Stores and atomics."""
    ACQ_REL = "acq_rel"
    """Both. Atomics."""


class MemoryScope(enum.Enum):
    """The threads that an ordering reaches."""

    NONE = "none"
    """Only with MemoryOrder.WEAK."""
    BLOCK = "block"
    CLUSTER = "cluster"
    """Blocks of one cluster. For code that is written by threads; no operation on tiles takes it."""
    DEVICE = "device"
    SYS = "sys"
    """All devices and the host."""
