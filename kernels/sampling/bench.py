# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.sampling.kernel import sample
from kernels.sampling.reference import reference
from kernels.work import Work, dtype_name, empty, normal


def options(rows, *, temperature=0.8, top_k=40, top_p=0.9, min_p=0.0):
    """The same for every row, each with a seed of its own."""
    return dict(
        temperature=np.full(rows, temperature, np.float32),
        top_k=np.full(rows, top_k, np.int32),
        top_p=np.full(rows, top_p, np.float32),
        min_p=np.full(rows, min_p, np.float32),
        seeds=np.arange(rows, dtype=np.int64) * 12345678901,
        steps=np.arange(rows, dtype=np.int32),
    )


def sampling_work(rows, vocabulary, dtype=np.float32, **choice) -> Work:
    """PyTorch's side draws from the 40 largest, with one seed for all rows."""
    logits, out, chosen = normal((rows, vocabulary), dtype, 1, 3.0), empty(rows, np.int32), options(rows, **choice)
    peer = None
    if torch:
        tlogits = tensor(logits)

        def peer():
            values, places = tlogits.float().topk(40)
            powers = torch.softmax(values / 0.8, -1)
            powers = torch.where(powers.cumsum(-1) - powers < 0.9, powers, 0.0)
            return places.gather(1, torch.multinomial(powers, 1))

    return Work(
        kernel="sampling",
        shape=f"{rows}x{vocabulary}",
        dtype=dtype_name(dtype),
        amount=logits.nbytes,
        unit="GB/s",
        run=lambda: sample(logits, out, **chosen),
        result=out,
        reference=lambda: reference(logits, **chosen),
        torch=peer,
    )
