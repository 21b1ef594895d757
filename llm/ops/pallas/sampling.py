# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws of tokens. XLA sorts, which Pallas has no operation for; a program for a row draws among the tokens kept."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from .exchange import F32, launch, masked, operation, power_of_two

CHUNK = 4096


def mix(x):
    """Spreads every bit of u32 numbers over all 32."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def keys_of(seeds, steps):
    """[R] u32, the key of the random numbers of each draw; seeds [R, 2]."""
    low, high, steps = (part.astype(jnp.uint32) for part in (seeds[:, 0], seeds[:, 1], steps))
    return mix(mix(low) ^ mix(high ^ jnp.uint32(0x9E3779B9)) ^ steps * jnp.uint32(0x85EBCA6B))


def noise(key, places):
    """As reference.noise."""
    bits = mix(key ^ mix(places.astype(jnp.uint32)))
    uniform = ((bits >> 9).astype(jnp.int32).astype(F32) + 0.5) / (1 << 23)
    return -jnp.log(-jnp.log(uniform))


def last_kept(probabilities, top_k, top_p, min_p):
    """The probability and the place of the last token that is kept, of those in falling order."""
    order = jnp.argsort(-probabilities, axis=1, stable=True)
    falling = jnp.take_along_axis(probabilities, order, 1)
    rank = jnp.arange(falling.shape[1])
    keep = (jnp.cumsum(falling, 1) - falling < top_p[:, None]) & (falling >= min_p[:, None] * falling[:, :1])
    keep &= (rank < top_k[:, None]) | (top_k[:, None] <= 0)
    count = jnp.maximum(keep.sum(1), 1)[:, None]
    return tuple(jnp.take_along_axis(values, count - 1, 1)[:, 0] for values in (falling, order))


def draw_kernel(scaled, probabilities, lowest, last, keys, drawn, out):
    """The first place of the largest score plus noise, among the places kept; without noise where `drawn` is 0."""
    row = pl.program_id(0)
    size = scaled.shape[1]
    chunk = min(CHUNK, power_of_two(size))
    bound, end, key, noisy = lowest[row], last[row], keys[row], drawn[row]

    def body(step, best):
        highest, place = best
        column = step * chunk + jnp.arange(chunk)
        exists = column < size
        probability = masked(probabilities, (row, column), exists)
        keep = exists & ((probability > bound) | ((probability == bound) & (column <= end)))
        score = masked(scaled, (row, column), exists) + noise(key, column) * noisy
        score = jnp.where(keep, score, -jnp.inf)
        higher = jnp.max(score)
        first = jnp.min(jnp.where(score == higher, column, size))
        return jnp.maximum(highest, higher), jnp.where(higher > highest, first, place)

    start = jnp.float32(-jnp.inf), jnp.int32(0)
    out[row] = jax.lax.fori_loop(0, pl.cdiv(size, chunk), body, start)[1]


@operation(out=(1,), arrays=("temperature", "top_k", "top_p", "min_p", "seeds", "steps"))
def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps, interpret):
    drawn = temperature > 0
    scaled = logits.astype(F32) / jnp.where(drawn, temperature, 1)[:, None]
    probabilities = jax.nn.softmax(scaled, axis=1)
    lowest, last = last_kept(probabilities, top_k, top_p, min_p)
    lowest = jnp.where(drawn, lowest, -1)  # keeps all
    return launch(draw_kernel, out, logits.shape[:1], scaled, probabilities, lowest, last, keys_of(seeds, steps),
                  drawn.astype(F32), warps=8, interpret=interpret)  # fmt: skip
