# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.expert_routing.kernel import route
from kernels.expert_routing.reference import reference
from kernels.peer import tensor, torch
from kernels.work import empty, memory_work, normal

DEEPSEEK_V3 = {"sigmoid": True, "groups": 8, "top_groups": 4, "normalize": True, "scale": 2.5}


def torch_route(scores, bias, top_k, *, groups, top_groups, scale, **_):
    """As the model's own code has it, for sigmoids."""
    gate = scores.sigmoid()
    choice = (gate + bias).view(len(scores), groups, -1)
    value = choice.topk(2, dim=2).values.sum(dim=2)
    allowed = torch.zeros_like(value, dtype=torch.bool).scatter_(1, value.topk(top_groups, dim=1).indices, True)
    ids = choice.masked_fill(~allowed[:, :, None], -torch.inf).flatten(1).topk(top_k, dim=1).indices
    weights = gate.gather(1, ids)
    return weights / weights.sum(dim=1, keepdim=True) * scale, ids


def expert_routing_work(tokens, experts=256, top_k=8):
    """DeepSeek V3's."""
    scores, bias = normal((tokens, experts), np.float32, 1), normal((experts,), np.float32, 2, 0.1)
    weights, ids = empty((tokens, top_k), np.float32), empty((tokens, top_k), np.int32)
    peer = None
    if torch:
        tscores, tbias = tensor(scores), tensor(bias)
        peer = lambda: torch_route(tscores, tbias, top_k, **DEEPSEEK_V3)  # noqa: E731
    return memory_work(
        "expert_routing",
        scores,
        weights,
        scores.nbytes,
        lambda: route(scores, bias, weights, ids, **DEEPSEEK_V3),
        lambda: reference(scores, bias, top_k, **DEEPSEEK_V3)[1],
        peer,
    )
