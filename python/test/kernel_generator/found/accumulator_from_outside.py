# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An accumulator from outside of a loop was put where the loop writes, on CPUs.
import tilewright as ct

GRID = (3,)
ARGUMENTS = [("array", "uint16", (24, 1), "any"), ("result", "int32", (4, 8, 2), 0), ("array", "int32", (15,), "small")]


@ct.kernel
def kernel(x, out, rows):
    block = ct.bid(0)
    acc = ct.astype(x.tiled_view((8, 2), padding_mode=ct.PaddingMode.ZERO).load((block % 3, 0)), ct.float32)
    for i in range(-1, 2):
        start = acc.astype(ct.int32)
        ct.store(out, (block, 0, 0), start.reshape((1, 8, 2)))
        for _ in range(block):
            acc = ct.mma(
                ct.gather(rows, ct.broadcast_to(i, (8, 4)), padding_value=16).astype(ct.float32),
                ct.full((4, 2), 1, ct.float32),
                start.astype(ct.float32),
            )
