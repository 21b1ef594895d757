# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.fused_moe.align import Aligner
from kernels.fused_moe.experts import experts, slots_of_block
from kernels.fused_moe.reference import align_reference, experts_reference
from kernels.gpu_code import compile_for_gpus
from kernels.work import normal


def choices(tokens, count, top_k):
    random = np.random.default_rng(tokens + count)
    ids = np.argsort(random.random((tokens, count)), axis=1)[:, :top_k].astype(np.int32)
    return random.random(ids.shape, np.float32), ids


def operands(tokens, hidden, count, inner, top_k, dtype):
    x = normal((tokens, hidden), dtype, 1)
    gate_up = normal((count, 2 * inner, hidden), dtype, 2, hidden**-0.5)
    down = normal((count, hidden, inner), dtype, 3, inner**-0.5)
    return x, gate_up, down, *choices(tokens, count, top_k)


@pytest.mark.parametrize("tile_m", [8, 16, 64])
@pytest.mark.parametrize(("tokens", "count", "top_k"), [(1, 1, 1), (50, 7, 2), (33, 257, 9), (700, 20, 3), (3, 40, 6)])
def test_slots_are_aligned_as_by_numpy(tokens, count, top_k, tile_m):
    _, ids = choices(tokens, count, top_k)
    expected = align_reference(ids, count, tile_m)
    aligner = Aligner(tokens, top_k, count, tile_m, lambda shape: np.full(shape, 77, np.int32))
    for _ in range(2):
        found = aligner(ids)
        np.testing.assert_array_equal(found.block_experts, expected.block_experts)
        np.testing.assert_array_equal(found.sorted_slots, expected.sorted_slots)
    assert (aligner.block_experts[len(expected.block_experts) :] == -1).all()


def test_fewer_tokens_than_there_is_memory_for():
    _, ids = choices(64, 32, 9)
    for most, tokens in ((64, 50), (64, 21), (4, 3), (4, 1)):
        aligner = Aligner(most, 9, 32, 4, lambda shape: np.full(shape, 77, np.int32))
        found, expected = aligner(ids[:tokens]), align_reference(ids[:tokens], 32, 4)
        np.testing.assert_array_equal(found.block_experts, expected.block_experts)
        np.testing.assert_array_equal(found.sorted_slots, expected.sorted_slots)


def test_experts_that_all_choose():
    """Everything in one expert, and the worst case of blocks that are not full."""
    for ids in (np.full((40, 1), 5, np.int32), np.arange(40, dtype=np.int32).reshape(40, 1)):
        found = Aligner(40, 1, 40, 16, lambda shape: np.empty(shape, np.int32))(ids)
        expected = align_reference(ids, 40, 16)
        np.testing.assert_array_equal(found.sorted_slots, expected.sorted_slots)
        np.testing.assert_array_equal(found.block_experts, expected.block_experts)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize(
    ("tokens", "hidden", "count", "inner", "top_k"),
    [(1, 96, 8, 40, 2), (2, 130, 5, 33, 3), (3, 96, 8, 40, 2), (70, 130, 9, 33, 4), (20, 64, 257, 32, 9)],
)
def test_matches_reference(tokens, hidden, count, inner, top_k, dtype):
    arrays = operands(tokens, hidden, count, inner, top_k, dtype)
    out = np.full((tokens, hidden), np.nan).astype(dtype)
    assert experts(*arrays, out) is out
    experts_reference(*arrays).check(out)


def test_views_of_wider_rows():
    """Shared experts are further columns of ids; a step takes the first rows of larger arrays."""
    x, gate_up, down, weights, ids = operands(30, 64, 6, 32, 4, np.float32)
    for rows in (30, 12, 1):
        arrays = (x[:rows], gate_up, down, weights[:rows], ids[:rows])
        out = np.empty((rows, 64), np.float32)
        experts(*arrays, out)
        experts_reference(*arrays).check(out)


def test_results_repeat():
    arrays = operands(40, 64, 6, 32, 2, np.float32)
    outs = [experts(*arrays, np.empty((40, 64), np.float32)) for _ in range(2)]
    assert (outs[0] == outs[1]).all()


def test_slots_of_a_block():
    assert [slots_of_block(slots, 64, True) for slots in (4, 64 * 10, 64 * 500)] == [4, 16, 64]
    assert [slots_of_block(slots, 64, False) for slots in (4, 64 * 10, 64 * 500)] == [16, 32, 128]


def test_shapes_must_fit():
    x, gate_up, down, weights, ids = operands(3, 64, 6, 32, 2, np.float32)
    with pytest.raises(ValueError, match=r"gate_up is \(6, 64, 64\) and down \(6, 64, 31\), expected \[E, 2 I, H\]"):
        experts(x, gate_up, down[:, :, 1:], weights, ids, np.empty_like(x))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("tile_m", [16, 64])
def test_slots_as_columns(tile_m, dtype):
    arrays = operands(70, 130, 9, 33, 4, dtype)
    experts_reference(*arrays).check(experts(*arrays, np.empty_like(arrays[0]), tile_m=tile_m, as_rows=False))


@pytest.mark.parametrize(("tokens", "as_rows"), [(1, False), (70, False), (70, True)])
def test_compiles_for_gpus(tokens, as_rows):
    arrays = operands(tokens, 128, 8, 64, 2, bfloat16)
    compile_for_gpus(lambda: experts(*arrays, np.empty_like(arrays[0]), as_rows=as_rows))


@pytest.mark.parametrize(("tile_m", "as_rows"), [(64, True), (16, False)])
def test_runs_as_on_gpus(monkeypatch, tile_m, as_rows):
    """A producer gathers rows that both products of an iteration multiply."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    arrays = operands(24, 128, 3, 128, 2, bfloat16)
    x = arrays[0]
    out = np.full(x.shape, np.nan).astype(x.dtype)
    experts(*arrays, out, tile_m=tile_m, as_rows=as_rows)
    experts_reference(*arrays).check(out)
