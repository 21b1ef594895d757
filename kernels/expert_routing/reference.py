# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps


def gates(scores, sigmoid):
    scores = scores.astype(np.float64)
    if sigmoid:
        return 1 / (1 + np.exp(-scores))
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def largest(values, count):
    """Of equal ones the first."""
    return np.argsort(-values, axis=1, kind="stable")[:, :count]


def reference(scores, bias, top_k, *, sigmoid=False, groups=1, top_groups=1, normalize=True, scale=1.0):
    """The ids, and the weights as a Reference, relative to themselves.

    With e = eps(f32): a sigmoid is off by 5 e; a power by 3 e and half the spread of its row's scores, their sum by E e
    more. Weights that are normalized are off by that twice and by the k + 1 e of sum and division.
    """
    gate = gates(scores, sigmoid)
    choice = gate if bias is None else gate + bias
    grouped = choice.reshape(len(choice), groups, -1)
    value = np.sort(grouped, axis=2)[:, :, -2:].sum(axis=2) if sigmoid else grouped.max(axis=2)
    allowed = np.zeros(value.shape, bool)
    np.put_along_axis(allowed, largest(value, top_groups), True, axis=1)
    ids = largest(np.where(allowed[:, :, None], grouped, -np.inf).reshape(choice.shape), top_k)
    weights = np.take_along_axis(gate, ids, axis=1)
    if normalize:
        weights = weights / weights.sum(axis=1, keepdims=True)
    spread = float((scores.max(axis=1) - scores.min(axis=1)).max())
    error = 5 if sigmoid else 5 + spread + scores.shape[1]
    error = 2 * error + top_k + 1 if normalize else error
    return ids, Reference(weights * scale, np.abs(weights * scale), (error + 1) * eps(np.float32))
