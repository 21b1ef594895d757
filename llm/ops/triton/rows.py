# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on the rows of tokens, bound by memory: each element is read and written once."""

import triton
import triton.language as tl

TILE = 1024  # elements of a program


@triton.jit
def embedding_kernel(ids, table, out, columns, table_row, out_row, TILE: tl.constexpr):
    """One program for TILE columns of one token."""
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    row = tl.load(ids + token).to(tl.int64)
    values = tl.load(table + row * table_row + column, mask=column < columns)
    tl.store(out + token * out_row + column, values, mask=column < columns)


def embedding(ids, table, out):
    tokens, columns = out.shape
    grid = (tokens, triton.cdiv(columns, TILE))
    embedding_kernel[grid](ids, table, out, columns, table.stride(0), out.stride(0), TILE)


@triton.jit
def norm_kernel(x, residual, weight, out, columns, x_row, residual_row, out_row, epsilon, TILE: tl.constexpr):
    """One program per row, which it holds in registers. The sum with the residual is rounded before its norm."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, TILE)
    there = column < columns
    values = tl.load(x + row * x_row + column, mask=there, other=0.0).to(tl.float32)
    if residual is not None:
        at = residual + row * residual_row + column
        total = (values + tl.load(at, mask=there, other=0.0).to(tl.float32)).to(residual.dtype.element_ty)
        tl.store(at, total, mask=there)
        values = total.to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values) / columns + epsilon)
    result = values * scale * tl.load(weight + column, mask=there, other=0.0).to(tl.float32)
    tl.store(out + row * out_row + column, result.to(out.dtype.element_ty), mask=there)


def add_rms_norm(x, residual, weight, out, *, epsilon):
    rows, columns = x.shape
    tile = triton.next_power_of_2(columns)
    residual_row = 0 if residual is None else residual.stride(0)
    strides = x.stride(0), residual_row, out.stride(0)
    warps = min(16, max(1, tile // 512))
    norm_kernel[rows,](x, residual, weight, out, columns, *strides, epsilon, tile, num_warps=warps)


def rms_norm(x, weight, out, *, epsilon):
    add_rms_norm(x, None, weight, out, epsilon=epsilon)


@triton.jit
def rope_kernel(
    x,
    positions,
    table,
    heads,
    x_token,
    x_head,
    table_row,
    HALF: tl.constexpr,
    INTERLEAVED: tl.constexpr,
    TILE: tl.constexpr,
    HEADS: tl.constexpr,
):
    """One program for HEADS heads of one token, whose elements it rotates in pairs."""
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)[:, None]
    pair = tl.arange(0, TILE)[None, :]
    there = (head < heads) & (pair < HALF)
    position = tl.load(positions + token).to(tl.int64)
    cosine = tl.load(table + position * table_row + pair, mask=pair < HALF)
    sine = tl.load(table + position * table_row + HALF + pair, mask=pair < HALF)
    first = x + token * x_token + head * x_head + (2 * pair if INTERLEAVED else pair)
    second = first + (1 if INTERLEAVED else HALF)
    a = tl.load(first, mask=there).to(tl.float32)
    b = tl.load(second, mask=there).to(tl.float32)
    tl.store(first, (a * cosine - b * sine).to(x.dtype.element_ty), mask=there)
    tl.store(second, (b * cosine + a * sine).to(x.dtype.element_ty), mask=there)


def rope(x, positions, table, *, interleaved):
    tokens, heads, size = x.shape
    of_program = min(8, triton.next_power_of_2(heads))
    grid = (tokens, triton.cdiv(heads, of_program))
    sizes = size // 2, interleaved, triton.next_power_of_2(size // 2), of_program
    rope_kernel[grid](x, positions, table, heads, x.stride(0), x.stride(1), table.stride(0), *sizes)


@triton.jit
def silu_mul_kernel(gate_up, out, columns, gate_up_row, out_row, TILE: tl.constexpr):
    """One program for TILE columns of one token."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    there = column < columns
    gate = tl.load(gate_up + row * gate_up_row + column, mask=there).to(tl.float32)
    up = tl.load(gate_up + row * gate_up_row + columns + column, mask=there).to(tl.float32)
    result = gate / (1 + tl.exp(-gate)) * up
    tl.store(out + row * out_row + column, result.to(out.dtype.element_ty), mask=there)


def silu_mul(gate_up, out):
    rows, columns = out.shape
    grid = (rows, triton.cdiv(columns, TILE))
    silu_mul_kernel[grid](gate_up, out, columns, gate_up.stride(0), out.stride(0), TILE)


@triton.jit
def move(tokens, cache, slot, token, place, elements, token_stride, head_stride, SIZE: tl.constexpr):
    """Elements `place` of one token, heads of SIZE one after the other, into a contiguous cache."""
    there = place < elements
    values = tl.load(tokens + token * token_stride + place // SIZE * head_stride + place % SIZE, mask=there)
    tl.store(cache + slot * elements + place, values, mask=there)


@triton.jit
def append_kernel(
    k,
    v,
    cache_k,
    cache_v,
    slots,
    k_elements,
    v_elements,
    k_token,
    k_head,
    v_token,
    v_head,
    K_SIZE: tl.constexpr,
    V_SIZE: tl.constexpr,
    TILE: tl.constexpr,
):
    """One program for TILE elements of one token's keys, and of its values."""
    token = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * TILE + tl.arange(0, TILE)
    slot = tl.load(slots + token).to(tl.int64)
    move(k, cache_k, slot, token, place, k_elements, k_token, k_head, K_SIZE)
    if v is not None:
        move(v, cache_v, slot, token, place, v_elements, v_token, v_head, V_SIZE)


def append(k, v, cache_k, cache_v, slots):
    tokens, heads = k.shape[:2]
    sizes = k.shape[2], v.shape[2]
    elements = [heads * size for size in sizes]
    tile = min(TILE, triton.next_power_of_2(max(elements)))
    grid = (tokens, triton.cdiv(max(elements), tile))
    strides = k.stride()[:2] + v.stride()[:2]
    append_kernel[grid](k, v, cache_k, cache_v, slots, *elements, *strides, *sizes, tile)


def latent_append(latent, cache, slots):
    tokens, size = latent.shape
    tile = triton.next_power_of_2(size)
    append_kernel[tokens, 1](latent, None, cache, None, slots, size, 0, latent.stride(0), 0, 0, 0, size, 1, tile)
