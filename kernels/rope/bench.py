# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.rope.kernel import rope
from kernels.rope.reference import reference
from kernels.work import Work, memory_work, normal


def angles(positions, size, base=10000.0):
    """A table f32 [positions, size]: cosines, then sines."""
    frequency = base ** (-np.arange(0, size, 2) / size)
    angle = np.arange(positions)[:, None] * frequency
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


def rope_work(tokens, heads, size, dtype=np.float32) -> Work:
    """In place: each run rotates further."""
    x, table, positions = (
        normal((tokens, heads, size), dtype, 1),
        angles(tokens, size),
        np.arange(tokens, dtype=np.int32),
    )
    before, peer = x.copy(), None
    if torch:
        tx, half = tensor(before.copy()), size // 2
        cosine, sine = (tensor(np.ascontiguousarray(part))[:, None, :] for part in np.split(table, 2, axis=1))

        def peer():
            a, b = tx[..., :half].clone(), tx[..., half:]
            tx[..., :half] = a * cosine - b * sine
            tx[..., half:] = b * cosine + a * sine

    return memory_work("rope", x, x, 2 * x.nbytes, lambda: rope(x, positions, table),
                       lambda: reference(before, positions, table), peer)  # fmt: skip
