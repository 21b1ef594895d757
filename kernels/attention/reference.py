# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def reference(q, k, v, *, causal=True, scale=None) -> Reference:
    """Relative to sum p |v|, the result with every value made positive.

    With u = eps(f32) / 2, a score is off by d = (D + 3) eps of scale sum |q||k|, largest over all scores; so a weight p
    and the sum it is divided by are each off by d, by R u for the difference of exponents of size R, and by 2 eps
    for exp2, twice where the maximum moves. Summing L weights and L products adds 2 L u, the final division 2 u. The
    weights are rounded to the type of v before the second product, the result to its own type.
    """
    batches, heads, queries, size = q.shape
    keys = k.shape[2]
    group = heads // k.shape[1]
    scale = 1.0 / math.sqrt(size) if scale is None else scale
    mask = np.arange(keys)[None, :] > np.arange(queries)[:, None] + keys - queries
    expected = np.empty((*q.shape[:3], v.shape[3]))
    magnitude = np.empty(expected.shape)
    score_error = spread = 0.0
    for b in range(batches):
        for h in range(heads):
            qh, kh, vh = (t.astype(np.float64) for t in (q[b, h], k[b, h // group], v[b, h // group]))
            scores = qh @ kh.T
            scores *= scale
            lengths = np.linalg.norm(qh, axis=1).max() * np.linalg.norm(kh, axis=1).max()
            score_error = max(score_error, lengths * scale)
            spread = max(spread, float(scores.max() - scores.min()))
            if causal:
                scores[mask] = -np.inf
            scores -= scores.max(axis=1, keepdims=True)
            weights = np.exp(scores, out=scores)
            weights /= weights.sum(axis=1, keepdims=True)
            expected[b, h] = weights @ vh
            magnitude[b, h] = weights @ np.abs(vh)
    e = eps(np.float32)
    bound = 2 * ((size + 3) * e * score_error + spread * e + 4 * e) + (keys + 1) * e
    bound += 2 * narrowing(q.dtype)
    return Reference(expected, magnitude, bound)
