# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of tilewright.ops against PyTorch's own: values, gradients, tracing."""

import subprocess
import sys
import warnings

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")
import tilewright.ops as ops  # noqa: E402
from tilewright.torch import Operator  # noqa: E402
from tilewright.torch.batched import BatchedOperator  # noqa: E402
from torch.nn import functional  # noqa: E402

LABELS = torch.tensor([1, 39, 0])
POSITIONS = torch.tensor([0, 5, 2], dtype=torch.int32)
ANGLES = torch.rand(9, 4)
TABLE = torch.cat((ANGLES.cos(), ANGLES.sin()), 1)


def rope_in_torch(x):
    cosine, sine = TABLE[POSITIONS.long()].to(x.dtype)[:, None].split(4, 2)
    first, second = x.split(4, 2)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), 2)


def gated(x):
    gate, up = x.chunk(2, -1)
    return functional.silu(gate) * up


# Operator, PyTorch's own, shapes of the arguments.
CASES = {
    "rms_norm": (ops.rms_norm, lambda x, w: functional.rms_norm(x, w.shape, w, 1e-6), (2, 3, 40), (40,)),
    "layer_norm": (ops.layer_norm, lambda x, w, b: functional.layer_norm(x, w.shape, w, b), (3, 40), (40,), (40,)),
    "silu_and_mul": (ops.silu_and_mul, gated, (2, 3, 50)),
    "softmax": (ops.softmax, lambda x: x.softmax(-1), (3, 40)),
    "rope": (lambda x: ops.rope(x, POSITIONS, TABLE), rope_in_torch, (3, 2, 8)),
    "linear": (ops.linear, functional.linear, (2, 3, 40), (20, 40)),
    "linear of many rows": (ops.linear, functional.linear, (70, 12), (7, 12)),
    "gemm": (ops.gemm, torch.mm, (20, 40), (40, 10)),
    "cross_entropy": (
        lambda x: ops.cross_entropy(x, LABELS),
        lambda x: functional.cross_entropy(x, LABELS, reduction="none"),
        (3, 40),
    ),
    "attention": (
        ops.attention,
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
        *((2, 4, 7, 8), (2, 2, 7, 8), (2, 2, 7, 8)),
    ),
    "attention to all": (
        lambda q, k, v: ops.attention(q, k, v, False, 0.5),
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, scale=0.5),
        *((1, 2, 5, 8), (1, 2, 9, 8), (1, 2, 9, 8)),
    ),
}
TWICE = ("softmax", "rope", "linear", "gemm")  # their gradients have gradients
ERRORS = {torch.float32: 2e-6, torch.bfloat16: 1e-2, torch.float16: 2e-3}


@pytest.fixture(params=CASES)
def case(request):
    return request.param, *CASES[request.param]


def numbers(shapes, dtype=torch.float64):
    torch.manual_seed(0)
    return [torch.randn(shape).to(dtype).requires_grad_() for shape in shapes]


def relative(found, expected):
    return ((found.double() - expected).norm() / expected.norm()).item()


@pytest.mark.parametrize("dtype", ERRORS, ids=str)
def test_values_and_gradients(case, dtype):
    _, function, reference, *shapes = case
    arguments = numbers(shapes, dtype)
    exact = [x.detach().double().requires_grad_() for x in arguments]
    result, expected = function(*arguments), reference(*exact)
    assert relative(result, expected) < ERRORS[dtype]
    grad = torch.randn_like(result)
    gradients = zip(
        torch.autograd.grad(result, arguments, grad), torch.autograd.grad(expected, exact, grad.double()), strict=True
    )
    for found, wanted in gradients:
        assert found.dtype == dtype and relative(found, wanted) < ERRORS[dtype]


def test_gradcheck(case):
    name, function, _, *shapes = case
    arguments = numbers(shapes)
    assert torch.autograd.gradcheck(function, arguments, fast_mode=True)
    if name in TWICE:
        assert torch.autograd.gradgradcheck(function, arguments, fast_mode=True)


def test_gemm_of_transposed_matrices():
    for transposed_a in (False, True):
        for transposed_b in (False, True):
            a, b = numbers([(3, 5) if transposed_a else (5, 3), (4, 3) if transposed_b else (3, 4)])
            function = lambda a, b: ops.gemm(a, b, transposed_a, transposed_b)  # noqa: B023, E731
            torch.testing.assert_close(function(a, b), (a.T if transposed_a else a) @ (b.T if transposed_b else b))
            assert torch.autograd.gradcheck(function, (a, b)) and torch.autograd.gradgradcheck(function, (a, b))


