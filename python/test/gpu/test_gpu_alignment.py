# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays whose rows begin anywhere: at each distance from an address that vectors have, and at edges."""

import pytest
import tilewright as ct

torch = pytest.importorskip("torch")
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def product(a, b, out, TURNED: ct.Constant[bool], M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    sums = ct.zeros((M, N), ct.float32)
    for k in range(ct.num_tiles(a, 1, (M, K))):
        x = ct.load(a, (i, k), (M, K), padding_mode=ZERO)
        if TURNED:
            y = ct.load(b, (j, k), (N, K), padding_mode=ZERO).transpose()
        else:
            y = ct.load(b, (k, j), (K, N), padding_mode=ZERO)
        sums = ct.mma(x, y.astype(x.dtype), sums)
    ct.store(out, (i, j), sums)


@ct.kernel
def extremes(a, out, T: ct.Constant[int], LEAST: ct.Constant[bool]):
    """The least or largest of each row, where padding is an infinity."""
    i = ct.bid(0)
    padding = ct.PaddingMode.POS_INF if LEAST else ct.PaddingMode.NEG_INF
    found = ct.full((1, T), float("inf") if LEAST else float("-inf"), ct.float32)
    for j in range(ct.num_tiles(a, 1, (1, T))):
        x = ct.load(a, (i, j), (1, T), padding_mode=padding).astype(ct.float32)
        found = ct.minimum(found, x) if LEAST else ct.maximum(found, x)
    ct.store(out, (i, 0), ct.min(found, 1, keepdims=True) if LEAST else ct.max(found, 1, keepdims=True))


def launch(grid, kernel, *arguments):
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)


def rows(shape, dtype, offset, more):
    """An array `offset` elements behind an aligned address, whose rows are `more` elements apart than they are long."""
    count, columns = shape
    pitch = columns + more
    numbers = torch.randint(-3, 4, (count * pitch + offset,), device="cuda").to(dtype)
    return numbers[offset:].view(count, pitch)[:, :columns]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float8_e4m3fn])
@pytest.mark.parametrize("offset", range(8))
@pytest.mark.parametrize("more", [0, 1, 4])
def test_products(dtype, offset, more):
    for m, n, k in ((130, 67, 77), (33, 250, 128)):
        for tile in ((64, 64, 32), (128, 64, 64), (32, 32, 32)):
            for turned in (False, True) if dtype.itemsize == 2 else (True,):
                a = rows((m, k), dtype, offset, more)
                b = rows((n, k) if turned else (k, n), dtype, 3 * offset % 8, more)
                out = torch.zeros(m, n, device="cuda")
                launch((ct.cdiv(m, tile[0]), ct.cdiv(n, tile[1])), product, a, b, out, turned, *tile)
                assert torch.equal(out, a.float() @ (b.float().t() if turned else b.float())), (tile, turned)


@pytest.mark.parametrize("offset", [0, 1, 5])
def test_bytes_that_are_converted(offset):
    a, b = rows((130, 77), torch.bfloat16, offset, 0), rows((77, 67), torch.int8, offset, 0)
    out = torch.zeros(130, 67, device="cuda")
    launch((3, 2), product, a, b, out, False, 64, 64, 32)
    assert torch.equal(out, a.float() @ b.float())


@pytest.mark.parametrize("columns", [1, 7, 8, 1023, 1025, 3001])
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_padding_of_rows(columns, offset):
    a = rows((9, columns), torch.bfloat16, offset, 1)
    least, largest = torch.zeros(9, 1, device="cuda"), torch.zeros(9, 1, device="cuda")
    launch((9,), extremes, a, least, 1024, True)
    launch((9,), extremes, a, largest, 1024, False)
    assert torch.equal(least, a.float().amin(1, keepdim=True))
    assert torch.equal(largest, a.float().amax(1, keepdim=True))
