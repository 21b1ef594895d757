# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.accuracy import Reference, eps
from kernels.fused_moe.align import Alignment
from kernels.fused_moe.gathered import gathered_moe
from kernels.fused_moe.kernel import fused_moe
from kernels.fused_moe.layer import MoeLayer
from kernels.fused_moe.pointwise import sum_choices
from kernels.fused_moe.reference import align_reference, fused_moe_reference, moe_reference


def parameters(tokens, hidden, experts, inner, dtype):
    random = np.random.default_rng(tokens + experts)
    x = random.standard_normal((tokens, hidden)).astype(dtype)
    router = random.standard_normal((experts, hidden)).astype(dtype)
    gate_up = (random.standard_normal((experts, 2 * inner, hidden)) / np.sqrt(hidden)).astype(dtype)
    down = (random.standard_normal((experts, hidden, inner)) / np.sqrt(inner)).astype(dtype)
    return x, router, gate_up, down


def test_align_example():
    alignment = align_reference(np.array([2, 0, 0, 2, 0]), 3, 2)
    assert alignment.sorted_slots.tolist() == [1, 2, 4, 5, 0, 3]
    assert alignment.block_experts.tolist() == [0, 0, 2]


@pytest.mark.parametrize("tile_m", [1, 16, 64])
@pytest.mark.parametrize("experts", [1, 7, 40])
def test_align_holds_every_slot_once(experts, tile_m):
    ids = np.random.default_rng(4).integers(0, experts, (50, 2))
    alignment = align_reference(ids, experts, tile_m)
    slots = alignment.sorted_slots.reshape(-1, tile_m)
    assert sorted(slots[slots < ids.size].tolist()) == list(range(ids.size))
    for block, expert in zip(slots, alignment.block_experts, strict=True):
        assert (ids.reshape(-1)[block[block < ids.size]] == expert).all()


@pytest.mark.parametrize("experts", [4, 13])
def test_route(experts):
    x, router, *experts_of_layer = parameters(100, 96, experts, 8, np.float32)
    weights, ids = MoeLayer(router, *experts_of_layer, 3).route(x)
    scores = x.astype(np.float64) @ router.T.astype(np.float64)
    best = np.argsort(-scores, axis=1)[:, :3]
    assert (ids == best).all()
    powers = np.exp(np.take_along_axis(scores, best, axis=1) - scores.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    error = 2 * 100 * eps(np.float32) * float((np.abs(x) @ np.abs(router).T).max())
    Reference(expected, expected, error).check(weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("as_rows", [False, True])
def test_product(as_rows, weighted, dtype):
    x, _, gate_up, _ = parameters(60, 100, 5, 35, dtype)
    random = np.random.default_rng(5)
    ids = random.integers(0, 5, (60, 2))
    weights = random.random(120).astype(np.float32)
    out = np.full((120, 70), np.nan).astype(dtype)
    fused_moe(
        x, gate_up, out, weights, align_reference(ids, 5, 32), slots_per_row=2, weighted=weighted, as_rows=as_rows
    )
    fused_moe_reference(x, gate_up, weights, ids, slots_per_row=2, weighted=weighted).check(out)


@pytest.mark.parametrize("slots_per_row", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_product_of_gathered_slots(weighted, slots_per_row):
    """With the number of slots of a row known at run time only."""
    x, _, gate_up, _ = parameters(60, 96, 5, 64, bfloat16)
    random = np.random.default_rng(6)
    ids = random.integers(0, 5, (60, slots_per_row))
    weights = random.random(60 * slots_per_row).astype(np.float32)
    out = np.full((60 * slots_per_row, 128), np.nan).astype(bfloat16)
    options = dict(slots_per_row=slots_per_row, weighted=weighted)
    gathered_moe(x, gate_up, out, weights, align_reference(ids, 5, 32), tile_n=64, tile_k=32, **options)
    fused_moe_reference(x, gate_up, weights, ids, **options).check(out)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 31, 33, 48, 49, 64])
def test_blocks_with_any_number_of_real_slots(count):
    """The slots of the one block of each expert: real ones first, then between padding."""
    tile, depth, columns = 64, 80, 72
    random = np.random.default_rng(count)
    tokens = random.standard_normal((64, depth)).astype(np.float32)
    experts = random.standard_normal((2, columns, depth)).astype(np.float32)
    first = np.full(tile, 128, np.int32)
    first[:count] = random.permutation(64)[:count]
    second = np.full(tile, 128, np.int32)
    second[tile - count :] = 64 + np.arange(count)
    alignment = Alignment(np.concatenate([first, second]), np.array([0, 1], np.int32), tile)
    out = np.full((128, columns), 7, np.float32)
    weights = np.ones(128, np.float32)
    fused_moe(tokens, experts, out, weights, alignment, slots_per_row=2, weighted=False)
    expected = np.full((128, columns), 7.0)
    for block, expert in ((first, 0), (second, 1)):
        for slot in block[block < 128]:
            expected[slot] = experts[expert].astype(np.float64) @ tokens[slot // 2]
    np.testing.assert_allclose(out, expected, atol=1e-4)


@pytest.mark.parametrize("choices", [1, 2, 6])
def test_sum_choices(choices):
    x = np.random.default_rng(7).standard_normal((20, choices, 1100)).astype(np.float32)
    expected, scale = x.astype(np.float64).sum(axis=1), np.abs(x).astype(np.float64).sum(axis=1)
    Reference(expected, scale, choices * eps(np.float32)).check(sum_choices(x, np.empty((20, 1100), np.float32)))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("tokens", [1, 77])
def test_layer(tokens, dtype):
    x, router, gate_up, down = parameters(tokens, 128, 8, 96, dtype)
    moe_reference(x, router, gate_up, down, 2).check(MoeLayer(router, gate_up, down, 2)(x))


def test_layer_with_another_number_of_tokens():
    x, router, gate_up, down = parameters(50, 64, 4, 32, np.float32)
    layer = MoeLayer(router, gate_up, down, 2)
    for tokens in (50, 20, 33):
        moe_reference(x[:tokens], router, gate_up, down, 2).check(layer(x[:tokens]))
