# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of all operations, compiled by Numba. Types that Numba lacks come as bits: bf16 as u16, f8e4m3 as u8.

Sums are in f32. Rows of matrices lie in one piece; arrays may be views of wider ones. All loops are in this one file,
since Numba keeps compiled functions by the date of their own file, not of those that they call. They are kept in
__pycache__ beside it or, where an installation is read-only, in the user's cache folder; NUMBA_CACHE_DIR names another.
"""

import math

import numpy as np
from llvmlite import ir
from numba import njit, prange, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload

F32, U32, UINT = np.float32, np.uint32, np.uintp  # indices of UINT are not taken for ones from the end
BLOCK = 128  # rows and columns that share a scale of float8
FAST = {"contract", "reassoc", "nsz"}  # sums in any order, which vectors need; infinities and NaN keep their meaning
OPTIONS = {"fastmath": FAST, "error_model": "numpy"}
serial, parallel = njit(cache=True, **OPTIONS), njit(cache=True, parallel=True, **OPTIONS)
exact = njit(error_model="numpy", cache=True)


# ---- bits of types ----------------------------------------------------------------------------


@intrinsic
def to_bits(context, value):
    """The bits of f32 as u32."""
    return types.uint32(value), lambda ctx, builder, sig, args: builder.bitcast(args[0], ir.IntType(32))


@intrinsic
def to_float(context, bits):
    """The low 32 bits as f32. Numba computes with integers of 64 bits, which LLVM narrows."""

    def generate(ctx, builder, sig, args):
        low = args[0] if args[0].type.width == 32 else builder.trunc(args[0], ir.IntType(32))
        return builder.bitcast(low, ir.FloatType())

    return types.float32(bits), generate


@intrinsic
def dense(context, array):
    """An array that lies in one piece, as a type that says so: loops over it become vectors."""
    to = array.copy(layout="C")
    return to(array), lambda ctx, builder, sig, args: impl_ret_borrowed(ctx, builder, to, args[0])


def widen(value):
    """bf16 or f32 as f32."""


@overload(widen, inline="always")
def _widen(value):
    if value == types.uint16:
        return lambda value: to_float(U32(value) << U32(16))
    return lambda value: value


def narrow(value, like):
    """f32 in the type of an array: bf16 is rounded to nearest, ties to even."""


@overload(narrow, inline="always")
def _narrow(value, like):
    return (lambda value, like: to_bf16(value)) if like.dtype == types.uint16 else (lambda value, like: value)


@exact
def to_bf16(value):
    bits = to_bits(value)
    up = (bits + U32(0x7FFF) + ((bits >> U32(16)) & U32(1))) >> U32(16)
    return np.uint16(up if value == value else U32(0x7FC0))


@exact
def from_f8(bits):
    """f8e4m3 as f32: with its exponent in f32's place it is 2^-120 of itself, subnormal numbers included. NaN, which
    weights do not have, would be 480."""
    moved = U32(np.int32(np.int8(bits)) << np.int32(20))
    return to_float(moved & U32(0x87F00000)) * F32(2.0**120)


@exact
def low_half(byte):
    """The first of two values of 4 bits in f32."""
    return F32(byte & np.uint8(15)) - F32(8)


@exact
def high_half(byte):
    return F32(byte >> np.uint8(4)) - F32(8)


@exact
def round_f8(value):
    """f32 of at most 448 rounded to f8e4m3, ties to even, as f32."""
    bits = to_bits(value)
    normal = to_float((bits + U32(0x7FFFF) + ((bits >> U32(20)) & U32(1))) & U32(0xFFF00000))
    steps = F32(1.5 * 2.0**14)  # numbers near it are 2^-9 apart, as subnormal ones are
    return (value + steps) - steps if abs(value) < F32(2.0**-6) else normal


@exact
def exp(x):
    """e^x of f32 to 2 units in the last place, in a form that LLVM vectorizes; 0 below -87."""
    whole = min(max(np.floor(x * F32(1.44269504) + F32(0.5)), F32(-127)), F32(128))
    rest = x - whole * F32(0.693359375) + whole * F32(2.12194440e-4)
    power = F32(1.9875691e-4) * rest + F32(1.3981999e-3)
    power = (power * rest + F32(8.3334519e-3)) * rest + F32(4.1665796e-2)
    power = (power * rest + F32(1.6666665e-1)) * rest + F32(5.0000001e-1)
    power = power * rest * rest + rest + F32(1)
    result = power * to_float(U32(np.int32(whole) + np.int32(127)) << U32(23))
    return F32(0) if x < F32(-87) else result


# ---- rows -------------------------------------------------------------------------------------


@serial
def convert(x, out):
    """out = x, each [T, heads, D] of f32 or bf16."""
    for t in range(len(x)):
        for h in range(x.shape[1]):
            source, target = dense(x[t, h]), dense(out[t, h])
            for d in range(len(source)):
                target[d] = narrow(widen(source[d]), out)


@serial
def gather(table, ids, out):
    for t in range(len(ids)):
        source, target = dense(table[ids[t]]), dense(out[t])
        for k in range(len(target)):
            target[k] = source[k]


@serial
def scatter(rows, slots, out):
    """out [pages, page, heads, D] at slots = rows [T, heads, D]."""
    page = out.shape[1]
    for t in range(len(slots)):
        place = out[slots[t] // page, slots[t] % page]
        for h in range(rows.shape[1]):
            source, target = dense(rows[t, h]), dense(place[h])
            for d in range(len(source)):
                target[d] = source[d]


@serial
def norm_row(x, weight, out, epsilon):
    squares = F32(0)
    for i in range(len(x)):
        squares += widen(x[i]) * widen(x[i])
    factor = F32(1) / F32(math.sqrt(squares / F32(len(x)) + epsilon))
    for i in range(len(x)):
        out[i] = narrow(widen(x[i]) * factor * widen(weight[i]), out)


@parallel
def rms_norm(x, weight, out, epsilon):
    for t in prange(len(x)):
        norm_row(dense(x[t]), weight, dense(out[t]), epsilon)


@parallel
def add_rms_norm(x, residual, weight, out, epsilon):
    for t in prange(len(x)):
        added, total = dense(x[t]), dense(residual[t])
        for i in range(len(total)):
            total[i] = narrow(widen(total[i]) + widen(added[i]), total)
        norm_row(total, weight, dense(out[t]), epsilon)


@parallel
def silu_mul(gate_up, out):
    size = out.shape[1]
    for t in prange(len(out)):
        gate, up, target = dense(gate_up[t, :size]), dense(gate_up[t, size:]), dense(out[t])
        for i in range(size):
            value = widen(gate[i])
            target[i] = narrow(value / (F32(1) + exp(-value)) * widen(up[i]), out)


@parallel
def rope(x, positions, table, interleaved):
    half = x.shape[2] // 2
    for t in prange(len(x)):
        cosines, sines = table[positions[t], :half], table[positions[t], half:]
        for h in range(x.shape[1]):
            head = dense(x[t, h])
            for i in range(half):
                first, second = (2 * i, 2 * i + 1) if interleaved else (i, half + i)
                a, b = widen(head[first]), widen(head[second])
                head[first] = narrow(a * cosines[i] - b * sines[i], x)
                head[second] = narrow(b * cosines[i] + a * sines[i], x)


@exact
def round_row_to_f8(x):
    """Rounds every 128 columns in place with a scale of their own."""
    for first in range(0, len(x), BLOCK):
        part = x[first : first + BLOCK]
        largest = F32(0)
        for k in range(len(part)):
            largest = max(largest, abs(part[k]))
        scale = max(largest / F32(448), F32(1.17549435e-38))
        for k in range(len(part)):
            part[k] = round_f8(part[k] / scale) * scale


@parallel
def round_to_f8(x):
    for t in prange(len(x)):
        round_row_to_f8(x[t])


# ---- products ---------------------------------------------------------------------------------


@serial
def dot(x, w):
    total = F32(0)
    for k in range(len(x)):
        total += x[k] * w[k]
    return total


@serial
def dot_tile(x, w, out):
    """out [4, 3] += x [4, K] w^T: twelve sums in as many vector registers, seven loads for their twelve products."""
    x0, x1, x2, x3 = dense(x[0]), dense(x[1]), dense(x[2]), dense(x[3])
    w0, w1, w2 = dense(w[0]), dense(w[1]), dense(w[2])
    s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = s30 = s31 = s32 = F32(0)
    for k in range(len(x0)):
        s00 += x0[k] * w0[k]
        s01 += x0[k] * w1[k]
        s02 += x0[k] * w2[k]
        s10 += x1[k] * w0[k]
        s11 += x1[k] * w1[k]
        s12 += x1[k] * w2[k]
        s20 += x2[k] * w0[k]
        s21 += x2[k] * w1[k]
        s22 += x2[k] * w2[k]
        s30 += x3[k] * w0[k]
        s31 += x3[k] * w1[k]
        s32 += x3[k] * w2[k]
    sums = ((s00, s01, s02), (s10, s11, s12), (s20, s21, s22), (s30, s31, s32))
    for t in range(4):
        for n in range(3):
            out[t, n] += sums[t][n]


@serial
def add_dots(x, w, out):
    """out [T, N] += x [T, K] w^T, w [N, K], all f32."""
    tokens, rows = out.shape
    whole_tokens, whole_rows = tokens // 4 * 4, rows // 3 * 3
    for t in range(0, whole_tokens, 4):
        for n in range(0, whole_rows, 3):
            dot_tile(x[t : t + 4], w[n : n + 3], out[t : t + 4, n : n + 3])
    for t in range(tokens):
        for n in range(whole_rows if t < whole_tokens else 0, rows):
            out[t, n] += dot(dense(x[t]), dense(w[n]))


@serial
def add_multiples(x, w, out):
    """out [T, N] += x [T, K] w, w [K, N], all f32; four rows of w for each load and store of out."""
    columns, size = w.shape
    whole = columns // 4 * 4
    for t in range(len(out)):
        row = dense(out[t])
        for k in range(0, whole, 4):
            x0, x1, x2, x3 = x[t, k], x[t, k + 1], x[t, k + 2], x[t, k + 3]
            w0, w1, w2, w3 = dense(w[k]), dense(w[k + 1]), dense(w[k + 2]), dense(w[k + 3])
            for n in range(size):
                row[n] += x0 * w0[n] + x1 * w1[n] + x2 * w2[n] + x3 * w3[n]
        for k in range(whole, columns):
            x0, w0 = x[t, k], dense(w[k])
            for n in range(size):
                row[n] += x0 * w0[n]


# The two values of 4 bits of each byte, in the memory of one complex number.
PAIRS = np.array([complex((byte & 15) - 8, (byte >> 4) - 8) for byte in range(256)], np.complex64)


def unpack(weight, scales, group, n, first, out):
    """out f32 = columns `first` and following of row n of a weight: bf16 or f32, i8 with a scale for each row, u8 with
    a scale for each 128 x 128 (float8) or, if there is a group, of values of 4 bits with a scale for each group."""


@overload(unpack, jit_options=OPTIONS)
def _unpack(weight, scales, group, n, first, out):
    def plain(weight, scales, group, n, first, out):
        row = dense(weight[n, first : first + len(out)])
        for k in range(len(out)):
            out[k] = widen(row[k])

    def int8(weight, scales, group, n, first, out):
        row, scale = dense(weight[n, first : first + len(out)]), scales[n]
        for k in range(len(out)):
            out[k] = F32(row[k]) * scale

    def float8(weight, scales, group, n, first, out):
        for start in range(0, len(out), BLOCK):
            part, scale = out[start : start + BLOCK], scales[n // BLOCK, (first + start) // BLOCK]
            row = dense(weight[n, first + start : first + start + len(part)])
            for k in range(len(part)):
                part[k] = from_f8(row[k]) * scale

    def int4(weight, scales, group, n, first, out):
        row = dense(weight[n, first // 2 : (first + len(out)) // 2])
        pairs = out.view(np.complex64)
        for k in range(len(row)):
            pairs[k] = PAIRS[row[k]]
        for start in range(0, len(out), group):
            scale = scales[n, (first + start) // group]
            for k in range(start, min(start + group, len(out))):
                out[UINT(k)] *= scale

    return form_of(weight, group, plain, int8, float8, int4)


def form_of(weight, group, plain, int8, float8, int4):
    """The function for the type of a weight."""
    if weight.dtype == types.uint8:
        return float8 if isinstance(group, types.NoneType) else int4
    return int8 if weight.dtype == types.int8 else plain


def dot_row(x, weight, scales, group, n):
    """x f32 [K] times row n of a weight in any form that unpack takes; x is what in_order makes of it."""


@overload(dot_row, jit_options=OPTIONS)
def _dot_row(x, weight, scales, group, n):
    def plain(x, weight, scales, group, n):
        row, total = dense(weight[n]), F32(0)
        for k in range(len(x)):
            total += x[k] * widen(row[k])
        return total

    def int8(x, weight, scales, group, n):
        row, total = dense(weight[n]), F32(0)
        for k in range(len(x)):
            total += x[k] * F32(row[k])
        return total * scales[n]

    def float8(x, weight, scales, group, n):
        row, total, whole = dense(weight[n]), F32(0), len(x) // BLOCK
        for block in range(whole):
            part = F32(0)
            for j in range(BLOCK):
                k = UINT(block * BLOCK) + UINT(j)
                part += x[k] * from_f8(row[k])
            total += part * scales[n // BLOCK, block]
        for k in range(whole * BLOCK, len(x)):
            total += x[k] * from_f8(row[k]) * scales[n // BLOCK, whole]
        return total

    def int4(x, weight, scales, group, n):
        row, scale, half = dense(weight[n]), dense(scales[n]), group // 2
        even, odd, total, whole = x[: len(row)], x[len(row) :], F32(0), 0
        if half == SHORT:
            whole = len(scale) // 4 * 4
            for g in range(0, whole, 4):
                total += dot_short_groups(even, odd, row, scale, g)
        for g in range(whole, len(scale)):
            part = F32(0)
            for k in range(g * half, (g + 1) * half):
                part += even[k] * low_half(row[k]) + odd[k] * high_half(row[k])
            total += part * scale[g]
        return total

    return form_of(weight, group, plain, int8, float8, int4)


SHORT = 16  # bytes of a group of int4: fewer than the elements of a step of LLVM's loops, but four groups are enough


@serial
def dot_short_groups(even, odd, row, scales, g):
    """The products of four groups of SHORT bytes."""
    first, second = UINT(g * SHORT), UINT((g + 1) * SHORT)
    third, fourth = UINT((g + 2) * SHORT), UINT((g + 3) * SHORT)
    s0 = s1 = s2 = s3 = F32(0)
    for j in range(SHORT):
        a, b, c, d = first + UINT(j), second + UINT(j), third + UINT(j), fourth + UINT(j)
        s0 += even[a] * low_half(row[a]) + odd[a] * high_half(row[a])
        s1 += even[b] * low_half(row[b]) + odd[b] * high_half(row[b])
        s2 += even[c] * low_half(row[c]) + odd[c] * high_half(row[c])
        s3 += even[d] * low_half(row[d]) + odd[d] * high_half(row[d])
    return s0 * scales[g] + s1 * scales[g + 1] + s2 * scales[g + 2] + s3 * scales[g + 3]


@serial
def in_order(x, group):
    """x, or for weights of 4 bits its even elements, then its odd ones."""
    if group is None:
        return x
    half = len(x) // 2
    result = np.empty(2 * half, F32)
    for k in range(half):
        result[k], result[half + k] = x[2 * k], x[2 * k + 1]
    return result


PANEL = 48  # rows of a weight that are unpacked together, a multiple of 3
WIDTH = 1024  # of their columns: four rows of x and three of the panel fill most of a first cache of 32 KiB


@serial
def product_rows(x, weight, scales, group, first, last, out):
    """out f32 [T, N] at columns first to last = x f32 [T, K] weight^T. For many tokens panels of the weight become f32
    in a buffer that all of them use."""
    if len(x) == 1:
        row = in_order(dense(x[0]), group)
        for n in range(first, last):
            out[0, n] = dot_row(row, weight, scales, group, n)
        return
    columns = x.shape[1]
    panel = np.empty((PANEL, WIDTH), F32)
    out[:, first:last] = 0
    for n in range(first, last, PANEL):
        rows = min(PANEL, last - n)
        for start in range(0, columns, WIDTH):
            width = min(WIDTH, columns - start)
            for row in range(rows):
                unpack(weight, scales, group, n + row, start, panel[row, :width])
            add_dots(x[:, start : start + width], panel[:rows, :width], out[:, n : n + rows])


@parallel
def product(x, weight, scales, group, out):
    """out f32 [T, N] = x f32 [T, K] weight^T, in any form that unpack takes."""
    rows = len(weight)
    for block in prange(-(-rows // PANEL)):
        product_rows(x, weight, scales, group, block * PANEL, min((block + 1) * PANEL, rows), out)


@serial
def product_columns(x, weight, out):
    """out f32 [T, N] = x f32 [T, K] weight^T where weight^T [K, N] has its rows in one piece."""
    turned = weight.T
    panel = np.empty((16, turned.shape[1]), F32)
    out[...] = 0
    for start in range(0, len(turned), len(panel)):
        rows = min(len(panel), len(turned) - start)
        for row in range(rows):
            unpack(turned, None, None, start + row, 0, panel[row])
        add_multiples(x[:, start : start + rows], panel[:rows], out)


@parallel
def head_product(x, weight, out):
    """out f32 [T, heads, N] = x f32 [T, heads, K] weight^T, a matrix [N, K] per head."""
    for h in prange(len(weight)):
        if weight.strides[2] == weight.itemsize:
            product_rows(x[:, h], weight[h], None, None, 0, weight.shape[1], out[:, h])
        else:
            product_columns(x[:, h], weight[h], out[:, h])


@serial
def add_rows(rows, tokens, factors, out):
    """out[tokens[i]] += factors[i] * rows[i]"""
    for i in range(len(rows)):
        target, row, factor = out[tokens[i]], rows[i], factors[i]
        for k in range(len(row)):
            target[k] += factor * row[k]


# ---- attention --------------------------------------------------------------------------------

QUERIES = 64  # rows that go through the keys together: tokens times heads that share keys


@serial
def soften(scores, visible, top, total, mixed):
    """Turns the scores of one query into weights relative to the largest so far, and rescales what there is of its
    result: returns the new largest one and the new sum of weights."""
    largest = top
    for s in range(visible):
        largest = max(largest, scores[s])
    factor = exp(top - largest)
    if factor != F32(1):
        for d in range(len(mixed)):
            mixed[d] *= factor
    weights = F32(0)
    for s in range(len(scores)):
        scores[s] = exp(scores[s] - largest) if s < visible else F32(0)
        weights += scores[s]
    return largest, total * factor + weights


@serial
def attend(q, keys, values, table, before, kv_head, same, scale, out):
    """out f32 [T, G, V] of the queries q f32 [T, G, D] that share a key head, the first of which sees `before` keys
    besides its own. Keys and values of a page become f32 once for all queries."""
    tokens, group, size = q.shape
    width, page = out.shape[2], keys.shape[1]
    rows = np.empty((tokens * group, size), F32)
    for i in range(len(rows)):
        for d in range(size):
            rows[i, d] = q[i // group, i % group, d] * scale
    mixed = np.zeros((len(rows), width), F32)
    top, total = np.full(len(rows), F32(-np.inf)), np.zeros(len(rows), F32)
    scores = np.empty((len(rows), page), F32)
    wide_keys, wide_values = np.empty((page, size), F32), np.empty((page, width), F32)
    for first in range(0, before + tokens, page):
        count, number = min(page, before + tokens - first), table[first // page]
        for s in range(count):
            unpack(keys[number, s], None, None, kv_head, 0, wide_keys[s])
            if not same:
                unpack(values[number, s], None, None, kv_head, 0, wide_values[s])
        scores[...] = 0
        add_dots(rows, wide_keys[:count], scores[:, :count])
        for i in range(len(rows)):
            visible = min(count, before + i // group + 1 - first)
            if visible > 0:
                top[i], total[i] = soften(scores[i, :count], visible, top[i], total[i], mixed[i])
            else:
                scores[i] = 0
        if same:
            add_multiples(scores[:, :count], wide_keys[:count, :width], mixed)
        else:
            add_multiples(scores[:, :count], wide_values[:count, :width], mixed)
    for i in range(len(rows)):
        for d in range(width):
            out[i // group, i % group, d] = mixed[i, d] / total[i]


@serial
def plan(starts, heads, group):
    """Tasks of attention: request, its tokens from first to last, and heads from first to last, which share keys. Those
    of a head follow each other, since the last tokens of a prompt see most keys and threads take equal parts."""
    tokens, tasks = max(QUERIES // group, 1), []
    for shared in range(0, heads, group):
        for head in range(shared, shared + group, QUERIES):
            for r in range(len(starts) - 1):
                for token in range(starts[r], starts[r + 1], tokens):
                    last = min(token + tokens, starts[r + 1])
                    tasks.append((r, token, last, head, min(head + QUERIES, shared + group)))
    return tasks


@parallel
def attention(q, keys, values, tables, starts, lengths, same, scale, out):
    """q and out f32, keys and values [pages, page, KV, D]; `same`: values are the first elements of keys."""
    heads = q.shape[1]
    group = heads // keys.shape[2]
    tasks = plan(starts, heads, group)
    for i in prange(len(tasks)):
        r, token, last, head, end = tasks[i]
        before = lengths[r] - (starts[r + 1] - token)
        queries, results = q[token:last, head:end], out[token:last, head:end]
        attend(queries, keys, values, tables[r], before, head // group, same, scale, results)


# ---- choices ----------------------------------------------------------------------------------


@exact
def take_largest(values, taken):
    """The place of the largest value that is not taken yet, of equal ones the first; it is taken then."""
    best = -1
    for i in range(len(values)):
        if not taken[i] and (best < 0 or values[i] > values[best]):
            best = i
    taken[best] = True
    return best


@exact
def group_value(values, sigmoid):
    """The largest of a group, or the sum of its two largest."""
    first, second = F32(-np.inf), F32(-np.inf)
    for value in values:
        if value > first:
            first, second = value, first
        elif value > second:
            second = value
    return first + second if sigmoid else first


@exact
def gate_row(scores, gate, sigmoid):
    if sigmoid:
        for e in range(len(scores)):
            gate[e] = F32(1) / (F32(1) + exp(-scores[e]))
        return
    largest = scores.max()
    for e in range(len(scores)):
        gate[e] = exp(scores[e] - largest)
    gate /= gate.sum()


@serial
def route(scores, bias, weights, ids, sigmoid, groups, top_groups, normalize, scale):
    experts = scores.shape[1]
    size = experts // groups
    for t in range(len(scores)):
        gate, choice = np.empty(experts, F32), np.empty(experts, F32)
        gate_row(scores[t], gate, sigmoid)
        for e in range(experts):
            choice[e] = gate[e] if bias is None else gate[e] + bias[e]
        if groups > 1:
            values, allowed = np.empty(groups, F32), np.zeros(groups, np.bool_)
            for g in range(groups):
                values[g] = group_value(choice[g * size : (g + 1) * size], sigmoid)
            for _ in range(top_groups):
                take_largest(values, allowed)
            for e in range(experts):
                if not allowed[e // size]:
                    choice[e] = -np.inf
        taken, total = np.zeros(experts, np.bool_), F32(1e-20)
        for k in range(ids.shape[1]):
            ids[t, k] = take_largest(choice, taken)
            total += gate[ids[t, k]]
        for k in range(ids.shape[1]):
            weights[t, k] = gate[ids[t, k]] / (total if normalize else F32(1)) * scale


@exact
def mix(x):
    """Spreads every bit of a u32 over all 32."""
    x = U32(U32(x ^ (x >> U32(16))) * U32(0x7FEB352D))
    x = U32(U32(x ^ (x >> U32(15))) * U32(0x846CA68B))
    return U32(x ^ (x >> U32(16)))


@exact
def noise_key(seed, step):
    high = U32(seed >> 32)
    return mix(U32(mix(U32(seed)) ^ mix(U32(high ^ U32(0x9E3779B9))) ^ U32(U32(step) * U32(0x85EBCA6B))))


@exact
def noise(key, place):
    """f32 of Gumbel's distribution, as that of reference.py."""
    bits = mix(U32(key ^ mix(U32(place))))
    return -math.log(-math.log((F32(bits >> U32(9)) + F32(0.5)) / F32(1 << 23)))


