# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel that gives all elements of an array one value."""

from typing import Any

import tilewright as ct

_TILE = 1024


@ct.kernel
def _fill(x, value: ct.Constant, TILE: ct.Constant[int]):
    ct.store(x, ct.bid(0), ct.full(TILE, value, x.dtype))


def fill(x: Any, value: Any) -> None:
    """Launch it on an array without gaps."""
    if x.size:
        ct.launch(None, (ct.cdiv(x.size, _TILE),), _fill, (x.reshape(-1), value, _TILE))
