# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of kernels/ as operators of PyTorch, with gradients where training needs them. Since 0.1.

Each is a function on tensors, on a CPU or a GPU, and an operator ``torch.ops.tilewright.NAME``: it may stand in a model
that is compiled or exported (docs/operators.md). T is any number of axes. Tensors have float32, float16, bfloat16 or
float64, all arguments of a call the same unless said otherwise, and results have that of the first; sums are formed in
float32, of float64 in float64.
"""

from tilewright.ops.activations import silu_and_mul, softmax
from tilewright.ops.attention import attention
from tilewright.ops.fields import fft, stencil
from tilewright.ops.inference import (
    fp8_linear,
    fused_moe,
    head_linear,
    int4_linear,
    int8_linear,
    latent_append,
    latent_attention,
    paged_append,
    paged_attention,
    route,
    sample,
)
from tilewright.ops.losses import cross_entropy
from tilewright.ops.norms import add_rms_norm, layer_norm, rms_norm
from tilewright.ops.products import gemm, linear
from tilewright.ops.rotary import rope
from tilewright.ops.rows import cumsum, embedding, row_argmax, row_max, row_sum, transpose

__all__ = [
    "add_rms_norm",
    "attention",
    "cross_entropy",
    "cumsum",
    "embedding",
    "fft",
    "fp8_linear",
    "fused_moe",
    "gemm",
    "head_linear",
    "int4_linear",
    "int8_linear",
    "latent_append",
    "latent_attention",
    "layer_norm",
    "linear",
    "paged_append",
    "paged_attention",
    "rms_norm",
    "rope",
    "route",
    "row_argmax",
    "row_max",
    "row_sum",
    "sample",
    "silu_and_mul",
    "softmax",
    "stencil",
    "transpose",
]
