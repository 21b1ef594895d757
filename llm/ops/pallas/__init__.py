# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations in JAX Pallas: on GPUs by its Triton backend, on CPUs by its interpreter, which shows what a kernel
computes and not how fast it is. JAX's arrays are constant, so each result is copied into the array that it is for; of
caches that is all of them."""

from . import attention, experts, products, rows, sampling

FUNCTIONS = (
    rows.embedding,
    rows.rms_norm,
    rows.add_rms_norm,
    products.linear,
    products.linear_int8,
    products.linear_int4,
    products.linear_fp8,
    products.head_linear,
    rows.rope,
    rows.silu_mul,
    rows.append,
    attention.attention,
    rows.latent_append,
    attention.latent_attention,
    experts.route,
    experts.experts,
    experts.experts_fp8,
    sampling.sample,
)
DEVICES = ("cpu", "cuda")
NOTES = {"cpu": "runs in Pallas' interpreter, whose times say nothing about the kernels"}
OPERATIONS = {function.__name__: function for function in FUNCTIONS}
# The functions that an operation's launches and kernels consist of, beside its own.
NORM = [rows.normalized, rows.row_spec, rows.norm_warps]
CHUNKS = [rows.chunks, rows.grid_of, rows.row_spec]
PRODUCT = [products.tile_of, products.block, products.product]
EXPERTS = [experts.sort, experts.grouped, experts.combine, experts.block_of, rows.silu]
ATTENTION = [attention.parts, attention.Plan, attention.plan_of, attention.attend, attention.paged]
PARTS = {
    "embedding": [rows.embedding_kernel, *CHUNKS],
    "rms_norm": [rows.rms_norm_kernel, *NORM],
    "add_rms_norm": [rows.add_rms_norm_kernel, *NORM],
    "linear": [products.dense_step, *PRODUCT],
    "linear_int8": [products.dense_step, *PRODUCT],
    "linear_int4": PRODUCT,
    "linear_fp8": [products.quantize, products.fp8_tile, products.block, products.product],
    "head_linear": [products.tile_of],
    "rope": [rows.rope_kernel],
    "silu_mul": [rows.silu_mul_kernel, rows.silu, *CHUNKS],
    "append": [rows.append_kernel, rows.append_all],
    "attention": ATTENTION,
    "latent_append": [rows.append_kernel, rows.append_all],
    "latent_attention": ATTENTION,
    "route": [experts.first_largest],
    "experts": EXPERTS,
    "experts_fp8": [products.quantize, products.block, *EXPERTS],
    "sample": [sampling.mix, sampling.keys_of, sampling.noise, sampling.last_kept, sampling.draw_kernel],
}
SOURCES = {name: [function, *PARTS[name]] for name, function in OPERATIONS.items()}
