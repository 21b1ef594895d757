# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on rows in Triton: a row of a power of two columns in one tile."""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, out, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    values = tl.load(x + at).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + at, (powers / tl.sum(powers, 0)).to(out.dtype.element_ty))


@triton.jit
def rms_norm_kernel(x, weight, out, epsilon, TILE: tl.constexpr):
    column = tl.arange(0, TILE)
    at = tl.program_id(0).to(tl.int64) * TILE + column
    values = tl.load(x + at).to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values, 0) / TILE + epsilon)
    tl.store(out + at, (values * scale * tl.load(weight + column).to(tl.float32)).to(out.dtype.element_ty))


@triton.jit
def layer_norm_kernel(x, weight, bias, out, epsilon, TILE: tl.constexpr):
    column = tl.arange(0, TILE)
    at = tl.program_id(0).to(tl.int64) * TILE + column
    values = tl.load(x + at).to(tl.float32)
    distances = values - tl.sum(values, 0) / TILE
    scale = tl.rsqrt(tl.sum(distances * distances, 0) / TILE + epsilon)
    w, b = tl.load(weight + column).to(tl.float32), tl.load(bias + column).to(tl.float32)
    tl.store(out + at, (distances * scale * w + b).to(out.dtype.element_ty))


@triton.jit
def silu_and_mul_kernel(gate_up, out, columns, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    gate = tl.load(gate_up + row * 2 * columns + column).to(tl.float32)
    up = tl.load(gate_up + row * 2 * columns + columns + column).to(tl.float32)
    tl.store(out + row * columns + column, (gate / (1.0 + tl.exp(-gate)) * up).to(out.dtype.element_ty))


@triton.jit
def add_kernel(x, y, out, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))


def start(kernel, grid, arguments, out, *, tile, warps):
    def call():
        kernel[grid](*arguments, TILE=tile, num_warps=warps)
        return out

    return call
