# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA C++ of simt on a GPU, against the plainest implementation."""

import numpy as np
import pytest

from llm import arrays
from llm.ops import find, load
from llm.ops.works import make_work

torch = pytest.importorskip("torch", reason="runs on PyTorch's tensors")
if not torch.cuda.is_available():
    pytest.skip("runs on a GPU, and there is none", allow_module_level=True)
pytest.importorskip("cuda.bindings.nvrtc", reason="compiles with cuda-bindings, which is not installed")

OPERATIONS = load("simt", "cuda").OPERATIONS
TRUE_WIDTHS = {
    "llama3-8b": ("rms_norm", "add_rms_norm", "linear", "rope", "silu_mul", "append", "attention", "sample"),
    "deepseek-v3": ("rms_norm", "head_linear", "latent_append", "latent_attention", "route"),
}
CASES = [("tiny", operation, tokens, 37, dtype) for operation in OPERATIONS for tokens in (1, 5, 16, 70, 200)
         for dtype in ("float32", "bfloat16")]  # fmt: skip
CASES += [(sizes, operation, tokens, 300, "bfloat16") for sizes, operations in TRUE_WIDTHS.items()
          for operation in operations if operation in OPERATIONS for tokens in (1, 16, 33, 130)]  # fmt: skip


def on_gpu(array):
    """A tensor with the strides of the array, which may be a view of a larger one."""
    if not isinstance(array, np.ndarray):
        return array
    base = array
    while isinstance(base.base, np.ndarray) and base.base.dtype == array.dtype:
        base = base.base
    offset = (array.ctypes.data - base.ctypes.data) // array.itemsize
    return arrays.Cuda().put(base).as_strided(array.shape, [s // array.itemsize for s in array.strides], offset)


def check(work, dtype, capture=False):
    arguments = [on_gpu(array) for array in work.arguments]
    options = {name: on_gpu(value) for name, value in work.options.items()}
    before = [arguments[i].clone() for i in work.written]
    run = find(work.operation, "simt", "cuda")
    run(*arguments, **options)
    if capture:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run(*arguments, **options)
        for i, values in zip(work.written, before, strict=True):
            arguments[i].copy_(values)
        graph.replay()
    torch.cuda.synchronize()
    expected = work.results(find(work.operation, "numpy"))
    for i, b in zip(work.written, expected, strict=True):
        a = arrays.Cuda().get(arguments[i])
        if a.dtype.kind in "iu":
            np.testing.assert_array_equal(a, b)
            continue
        a, b = a.astype(np.float64), b.astype(np.float64)
        allowed = (2e-2 if dtype == "bfloat16" else 2e-5) * np.sqrt((b**2).mean())
        assert np.abs(a - b).max() <= allowed + (8e-3 if dtype == "bfloat16" else 0) * np.abs(b).max()


@pytest.mark.parametrize(("sizes", "operation", "tokens", "cached", "dtype"), CASES)
def test_operation(sizes, operation, tokens, cached, dtype):
    check(make_work(operation, sizes, tokens=tokens, cached=cached, dtype=dtype), dtype)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("tokens", [1, 70])
def test_graphs_capture_it(operation, tokens):
    check(make_work(operation, "tiny", tokens=tokens, cached=37, dtype="bfloat16"), "bfloat16", capture=True)


def test_long_caches_are_split():
    check(make_work("attention", "llama3-8b", tokens=2, cached=5000, dtype="bfloat16"), "bfloat16")