def test_rows_of_matrices():
    x = torch.randn(2, 3, 40)
    torch.testing.assert_close(ops.row_sum(x), x.sum(-1))
    assert torch.equal(ops.row_max(x), x.amax(-1)) and torch.equal(ops.row_argmax(x), x.argmax(-1).int())
    torch.testing.assert_close(ops.cumsum(x), x.cumsum(-1))
    assert torch.equal(ops.transpose(x[0]), x[0].T)
    ids = torch.tensor([[2, 0], [1, 2]], dtype=torch.int32)
    assert torch.equal(ops.embedding(ids, x[0]), x[0][ids.long()])


def test_a_residual_in_place():
    x, residual, weight = torch.randn(2, 3, 40), torch.randn(2, 3, 40), torch.randn(40)
    total = x + residual
    out = ops.add_rms_norm(x, residual, weight)
    torch.testing.assert_close(residual, total)
    torch.testing.assert_close(out, ops.rms_norm(total, weight))


def test_strides_and_expanded_gradients(case):
    """Gradients of a sum have stride 0; arguments are views of wider ones."""
    _, function, reference, *shapes = case
    wide = [torch.randn(*shape[:-1], 2 * shape[-1]) for shape in shapes]
    arguments = [x[..., : x.shape[-1] // 2].requires_grad_() for x in wide]
    found = torch.autograd.grad(function(*arguments).sum(), arguments)
    expected = torch.autograd.grad(reference(*arguments).sum(), arguments)
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)


def test_no_rows():
    x, weight = torch.zeros(0, 40, requires_grad=True), torch.ones(40, requires_grad=True)
    for result in (ops.rms_norm(x, weight), ops.layer_norm(x, weight, weight), ops.linear(x, torch.ones(3, 40))):
        result.sum().backward()
        assert x.grad.shape == (0, 40) and not weight.grad.any() if weight.grad is not None else True
    assert torch.equal(ops.linear(torch.zeros(2, 0), torch.zeros(3, 0)), torch.zeros(2, 3))


@pytest.mark.parametrize("call, text", [
    (lambda: ops.rms_norm(torch.ones(2, 4), torch.ones(3)), r"weight has shape \[3\], expected \[4\]"),
    (lambda: ops.layer_norm(torch.ones(2, 4), torch.ones(4), torch.ones(1)), r"bias has shape \[1\], expected \[4\]"),
    (lambda: ops.silu_and_mul(torch.ones(2, 3)), "gate_up has 3 columns, expected two halves"),
    (lambda: ops.cross_entropy(torch.ones(2, 3), torch.ones(3).int()), r"labels has shape \[3\], expected \[2\]"),
    (lambda: ops.linear(torch.ones(2, 3), torch.ones(2, 4)), "x has 3 columns but weight has 4"),
    (lambda: ops.gemm(torch.ones(2, 3), torch.ones(2, 4)), "a has 3 columns but b has 2 rows"),
    (lambda: ops.linear(torch.ones(2, 3), torch.ones(2, 3).half()), "x is float32, weight is float16"),
    (lambda: ops.rope(torch.ones(2, 3), POSITIONS, TABLE), r"expected \[tokens, heads, elements\]"),
    (lambda: ops.attention(*[torch.ones(2, 3)] * 3), r"expected \[B, H, S, D\]"),
    (lambda: ops.attention(*[torch.ones(1, h, 2, 4) for h in (3, 2, 2)]), "q has 3 heads, expected a multiple"),
])  # fmt: skip
def test_arguments_that_do_not_fit(call, text):
    with pytest.raises((ValueError, TypeError), match=text):
        call()


OPERATORS = [name for name, case in CASES.items() if isinstance(case[0], Operator)]


@pytest.mark.parametrize("name", OPERATORS)
def test_opcheck(name):
    operator, _, *shapes = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(operator.overload, numbers(shapes, torch.float32))


@pytest.mark.parametrize("arguments", [
    lambda: (ops.rope, (torch.randn(3, 2, 8, requires_grad=True), POSITIONS, TABLE)),
    lambda: (ops.cross_entropy, (torch.randn(3, 40, requires_grad=True), LABELS)),
    lambda: (ops.add_rms_norm, (torch.randn(3, 40), torch.randn(3, 40), torch.randn(40))),
    lambda: (ops.embedding, (POSITIONS, torch.randn(9, 8))),
    lambda: (ops.row_argmax, (torch.randn(3, 40),)),
])  # fmt: skip
def test_opcheck_of_integers_and_mutations(arguments):
    operator, values = arguments()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(operator.overload, values)


@pytest.mark.parametrize("axis", [0, 1])
def test_vmap(case, axis, monkeypatch):
    """Of values and of gradients, by one launch for all items."""
    _, function, _, *shapes = case
    monkeypatch.setattr(BatchedOperator, "_run_each", None)
    items = [numbers(shapes, torch.float32) for _ in range(3)]
    arguments = [torch.stack(each, axis).detach() for each in zip(*items, strict=True)]
    expected = torch.stack([function(*each) for each in items])
    torch.testing.assert_close(torch.vmap(function, axis)(*arguments), expected)

    def gradients(*arguments):
        return torch.func.grad(lambda *each: function(*each).pow(2).sum(), tuple(range(len(shapes))))(*arguments)

    expected = [torch.stack(each) for each in zip(*(gradients(*each) for each in items), strict=True)]
    for found, wanted in zip(torch.vmap(gradients, axis)(*arguments), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


class Block(torch.nn.Module):
    """All operators with gradients, as a layer of a transformer has them."""

    def __init__(self, size=32, heads=4):
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.Parameter(torch.ones(size))
        self.qkv = torch.nn.Parameter(torch.randn(3 * size, size) / size**0.5)
        self.gate_up = torch.nn.Parameter(torch.randn(4 * size, size) / size**0.5)
        self.down = torch.nn.Parameter(torch.randn(size, 2 * size) / size**0.5)

    def forward(self, x):
        tokens, size = x.shape
        q, k, v = ops.linear(ops.rms_norm(x, self.norm), self.qkv).view(tokens, 3, self.heads, -1).unbind(1)
        positions = torch.arange(tokens, dtype=torch.int32)
        table = torch.cat(
            (torch.ones(tokens, size // self.heads // 2), torch.zeros(tokens, size // self.heads // 2)), 1
        )
        q, k = ops.rope(q, positions, table), ops.rope(k, positions, table)
        out = ops.attention(*(t.transpose(0, 1)[None] for t in (q, k, v)))[0].transpose(0, 1)
        x = x + out.reshape(tokens, size)
        return x + ops.linear(ops.silu_and_mul(ops.linear(x, self.gate_up)), self.down)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_compiled_block_has_one_graph(dynamic):
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    torch.manual_seed(0)
    block = Block()
    torch.compiler.reset()
    counted = torch.compile(block, fullgraph=True, dynamic=dynamic, backend=backend)
    trained = torch.compile(block, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for tokens in (100, 7, 33) if dynamic else (7,):  # linear has a kernel for 64 rows or fewer, and one for more
        x = torch.randn(tokens, 32)
        torch.testing.assert_close(counted(x), block(x))
        grads = []
        for function in (block, trained):
            block.zero_grad()
            function(x).pow(2).sum().backward()
            grads.append([parameter.grad.clone() for parameter in block.parameters()])
        torch.testing.assert_close(*grads)
    assert len(graphs) == 1


def test_an_exported_block():
    torch.manual_seed(0)
    block = Block()
    tokens = torch.export.Dim("tokens", min=2)
    program = torch.export.export(block, (torch.randn(100, 32),), dynamic_shapes=({0: tokens},))
    x = torch.randn(9, 32)
    torch.testing.assert_close(program.module()(x), block(x))


def test_without_the_folder_in_the_path(tmp_path):
    """The kernels are found, and another package of their name is left alone."""
    import tilewright

    (tmp_path / "kernels.py").write_text("mine = True\n")
    script = "import kernels; import tilewright.ops as ops; import torch, kernels as again;"
    script += "assert kernels.mine and again is kernels; print(ops.row_sum(torch.ones(2, 3)).tolist())"
    folder = tilewright.__path__[0].rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env={"PYTHONPATH": folder, "PATH": ""},
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout == "[3.0, 3.0]\n", done.stderr
