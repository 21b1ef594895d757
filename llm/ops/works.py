# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of each operation in the sizes of models, with the bytes and floating-point operations that they cost."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Cpu, empty
from ..cache import PAGE
from ..config import Rope
from ..rope import rope_table
from ..weights import group_of, quantize_fp8, quantize_int4, quantize_int8


@dataclass(frozen=True)
class Sizes:
    """Of both architectures: llama's and DeepSeek's where they differ."""

    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int
    latent_heads: int
    kv_rank: int
    rope: int
    nope: int
    experts: int
    chosen: int
    expert_intermediate: int
    groups: int
    top_groups: int


SIZES = {
    "tiny": Sizes(128, 256, 4, 2, 32, 512, 4, 64, 16, 32, 8, 2, 128, 4, 2),
    "llama3-8b": Sizes(4096, 14336, 32, 8, 128, 128256, 128, 512, 64, 128, 16, 8, 2048, 8, 4),
    "deepseek-v3": Sizes(7168, 18432, 128, 128, 128, 129280, 128, 512, 64, 128, 256, 8, 2048, 8, 4),
}


@dataclass
class OperationWork:
    """Arguments in order, the indices of those that are written, and the least that an implementation has to move."""

    operation: str
    shape: str
    arguments: list
    options: dict
    written: list[int]
    bytes: float
    flops: float

    def call(self, function):
        """A call on the arguments, without arguments of its own."""
        return lambda: function(*self.arguments, **self.options)

    def results(self, function, arrays=None) -> list[np.ndarray]:
        """The arrays that the operation writes, from copies of the arguments; `arrays` says on which device."""
        arrays = arrays or Cpu()
        arguments = [copy_view(a) if i in self.written else a for i, a in enumerate(self.arguments)]
        work = replace(self, arguments=arguments).on(arrays)
        function(*work.arguments, **work.options)
        return [arrays.get(work.arguments[i]) for i in self.written]

    def on(self, arrays):
        """The same work on another device."""

        def put(value):
            return put_view(arrays, value) if isinstance(value, np.ndarray) else value

        options = {name: put(value) for name, value in self.options.items()}
        return replace(self, arguments=[put(a) for a in self.arguments], options=options)


def memory_of(view):
    """All elements from the first of a view to its last, in one dimension."""
    extent = (
        1 + sum((size - 1) * stride for size, stride in zip(view.shape, view.strides, strict=True)) // view.itemsize
    )
    return np.lib.stride_tricks.as_strided(view, (extent,), (view.itemsize,))


def copy_view(view):
    """A copy with the strides that a view has: operations write to views of larger arrays."""
    return np.lib.stride_tricks.as_strided(memory_of(view).copy(), view.shape, view.strides)


