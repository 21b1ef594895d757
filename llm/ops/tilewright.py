# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile kernels of kernels/, compiled by Tilewright for the device on which the arrays are. Without a stream they
run on PyTorch's current one on GPUs, in order with its copies and inside of its graphs."""

from . import OPERATIONS as ALL
from .kernels import kernel

_embedding = kernel("gather_rows.kernel")
_rms_norm = kernel("rms_norm.kernel")
_silu_mul = kernel("fused_moe.pointwise")


def embedding(ids, table, out):
    _embedding.gather_rows(table, ids, out)


def rms_norm(x, weight, out, *, epsilon):
    _rms_norm.rms_norm(x, weight, out, epsilon=epsilon)


def silu_mul(gate_up, out):
    _silu_mul.silu_and_mul(gate_up, out)


DEVICES = ("cpu", "cuda")
OPERATIONS = {"embedding": embedding, "rms_norm": rms_norm, "silu_mul": silu_mul}
SOURCES = {"embedding": [_embedding], "rms_norm": [_rms_norm], "silu_mul": [_silu_mul]}
# Folders with a function of the operation's name and signature.
FOLDERS = {
    "append": "paged_attention",
    "attention": "paged_attention",
    "head_linear": "head_linear",
    "latent_append": "paged_attention",
    "latent_attention": "paged_attention",
    "linear": "linear",
}
for _name, _folder in FOLDERS.items():
    SOURCES[_name] = [kernel(f"{_folder}.kernel")]
    OPERATIONS[_name] = getattr(SOURCES[_name][0], _name)
BORROWED = {_name: "numpy" for _name in ALL if _name not in OPERATIONS}  # no kernel so far
