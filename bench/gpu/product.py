# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of two matrices."""

from functools import partial

from bench.gpu import cutile, launching
from bench.gpu.contest import Contest, Contestant, contest
from bench.gpu.portable import start_portable
from kernels.gemm.kernel import BY_TILE, FAST, gemm_kernel, gemm_persistent_kernel, gemm_skinny_kernel
from kernels.gemm.kernel import PLAIN as SUM_PLAIN
from kernels.peer import torch

# Of their result: 16 bits round by 2^-9, and cuBLAS adds partial sums of 16 bits where K is split (found 2^-7); sums of
# fp8 products that need not be exact keep about 13 bits; tf32 has 10.
HALF, FAST_FP8, TF32 = 2.0**-6, 2.0**-5, 2.0**-8
GROUP_M = 8

PLAIN = [dict(tile=tile) for tile in ((128, 256, 64), (256, 128, 64), (128, 128, 64))]
PERSISTENT = [dict(**choice, persistent=True) for choice in PLAIN]
THEIRS = [PERSISTENT[2], PERSISTENT[0], PLAIN[0], PLAIN[2], dict(**PERSISTENT[2], num_ctas=2)]
THEIRS += [dict(**PERSISTENT[0], num_ctas=2)]
SMALL = [dict(tile=tile) for tile in ((128, 128, 64), (128, 64, 64), (64, 128, 64), (64, 64, 64), (128, 128, 32))]
EIGHT_BITS = [dict(tile=tile) for tile in ((128, 256, 128), (256, 128, 128), (128, 128, 128))]
EIGHT_BITS += [dict(**choice, persistent=True) for choice in EIGHT_BITS]
WIDE = [dict(tile=tile) for tile in ((128, 128, 32), (128, 256, 32), (256, 128, 32), (64, 64, 32))]
SKINNY = [dict(tile=tile) for tile in ((16, 64, 64), (16, 64, 128), (16, 64, 256), (16, 128, 64), (16, 128, 128))]


class Operands:
    """b is [N, K] if `transposed_b`; `b_math` is what it stands for, [K, N], wherever it lies."""

    def __init__(self, rows, columns, depth, dtype, *, transposed_b=False, out_dtype=None):
        self.shape, self.transposed_b = (rows, columns, depth), transposed_b
        self.a = launching.random(rows, depth, dtype=dtype, seed=1)
        self.b = launching.random(*((columns, depth) if transposed_b else (depth, columns)), dtype=dtype, seed=2)
        self.b_math = self.b.T if transposed_b else self.b
        self.out_dtype = out_dtype or dtype
        self.bias = launching.random(columns, seed=3)

    def result(self):
        rows, columns, _ = self.shape
        return torch.empty(rows, columns, dtype=self.out_dtype, device=launching.DEVICE)

    def expected(self):
        torch.backends.cuda.matmul.allow_tf32 = False
        return self.a.float() @ self.b_math.float()

    def amount(self):
        rows, columns, depth = self.shape
        return 2.0 * rows * columns * depth


