# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.fused_moe.bench import chosen, matrices_and_scales
from kernels.fused_moe.experts import experts_fp8
from kernels.fused_moe.reference import experts_fp8_reference
from kernels.gpu_code import compile_for_gpus, ptx_of
from kernels.work import normal

# Tokens, hidden, experts, inner, choices: of one tile, of several, and with edges in every direction.
SHAPES = [
    (1, 128, 8, 128, 2),
    (2, 384, 5, 256, 3),
    (3, 128, 8, 128, 2),
    (5, 200, 6, 160, 2),
    (70, 130, 9, 96, 4),
    (20, 256, 64, 128, 9),
    (150, 300, 3, 33, 2),
]


def operands(tokens, hidden, count, inner, top_k, dtype):
    x = normal((tokens, hidden), dtype, 1)
    gate_up, down = matrices_and_scales(count, 2 * inner, hidden), matrices_and_scales(count, hidden, inner, 2)
    return x, *gate_up, *down, *chosen(tokens, count, top_k)


def check(arrays, **options):
    x = arrays[0]
    out = np.full(x.shape, np.nan).astype(x.dtype)
    assert experts_fp8(*arrays, out, **options) is out
    experts_fp8_reference(*arrays).check(out)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
def test_matches_reference(shape, dtype):
    check(operands(*shape, dtype))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("as_rows", [False, True])
def test_products_of_eight_bits(as_rows, shape, dtype):
    """As on tensor cores, with one slot in a block up to two tokens."""
    check(operands(*shape, dtype), as_rows=as_rows, eight_bits=True)


@pytest.mark.parametrize("tile_m", [16, 64])
def test_slots_of_a_block(tile_m):
    check(operands(70, 256, 4, 128, 2, bfloat16), tile_m=tile_m, as_rows=False)


def test_every_expert_has_matrices_and_scales_of_its_own():
    """One choice a token, of each expert once: a wrong expert, half or block of scales is far off."""
    arrays = list(operands(24, 256, 24, 256, 1, np.float32))
    arrays[6] = np.random.default_rng(0).permutation(24).astype(np.int32).reshape(24, 1)
    for scales in (arrays[2], arrays[4]):
        scales *= np.exp2(np.random.default_rng(1).integers(-6, 6, scales.shape)).astype(np.float32)
    check(arrays)
    check(arrays, eight_bits=True)


def test_fewer_rows_of_larger_arrays():
    x, *matrices, weights, ids = operands(30, 128, 6, 128, 4, np.float32)
    for rows in (30, 12, 2, 1):
        check((x[:rows], *matrices, weights[:rows], ids[:rows]))


def test_results_repeat():
    arrays = operands(40, 256, 6, 128, 2, np.float32)
    outs = [experts_fp8(*arrays, np.empty_like(arrays[0])) for _ in range(2)]
    assert (outs[0] == outs[1]).all()


def test_shapes_must_fit():
    x, gate_up, gate_up_scales, down, down_scales, weights, ids = operands(3, 256, 6, 128, 2, np.float32)
    out = np.empty_like(x)
    with pytest.raises(ValueError, match=r"gate_up is \(6, 256, 256\) and down \(6, 256, 127\), expected"):
        experts_fp8(x, gate_up, gate_up_scales, down[:, :, 1:], down_scales, weights, ids, out)
    with pytest.raises(ValueError, match=r"scales have shape \(6, 1, 2\), expected \(6, 2, 2\): one for 128 x 128"):
        experts_fp8(x, gate_up, gate_up_scales[:, :1], down, down_scales, weights, ids, out)
    with pytest.raises(ValueError, match=r"scales have shape \(6, 2, 2\), expected \(6, 2, 1\)"):
        experts_fp8(x, gate_up, gate_up_scales, down, gate_up_scales, weights, ids, out)


@pytest.mark.parametrize(("tokens", "as_rows"), [(1, False), (40, False), (40, True)])
def test_compiles_for_gpus(tokens, as_rows):
    arrays = operands(tokens, 256, 8, 128, 2, bfloat16)
    compile_for_gpus(lambda: experts_fp8(*arrays, np.empty_like(arrays[0]), as_rows=as_rows, eight_bits=True))


def test_hopper_copies_many_slots_by_a_producer():
    """The second product, whose weights of slots and scales of rows do not keep the producer from addressing rows."""
    arrays = operands(40, 256, 8, 128, 2, bfloat16)
    run = lambda: experts_fp8(*arrays, np.empty_like(arrays[0]), tile_m=128, as_rows=True, eight_bits=True)  # noqa: E731
    [code] = ptx_of(run, "fused_moe_kernel", "sm_90a")
    assert "cp.async.bulk.tensor" in code and "wgmma" in code


@pytest.mark.parametrize(("tile_m", "as_rows"), [(64, True), (16, False)])
def test_runs_as_on_gpus(monkeypatch, tile_m, as_rows):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    check(operands(24, 256, 3, 128, 2, bfloat16), tile_m=tile_m, as_rows=as_rows, eight_bits=True)
