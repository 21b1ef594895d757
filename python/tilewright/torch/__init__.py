# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as operators of PyTorch. Since 0.1.

An operator is one Python function that allocates its results and launches kernels. `op` registers it with PyTorch, so
that eager calls, ``torch.compile``, ``torch.export``, autograd and ``vmap`` know it (docs/operators.md)::

    @tilewright.torch.op("mine::scaled")
    def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
        out = torch.empty_like(x)
        tilewright.launch(None, (tilewright.cdiv(x.numel(), 1024),), scale_kernel, (x, out, factor, 1024))
        return out

Tested with PyTorch 2.13 on the CPU.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError:
    raise ImportError("tilewright.torch needs PyTorch, which is not installed: pip install torch") from None

from tilewright.errors import OperatorError
from tilewright.torch.fake import launching, size_hint
from tilewright.torch.operator import Operator, op

__all__ = ["Operator", "OperatorError", "launching", "op", "size_hint"]
