# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys that are below all that a cut keeps, from the peaks of groups and the sum of a row alone.

They need not be close: the logits above them are collected and searched.
"""

import tilewright as ct

from kernels.sampling.tokens import NONE, between, key_of

SLACK = 0.9  # more than sums and logarithms are wrong by


def bound_of_count(keys, most):
    """As many groups have a peak above it, hence as many logits are: at least `most`, few more than these. NONE if
    there are too few groups."""
    highest, low = ct.max(keys), ct.full((), NONE, dtype=ct.int32)
    start = ct.maximum(ct.min(ct.where(keys > NONE, keys, highest)) - 1, NONE)
    count = ct.sum(ct.astype(keys > start, ct.int32))
    if count >= most:
        low, high = start, highest
        middle = between(low, high)
        while (middle != low) & (count > most + (most >> 2)):
            number = ct.sum(ct.astype(keys > middle, ct.int32))
            if number >= most:
                low, count = middle, number
            else:
                high = middle
            middle = between(low, high)
    return low


def bound_of_mass(highest, total, share, size, factor):
    """`size` logits up to it have less than the mass that may be left out, 1 - share of the total."""
    left_out = ct.maximum((1.0 - share) * total, 1e-30) * (SLACK / ct.astype(size, ct.float32))
    return key_of(highest + ct.log2(left_out) / factor)


def bound_of_power(highest, least, factor):
    return key_of(highest + ct.log2(ct.maximum(least, 1e-30) * SLACK) / factor)
