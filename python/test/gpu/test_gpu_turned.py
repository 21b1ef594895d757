# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bytes that lie across the order that tensor cores read: threads of the producer turn them."""

import pytest
import tilewright as ct

torch = pytest.importorskip("torch")
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def product(a, b, out, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    """Both operands are row-major."""
    i, j = ct.bid(0), ct.bid(1)
    sums = ct.zeros((M, N), out.dtype)
    for k in range(ct.num_tiles(a, 1, (M, K))):
        x = ct.load(a, (i, k), (M, K), padding_mode=ZERO)
        sums = ct.mma(x, ct.load(b, (k, j), (K, N), padding_mode=ZERO), sums)
    ct.store(out, (i, j), sums)


@ct.kernel
def two_products(a, b, out, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int], WIDTH: ct.Constant[int]):
    """(a b^T) b by blocks of rows of b, which one product reads as they are and the other turned."""
    i = ct.bid(0)
    x = ct.load(a, (i, 0), (ROWS, WIDTH))
    sums = ct.zeros((ROWS, WIDTH), ct.float32)
    for j in range(ct.num_tiles(b, 0, (COLUMNS, WIDTH))):
        y = ct.load(b, (j, 0), (COLUMNS, WIDTH))
        weights = ct.mma(x, y.transpose(), ct.zeros((ROWS, COLUMNS), ct.float32)) * 0.0625
        z = ct.load(b, (j, 0), (COLUMNS, WIDTH))
        sums = ct.mma(weights.astype(b.dtype), z, sums)
    ct.store(out, (i, 0), sums)


def launch(grid, kernel, *arguments):
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)


def integers(shape, dtype, most):
    return torch.randint(-most, most + 1, shape, device="cuda").to(dtype)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.int8])
@pytest.mark.parametrize("shape", [(128, 128, 128), (512, 512, 1024), (500, 496, 528), (100, 80, 48), (64, 256, 0)])
def test_products(dtype, shape):
    m, n, k = shape
    for tile in ((128, 128, 128), (64, 64, 64), (256, 128, 128), (128, 256, 64)):
        a, b = integers((m, k), dtype, 3), integers((k, n), dtype, 3)
        out = torch.empty(m, n, device="cuda", dtype=torch.int32 if dtype == torch.int8 else torch.float32)
        launch((ct.cdiv(m, tile[0]), ct.cdiv(n, tile[1])), product, a, b, out, *tile)
        assert torch.equal(out.double(), a.double() @ b.double()), tile


@pytest.mark.parametrize("width", [64, 128])
def test_many_blocks(width):
    """Blocks that follow each other on a multiprocessor, of two rings of which the hardware alone fills one. Threads of
    the producer that waited for that one were late now and then, and waited forever."""
    rows, dtype = 128 * 1000, torch.float8_e4m3fn
    a, b = integers((rows, width), dtype, 1), integers((2048, width), dtype, 1)
    out = torch.empty(rows, width, device="cuda")
    launch((rows // 128,), two_products, a, b, out, 128, 128, width)
    weights = ((a.float() @ b.float().t()) * 0.0625).to(dtype).float()
    assert (out - weights @ b.float()).abs().max() <= 1e-3 * out.abs().max()
