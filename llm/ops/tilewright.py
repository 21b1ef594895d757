# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile kernels of kernels/, compiled by Tilewright for the device on which the arrays are. Without a stream they
run on PyTorch's current one on GPUs, in order with its copies and inside of its graphs."""

from . import reference
from .kernels import kernel

_embedding = kernel("gather_rows.kernel")
_gemm = kernel("gemm.kernel")
_head_linear = kernel("head_linear.kernel")
_rms_norm = kernel("rms_norm.kernel")
_silu_mul = kernel("fused_moe.pointwise")


def embedding(ids, table, out):
    _embedding.gather_rows(table, ids, out)


def rms_norm(x, weight, out, *, epsilon):
    _rms_norm.rms_norm(x, weight, out, epsilon=epsilon)


def linear(x, weight, out):
    _gemm.gemm(x, weight, out, transposed_b=True)


def head_linear(x, weight, out):
    _head_linear.head_linear(x, weight, out)


def silu_mul(gate_up, out):
    _silu_mul.silu_and_mul(gate_up, out)


DEVICES = ("cpu", "cuda")
FUNCTIONS = (embedding, rms_norm, linear, head_linear, silu_mul)
OPERATIONS = {function.__name__: function for function in FUNCTIONS}
BORROWED = {name: "numpy" for name in reference.OPERATIONS if name not in OPERATIONS}  # no kernel so far
SOURCES = {
    "embedding": [_embedding],
    "rms_norm": [_rms_norm],
    "linear": [_gemm],
    "head_linear": [_head_linear],
    "silu_mul": [_silu_mul],
}
