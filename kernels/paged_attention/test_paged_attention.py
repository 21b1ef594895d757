# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
import tilewright as ct
from ml_dtypes import bfloat16
from tilewright import _runtime

from kernels.gpu_code import compile_for_gpus
from kernels.paged_attention.bench import paged
from kernels.paged_attention.kernel import append, attention, decode_kernel, latent_append, latent_attention
from kernels.paged_attention.reference import reference


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize(
    ("lengths", "queries"),
    [
        ([100, 30], [100, 30]),  # whole prompts
        ([100, 30, 7], [10, 1, 7]),  # a chunk, a token, a prompt
        ([1000, 30, 1], [1, 1, 1]),  # tokens alone
        ([1], [1]),
    ],
)
@pytest.mark.parametrize(("heads", "kv_heads", "size", "page"), [(8, 2, 64, 16), (6, 2, 96, 64), (4, 4, 128, 32)])
def test_matches_reference(lengths, queries, heads, kv_heads, size, page, dtype):
    case = paged(lengths, queries, heads, kv_heads, size, size, page, dtype)
    assert attention(**case) is case["out"]
    reference(**case).check(case["out"])


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("queries", [[200, 13], [1, 1]])
def test_values_shorter_than_keys(queries, dtype):
    """As DeepSeek's plain form has them, 128 + 64 and 128."""
    case = paged([200, 130], queries, 4, 4, 192, 128, 64, dtype)
    reference(**case).check(attention(**case))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize(("lengths", "queries"), [([200, 130], [20, 13]), ([600, 130], [1, 1])])
def test_values_within_keys(lengths, queries, dtype):
    """As its absorbed form has them: the first 512 elements of the latents, one key head for all."""
    case = paged(lengths, queries, 16, 1, 576, 512, 64, dtype)
    case["cache_v"] = case["cache_k"][..., :512]
    expected, keys = reference(**case), case.pop("cache_k")
    del case["cache_v"]
    expected.check(latent_attention(cache=keys[:, :, 0], **case))


def test_tokens_join_the_cache():
    random = np.random.default_rng(1)
    caches = [np.zeros((5, 16, 3, 96), np.float32) for _ in range(2)]
    tokens = [random.standard_normal((7, 3, 96), np.float32) for _ in range(2)]
    slots = np.array([79, 0, 16, 17, 40, 3, 78], np.int32)
    append(*tokens, *caches, slots)
    for cache, added in zip(caches, tokens, strict=True):
        rows = cache.reshape(80, 3, 96)
        assert (rows[slots] == added).all()
        assert (np.delete(rows, slots, axis=0) == 0).all()


def test_latents_join_the_cache():
    cache, latent = np.zeros((3, 16, 80), np.float32), np.random.default_rng(1).standard_normal((2, 80), np.float32)
    latent_append(latent, cache, np.array([47, 5], np.int32))
    rows = cache.reshape(48, 80)
    assert (rows[[47, 5]] == latent).all()
    assert (np.delete(rows, [47, 5], axis=0) == 0).all()


def test_heads_that_do_not_share():
    case = paged([4], [2], 3, 2, 16, 16, 16, np.float32)
    with pytest.raises(ValueError, match="3 heads share 2 key heads in pages of 16 tokens"):
        attention(**case)


@pytest.mark.parametrize("queries", [[40, 9], [1, 1]])
@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(8, 2, 64), (4, 1, 192)])
def test_compiles_for_gpus(queries, heads, kv_heads, size):
    case = paged([50, 40], queries, heads, kv_heads, size, min(size, 128), 16, bfloat16)
    compile_for_gpus(lambda: attention(**case, by_mma=True))


@pytest.mark.parametrize(("lengths", "queries"), [([50, 40], [40, 9]), ([50, 40], [1, 1]), ([16, 5], [1, 1])])
def test_runs_as_on_gpus(monkeypatch, lengths, queries):
    """The same plan as on a GPU, executed on the host; the last requests have one page, so nothing is split."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    case = paged(lengths, queries, 4, 2, 64, 64, 16, bfloat16)
    reference(**case).check(attention(**case, by_mma=True))


@pytest.mark.parametrize(
    ("lengths", "queries", "heads"), [([90, 33], [1, 1], 20), ([60, 33], [1, 1], 20), ([70, 5], [3, 1], 80)]
)
def test_latents_run_as_on_gpus(monkeypatch, lengths, queries, heads):
    """A tile of latents is both operands of products; a page has two of them."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    case = paged(lengths, queries, heads, 1, 160, 128, 64, bfloat16)
    case["cache_v"] = case["cache_k"][..., :128]
    expected, keys = reference(**case), case.pop("cache_k")
    del case["cache_v"]
    expected.check(latent_attention(cache=keys[:, :, 0], by_mma=True, **case))


@pytest.mark.parametrize("queries", [[20, 9], [1, 1]])
def test_latents_compile_for_gpus(queries):
    case = paged([50, 40], queries, 128, 1, 576, 512, 64, bfloat16)
    keys = case.pop("cache_k")
    del case["cache_v"]
    compile_for_gpus(lambda: latent_attention(cache=keys[:, :, 0], by_mma=True, **case))


def test_ctas_of_decoding(monkeypatch):
    """Loads bound its products of few columns: as many CTAs as its hint asks for, not more with fewer stages each."""
    launches = []
    monkeypatch.setattr(_runtime, "launch", lambda kernel, grid, args, *where: launches.append((kernel, grid, args)))
    attention(**paged([64, 64], [1, 1], 32, 8, 128, 128, 64, bfloat16), by_mma=True)
    decoding = next(each for each in launches if each[0] is decode_kernel)
    assert "2 blocks of an SM" in ct.explain(*decoding, target="sm_90").text
