# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GroupNorm with an activation, and instance statistics by a scan that joins pairs of moments."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


def join(count_a, mean_a, m2_a, count_b, mean_b, m2_b):
    """Moments of two parts, after Chan."""
    count = count_a + count_b
    share = ct.where(count > 0, count_b / ct.where(count > 0, count, 1.0), 0.0)
    delta = mean_b - mean_a
    return count, mean_a + delta * share, m2_a + m2_b + delta * delta * count_a * share


@ct.kernel
def group_norm(x, weight, bias, out, eps: float, GROUPS: ConstInt, C: ConstInt, TILE: ConstInt):
    sample, group = ct.bid(0), ct.bid(1)
    channels = group * C + ct.arange(C, dtype=ct.int32)[:, None]
    at = ct.arange(TILE, dtype=ct.int32)[None, :]
    inside = at < x.shape[2]
    values = ct.gather(x, (sample, channels, at)).astype(ct.float32)
    ones = ct.where(inside, ct.full((C, TILE), 1.0, ct.float32), 0.0)
    flat = (ones.reshape((C * TILE,)), values.reshape((C * TILE,)), ct.zeros((C * TILE,), ct.float32))
    count, mean, m2 = ct.reduce(flat, axis=0, func=join, identity=(0.0, 0.0, 0.0))
    rstd = ct.rsqrt(m2 / count + eps)
    w = ct.gather(weight, channels)
    b = ct.gather(bias, channels)
    normal = (values - mean) * rstd * w + b
    result = normal / (1 + ct.exp(-normal))
    ct.scatter(out, (sample, channels, at), result.astype(out.dtype))


def check():
    torch.manual_seed(24)
    x = torch.randn(3, 8, 50, device="cuda") * 2 + 1
    weight, bias = torch.rand(8, device="cuda"), torch.rand(8, device="cuda")
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (3, 2), group_norm, (x, weight, bias, out, 1e-5, 2, 4, 64))
    expected = torch.nn.functional.silu(torch.nn.functional.group_norm(x, 2, weight, bias, 1e-5))
    yield "groups of four channels", out, expected, 1e-5