def tiled(launch, x, *, tile, persistent=False, epilogue=False, tf32=False, sums=SUM_PLAIN, **hints):
    """The call of kernels/gemm; `launch` is ours or theirs."""
    rows, columns, _ = x.shape
    out = x.result()
    tiles = -(-rows // tile[0]) * -(-columns // tile[1])
    grid = min(tiles, launching.multiprocessors()) if persistent else tiles
    flags = (False, x.transposed_b, epilogue, epilogue, False, tf32, sums)
    kernel = gemm_persistent_kernel if persistent else gemm_kernel
    return launch(kernel, (grid,), (x.a, x.b, x.bias, out, *flags, *tile, GROUP_M), out, **hints)


def skinny(launch, x, *, tile, **hints):
    rows, columns, _ = x.shape
    out = x.result()
    grid = (-(-columns // tile[1]), -(-rows // tile[0]))
    return launch(gemm_skinny_kernel, grid, (x.a, x.b, out, x.transposed_b, *tile), out, **hints)


def cublas(x, tf32=False):
    out = x.result()

    def call():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        return torch.mm(x.a, x.b_math, out=out)

    return call


def cublas_fp8(x, fast):
    one = torch.ones((), device=launching.DEVICE)
    return lambda: torch._scaled_mm(x.a, x.b_math, one, one, out_dtype=x.out_dtype, use_fast_accum=fast)


def triton_gemm(x, **choice):
    from bench.gpu import triton_product

    return triton_product.start(x.a, x.b_math, x.result(), **choice)


TRITON = [
    dict(tile=tile, stages=stages, warps=warps)
    for tile, stages, warps in (
        ((128, 256, 64), 3, 8),
        ((128, 256, 64), 4, 8),
        ((128, 128, 64), 4, 4),
        ((256, 128, 64), 3, 8),
        ((64, 128, 64), 4, 4),
        ((64, 64, 64), 4, 4),
    )
]


def against(x, ours, *peers, expected=None, tolerance=HALF, **options):
    expected = x.expected() if expected is None else expected
    return Contest(ours, list(peers), expected, tolerance, x.amount(), "TFLOP/s", **options)


def theirs(x, choices, **fixed):
    """NVIDIA's compiler on the same kernel."""
    return cutile.peers(partial(tiled, launching.theirs, x, **fixed), choices)


def plain(size, transposed_b, portable=False):
    x = Operands(size, size, size, torch.bfloat16, transposed_b=transposed_b)
    if portable:
        ours = Contestant("ours", partial(tiled, start_portable, x), PLAIN)
    else:
        ours = Contestant("ours", partial(tiled, launching.ours, x), PLAIN + PERSISTENT)
    return against(
        x,
        ours,
        Contestant("cuBLAS", partial(cublas, x)),
        Contestant("Triton", partial(triton_gemm, x), TRITON[:4]),
        *theirs(x, THEIRS),
        peers_of=f"{size} {'K' if transposed_b else 'row'}-major",
    )


def with_epilogue():
    x = Operands(4096, 4096, 4096, torch.bfloat16)
    product = x.expected()
    ours = Contestant("ours", partial(tiled, launching.ours, x, epilogue=True), PLAIN + PERSISTENT)
    own = Contestant("own plain GEMM", partial(tiled, launching.ours, x), PLAIN + PERSISTENT, expected=product)
    return against(x, ours, own, expected=torch.nn.functional.silu(product + x.bias))


def odd():
    x = Operands(1001, 1003, 1005, torch.bfloat16)
    return against(
        x,
        Contestant("ours", partial(tiled, launching.ours, x), SMALL),
        Contestant("cuBLAS", partial(cublas, x)),
        Contestant("Triton", partial(triton_gemm, x), TRITON[2:]),
    )


def few_rows(transposed_b):
    x = Operands(16, 8192, 8192, torch.bfloat16, transposed_b=transposed_b)
    ours = Contestant("ours", partial(skinny, launching.ours, x), SKINNY)
    return against(x, ours, Contestant("cuBLAS", partial(cublas, x)))


def eight_bits(fast):
    x = Operands(8192, 8192, 8192, torch.float8_e4m3fn, transposed_b=True, out_dtype=torch.bfloat16)
    ways = [FAST] if fast else [BY_TILE, SUM_PLAIN]
    choices = [dict(**choice, sums=sums) for sums in ways[:1] for choice in EIGHT_BITS]
    ours = Contestant("ours", partial(tiled, launching.ours, x), choices)
    library = [Contestant("cuBLAS", partial(cublas_fp8, x, True))] if fast else []
    choices = [dict(**choice, sums=sums) for sums in ways for choice in EIGHT_BITS[2::3]]
    peers = cutile.peers(partial(tiled, launching.theirs, x), choices)
    return against(x, ours, *library, *peers, tolerance=FAST_FP8 if fast else HALF)


def tf32(transposed_b):
    x = Operands(4096, 4096, 4096, torch.float32, transposed_b=transposed_b)
    ours = Contestant("ours", partial(tiled, launching.ours, x, tf32=True), WIDE)
    return against(x, ours, Contestant("cuBLAS", partial(cublas, x, tf32=True)), tolerance=TF32)


LAYOUTS = {"B row-major": False, "B K-major": True}


def product_rows():
    best = "the best of cuBLAS, Triton, cuTile"
    for portable, floor in ((False, 0.95), (True, 0.85)):
        for size in (4096, 8192):
            for layout, transposed_b in LAYOUTS.items():
                name = f"GEMM bf16 {size}^3, {layout}" + (", portable ABI" if portable else "")
                yield contest(name, floor, partial(plain, size, transposed_b, portable), best)
    yield contest("GEMM bf16 4096^3, bias + SiLU", 0.95, with_epilogue, "own plain GEMM")
    yield contest("GEMM bf16 1001x1003x1005", 0.95, odd, "the best of cuBLAS, Triton")
    for layout, transposed_b in LAYOUTS.items():
        yield contest(f"GEMM bf16 16x8192x8192, {layout}", 0.9, partial(few_rows, transposed_b), "cuBLAS")
    yield contest("GEMM fp8 8192^3, fast", 0.8, partial(eight_bits, True), "the best of cuBLAS, cuTile")
    yield contest("GEMM fp8 8192^3, full accumulation", 1.2, partial(eight_bits, False), "cuTile")
    for layout, transposed_b in LAYOUTS.items():
        yield contest(f"GEMM tf32 4096^3, {layout}", 0.75, partial(tf32, transposed_b), "cuBLAS")
