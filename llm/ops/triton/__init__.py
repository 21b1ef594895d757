# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation in Triton, as its users write it: pointers and masks, tiles chosen by shape, tensor cores by tl.dot.

With TRITON_INTERPRET=1 in the environment, Triton runs kernels in NumPy, on CPUs, too: so they are tested where there
is no GPU.
"""

from ..torch import on_tensors
from . import fp8, linear, mixture, paged_attention, products, routing, rows, sampling

INTERPRETED = products.INTERPRETED.value
TILE = products.grouped, products.own_tile, products.store_tile
# Operation: its function, and the others that it consists of.
FUNCTIONS = {
    "embedding": (rows.embedding, rows.embedding_kernel),
    "rms_norm": (rows.rms_norm, rows.add_rms_norm, rows.norm_kernel),
    "add_rms_norm": (rows.add_rms_norm, rows.norm_kernel),
    "linear": (linear.linear, linear.linear_int8, linear.row_kernel, linear.tiles_kernel, products),
    "linear_int8": (linear.linear_int8, linear.row_kernel, linear.tiles_kernel, products),
    "linear_int4": (linear.linear_int4, linear.int4_row_kernel, linear.int4_tiles_kernel, *TILE),
    "linear_fp8": (fp8.linear_fp8, fp8, products),
    "head_linear": (linear.head_linear, linear.head_kernel, products.store_tile),
    "rope": (rows.rope, rows.rope_kernel),
    "silu_mul": (rows.silu_mul, rows.silu_mul_kernel),
    "append": (rows.append, rows.append_kernel),
    "attention": (paged_attention.attention, paged_attention),
    "latent_append": (rows.latent_append, rows.append_kernel),
    "latent_attention": (paged_attention.latent_attention, paged_attention),
    "route": (routing.route, routing),
    "experts": (mixture.experts, mixture, products),
    "experts_fp8": (mixture.experts_fp8, mixture, products, fp8.quantize, fp8.quantize_kernel),
    "sample": (sampling.sample, sampling),
}


def sources(functions):
    """Sources whose lines count: modules whole, and functions that are in none of them."""
    modules = [part for part in functions if not callable(part)]
    names = [module.__name__ for module in modules]
    plain = [getattr(part, "fn", part) for part in functions if callable(part)]
    return modules + [function for function in plain if function.__module__ not in names]


DEVICES = ("cuda", "cpu") if INTERPRETED else ("cuda",)
OPERATIONS = {name: on_tensors(parts[0]) if INTERPRETED else parts[0] for name, parts in FUNCTIONS.items()}
SOURCES = {name: sources(parts) for name, parts in FUNCTIONS.items()}
