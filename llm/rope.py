# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of cosines and sines for rotary position embeddings, scaled as Llama 3.1 (llama3) and DeepSeek (yarn) do."""

import math

import numpy as np


def llama3_frequencies(plain, rope):
    """Long waves are stretched by the factor, short ones stay, those between are mixed."""
    wavelengths = 2 * math.pi / plain
    low, high = rope.low_frequency_factor, rope.high_frequency_factor
    kept = np.clip((rope.original_context / wavelengths - low) / (high - low), 0, 1)
    return (1 - kept) * plain / rope.factor + kept * plain


def yarn_frequencies(plain, rope, size):
    """The same idea, with a ramp over the elements between two numbers of rotations in the original context."""

    def element(rotations):
        return size * math.log(rope.original_context / (rotations * 2 * math.pi)) / (2 * math.log(rope.theta))

    first = max(math.floor(element(rope.beta_fast)), 0)
    last = min(math.ceil(element(rope.beta_slow)), size - 1)
    stretched = np.clip((np.arange(size // 2) - first) / max(last - first, 0.001), 0, 1)
    return plain / rope.factor * stretched + plain * (1 - stretched)


def yarn_scale(factor, mscale):
    return 1.0 if factor <= 1 else 0.1 * mscale * math.log(factor) + 1.0


def inverse_frequencies(rope, size):
    """[size/2] f64: radians that a pair of elements turns per position."""
    plain = rope.theta ** (-np.arange(0, size, 2) / size)
    if rope.kind == "linear":
        return plain / rope.factor
    if rope.kind == "llama3":
        return llama3_frequencies(plain, rope)
    return yarn_frequencies(plain, rope, size) if rope.kind == "yarn" else plain


def table_scale(rope):
    """The factor of all cosines and sines."""
    if rope.kind != "yarn":
        return 1.0
    if rope.attention_factor is not None:
        return rope.attention_factor
    if rope.mscale and rope.mscale_all:
        return yarn_scale(rope.factor, rope.mscale) / yarn_scale(rope.factor, rope.mscale_all)
    return yarn_scale(rope.factor, 1.0)


def softmax_scale(rope, size):
    """The factor of the scores of attention whose queries have `size` elements; DeepSeek's yarn raises it."""
    if rope.kind != "default" and rope.mscale_all:
        return yarn_scale(rope.factor, rope.mscale_all) ** 2 / math.sqrt(size)
    return 1 / math.sqrt(size)


def rope_table(rope, size, positions) -> np.ndarray:
    """[positions, size] f32: size/2 cosines, then size/2 sines. Angles are products in f32, as in training."""
    frequencies = inverse_frequencies(rope, size).astype(np.float32)
    angles = np.arange(positions, dtype=np.float32)[:, None] * frequencies
    return np.concatenate((np.cos(angles), np.sin(angles)), axis=1) * np.float32(table_scale(rope))
