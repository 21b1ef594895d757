# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile kernels of kernels/, compiled by Tilewright for the device on which the arrays are. Without a stream they
run on PyTorch's current one on GPUs, in order with its copies and inside of its graphs."""

from tilewright._runtime.kernel_library import kernel

# Operation: folder, or a module of one, and its function of the same signature.
KERNELS = {
    "embedding": ("embedding", "embedding"),
    "rms_norm": ("rms_norm", "rms_norm"),
    "add_rms_norm": ("rms_norm", "add_rms_norm"),
    "linear": ("linear", "linear"),
    "linear_int8": ("quantized_linear", "int8_linear"),
    "linear_int4": ("quantized_linear", "int4_linear"),
    "linear_fp8": ("block_scaled_linear", "block_scaled_linear"),
    "head_linear": ("head_linear", "head_linear"),
    "rope": ("rope", "rope"),
    "silu_mul": ("silu_and_mul", "silu_and_mul"),
    "append": ("paged_attention", "append"),
    "attention": ("paged_attention", "attention"),
    "latent_append": ("paged_attention", "latent_append"),
    "latent_attention": ("paged_attention", "latent_attention"),
    "route": ("expert_routing", "route"),
    "experts": ("fused_moe.experts", "experts"),
    "experts_fp8": ("fused_moe.experts", "experts_fp8"),
    "sample": ("sampling", "sample"),
}
DEVICES = ("cpu", "cuda")
SOURCES = {
    operation: [kernel(folder if "." in folder else f"{folder}.kernel")] for operation, (folder, _) in KERNELS.items()
}
OPERATIONS = {operation: getattr(SOURCES[operation][0], function) for operation, (_, function) in KERNELS.items()}