@exact
def least_kept(probabilities, top_k, top_p):
    """The least probability that may be drawn, and how many of those that are equal to it: by counting the values of
    the upper ten bits of positive f32, whose order is that of their bits, then of the next ten, then of the last."""
    rank, before, limit = 0, 0.0, U32(0)
    for shift in (20, 10, 0):
        counts, sums, bin = np.zeros(1024, np.int64), np.zeros(1024), 1023
        for p in probabilities:
            bits = to_bits(p)
            if bits >> U32(shift + 10) == limit:
                counts[(bits >> U32(shift)) & U32(1023)] += 1
                sums[(bits >> U32(shift)) & U32(1023)] += p
        while bin > 0 and (top_k <= 0 or rank + counts[bin] < top_k) and before + sums[bin] < top_p:
            rank, before, bin = rank + counts[bin], before + sums[bin], bin - 1
        limit = U32((limit << U32(10)) | U32(bin))
    equal, value = 0, to_float(limit)
    while equal < counts[bin] and (rank == 0 or (before < top_p and (top_k <= 0 or rank < top_k))):
        equal, rank, before = equal + 1, rank + 1, before + value
    return value, equal


@serial
def softmax(row, temperature, scaled, probabilities):
    largest, total = F32(-np.inf), F32(0)
    for i in range(len(row)):
        scaled[i] = row[i] / temperature
        largest = max(largest, scaled[i])
    for i in range(len(row)):
        probabilities[i] = exp(scaled[i] - largest)
        total += probabilities[i]
    for i in range(len(row)):
        probabilities[i] /= total


@exact
def draw(row, temperature, top_k, top_p, min_p, key):
    scaled, probabilities = np.empty_like(row), np.empty_like(row)
    softmax(row, temperature, scaled, probabilities)
    least, equal = least_kept(probabilities, top_k, top_p)
    best, chosen, bound = F32(-np.inf), 0, min_p * probabilities.max()
    for i in range(len(row)):
        p = probabilities[i]
        if p < least or p < bound or (p == least and equal == 0):
            continue
        if p == least:
            equal -= 1
        value = scaled[i] + noise(key, i)
        if value > best:
            best, chosen = value, i
    return chosen


@parallel
def sample(logits, out, temperature, top_k, top_p, min_p, seeds, steps):
    for r in prange(len(logits)):
        if temperature[r] == 0:
            out[r] = np.argmax(logits[r])
        else:
            key = noise_key(seeds[r], steps[r])
            out[r] = draw(logits[r], temperature[r], top_k[r], top_p[r], min_p[r], key)
