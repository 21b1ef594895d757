# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from ml_dtypes import float8_e4m3fn

from kernels.accuracy import Reference, eps, narrowing
from kernels.block_scaled_linear.reference import BLOCK, quantized, spread
from kernels.fused_moe.align import Alignment


def align_reference(ids, experts, tile_m) -> Alignment:
    """The slots and blocks for expert choices `ids` [tokens, top_k].

    Three experts chosen by five slots, blocks of two: ids 2 0 0 2 0 -> slots 1 2 | 4 - | 0 3, experts 0 | 0 | 2.
    """
    chosen = np.asarray(ids).reshape(-1)
    counts = np.bincount(chosen, minlength=experts)
    blocks = -(-counts // tile_m)
    ends = np.cumsum(blocks) * tile_m
    order = np.argsort(chosen, kind="stable")
    # The i-th slot of an expert goes i places after that expert's first block.
    shift = (ends - blocks * tile_m) - (np.cumsum(counts) - counts)
    sorted_slots = np.full(ends[-1], chosen.size, np.int32)
    sorted_slots[np.arange(chosen.size) + shift[chosen[order]]] = order
    return Alignment(sorted_slots, np.repeat(np.arange(experts, dtype=np.int32), blocks), tile_m)


def moe_reference(x, router, gate_up, down, top_k) -> Reference:
    """The whole layer: experts_reference with weights that are off by twice the error of a score, (H + 4) e
    sum |x||router|, relatively, and by 9 e."""
    e = eps(np.float32)
    wide, r = x.astype(np.float64), router.astype(np.float64)
    scores = wide @ r.T
    score_error = (x.shape[1] + 4) * e * (np.abs(wide) @ np.abs(r).T)
    ids = np.argsort(-scores, axis=1, kind="stable")[:, :top_k]
    chosen = np.take_along_axis(scores, ids, axis=1)
    powers = np.exp(chosen - chosen.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    weight_error = 2 * np.take_along_axis(score_error, ids, axis=1).max(axis=1, keepdims=True) + 9 * e
    return experts_reference(x, gate_up, down, weights, ids, weight_error)


def fused_moe_reference(tokens, experts, slot_weights, ids, *, slots_per_row, weighted, out_dtype=None) -> Reference:
    """One product of the layer: row s is row s // slots_per_row of `tokens` times the weights of expert ids[s].

    Relative to sum |a||b| (times the weight): (K + 2) eps of f32, one more for the weight, and the result's rounding.
    """
    out_dtype = np.dtype(out_dtype or tokens.dtype)
    tokens = tokens.astype(np.float64)
    ids = np.asarray(ids).reshape(-1)
    expected = np.empty((ids.size, experts.shape[1]))
    scale = np.empty_like(expected)
    for expert in np.unique(ids):
        slots = np.nonzero(ids == expert)[0]
        a, b = tokens[slots // slots_per_row], experts[expert].astype(np.float64).T
        expected[slots] = a @ b
        scale[slots] = np.abs(a) @ np.abs(b)
    if weighted:
        factor = slot_weights.astype(np.float64).reshape(-1, 1)
        expected *= factor
        scale *= np.abs(factor)
    bound = (tokens.shape[1] + 3) * eps(np.float32)
    bound += narrowing(out_dtype)
    return Reference(expected, scale, bound)


def experts_reference(x, gate_up, down, weights, ids, weight_error=0.0) -> Reference:
    """The layer after routing in f64, with the error carried through it step by step; that of the weights is relative,
    of all of a token.

    With e = eps(f32) and r the rounding of a stored intermediate (eps / 2 of its type where narrower than f32): the
    first product is off by (H + 2) e sum |x||w|; SiLU has a slope of at most 1.1, and with the product after it adds
    6 e + r; the second product carries that through |w2| and adds (I + 2) e sum |h||w2| + r. The scale is that total
    over the bound, (H + I + 4) e.
    """
    e, rounding = eps(np.float32), narrowing(x.dtype)
    x = x.astype(np.float64)
    hidden, inner = x.shape[1], down.shape[2]
    weight_error = np.broadcast_to(weight_error, (len(x), 1))
    expected, error = np.zeros_like(x), np.zeros_like(x)
    for expert in np.unique(ids):
        token, slot = np.nonzero(ids == expert)
        w1, w2 = gate_up[expert].astype(np.float64), down[expert].astype(np.float64)
        gate, up = np.split(x[token] @ w1.T, 2, axis=1)
        gate_error, up_error = np.split((hidden + 2) * e * (np.abs(x[token]) @ np.abs(w1).T), 2, axis=1)
        silu = gate / (1.0 + np.exp(-gate))
        h = silu * up
        h_error = 1.1 * gate_error * (np.abs(up) + up_error) + np.abs(silu) * up_error + (6 * e + rounding) * np.abs(h)
        absolute, weight = np.abs(w2).T, weights[token, slot].astype(np.float64)[:, None]
        part = h @ w2.T
        part_error = h_error @ absolute + (inner + 2) * e * (np.abs(h) @ absolute)
        part_error += (rounding + e + weight_error[token]) * np.abs(part)
        expected[token] += weight * part
        error[token] += np.abs(weight) * part_error
    error += (rounding + ids.shape[1] * e) * np.abs(expected)
    bound = (hidden + inner + 4) * e
    return Reference(expected, error / bound, bound)


def grouped(x):
    """[T, groups, 128] with zeros beyond the end."""
    tokens, columns = x.shape
    result = np.zeros((tokens, -(-columns // BLOCK) * BLOCK), x.dtype)
    result[:, :columns] = x
    return result.reshape(tokens, -1, BLOCK)


def rounded(x):
    """x [T, K] as `quantized` rounds it, in f64."""
    numbers, scales = quantized(x)
    return numbers.astype(np.float64) * np.repeat(scales.astype(np.float64), BLOCK, axis=1)[:, : x.shape[1]]


def rounded_with_error(x, error, dtype):
    """x [T, K] in f64 as a type, then as `quantized`, and how far off that is if x is off by `error`: near a boundary
    of two numbers by their distance. Both steps keep order, so that the ends of the error bound what is between."""
    middle = rounded(x.astype(dtype).astype(np.float32))
    low, high = (grouped(end.astype(dtype).astype(np.float32)).astype(np.float64) for end in (x - error, x + error))
    larger, smaller = np.maximum(np.abs(low), np.abs(high)), np.minimum(np.abs(low), np.abs(high))
    smaller[low * high < 0] = 0
    least = float(np.finfo(np.float32).tiny)
    scales = [np.maximum(end.max(axis=2, keepdims=True) / 448, least) for end in (smaller, larger)]
    off = np.zeros(low.shape)
    for end in (low, high):
        for divisor in scales:
            number = np.clip(end / divisor, -448, 448).astype(float8_e4m3fn).astype(np.float64)
            for factor in scales:
                off = np.maximum(off, np.abs(number * factor - grouped(middle)))
    return middle, off.reshape(len(x), -1)[:, : x.shape[1]]


def experts_fp8_reference(x, gate_up, gate_up_scales, down, down_scales, weights, ids) -> Reference:
    """experts_reference for weights with scales, and operands that are rounded to f8E4M3: x exactly, what is between
    the products by rounded_with_error. A product is off by (K + 6) e sum |x||w| as that of block_scaled_linear."""
    e, rounding = eps(np.float32), narrowing(x.dtype)
    dtype, hidden, inner = x.dtype, x.shape[1], down.shape[2]
    expected, error = np.zeros(x.shape), np.zeros(x.shape)
    x = rounded(x.astype(np.float32))
    for expert in np.unique(ids):
        token, slot = np.nonzero(ids == expert)
        w1 = gate_up[expert].astype(np.float64) * spread(gate_up_scales[expert].astype(np.float64), gate_up.shape[1:])
        w2 = down[expert].astype(np.float64) * spread(down_scales[expert].astype(np.float64), down.shape[1:])
        gate, up = np.split(x[token] @ w1.T, 2, axis=1)
        gate_error, up_error = np.split((hidden + 6) * e * (np.abs(x[token]) @ np.abs(w1).T), 2, axis=1)
        silu = gate / (1.0 + np.exp(-gate))
        h_error = 1.1 * gate_error * (np.abs(up) + up_error) + np.abs(silu) * up_error + 6 * e * np.abs(silu * up)
        h, h_error = rounded_with_error(silu * up, h_error, dtype)
        part, weight = h @ w2.T, weights[token, slot].astype(np.float64)[:, None]
        part_error = h_error @ np.abs(w2).T + (inner + 6) * e * (np.abs(h) @ np.abs(w2).T)
        expected[token] += weight * part
        error[token] += np.abs(weight) * (part_error + (rounding + e) * np.abs(part))
    error += (rounding + ids.shape[1] * e) * np.abs(expected)
    bound = (hidden + inner + 12) * e
    return Reference(expected, error / bound, bound)
