# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one pass over all logits, by many blocks for each row."""

import math

import tilewright as ct

from kernels.sampling.tokens import LOG2_E, limits_of, noise, stream_of

ConstInt = ct.Constant[int]


@ct.kernel
def scan_kernel(logits, peaks, sums, temperature, top_k, top_p, min_p, seeds, steps, GROUPS: ConstInt, WIDTH: ConstInt):
    """One block per GROUPS groups of WIDTH logits.

    peaks [R, G] f32 gets the largest logit of each group. sums [R, G] f32 gets the largest score, logit plus noise, in
    rows that rule no token out, and in rows with top-p the sum of the powers relative to the group's peak.
    """
    row, part = ct.bid(0), ct.bid(1)
    values = ct.load(logits, index=(row, part), shape=(1, GROUPS * WIDTH), padding_mode=ct.PaddingMode.NEG_INF)
    values = ct.astype(values, ct.float32).reshape((GROUPS, WIDTH))
    peak = ct.max(values, axis=1, keepdims=True)
    ct.store(peaks, index=(row, part), tile=peak.reshape((1, GROUPS)))
    heat = ct.load(temperature, index=(row,), shape=())
    if heat > 0.0:
        cold = 1.0 / heat
        _, share, _, free = limits_of(top_k, top_p, min_p, row, logits.shape[1])
        if free:
            places = part * (GROUPS * WIDTH) + ct.arange(GROUPS * WIDTH, dtype=ct.int32)
            scores = values * cold + noise(stream_of(seeds, steps, row), places).reshape((GROUPS, WIDTH))
            ct.store(sums, index=(row, part), tile=ct.max(scores, axis=1).reshape((1, GROUPS)))
        elif share < 1.0:
            base = ct.where(peak > -math.inf, peak, 0.0)
            powers = ct.exp2((values - base) * (cold * LOG2_E))
            ct.store(sums, index=(row, part), tile=ct.sum(powers, axis=1).reshape((1, GROUPS)))
