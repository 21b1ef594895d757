# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference


def mix(x):
    x = (x ^ x >> 16) * np.uint32(0x7FEB352D)
    x = (x ^ x >> 15) * np.uint32(0x846CA68B)
    return x ^ x >> 16


def noise(seed, step, size):
    """[size] of Gumbel's distribution, from 23 random bits each."""
    low, high, step = np.array([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF, step], np.uint32)[:, None]
    stream = mix(mix(low) ^ mix(high ^ np.uint32(0x9E3779B9)) ^ step * np.uint32(0x85EBCA6B))
    bits = mix(stream ^ mix(np.arange(size, dtype=np.uint32)))
    return -np.log(-np.log(((bits >> 9) + 0.5) / (1 << 23)))


def kept(logits, temperature, top_k, top_p, min_p):
    """Whether a token of one row may be drawn, by sorting the row: of equal logits the first ones come first."""
    order = np.argsort(-logits, kind="stable")
    falling = np.exp((logits[order] - logits[order[0]]) / temperature)
    before = np.cumsum(falling) - falling
    keep = falling >= min_p
    if top_p < 1:
        keep &= before < top_p * falling.sum()
    if top_k > 0:
        keep &= np.arange(len(falling)) < top_k
    keep[0] = True
    result = np.zeros(len(falling), bool)
    result[order] = keep
    return result


def reference(logits, *, temperature, top_k, top_p, min_p, seeds, steps) -> Reference:
    """The tokens, exactly. Two scores, or a sum of probabilities and top_p, that are closer than the error of a
    logarithm in f32 would allow two tokens, which is about one draw in 10^5."""
    tokens = np.empty(len(logits))
    for r, row in enumerate(logits.astype(np.float64)):
        if temperature[r] == 0:
            tokens[r] = row.argmax()
            continue
        keep = kept(row, *(float(option[r]) for option in (temperature, top_k, top_p, min_p)))
        scores = row / float(temperature[r]) + noise(int(seeds[r]), int(steps[r]), len(row))
        tokens[r] = np.where(keep, scores, -np.inf).argmax()
    return Reference(tokens, np.ones(len(logits)), 0.0)
