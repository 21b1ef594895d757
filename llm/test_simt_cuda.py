# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA C++ of simt on a GPU, against the plainest implementation."""

import pytest

from llm import arrays
from llm.check_results import check_results
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
ALLOWED = {"float32": 2e-5, "bfloat16": 2e-2}
CASES = [("tiny", operation, tokens, 37, dtype) for operation in OPERATIONS for tokens in (1, 5, 16, 70, 200)
         for dtype in ("float32", "bfloat16")]  # fmt: skip
CASES += [(sizes, operation, tokens, 300, "bfloat16") for sizes, operations in TRUE_WIDTHS.items()
          for operation in operations if operation in OPERATIONS for tokens in (1, 16, 33, 130)]  # fmt: skip


def check(work, dtype, capture=False):
    gpu = arrays.Cuda()
    placed = work.on(gpu)
    written = [placed.arguments[i] for i in work.written]
    before = [array.clone() for array in written]
    run = placed.call(find(work.operation, "simt", "cuda"))
    run()
    if capture:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()
        for array, values in zip(written, before, strict=True):
            array.copy_(values)
        graph.replay()
    torch.cuda.synchronize()
    expected = work.results(find(work.operation, "numpy"))
    check_results([gpu.get(array) for array in written], expected, work.operation, dtype, ALLOWED[dtype])


@pytest.mark.parametrize(("sizes", "operation", "tokens", "cached", "dtype"), CASES)
def test_operation(sizes, operation, tokens, cached, dtype):
    check(make_work(operation, sizes, tokens=tokens, cached=cached, dtype=dtype), dtype)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("tokens", [1, 70])
def test_graphs_capture_it(operation, tokens):
    check(make_work(operation, "tiny", tokens=tokens, cached=37, dtype="bfloat16"), "bfloat16", capture=True)


def test_long_caches_are_split():
    check(make_work("attention", "llama3-8b", tokens=2, cached=5000, dtype="bfloat16"), "bfloat16")
