# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layer of layer.py in plain PyTorch, one pair of matrix products per expert, as the reference."""

from kernels.peer import torch


def torch_moe(x, router, gate_up, down, top_k):
    """The layer's output [T, H]; the arguments are those of MoeLayer, as tensors."""
    probabilities = torch.softmax(x.float() @ router.float().T, dim=1)
    weights, chosen = probabilities.topk(top_k, dim=1)
    weights = (weights / weights.sum(dim=1, keepdim=True)).to(x.dtype)
    result = torch.zeros_like(x)
    for expert, (w1, w2) in enumerate(zip(gate_up, down, strict=True)):
        token, slot = torch.where(chosen == expert)
        if len(token) == 0:
            continue
        gate, up = (x[token] @ w1.T).chunk(2, dim=1)
        part = (torch.nn.functional.silu(gate) * up) @ w2.T
        result.index_add_(0, token, part * weights[token, slot].unsqueeze(1))
    return result
