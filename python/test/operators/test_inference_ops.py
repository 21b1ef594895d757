# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators for inference against the functions of their kernels on NumPy's arrays, and traced."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

import tilewright.ops as ops  # noqa: E402

from kernels.block_scaled_linear.kernel import block_scaled_linear  # noqa: E402
from kernels.expert_routing.kernel import route  # noqa: E402
from kernels.fused_moe.experts import experts  # noqa: E402
from kernels.head_linear.kernel import head_linear  # noqa: E402
from kernels.paged_attention.kernel import append, attention, latent_append, latent_attention  # noqa: E402
from kernels.quantized_linear.kernel import int4_linear, int8_linear  # noqa: E402
from kernels.sampling.kernel import sample  # noqa: E402

RANDOM = np.random.default_rng(0)
PAGES, PAGE, KV, SIZE = 11, 16, 2, 32  # equal extents would be one symbol of a graph
TABLES = np.array([[3, 1], [0, 4]], np.int32)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def whole(low, high, *shape, dtype=np.int32):
    return RANDOM.integers(low, high, shape).astype(dtype)


def int8(rows):
    x, weight, scales = floats(rows, 256), whole(-127, 128, 40, 256, dtype=np.int8), floats(40)
    return ops.int8_linear, (x, weight, scales), int8_linear(x, weight, scales)


def int4(rows):
    x, packed, scales = floats(rows, 256), whole(0, 256, 40, 128, dtype=np.uint8), floats(40, 2)
    return ops.int4_linear, (x, packed, scales, 128), int4_linear(x, packed, scales, group=128)


def fp8(rows):
    import ml_dtypes

    x, weight, scales = floats(rows, 256), floats(40, 256).astype(ml_dtypes.float8_e4m3fn), np.abs(floats(1, 2))
    return ops.fp8_linear, (x, weight, scales), block_scaled_linear(x, weight, scales, np.empty((rows, 40), "f"))


def heads(rows):
    x, weight = floats(rows, 3, 64), floats(3, 40, 64)
    return ops.head_linear, (x, weight), head_linear(x, weight)


def paged(rows):
    """`rows` queries of each of two requests, of 20 tokens."""
    q, caches = floats(2 * rows, 4, SIZE), (floats(PAGES, PAGE, KV, SIZE), floats(PAGES, PAGE, KV, SIZE))
    starts, lengths = np.array([0, rows, 2 * rows], np.int32), np.array([20, 20], np.int32)
    arguments = (q, *caches, TABLES, starts, lengths)
    return ops.paged_attention, (*arguments, 0.2), attention(*arguments, np.empty_like(q), scale=0.2)


def latents(rows):
    q, cache, starts = floats(2 * rows, 4, SIZE), floats(PAGES, PAGE, SIZE), np.array([0, rows, 2 * rows], np.int32)
    arguments = (q, cache, TABLES, starts, np.array([20, 20], np.int32))
    expected = latent_attention(*arguments, np.empty((2 * rows, 4, 24), "f"), scale=0.2)
    return ops.latent_attention, (*arguments, 24, 0.2), expected


def routed(rows):
    scores, bias, weights, ids = floats(rows, 16), floats(16), np.empty((rows, 3), "f"), np.empty((rows, 3), np.int32)
    route(scores, bias, weights, ids, sigmoid=True, groups=4, top_groups=2)
    return ops.route, (scores, bias, 3, True, 4, 2), (weights, ids)


def mixture(rows):
    weights, ids = np.empty((rows, 2), "f"), np.empty((rows, 2), np.int32)
    route(floats(rows, 8), None, weights, ids)
    arguments = floats(rows, 96), floats(8, 80, 96) / 10, floats(8, 96, 40) / 6, weights, ids
    return ops.fused_moe, arguments, experts(*arguments, np.empty((rows, 96), "f"))


def sampled(rows):
    logits, out, ones = floats(rows, 1000), np.empty(rows, np.int32), np.ones(rows, np.int32)
    options = {"temperature": ones.astype("f"), "top_k": 20 * ones, "top_p": 0.9 * ones.astype("f")}
    options |= {"min_p": 0.01 * ones.astype("f"), "seeds": ones.astype(np.int64), "steps": 5 * ones}
    return ops.sample, (logits, *options.values()), sample(logits, out, **options)


CASES = [int8, int4, fp8, heads, paged, latents, routed, mixture, sampled]


def tensor(value):
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.name == "float8_e4m3fn":
        return torch.from_numpy(value.view(np.uint8)).view(torch.float8_e4m3fn)
    return torch.from_numpy(value.copy())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rows", [1, 2, 5, 20])
def test_as_on_arrays(case, rows):
    operator, arguments, expected = case(rows)
    found = operator(*map(tensor, arguments))
    for mine, theirs in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, expected)), strict=True):
        np.testing.assert_array_equal(mine.numpy(), theirs)


@pytest.mark.parametrize("case", CASES)
def test_opcheck(case):
    operator, arguments, _ = case(5)
    utilities = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The first one computes with its arguments, which PyTorch cannot with those of 8 bits.
        torch.library.opcheck(
            operator.overload, tuple(map(tensor, arguments)), test_utils=utilities[1:] if case is fp8 else utilities
        )


def test_a_cache_is_mutated():
    k, v, slots = floats(3, KV, SIZE), floats(3, KV, SIZE), np.array([5, 40, 17], np.int32)
    caches = [np.zeros((PAGES, PAGE, KV, SIZE), np.float32) for _ in range(2)]
    append(k, v, *caches, slots)
    arguments = tensor(k), tensor(v), *(torch.zeros(x.shape) for x in caches), tensor(slots)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(ops.paged_append.overload, arguments)
    ops.paged_append(*arguments)
    for found, expected in zip(arguments[2:4], caches, strict=True):
        np.testing.assert_array_equal(found.numpy(), expected)


def test_a_cache_of_latents_is_mutated():
    latent, cache, slots = floats(3, SIZE), np.zeros((PAGES, PAGE, SIZE), np.float32), np.array([5, 40, 17], np.int32)
    latent_append(latent, cache, slots)
    found = torch.zeros(cache.shape)
    ops.latent_append(tensor(latent), found, tensor(slots))
    np.testing.assert_array_equal(found.numpy(), cache)


def test_a_compiled_step_has_one_graph():
    """New keys go into the cache, in which attention then finds them."""
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    def step(q, k, v, cache_k, cache_v, slots, tables, starts, lengths):
        ops.paged_append(k, v, cache_k, cache_v, slots)
        return ops.paged_attention(q, cache_k, cache_v, tables, starts, lengths, 0.2)

    torch.compiler.reset()
    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend=backend)
    for requests in (5, 2, 3):
        caches = [tensor(floats(PAGES, PAGE, KV, SIZE)) for _ in range(2)]
        new = [tensor(floats(requests, count, SIZE)) for count in (4, KV, KV)]
        tables = torch.arange(requests, dtype=torch.int32)[:, None]
        rest = (tables[:, 0] * PAGE + 3, tables, torch.arange(requests + 1).int(), torch.full((requests,), 4).int())
        expected = step(*new, *[cache.clone() for cache in caches], *rest)
        torch.testing.assert_close(compiled(*new, *caches, *rest), expected)
    assert len(graphs) == 1
