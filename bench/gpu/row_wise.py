# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Works that memory bounds: kernels on rows, and the sum of two vectors."""

from functools import partial

from bench.gpu import cutile, launching
from bench.gpu.contest import Contest, Contestant, contest
from kernels.layer_norm.kernel import layer_norm_kernel
from kernels.peer import torch
from kernels.rms_norm.kernel import rms_norm_kernel
from kernels.silu_and_mul.kernel import silu_and_mul_kernel
from kernels.softmax.kernel import softmax_kernel
from kernels.vector_add.kernel import vector_add_kernel

ROWS, COLUMNS = 8192, 8192
EPSILON = 1e-5
HALF, SINGLE = 2.0**-7, 2.0**-22

WARPS = [dict(num_worker_warps=warps) for warps in (4, 8, 16, 32)]
WARPS += [dict(num_worker_warps=warps, occupancy=blocks) for warps, blocks in ((4, 8), (8, 4), (8, 6), (16, 3))]
OCCUPANCIES = [dict(), dict(occupancy=2), dict(occupancy=4), dict(occupancy=8)]
TILES = [dict(tile=tile) for tile in (1024, 2048, 4096, 8192)]


def compiled(function):
    """PyTorch's compiler, at its first call."""
    return lambda: torch.compile(function, dynamic=False)


def triton(name, grid, arguments, out, choices):
    def start(tile, warps):
        from bench.gpu import triton_rows

        blocks = grid(tile)
        return triton_rows.start(getattr(triton_rows, name), blocks, arguments, out, tile=tile, warps=warps)

    return Contestant("Triton", start, choices)


def whole_rows(kernel, arguments, out, ending, triton_name, triton_arguments, function, expected):
    """A work on rows that fit one tile. `function` is PyTorch's."""
    arguments = (*arguments, COLUMNS, *ending)
    peers = [
        Contestant("torch", lambda: function),
        Contestant("torch.compile", compiled(function)),
        triton(
            triton_name,
            lambda tile: (ROWS,),
            triton_arguments,
            out,
            [dict(tile=COLUMNS, warps=warps) for warps in (4, 8, 16, 32)],
        ),
        *cutile.peers(lambda **hints: launching.theirs(kernel, (ROWS,), arguments, out, **hints), OCCUPANCIES),
    ]
    ours = Contestant("ours", lambda **hints: launching.ours(kernel, (ROWS,), arguments, out, **hints), WARPS)
    return Contest(ours, peers, expected, HALF, 2.0 * out.numel() * out.element_size(), "GB/s")


def matrix():
    x = launching.random(ROWS, COLUMNS, dtype=torch.bfloat16)
    return x, torch.empty_like(x)


def softmax():
    x, out = matrix()
    expected = torch.softmax(x.float(), -1)
    return whole_rows(
        softmax_kernel, (x, out), out, (), "softmax_kernel", (x, out), lambda: torch.softmax(x, -1), expected
    )


def rms_norm():
    x, out = matrix()
    weight = launching.random(COLUMNS, dtype=torch.bfloat16, seed=1)
    norm = torch.nn.functional.rms_norm
    arguments = (x, weight, out, EPSILON)
    expected = norm(x.float(), (COLUMNS,), weight.float(), EPSILON)
    function = lambda: norm(x, (COLUMNS,), weight, EPSILON)  # noqa: E731
    return whole_rows(rms_norm_kernel, arguments, out, (), "rms_norm_kernel", arguments, function, expected)


def layer_norm():
    x, out = matrix()
    weight, bias = (launching.random(COLUMNS, dtype=torch.bfloat16, seed=seed) for seed in (1, 2))
    norm = torch.nn.functional.layer_norm
    arguments = (x, weight, bias, out, EPSILON)
    expected = norm(x.float(), (COLUMNS,), weight.float(), bias.float(), EPSILON)
    function = lambda: norm(x, (COLUMNS,), weight, bias, EPSILON)  # noqa: E731
    return whole_rows(layer_norm_kernel, arguments, out, (True,), "layer_norm_kernel", arguments, function, expected)


def silu_and_mul():
    x = launching.random(ROWS, 2 * COLUMNS, dtype=torch.bfloat16)
    out = torch.empty(ROWS, COLUMNS, dtype=x.dtype, device=launching.DEVICE)
    halves = x.reshape(ROWS, 2, COLUMNS)
    silu = torch.nn.functional.silu
    gate, up = x[:, :COLUMNS], x[:, COLUMNS:]

    def tiled(launch, tile, **hints):
        return launch(silu_and_mul_kernel, (ROWS, COLUMNS // tile), (halves, out, tile), out, **hints)

    function = lambda: silu(gate) * up  # noqa: E731
    peers = [
        Contestant("torch", lambda: function),
        Contestant("torch.compile", compiled(function)),
        triton(
            "silu_and_mul_kernel",
            lambda tile: (ROWS, COLUMNS // tile),
            (x, out, COLUMNS),
            out,
            [dict(**choice, warps=warps) for choice in TILES for warps in (4, 8)],
        ),
        *cutile.peers(partial(tiled, launching.theirs), TILES),
    ]
    ours = Contestant("ours", partial(tiled, launching.ours), TILES)
    return Contest(ours, peers, silu(gate.float()) * up.float(), HALF, 3.0 * out.numel() * out.element_size(), "GB/s")


def add(size):
    x, y = (launching.random(size, seed=seed) for seed in (1, 2))
    out = torch.empty_like(x)

    def tiled(launch, tile, **hints):
        return launch(vector_add_kernel, (size // tile,), (x, y, out, tile), out, **hints)

    peers = [
        Contestant("torch", lambda: partial(torch.add, x, y, out=out)),
        triton(
            "add_kernel",
            lambda tile: (size // tile,),
            (x, y, out),
            out,
            [dict(**choice, warps=warps) for choice in TILES for warps in (4, 8)],
        ),
        *cutile.peers(partial(tiled, launching.theirs), TILES),
    ]
    ours = Contestant("ours", partial(tiled, launching.ours), TILES)
    return Contest(ours, peers, x + y, SINGLE, 3.0 * out.numel() * out.element_size(), "GB/s")


def row_wise_rows():
    best = "the best of torch.compile, Triton, cuTile"
    yield contest(f"softmax bf16 {ROWS}x{COLUMNS}", 0.95, softmax, best)
    yield contest(f"RMSNorm bf16 {ROWS}x{COLUMNS}", 0.95, rms_norm, best)
    yield contest(f"LayerNorm bf16 {ROWS}x{COLUMNS}", 0.95, layer_norm, best)
    yield contest(f"SiLU-and-mul bf16 {ROWS}x{2 * COLUMNS}", 0.95, silu_and_mul, best)
    yield contest("add f32 2^28", 0.95, partial(add, 1 << 28), best)
