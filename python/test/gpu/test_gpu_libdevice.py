# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_MATH=libdevice-bits on a GPU: functions of f32 have the bits of PyTorch's, which are libdevice's."""

import pytest
import tilewright as ct
from numerics import record

torch = pytest.importorskip("torch")

TILE = 1024
ONE = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "log2", "exp", "exp2", "rsqrt")
TWO = ("pow", "atan2")
COUNT = 1 << 24


def samples():
    """f32 at equal distances in their bits, and a grid of what programs compute with."""
    bits = torch.arange(COUNT // 2, dtype=torch.int64, device="cuda") * (2**32 // (COUNT // 2)) + 77
    every = bits.to(torch.int32).view(torch.float32)
    x = torch.cat([every, torch.linspace(-100, 100, COUNT // 2, device="cuda")])
    order = torch.randperm(COUNT, generator=torch.Generator().manual_seed(5)).cuda()
    return x, x[order].contiguous()


def compiled(name, x, y):
    function = getattr(ct, name)

    @ct.kernel
    def one(x, y, out):
        at = ct.bid(0)
        ct.store(out, at, function(ct.load(x, at, TILE)))

    @ct.kernel
    def two(x, y, out):
        at = ct.bid(0)
        ct.store(out, at, function(ct.load(x, at, TILE), ct.load(y, at, TILE)))

    out = torch.zeros_like(x)
    kernel = two if name in TWO else one
    ct.launch(torch.cuda.current_stream(), (COUNT // TILE,), kernel, (x, y, out))
    return out


def differing(found, expected):
    return (found.view(torch.int32) != expected.view(torch.int32)) & ~(found.isnan() & expected.isnan())


@pytest.mark.parametrize("name", (*ONE, *TWO))
def test_functions_have_the_bits_of_pytorch(name, monkeypatch):
    x, y = samples()
    function = getattr(torch, name)
    expected = function(x, y) if name in TWO else function(x)
    monkeypatch.setenv("TILEWRIGHT_MATH", "own")
    own = compiled(name, x, y)
    monkeypatch.setenv("TILEWRIGHT_MATH", "libdevice-bits")
    found = compiled(name, x, y)
    wrong = differing(found, expected).nonzero().flatten()
    first = wrong[:4]
    differs = differing(own, expected)
    places = (own.view(torch.int32).to(torch.int64) - expected.view(torch.int32)).abs()[differs]
    record("libdevice", name=name, compared=COUNT, differs=int(differs.sum()), target="gpu",
           places=int(places.max()) if len(places) else 0)  # fmt: skip
    assert not len(wrong), (
        f"{len(wrong)} of {COUNT} differ, {name} of {x[first].tolist()} {y[first].tolist()}: "
        f"{found[first].tolist()}, expected {expected[first].tolist()}"
    )
