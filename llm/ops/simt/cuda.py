# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations in CUDA C++ on PyTorch's tensors: which kernel takes an operation, with which constants and blocks.

Kernels run on PyTorch's current stream and nothing comes back to the host, so that graphs can capture them. Accesses of
16 bytes and tensor cores need addresses, strides and sizes that they divide; other arguments take a scalar form.
"""

import torch

from ...errors import UnsupportedType
from .launch import FOLDER, launch, multiprocessors

NAMES = {torch.float32: "float", torch.bfloat16: "bf16"}
DECODE = 16  # rows up to which a product is bound by reading its weight
ACCESS = 16  # bytes


def ceil_div(a, b):
    return -(-a // b)


def width_of(size, *tensors):
    """Elements of one access to rows of so many elements: 16 bytes if all rows begin at such addresses, else one."""
    width = ACCESS // tensors[0].element_size()
    return width if size % width == 0 and all(aligned(tensor) for tensor in tensors) else 1


def aligned(tensor):
    """Whether all rows along the last axis are contiguous and begin at 16 bytes."""
    width = ACCESS // tensor.element_size()
    rows = zip(tensor.shape[:-1], tensor.stride()[:-1], strict=True)
    return (
        tensor.data_ptr() % ACCESS == 0
        and (tensor.stride(-1) == 1 or tensor.shape[-1] == 1)
        and all(stride % width == 0 for size, stride in rows if size > 1)
    )


def threads_for(items, most):
    """A multiple of 32 threads for so many items."""
    return min(most, ceil_div(items, 32) * 32)


def embedding(ids, table, out):
    size = out.shape[1]
    width = width_of(size, table, out)
    threads = threads_for(size // width, 256)
    grid = len(ids), ceil_div(size // width, threads)
    constants = {"ELEMENT": NAMES[table.dtype], "WIDTH": width}
    launch("embedding.cu", "embedding", constants, grid, threads, ids, table, table.stride(0), out, out.stride(0), size)


def norm(x, residual, weight, out, epsilon, add):
    size = x.shape[1]
    width = width_of(size, x, residual, weight, out)
    threads = threads_for(size // width, 1024)
    items = ceil_div(size // width, threads)
    constants = {"ELEMENT": NAMES[x.dtype], "WIDTH": width, "ITEMS": items, "ADD": int(add)}
    arguments = x, x.stride(0), residual, residual.stride(0), weight, out, out.stride(0), size, epsilon
    launch("rms_norm.cu", "rms_norm", constants, (len(x),), threads, *arguments)


def rms_norm(x, weight, out, *, epsilon):
    norm(x, x, weight, out, epsilon, False)


def add_rms_norm(x, residual, weight, out, *, epsilon):
    norm(x, residual, weight, out, epsilon, True)


def rope(x, positions, table, *, interleaved):
    tokens, heads, size = x.shape
    half = size // 2
    width = width_of(half, x)
    threads = threads_for(heads * half // width, 256)
    grid = tokens, ceil_div(heads * half // width, threads)
    constants = {"ELEMENT": NAMES[x.dtype], "WIDTH": width, "HALF": half, "INTERLEAVED": int(interleaved)}
    launch("rope.cu", "rope", constants, grid, threads, x, x.stride(0), x.stride(1), positions, table, heads)


def silu_mul(gate_up, out):
    size = out.shape[1]
    width = width_of(size, gate_up, out)
    threads = threads_for(size // width, 256)
    grid = len(out), ceil_div(size // width, threads)
    constants = {"ELEMENT": NAMES[out.dtype], "WIDTH": width}
    arguments = gate_up, gate_up.stride(0), out, out.stride(0), size
    launch("silu_mul.cu", "silu_mul", constants, grid, threads, *arguments)


def append(k, v, cache_k, cache_v, slots):
    pairs = (k, cache_k), (v, cache_v)
    widths = [width_of(rows.shape[2], rows, cached) for rows, cached in pairs]
    constants = {"ELEMENT": NAMES[k.dtype], "WIDTH": min(widths), "PAGE": cache_k.shape[1]}
    arguments = []
    for rows, cached in pairs:
        strides = cached.stride(0), cached.stride(1), cached.stride(2)
        arguments += [rows, rows.stride(0), rows.stride(1), cached, *strides, rows.shape[2]]
    threads = threads_for(max(rows.shape[1] * rows.shape[2] for rows, _ in pairs) // min(widths), 256)
    sides = 2 if v is not k else 1
    launch("append.cu", "append", constants, (len(slots), sides), threads, slots, k.shape[1], *arguments)


def latent_append(latent, cache, slots):
    rows, cached = latent[:, None], cache[:, :, None]
    append(rows, rows, cached, cached, slots)


FORMS = {torch.bfloat16: "DENSE", torch.int8: "INT8", torch.uint8: "INT4", torch.float8_e4m3fn: "FP8"}


def few_rows(x, weight, out, scales=None, x_scales=None, group=0):
    """A product bound by reading the weight."""
    columns, size = ceil_div(len(x), 8), x.shape[1]
    constants = {"OUT": NAMES[out.dtype], "FORM": FORMS[weight.dtype], "COLUMNS": columns, "WARPS": 8}
    grid = (ceil_div(len(weight), 16),)
    arguments = (x, x.stride(0), x_scales, weight, size, scales, out, out.stride(0), *out.shape, size, group or size)
    launch("gemv.cu", "gemv", constants, grid, 256, *arguments)


# Rows up to which a tile is taken, and the tile: rows, columns, warps down and across, elements of K, and how many such
# tiles are in shared memory.
TILES = ((16, (16, 128, 1, 4, 64, 3)), (64, (64, 128, 2, 4, 32, 4)), (1 << 31, (128, 128, 2, 4, 32, 4)))


def tile_constants(rows, out, form, turned=False):
    """Of the kernels of products for so many rows, and the bytes of shared memory that their tiles take."""
    height, width, down, across, depth, stages = next(tile for most, tile in TILES if rows <= most)
    constants = {"OUT": NAMES[out], "FORM": form, "ROWS": height, "COLUMNS": width, "DOWN": down, "ACROSS": across,
                 "DEPTH": depth, "STAGES": stages, "TURNED": int(turned)}  # fmt: skip
    b_elements = depth * (width + 8) if turned else width * (depth + 8)
    return constants, 2 * stages * (height * (depth + 8) + b_elements)


def gemm(x, weight, out, part_size, turned=False, scales=None, x_scales=None, group=0):
    """x [matrices, M, K], weight [matrices, N, K] or turned [matrices, K, N], out [matrices, M, N]; with one matrix and
    parts of K, out has an entry for each part."""
    (_, rows, size), columns = x.shape, out.shape[2]
    constants, shared = tile_constants(rows, out.dtype, FORMS[weight.dtype], turned)
    grid = ceil_div(rows, constants["ROWS"]), ceil_div(columns, constants["COLUMNS"]), len(out)
    in_row = 2 if weight.dtype == torch.uint8 else 1  # elements in one of PyTorch's
    arguments = (x, x.stride(1), x.stride(0), x_scales, weight, weight.stride(1) * in_row, weight.stride(0) * in_row,
                 scales, out, out.stride(1), out.stride(0), rows, columns, size, part_size, group or size)  # fmt: skip
    threads = constants["DOWN"] * constants["ACROSS"] * 32
    launch("gemm.cu", "gemm", constants | {"SPLIT": int(part_size < size)}, grid, threads, *arguments, shared=shared)


def many_rows(x, weight, out, **form):
    """A product on tensor cores; a K so long and an output so small that GPUs would idle is cut into parts."""
    (rows, size), columns = x.shape, out.shape[1]
    height, width, *_ = next(tile for most, tile in TILES if rows <= most)
    tiles = ceil_div(rows, height) * ceil_div(columns, width)
    parts = max(1, min(2 * multiprocessors() // tiles, size // 512, 16))
    part_size = ceil_div(ceil_div(size, parts), 64) * 64
    if part_size >= size:
        gemm(x[None], weight[None], out[None], size, **form)
        return
    slices = torch.empty((ceil_div(size, part_size), rows, columns), dtype=torch.float32, device=out.device)
    gemm(x[None], weight[None], slices, part_size, **form)
    add_slices(slices, out)


def add_slices(slices, out):
    parts, rows, columns = slices.shape
    threads = threads_for(columns // 4, 128)
    grid = rows, ceil_div(columns // 4, threads)
    arguments = slices, parts, out, out.stride(0), columns
    launch("add_slices.cu", "add_slices", {"OUT": NAMES[out.dtype]}, grid, threads, *arguments)


def product(x, weight, out, scales=None, group=0):
    """x [matrices, M, K], weight [matrices, N, K] and out [matrices, M, N] of any types and strides."""
    matrices, rows, columns = out.shape
    form = FORMS.get(weight.dtype, "DENSE")
    types = NAMES | {torch.int8: "signed char", torch.uint8: "unsigned char"}
    constants = {"ELEMENT": NAMES[x.dtype], "WEIGHT": types[weight.dtype], "OUT": NAMES[out.dtype], "FORM": form,
                 "EXPERTS": 0}  # fmt: skip
    grid = ceil_div(rows, 64), ceil_div(columns, 64), matrices
    arguments = (x, x.stride(1), x.stride(0), weight, weight.stride(1), weight.stride(2), weight.stride(0), scales, out,
                 out.stride(1), out.stride(0), rows, columns, x.shape[2], group or x.shape[2], None, None)  # fmt: skip
    launch("product.cu", "product", constants, grid, 256, *arguments)


def for_tensor_cores(x, weight, out):
    """Whether x is bf16 and all rows can be accessed by 16 bytes of x and as many elements of the others."""
    return (
        x.dtype == torch.bfloat16
        and x.shape[-1] % 8 == 0
        and out.shape[-1] % 8 == 0
        and all(map(aligned, (x, weight, out)))
    )


def dense_product(x, weight, out, **form):
    if len(x) <= DECODE:
        few_rows(x, weight, out, **form)
    else:
        many_rows(x, weight, out, **form)


def linear(x, weight, out):
    if weight.dtype == x.dtype and for_tensor_cores(x, weight, out):
        dense_product(x, weight, out)
    else:
        product(x[None], weight[None], out[None])


def linear_int8(x, weight, scales, out):
    if for_tensor_cores(x, weight, out):
        dense_product(x, weight, out, scales=scales)
    else:
        product(x[None], weight[None], out[None], scales)


def linear_int4(x, packed, scales, out, *, group):
    if for_tensor_cores(x, packed, out) and group % 32 == 0:
        dense_product(x, packed, out, scales=scales, group=group)
    else:
        product(x[None], packed[None], out[None], scales, group)


def quantize(x):
    """x [T, K] as f8e4m3 in bf16, and its scales f32 [T, K/128]."""
    rows, size = x.shape
    rounded = torch.empty((rows, size), dtype=torch.bfloat16, device=x.device)
    scales = torch.empty((rows, ceil_div(size, 128)), dtype=torch.float32, device=x.device)
    grid = rows, ceil_div(size, 128 * 4)
    constants = {"ELEMENT": NAMES[x.dtype]}
    launch("quantize.cu", "quantize", constants, grid, 128, x, x.stride(0), rounded, scales, size)
    return rounded, scales


def linear_fp8(x, weight, scales, out):
    if not (aligned(weight) and out.shape[1] % 8 == 0 and out.stride(0) % 2 == 0):
        raise UnsupportedType(
            f"linear_fp8 has a weight of shape {tuple(weight.shape)}; expected rows of a multiple of 16 bytes, and a"
            " multiple of 8 of them; choose another implementation"
        )
    rounded, x_scales = quantize(x)
    dense_product(rounded, weight, out, scales=scales, x_scales=x_scales)


def head_linear(x, weight, out):
    x, out = x.transpose(0, 1), out.transpose(0, 1)
    turned = weight.stride(1) == 1 and weight.stride(2) != 1
    in_memory = weight.transpose(1, 2) if turned else weight
    if weight.dtype == x.dtype and for_tensor_cores(x, in_memory, out):
        gemm(x, in_memory, out, x.shape[2], turned)
    else:
        product(x, weight, out)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale):
    tokens, heads, size = q.shape
    value_size, kv_heads, requests = cache_v.shape[3], cache_k.shape[2], len(lengths)
    group = heads // kv_heads
    inputs = (q, q.stride(0), q.stride(1), cache_k, *cache_k.stride()[:3], cache_v, *cache_v.stride()[:3], tables,
              tables.stride(0), starts, lengths, requests, out, out.stride(0), out.stride(1))  # fmt: skip
    constants = {"D": size, "DV": value_size, "PAGE": cache_k.shape[1]}
    parts_fit = size % 16 == 0 and value_size % 16 == 0 and size <= 256 and value_size <= 256
    if q.dtype != torch.bfloat16 or not parts_fit or not all(map(aligned, (q, cache_k, cache_v, out))):
        launch("attention_of_any.cu", "attention_of_any", constants | {"ELEMENT": NAMES[q.dtype]}, (tokens, heads), 256,
               *inputs, group, scale)  # fmt: skip
        return
    split = tokens == requests
    warps = ceil_div(group, 16) if split else 4
    keys = 32 if split else 64
    constants |= {"GROUP": group, "WARPS": warps, "KEYS": keys, "SPLIT": int(split)}
    shared = 2 * 2 * keys * (size + value_size + 16)
    if not split:
        grid = tokens * group // (16 * warps) + requests, kv_heads
        launch("attention.cu", "attention", constants, grid, 32 * warps, *inputs, q, scale, shared=shared)
        return
    splits = splits_for(requests * kv_heads, tables.shape[1] * cache_k.shape[1])
    parts = torch.empty((requests, heads, splits, value_size + 2), dtype=torch.float32, device=q.device)
    launch("attention.cu", "attention", constants, (splits, kv_heads, requests), 32 * warps, *inputs, parts, scale,
           shared=shared)  # fmt: skip
    combine(parts, out)


def latent_attention(q, cache, tables, starts, lengths, out, *, scale):
    (tokens, heads, size), value_size, requests = q.shape, out.shape[2], len(lengths)
    keys = cache[:, :, None]
    shared = 2 * ((64 + 2 * 32) * (size + 8) + 64 * (32 + 8))
    fits = size % 16 == 0 and value_size % 64 == 0 and size <= 576 and value_size <= 512
    if q.dtype != torch.bfloat16 or not fits or not all(map(aligned, (q, cache, out))):
        attention(q, keys, keys[..., :value_size], tables, starts, lengths, out, scale=scale)
        return
    split = tokens == requests
    warps = 8 if value_size % 128 == 0 else 4
    constants = {"D": size, "DV": value_size, "PAGE": cache.shape[1], "WARPS": warps, "SPLIT": int(split)}
    arguments = (q, q.stride(0), q.stride(1), cache, cache.stride(0), cache.stride(1), tables, tables.stride(0), starts,
                 lengths, requests, out, out.stride(0), out.stride(1))  # fmt: skip
    if not split:
        grid = (tokens * heads // 64 + requests,)
        launch("latent_attention.cu", "latent_attention", constants, grid, 32 * warps, *arguments, None, heads, scale,
               shared=shared)  # fmt: skip
        return
    tiles = ceil_div(heads, 64)
    splits = max(1, min(multiprocessors() // (requests * tiles), tables.shape[1] * cache.shape[1] // 64, 128))
    parts = torch.empty((requests, heads, splits, value_size + 2), dtype=torch.float32, device=q.device)
    launch("latent_attention.cu", "latent_attention", constants, (splits, tiles, requests), 32 * warps, *arguments,
           parts, heads, scale, shared=shared)  # fmt: skip
    combine(parts, out)


def splits_for(blocks, most_keys):
    """Parts of the keys: as many as keep all multiprocessors busy with 8 warps each, of at least 64 keys."""
    return max(1, min(ceil_div(8 * multiprocessors(), blocks), most_keys // 64, 128))


def combine(parts, out):
    requests, heads, splits, size = parts.shape
    arguments = parts, splits, out, out.stride(0), out.stride(1)
    launch("attention_combine.cu", "attention_combine", {"DV": size - 2}, (heads, requests), 256, *arguments)


def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale):
    tokens, experts = scores.shape
    constants = {"EXPERTS": experts, "GROUPS": groups, "TOP_GROUPS": top_groups, "CHOSEN": ids.shape[1],
                 "SIGMOID": int(sigmoid), "NORMALIZE": int(normalize)}  # fmt: skip
    arguments = (scores, scores.stride(0), bias, weights, weights.stride(0), ids, ids.stride(0), tokens, float(scale))
    launch("routing.cu", "route", constants, (ceil_div(tokens, 4),), 128, *arguments)


def sort_experts(ids, experts, size):
    """Pairs of a token and an expert by expert [T * k], and tiles {expert, first, pairs} of at most so many of one."""
    pairs = ids.numel()
    most = min(pairs, experts + pairs // size)
    order = torch.empty(pairs, dtype=torch.int32, device=ids.device)
    tiles = torch.empty((most, 3), dtype=torch.int32, device=ids.device)
    constants = {"EXPERTS": experts, "CHOSEN": ids.shape[1], "SIZE": size}
    launch("sort_experts.cu", "sort_experts", constants, (1,), 1024, ids, ids.stride(0), pairs, order, tiles, most)
    return order, tiles


def expert_product(x, weight, out, chosen, sorting, size, up, scales=None, x_scales=None):
    """out [pairs, N] of rows of x and the matrices [E, N, K] of their experts; see experts.cuh for `up`."""
    order, tiles = sorting
    _, rows, depth = weight.shape
    constants = {"CHOSEN": chosen, "UP": int(up)}
    arguments = (x, x.stride(0), x_scales, weight, weight.stride(1), weight.stride(0), scales, out, out.stride(0),
                 order, tiles, rows, depth)  # fmt: skip
    if size == 8:
        constants |= {"OUT": NAMES[out.dtype], "FORM": FORMS[weight.dtype], "COLUMNS": 1, "WARPS": 8}
        grid = ceil_div(rows, 16), len(tiles)
        launch("experts_gemv.cu", "experts_gemv", constants, grid, 256, *arguments)
        return
    tile, shared = tile_constants(size, out.dtype, FORMS[weight.dtype])
    grid, threads = (len(tiles), ceil_div(rows, tile["COLUMNS"])), tile["DOWN"] * tile["ACROSS"] * 32
    launch("experts_gemm.cu", "experts_gemm", constants | tile, grid, threads, *arguments, shared=shared)


def tile_of_pairs(pairs, experts):
    """Pairs of a tile: 8 where an expert has few, so that its weight is read once and no more."""
    return 8 if pairs <= 8 * experts else 64 if pairs <= 64 * experts else 128


def add_experts(rows, weights, out):
    size = out.shape[1]
    width = width_of(size, rows, out)
    threads = threads_for(size // width, 256)
    grid = len(out), ceil_div(size // width, threads)
    constants = {"ELEMENT": NAMES[out.dtype], "WIDTH": width, "CHOSEN": weights.shape[1]}
    arguments = rows, weights, weights.stride(0), out, out.stride(0), size
    launch("add_experts.cu", "add_experts", constants, grid, threads, *arguments)


def experts_of_any(x, gate_up, down, weights, ids, out):
    """For types and sizes that tensor cores do not take."""
    pairs, tile = ids.numel(), 64
    order, tiles = sort_experts(ids, len(gate_up), tile)
    both, hidden = (x.new_empty((pairs, size)) for size in (gate_up.shape[1], down.shape[2]))
    rows = x.new_empty((pairs, out.shape[1]))
    constants = {"ELEMENT": NAMES[x.dtype], "WEIGHT": NAMES[down.dtype], "OUT": NAMES[out.dtype], "FORM": "DENSE",
                 "EXPERTS": 1, "CHOSEN": ids.shape[1]}  # fmt: skip
    for source, weight, target, up in ((x, gate_up, both, 1), (hidden, down, rows, 0)):
        grid = 1, ceil_div(target.shape[1], 64), len(tiles)
        arguments = (source, source.stride(0), 0, weight, weight.stride(1), weight.stride(2), weight.stride(0), None,
                     target, target.stride(0), 0, 0, target.shape[1], source.shape[1], 1, order, tiles)  # fmt: skip
        launch("product.cu", "product", constants | {"UP": up}, grid, 256, *arguments)
        if up:
            silu_mul(both, hidden)
    add_experts(rows, weights, out)


def experts(x, gate_up, down, weights, ids, out):
    if not (for_tensor_cores(x, gate_up, out) and aligned(down) and down.shape[2] % 8 == 0):
        experts_of_any(x, gate_up, down, weights, ids, out)
        return
    size = tile_of_pairs(ids.numel(), len(gate_up))
    sorting = sort_experts(ids, len(gate_up), size)
    hidden, rows = (x.new_empty((ids.numel(), width)) for width in (down.shape[2], out.shape[1]))
    expert_product(x, gate_up, hidden, ids.shape[1], sorting, size, True)
    expert_product(hidden, down, rows, ids.shape[1], sorting, size, False)
    add_experts(rows, weights, out)


def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    size = tile_of_pairs(ids.numel(), len(gate_up))
    sorting = sort_experts(ids, len(gate_up), size)
    hidden, rows = (x.new_empty((ids.numel(), width)) for width in (down.shape[2], out.shape[1]))
    rounded, scales = quantize(x)
    expert_product(rounded, gate_up, hidden, ids.shape[1], sorting, size, True, gate_up_scales, scales)
    rounded, scales = quantize(hidden)
    expert_product(rounded, down, rows, ids.shape[1], sorting, size, False, down_scales, scales)
    add_experts(rows, weights, out)


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps):
    arguments = logits, logits.stride(0), logits.shape[1], out, temperature, top_k, top_p, min_p, seeds, steps
    launch("sampling.cu", "sample", {}, (len(logits),), 1024, *arguments)


DEVICES = ("cuda",)
# Operation: its function, the others that choose or launch kernels for it, and the sources of these kernels.
PRODUCT = (few_rows, many_rows, tile_constants, gemm, add_slices, product, dense_product, "gemv.cu", "gemm.cu",
           "add_slices.cu", "product.cu")  # fmt: skip
EXPERTS = (sort_experts, expert_product, tile_of_pairs, tile_constants, add_experts, "sort_experts.cu",
           "experts_gemv.cu", "experts_gemm.cu", "add_experts.cu")  # fmt: skip
ATTENTION = (splits_for, combine, "attention.cu", "attention_combine.cu", "attention_of_any.cu")
PARTS = {
    embedding: ("embedding.cu",),
    rms_norm: (norm, "rms_norm.cu"),
    add_rms_norm: (norm, "rms_norm.cu"),
    linear: PRODUCT,
    linear_int8: PRODUCT,
    linear_int4: PRODUCT,
    linear_fp8: (quantize, "quantize.cu", *PRODUCT),
    head_linear: (tile_constants, gemm, product, "gemm.cu", "product.cu"),
    rope: ("rope.cu",),
    silu_mul: ("silu_mul.cu",),
    append: ("append.cu",),
    attention: ATTENTION,
    latent_append: (append, "append.cu"),
    latent_attention: (combine, "latent_attention.cu", "attention_combine.cu", "attention_of_any.cu"),
    route: ("routing.cu",),
    experts: (experts_of_any, "product.cu", *EXPERTS),
    experts_fp8: (quantize, "quantize.cu", *EXPERTS),
    sample: ("sampling.cu",),
}
OPERATIONS = {function.__name__: function for function in PARTS}


SOURCES = {
    function.__name__: [function, *(FOLDER / part if isinstance(part, str) else part for part in parts)]
    for function, parts in PARTS.items()
}
