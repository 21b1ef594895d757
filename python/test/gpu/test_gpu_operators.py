# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of tilewright.ops on a real GPU: values, gradients, vmap, graphs, training."""

import pytest

torch = pytest.importorskip("torch")

import tilewright as ct  # noqa: E402
import tilewright.ops as ops  # noqa: E402
from small_llama import InTorch, train  # noqa: E402
from torch.nn import functional  # noqa: E402

from bench.operators.calls import first_launch, operators  # noqa: E402
from bench.operators.clock import microseconds  # noqa: E402

STEPS = 200
# Operator, PyTorch's own, shapes of the arguments.
CASES = {
    "rms_norm": (ops.rms_norm, lambda x, w: functional.rms_norm(x, w.shape, w, 1e-6), (300, 1000), (1000,)),
    "layer_norm": (
        ops.layer_norm,
        lambda x, w, b: functional.layer_norm(x, w.shape, w, b),
        *((300, 1000), (1000,), (1000,)),
    ),
    "silu_and_mul": (ops.silu_and_mul, lambda x: functional.silu(x[:, :500]) * x[:, 500:], (300, 1000)),
    "softmax": (ops.softmax, lambda x: x.softmax(-1), (300, 1000)),
    "linear": (ops.linear, functional.linear, (300, 512), (256, 512)),
    "linear of few rows": (ops.linear, functional.linear, (5, 512), (256, 512)),
    "cross_entropy": (
        lambda x: ops.cross_entropy(x, torch.arange(300, device="cuda")),
        lambda x: functional.cross_entropy(x, torch.arange(300, device="cuda"), reduction="none"),
        (300, 1000),
    ),
    "attention": (
        ops.attention,
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
        *((2, 4, 200, 64), (2, 2, 200, 64), (2, 2, 200, 64)),
    ),
}
ERRORS = {torch.bfloat16: 1e-2, torch.float16: 2e-3}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def numbers(shapes, dtype):
    torch.manual_seed(0)
    return [torch.randn(shape, device="cuda").to(dtype).requires_grad_() for shape in shapes]


def relative(found, expected):
    return ((found.double() - expected).norm() / expected.norm()).item()


@pytest.mark.parametrize("dtype", ERRORS, ids=str)
def test_values_and_gradients(case, dtype):
    function, reference, *shapes = case
    arguments = numbers(shapes, dtype)
    exact = [x.detach().double().requires_grad_() for x in arguments]
    result, expected = function(*arguments), reference(*exact)
    assert relative(result, expected) < ERRORS[dtype]
    grad = torch.randn_like(result)
    found = torch.autograd.grad(result, arguments, grad)
    for mine, theirs in zip(found, torch.autograd.grad(expected, exact, grad.double()), strict=True):
        assert relative(mine, theirs) < ERRORS[dtype]


def test_vmap(case):
    function, _, *shapes = case
    arguments = [torch.stack((x, x + 1)).detach() for x in numbers(shapes, torch.bfloat16)]
    expected = torch.stack([function(*each) for each in zip(*arguments, strict=True)])
    torch.testing.assert_close(torch.vmap(function)(*arguments), expected)


def test_graphs(case):
    """Captured once and replayed on other numbers."""
    function, _, *shapes = case
    arguments = [x.detach() for x in numbers(shapes, torch.bfloat16)]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function(*arguments)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function(*arguments)
    for x in arguments:
        x.copy_(torch.randn_like(x))
    graph.replay()
    torch.testing.assert_close(result, function(*arguments))


def test_transforms():
    x = torch.randn(5, 4096, dtype=torch.complex64, device="cuda", requires_grad=True)
    for inverse, reference in ((False, torch.fft.fft), (True, torch.fft.ifft)):
        result, expected = ops.fft(x, inverse), reference(x)
        assert relative(torch.view_as_real(result), torch.view_as_real(expected)) < 1e-5
        grads = [torch.autograd.grad(each, x, result.detach()) for each in (result, expected)]
        assert relative(*(torch.view_as_real(grad) for (grad,) in grads)) < 1e-5


def captured(call):
    """A hundred calls as a graph."""
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(100):
            call()
    return graph


def test_time_in_graphs():
    """An operator is its launch there, and nothing else."""
    x, weight = torch.randn(64, 1024, device="cuda"), torch.randn(1024, device="cuda")
    launch = first_launch(ops.rms_norm, (x, weight))
    graphs = [captured(lambda: ct.launch(*launch)),
              captured(lambda: ops.rms_norm(x, weight))]  # fmt: skip
    times = [[], []]
    for _ in range(50):
        for graph, of_graph in zip(graphs, times, strict=True):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            of_graph.append(start.elapsed_time(end) * 10)
    bare, operator = (min(of_graph) for of_graph in times)
    print(f"in a graph: a launch {bare:.2f} us, an operator {operator:.2f} us")
    assert operator < 1.05 * bare + 0.1


def test_time_of_calls():
    """By the time of an addition of PyTorch, which on hosts of GPUs was 2 to 10 us."""
    x = torch.randn(64, 1024, device="cuda")
    of_torch = microseconds(lambda: x + x, 300, torch.cuda.synchronize)
    print(f"an addition of PyTorch takes {of_torch:.1f} us")
    for operator, arguments, of in operators("cuda"):
        leaves = [x.clone().requires_grad_() if i in of else x for i, x in enumerate(arguments)]
        operator(*leaves).sum().backward()
        launch = first_launch(operator, arguments)
        calls = [lambda: ct.launch(*launch), lambda: operator(*arguments), lambda: operator(*leaves)]  # noqa: B023
        bare, plain, recorded = (microseconds(call, 300, torch.cuda.synchronize) for call in calls)
        print(f"{operator.__name__:14} launch {bare:.1f} us, operator {plain - bare:+.1f}, {recorded - bare:+.1f}")
        assert recorded - bare < 5 * of_torch


def test_compiled_with_graphs():
    weight = torch.randn(1000, device="cuda")
    function = torch.compile(lambda x: ops.silu_and_mul(ops.rms_norm(x, weight) * 2), fullgraph=True,
                             mode="reduce-overhead")  # fmt: skip
    for _ in range(4):
        x = torch.randn(300, 1000, device="cuda")
        torch.testing.assert_close(function(x), ops.silu_and_mul(ops.rms_norm(x, weight) * 2))


@pytest.fixture(scope="module")
def losses():
    """Of PyTorch in f32."""
    return train(InTorch, torch.float32, STEPS, "cuda")


def test_training(losses):
    noise = (train(InTorch, torch.bfloat16, STEPS, "cuda") - losses).abs()
    found = (train(ops, torch.bfloat16, STEPS, "cuda") - losses).abs()
    assert found.mean() < 1.5 * noise.mean() and found.max() < 2 * noise.max()
