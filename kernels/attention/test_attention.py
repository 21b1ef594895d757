# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.attention.kernel import attention
from kernels.attention.reference import reference

DTYPES = [np.float32, np.float16, bfloat16]


def operands(dtype, *, batches=1, heads=2, kv_heads=2, queries=128, keys=None, size=64):
    random = np.random.default_rng(queries + size)
    keys = queries if keys is None else keys
    q = random.standard_normal((batches, heads, queries, size)).astype(dtype)
    k = random.standard_normal((batches, kv_heads, keys, size)).astype(dtype)
    v = random.standard_normal((batches, kv_heads, keys, size)).astype(dtype)
    return q, k, v


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("queries", [1, 64, 100, 256, 333])
def test_matches_reference(queries, causal, dtype):
    q, k, v = operands(dtype, queries=queries)
    reference(q, k, v, causal=causal).check(attention(q, k, v, causal=causal))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("causal", [True, False])
def test_queries_as_rows_match_reference(causal, dtype):
    for queries, keys, size in [(100, 333, 64), (256, 256, 128), (1, 70, 80)]:
        q, k, v = operands(dtype, queries=queries, keys=keys, size=size)
        reference(q, k, v, causal=causal).check(attention(q, k, v, causal=causal, rows=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_query_groups_share_a_head(dtype):
    q, k, v = operands(dtype, batches=2, heads=6, kv_heads=2, queries=150)
    reference(q, k, v).check(attention(q, k, v))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("lengths", [(1, 200), (70, 190), (64, 128)])
def test_more_keys_than_queries(lengths, causal):
    q, k, v = operands(np.float32, queries=lengths[0], keys=lengths[1])
    reference(q, k, v, causal=causal).check(attention(q, k, v, causal=causal))


@pytest.mark.parametrize("size", [16, 80, 128])
def test_head_sizes(size):
    q, k, v = operands(np.float32, queries=130, size=size)
    reference(q, k, v).check(attention(q, k, v))


@pytest.mark.parametrize("tile", [(128, 64), (64, 128), (32, 32)])
def test_tiles(tile):
    q, k, v = operands(np.float32, queries=300)
    reference(q, k, v).check(attention(q, k, v, tile=tile))


def test_heads_that_lie_between_each_other():
    """[B, S, H, D] in memory, as a projection leaves it, seen as [B, H, S, D]."""
    q, k, v = (t.swapaxes(1, 2).copy().swapaxes(1, 2) for t in operands(np.float32, queries=90))
    assert not q.flags.c_contiguous
    reference(q, k, v).check(attention(q, k, v))


def test_lengths_and_heads_must_fit():
    q, k, v = operands(np.float32, queries=10, keys=5)
    with pytest.raises(ValueError, match="causal attention of 10 queries needs at least as many keys, found 5"):
        attention(q, k, v)
    q, k, v = operands(np.float32, heads=3, kv_heads=2)
    with pytest.raises(ValueError, match="q has 3 heads, expected a multiple of the 2 heads of k"):
        attention(q, k, v)
