# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product whose tiles and hints are searched for, kept by shape, and launched with the best."""

from dataclasses import dataclass

import cuda.tile as ct
import torch
from cuda.tile.tune import exhaustive_search

ConstInt = ct.Constant[int]
_best = {}


@dataclass(frozen=True)
class Config:
    tm: int
    tn: int
    tk: int
    num_ctas: int = 1
    occupancy: int = 1


@ct.kernel
def product(a, b, c, TM: ConstInt, TN: ConstInt, TK: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        x = ct.load(a, (row, k), (TM, TK), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (k, column), (TK, TN), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (row, column), acc.astype(c.dtype))


def tuned_product(a, b):
    c = torch.empty(a.shape[0], b.shape[1], device=a.device, dtype=a.dtype)
    stream = torch.cuda.current_stream()

    def grid(config):
        return (ct.cdiv(a.shape[0], config.tm), ct.cdiv(b.shape[1], config.tn), 1)

    def arguments(config):
        return (a, b, c, config.tm, config.tn, config.tk)

    key = (a.shape, b.shape, a.dtype, str(a.device))
    if key not in _best:
        space = [Config(16, 32, 16), Config(32, 32, 16, occupancy=2), Config(32, 32, 24)]  # the last is not legal
        result = exhaustive_search(
            space, stream, grid, product, arguments, lambda config: {"occupancy": config.occupancy}, quiet=True
        )
        assert len(result.successes) == 2 and len(result.failures) == 1
        config = result.best.config
        _best[key] = config, product.replace_hints(occupancy=config.occupancy)
    config, kernel = _best[key]
    ct.launch(stream, grid(config), kernel, arguments(config))
    return c


def check():
    torch.manual_seed(28)
    a = torch.randn(60, 40, device="cuda", dtype=torch.float16)
    b = torch.randn(40, 70, device="cuda", dtype=torch.float16)
    for when in ("first", "again"):
        yield when, tuned_product(a, b), a @ b, 1e-2
    assert len(_best) == 1
