# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.cross_entropy.kernel import cross_entropy
from kernels.cross_entropy.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, empty, memory_work, normal


def cross_entropy_work(rows, columns, dtype=np.float32) -> Work:
    logits, loss = normal((rows, columns), dtype), empty(rows, np.float32)
    labels = np.random.default_rng(1).integers(0, columns, rows)
    peer = None
    if torch:
        tx, tlabels = tensor(logits), tensor(labels)
        peer = lambda: torch.nn.functional.cross_entropy(tx, tlabels, reduction="none")  # noqa: E731
    return memory_work(
        "cross_entropy",
        logits,
        loss,
        logits.nbytes,
        lambda: cross_entropy(logits, labels, loss),
        lambda: reference(logits, labels),
        peer,
    )
