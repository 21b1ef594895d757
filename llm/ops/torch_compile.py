# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of torch.py through torch.compile, one graph per operation and set of shapes."""

import torch

from . import torch as eager

COMPILED = (
    "embedding",
    "rms_norm",
    "add_rms_norm",
    "linear",
    "linear_int8",
    "linear_int4",
    "linear_fp8",
    "head_linear",
    "rope",
    "silu_mul",
    "route",
)
DEVICES = eager.DEVICES
OPERATIONS = {name: eager.on_tensors(torch.compile(getattr(eager, name), dynamic=False)) for name in COMPILED}
# Single calls of libraries, and operations that take values to the host.
BORROWED = {name: "torch" for name in eager.OPERATIONS if name not in OPERATIONS}
