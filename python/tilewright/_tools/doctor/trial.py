# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small kernel, run as the environment says: `python -m tilewright._tools.doctor.trial` prints an answer."""

from __future__ import annotations

import json

import numpy as np

import tilewright as ct
from tilewright._tools.doctor.answer import Answer, no, yes

_TILE = 64


@ct.kernel
def multiply(a, b, c):
    zero = ct.PaddingMode.ZERO
    left = ct.load(a, index=(ct.bid(0), 0), shape=(_TILE, _TILE), padding_mode=zero)
    right = ct.load(b, index=(0, 0), shape=(_TILE, _TILE), padding_mode=zero)
    ct.store(c, index=(ct.bid(0), 0), tile=ct.exp(ct.mma(left, right, ct.zeros((_TILE, _TILE), ct.float32)) * -0.125))


def try_kernel() -> Answer:
    a, b = np.arange(100 * 64, dtype=np.float32).reshape(100, 64) % 5, np.eye(64, dtype=np.float32)
    c = np.zeros((100, 64), np.float32)
    try:
        multiply[2](a, b, c)
    except Exception as error:  # of any kind: it is the answer
        return no(str(error))
    return yes() if np.allclose(c, np.exp(a @ b * -0.125), rtol=1e-5) else no("a small kernel has a wrong result")


if __name__ == "__main__":
    print(json.dumps(try_kernel()))
