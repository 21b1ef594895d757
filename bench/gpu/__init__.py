# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of NVIDIA GPUs: every work in turn, beside the best of what others have for it."""

from bench.gpu.attention import attention_rows
from bench.gpu.compile_time import compile_rows
from bench.gpu.foreign import foreign_rows
from bench.gpu.launch import launch_rows
from bench.gpu.moe import moe_rows
from bench.gpu.product import product_rows
from bench.gpu.row_wise import row_wise_rows

__all__ = ["foreign_rows", "rows"]


def rows():
    # First, while nothing else has left anything in the process.
    yield from launch_rows()
    yield from product_rows()
    yield from attention_rows()
    yield from row_wise_rows()
    yield from moe_rows()
    yield from compile_rows()