def put_view(arrays, view):
    """An array on another device with the strides that it has here."""
    if view.flags.c_contiguous or arrays.name == "cpu":
        return arrays.put(view)
    strides = [stride // view.itemsize for stride in view.strides]
    return arrays.put(memory_of(view)).as_strided(view.shape, strides)


@dataclass(frozen=True)
class Case:
    """T tokens: at most DECODE of them are the next token of as many requests, more are the end of one prompt."""

    sizes: Sizes
    tokens: int
    cached: int  # tokens of each request that are in the cache already
    dtype: str

    @property
    def requests(self):
        return self.tokens if self.tokens <= DECODE else 1

    def normal(self, shape, scale=1.0, dtype=None, seed=0):
        array = empty(shape, dtype or self.dtype)
        array[...] = np.random.default_rng(seed).standard_normal(shape, np.float32) * np.float32(scale)
        return array

    def matrix(self, *shape):
        return self.normal(shape, shape[-1] ** -0.5, seed=1)

    def out(self, *shape, dtype=None):
        array = empty(shape, dtype or self.dtype)
        array[...] = 0
        return array

    def paging(self):
        """tables, starts, lengths, slots; each request has pages of its own in any order, and page 0 is free."""
        queries = self.tokens // self.requests
        length = self.cached + queries
        pages = -(-length // PAGE)
        tables = np.random.default_rng(2).permutation(self.requests * pages).astype(np.int32) + 1
        tables = tables.reshape(self.requests, pages)
        places = np.arange(self.cached, length)
        slots = (tables[:, places // PAGE] * PAGE + places % PAGE).astype(np.int32).reshape(-1)
        starts = np.arange(self.requests + 1, dtype=np.int32) * queries
        return tables, starts, np.full(self.requests, length, np.int32), slots

    def pairs(self):
        """Queries times keys that they see."""
        queries = self.tokens // self.requests
        return self.requests * (queries * self.cached + queries * (queries + 1) / 2)


DECODE = 64


def size_of(*values):
    return sum(value.nbytes for value in values if isinstance(value, np.ndarray))


def work(operation, arguments, written, *, flops=0.0, moved=None, shape="", **options):
    moved = size_of(*arguments) + sum(arguments[i].nbytes for i in written) if moved is None else moved
    return OperationWork(operation, shape, list(arguments), options, written, moved, flops)


def embedding(c):
    ids = np.random.default_rng(3).integers(0, c.sizes.vocabulary, c.tokens).astype(np.int32)
    table, out = c.normal((c.sizes.vocabulary, c.sizes.hidden)), c.out(c.tokens, c.sizes.hidden)
    return work("embedding", [ids, table, out], [2], moved=2 * out.nbytes)


def rms_norm(c):
    x = c.normal((c.tokens, c.sizes.hidden))
    return work(
        "rms_norm", [x, c.normal((c.sizes.hidden,), seed=1), np.zeros_like(x)], [2], moved=2 * x.nbytes, epsilon=1e-5
    )


def add_rms_norm(c):
    x, residual = c.normal((c.tokens, c.sizes.hidden)), c.normal((c.tokens, c.sizes.hidden), seed=5)
    weight = c.normal((c.sizes.hidden,), seed=1)
    return work("add_rms_norm", [x, residual, weight, np.zeros_like(x)], [1, 3], moved=4 * x.nbytes, epsilon=1e-5)


def product(c, operation, *weights, **options):
    """The down projection of an MLP."""
    n, k = c.sizes.hidden, c.sizes.intermediate
    x, out = c.normal((c.tokens, k)), c.out(c.tokens, n)
    moved = size_of(x, *weights, out)
    return work(operation, [x, *weights, out], [1 + len(weights)], flops=2.0 * c.tokens * n * k, moved=moved,
                shape=f"{c.tokens}x{n}x{k}", **options)  # fmt: skip


def dense_matrix(c):
    return c.matrix(c.sizes.hidden, c.sizes.intermediate)


def linear(c):
    return product(c, "linear", dense_matrix(c))


def linear_int8(c):
    return product(c, "linear_int8", *quantize_int8(dense_matrix(c)))


def linear_int4(c):
    group = group_of(c.sizes.intermediate)
    return product(c, "linear_int4", *quantize_int4(dense_matrix(c), group), group=group)


def linear_fp8(c):
    return product(c, "linear_fp8", *quantize_fp8(dense_matrix(c)))


def head_linear(c):
    """The key matrices of latent attention on queries, both as views of larger arrays."""
    s = c.sizes
    x = c.normal((c.tokens, s.latent_heads, s.nope + s.rope))[..., : s.nope]
    weight = c.matrix(s.latent_heads, 2 * s.nope, s.kv_rank)[:, : s.nope].swapaxes(1, 2)
    out = c.out(c.tokens, s.latent_heads, s.kv_rank)
    return work("head_linear", [x, weight, out], [2], flops=2.0 * x.size * s.kv_rank, moved=size_of(x, weight, out))


def rope(c):
    s = c.sizes
    x = c.normal((c.tokens, s.heads + 2 * s.kv_heads, s.head))[:, : -s.kv_heads]
    positions = np.arange(c.cached, c.cached + c.tokens, dtype=np.int32)
    table = rope_table(Rope(10000.0), s.head, c.cached + c.tokens)
    return work("rope", [x, positions, table], [0], moved=2 * x.nbytes, interleaved=False)


def silu_mul(c):
    gate_up = c.normal((c.tokens, 2 * c.sizes.intermediate))
    out = c.out(c.tokens, c.sizes.intermediate)
    return work("silu_mul", [gate_up, out], [1], moved=gate_up.nbytes + out.nbytes)


def append(c):
    """Keys and values, in this shape of equal sizes, as views of a larger array."""
    s, (tables, _, _, slots) = c.sizes, c.paging()
    qkv = c.normal((c.tokens, s.heads + 2 * s.kv_heads, s.head))
    caches = [c.out(tables.size + 1, PAGE, s.kv_heads, s.head) for _ in range(2)]
    k, v = qkv[:, s.heads : -s.kv_heads], qkv[:, -s.kv_heads :]
    return work("append", [k, v, *caches, slots], [2, 3], moved=4 * k.nbytes)


def attention(c):
    s, (tables, starts, lengths, _) = c.sizes, c.paging()
    q = c.normal((c.tokens, s.heads + 2 * s.kv_heads, s.head))[:, : s.heads]
    caches = [c.normal((tables.size + 1, PAGE, s.kv_heads, s.head), seed=seed) for seed in (3, 4)]
    out = c.out(c.tokens, s.heads, s.head)
    keys = int(lengths.sum()) * s.kv_heads * s.head * caches[0].itemsize
    return work("attention", [q, *caches, tables, starts, lengths, out], [6], flops=4.0 * c.pairs() * s.heads * s.head,
                moved=2 * keys + 2 * out.nbytes, scale=s.head**-0.5)  # fmt: skip


def latent_append(c):
    s, (tables, _, _, slots) = c.sizes, c.paging()
    latent = c.normal((c.tokens, s.kv_rank + s.rope))
    cache = c.out(tables.size + 1, PAGE, s.kv_rank + s.rope)
    return work("latent_append", [latent, cache, slots], [1], moved=2 * latent.nbytes)


def latent_attention(c):
    s, (tables, starts, lengths, _) = c.sizes, c.paging()
    size = s.kv_rank + s.rope
    q, cache = c.normal((c.tokens, s.latent_heads, size)), c.normal((tables.size + 1, PAGE, size), seed=3)
    out = c.out(c.tokens, s.latent_heads, s.kv_rank)
    moved = int(lengths.sum()) * size * cache.itemsize + q.nbytes + out.nbytes
    flops = 2.0 * c.pairs() * s.latent_heads * (size + s.kv_rank)
    return work("latent_attention", [q, cache, tables, starts, lengths, out], [5], flops=flops, moved=moved,
                scale=size**-0.5)  # fmt: skip


def route(c):
    s = c.sizes
    scores = c.normal((c.tokens, s.experts), dtype="float32")
    bias = c.normal((s.experts,), 0.1, "float32", seed=1)
    # Beside those of shared experts, which every token has.
    weights, ids = (c.out(c.tokens, s.chosen + 1, dtype=dtype)[:, : s.chosen] for dtype in ("float32", "int32"))
    return work("route", [scores, bias, weights, ids], [2, 3], moved=scores.nbytes, sigmoid=True, groups=s.groups,
                top_groups=s.top_groups, normalize=True, scale=2.5)  # fmt: skip


def routed(c):
    """x, weights and ids of tokens that choose experts at random, and how many experts are chosen at all."""
    s, numbers = c.sizes, np.random.default_rng(6)
    ids = np.argsort(numbers.random((c.tokens, s.experts)), axis=1)[:, : s.chosen].astype(np.int32)
    weights = numbers.random(ids.shape, np.float32)
    return c.normal((c.tokens, s.hidden)), weights, ids, len(np.unique(ids))


def expert_work(c, operation, gate_up, down):
    x, weights, ids, hit = routed(c)
    out = np.zeros_like(x)
    moved = size_of(*gate_up, *down) * hit / len(gate_up[0]) + 2 * x.nbytes
    flops = 6.0 * ids.size * c.sizes.hidden * c.sizes.expert_intermediate
    arguments = [x, *gate_up, *down, weights, ids, out]
    return work(operation, arguments, [len(arguments) - 1], flops=flops, moved=moved)


def expert_matrices(c):
    s = c.sizes
    gate_up = c.matrix(s.experts, 2 * s.expert_intermediate, s.hidden)
    return gate_up, c.matrix(s.experts, s.hidden, s.expert_intermediate)


def experts(c):
    gate_up, down = expert_matrices(c)
    return expert_work(c, "experts", [gate_up], [down])


def experts_fp8(c):
    parts = [[np.stack(part) for part in zip(*map(quantize_fp8, m), strict=True)] for m in expert_matrices(c)]
    return expert_work(c, "experts_fp8", *parts)


def sample(c):
    rows = c.requests
    logits = c.normal((rows, c.sizes.vocabulary), 3.0, "float32")
    seeds = np.arange(rows, dtype=np.int64) * 12345678901
    options = {"temperature": np.float32(0.8), "top_k": np.int32(40), "top_p": np.float32(0.9), "min_p": np.float32(0)}
    options = {name: np.full(rows, value) for name, value in options.items()}
    return work("sample", [logits, c.out(rows, dtype="int32")], [1], moved=logits.nbytes, seeds=seeds,
                steps=np.arange(rows, dtype=np.int32), **options)  # fmt: skip


MAKERS = {
    maker.__name__: maker
    for maker in (embedding, rms_norm, add_rms_norm, linear, linear_int8, linear_int4, linear_fp8, head_linear, rope,
                  silu_mul, append, attention, latent_append, latent_attention, route, experts, experts_fp8, sample)
}  # fmt: skip


def make_work(operation, sizes, *, tokens, cached, dtype="bfloat16") -> OperationWork:
    made = MAKERS[operation](Case(SIZES[sizes], tokens, cached, dtype))
    made.shape = made.shape or "x".join(map(str, made.arguments[0].shape))
    return made
