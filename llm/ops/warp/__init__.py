# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation in NVIDIA Warp: threads for elements and rows, tiles for products and attention, the same sources on
GPUs and CPUs. On a CPU Warp runs the blocks of a grid one after the other, each as one thread."""

from . import arrays, attention, fp8, keys, mixture, products, routing, rows, sampling

DEVICES = ("cpu", "cuda")
NOTES = {"cpu": "runs in one thread, as Warp does on CPUs"}
TILES = (products.tile_of, products.product_of_tiles, products.tiles_kernel, products.layout_is_turned)
ROW = (products.product_of_rows, products.row_kernel, arrays.word_size, arrays.describe_words)
SCALED = (products.scaled, products.tile_of, products.product_of_scaled_tiles, products.scaled_tiles_kernel, *ROW)
SILU = (rows.silu_mul, rows.silu_mul_kernel)
EXPERTS = (mixture, *SILU)
# Operation: its function, and the functions and modules that it consists of besides.
FUNCTIONS = {
    rows.embedding: (rows.embedding_kernel,),
    rows.rms_norm: (rows.norm_kernel,),
    rows.add_rms_norm: (rows.norm_kernel,),
    products.linear: (*TILES, *ROW),
    products.linear_int8: SCALED,
    products.linear_int4: SCALED,
    products.linear_fp8: (*SCALED, fp8),
    products.head_linear: TILES,
    rows.rope: (rows.rope_kernel,),
    rows.silu_mul: SILU,
    rows.append: (rows.append_kernel,),
    attention.attention: (attention,),
    rows.latent_append: (rows.append_kernel,),
    attention.latent_attention: (attention,),
    routing.route: (routing, keys),
    mixture.experts: (*EXPERTS, *TILES, *ROW),
    mixture.experts_fp8: (*EXPERTS, *SCALED, fp8),
    sampling.sample: (sampling, keys),
}
OPERATIONS = {function.__name__: function for function in FUNCTIONS}


def sources(parts):
    """Sources whose lines count: modules whole, and each function that is in none of them once."""
    modules = [part for part in parts if not callable(part)]
    names = [module.__name__ for module in modules]
    functions = [part for part in parts if callable(part) and part.__module__ not in names]
    return modules + list(dict.fromkeys(functions))


SOURCES = {function.__name__: sources((function, *parts)) for function, parts in FUNCTIONS.items()}
