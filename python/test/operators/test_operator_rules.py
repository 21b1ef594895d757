# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients and vmap of operators, by other operators and without any."""

import warnings

import pytest
import tilewright as ct

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

from operator_kernels import product_kernel, scale_kernel  # noqa: E402
from tilewright.torch import OperatorError, op  # noqa: E402
from tilewright.torch.batched import BatchedOperator  # noqa: E402

TILE = 64


def define(name, **options):
    return op(f"tilewright_rules::{name}", **options)


def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    out = torch.empty_like(x)
    ct.launch(None, (ct.cdiv(x.numel(), TILE),), scale_kernel, (x.view(-1), out.view(-1), factor, TILE))
    return out


def multiply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    ct.launch(None, (ct.cdiv(x.numel(), TILE),), product_kernel, (x.view(-1), y.view(-1), out.view(-1), TILE))
    return out


@define("scaled_gradient")
def scaled_gradient(grad_out: torch.Tensor, factor: float) -> torch.Tensor:
    return scale(grad_out, factor)


scaled = define("scaled")(scale)
scaled.register_autograd(scaled_gradient)
product = define("product")(multiply)
product.register_autograd(x=lambda grad_out, y: product(grad_out, y), y=lambda grad_out, x: product(grad_out, x))
without_gradient = define("without_gradient")(scale)


def numbers(*shape):
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


def test_gradients():
    x = numbers(10)
    assert torch.autograd.gradcheck(scaled, (x, 3.0))
    scaled(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.full_like(x, 2))
    assert torch.autograd.gradcheck(product, (numbers(10), numbers(10)))
    assert torch.autograd.gradgradcheck(product, (numbers(10), numbers(10)))
    y = numbers(10).detach()
    product(x, y).sum().backward()
    torch.testing.assert_close(x.grad, y + 2)


def test_without_a_rule_a_backward_is_an_error():
    with pytest.raises(OperatorError, match="without_gradient has no gradient; register_autograd gives it one"):
        without_gradient(numbers(10)).sum().backward()
    with pytest.raises(OperatorError, match="scaled_gradient has no gradient"):
        (grad,) = torch.autograd.grad(scaled(x := numbers(10)).pow(2).sum(), x, create_graph=True)
        grad.sum().backward()


def test_tensors_in_lists_have_no_gradient():
    @define("first")
    def first(xs: list[torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        return scale(xs[0])

    x, y = numbers(10), numbers(10)
    with pytest.raises(OperatorError, match="first: tensors in lists have no gradient, but one requires it"):
        first([y.detach(), x], y)
    torch.testing.assert_close(first([x.detach()], y.detach()), 2 * x.detach())


def test_an_operator_that_mutates_has_no_gradient():
    @define("scale_", mutates="x")
    def scale_(x: torch.Tensor) -> None:
        scale_kernel[ct.cdiv(x.numel(), TILE)](x, x, 2.0, TILE)

    with pytest.raises(OperatorError, match="mutates x, so it has no gradient"):
        scale_.register_autograd(scaled_gradient)
    with pytest.raises(OperatorError, match="mutates x, so it has no gradient, but an argument requires one"):
        scale_(numbers(10))
    with torch.no_grad():
        scale_(numbers(10))


def test_a_backward_that_does_not_fit():
    refused = define("refused")(multiply)
    with pytest.raises(OperatorError, match=r"refused: the backward .*scaled_gradient takes 'factor', expected names of"
                       r" arguments \(x, y\), results \(out\) and grad_out"):  # fmt: skip
        refused.register_autograd(scaled_gradient)
    with pytest.raises(OperatorError, match="is for 'z', which is no tensor among"):
        refused.register_autograd(z=lambda grad_out: grad_out)
    with pytest.raises(OperatorError, match="returns 1 results, expected 2, the gradients of x, y"):
        refused.register_autograd(define("one")(lambda_of_one))
    with pytest.raises(OperatorError, match="has to name its 1 results"):
        refused.register_autograd(x=lambda a: a, results=("a", "b"))
    with pytest.raises(TypeError, match="one function, or one by each argument's name"):
        refused.register_autograd()

    refused.register_autograd(lambda grad_out: grad_out)
    with pytest.raises(OperatorError, match="returns 1 results, expected 2, the gradients of x, y"):
        refused(numbers(4), numbers(4)).sum().backward()
    refused.register_autograd(x=lambda grad_out: grad_out.float())
    with pytest.raises(OperatorError, match=r"returns float32\[4\] for the gradient of 'x', which is float64\[4\]"):
        refused(numbers(4), numbers(4)).sum().backward()


def lambda_of_one(grad_out: torch.Tensor) -> torch.Tensor:
    return scale(grad_out)


def test_with_an_example_a_backward_is_checked_at_registration():
    checked = define("checked", example=lambda: (torch.empty(4), torch.empty(4)))(multiply)
    with pytest.raises(OperatorError, match=r"returns float64\[4\] for the gradient of 'y', which is float32\[4\]"):
        checked.register_autograd(x=lambda grad_out: grad_out, y=lambda grad_out: grad_out.double())
    assert checked.gradients is None


@pytest.fixture
def loops(monkeypatch):
    """Names of the operators of which vmap called one for each index."""
    names, plain = [], BatchedOperator._run_each

    def counted(operator, *args):
        names.append(operator.operator.name)
        return plain(operator, *args)

    monkeypatch.setattr(BatchedOperator, "_run_each", counted)
    return names


def test_vmap_by_kernels_over_the_batch(loops, monkeypatch):
    copies = []
    monkeypatch.setattr(torch.Tensor, "contiguous", lambda x: copies.append(x))
    x, y = torch.randn(3, 10), torch.randn(10)
    torch.testing.assert_close(torch.vmap(scaled)(x), 2 * x)
    torch.testing.assert_close(torch.vmap(product, (0, None))(x, y), x * y)
    torch.testing.assert_close(torch.vmap(product, (0, None), 1)(x, y), (x * y).T)
    assert not loops and not copies


def test_allocations_and_fills_have_the_batch(loops):
    def sums(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scratch, ones = torch.empty_like(x), x.new_full((3,), 7)
        scratch.zero_()
        product_kernel[1](x[:4], x[:4], scratch[:4], TILE)
        scale_kernel[1](x[2:5], ones, 2.0, TILE)
        return scratch, ones

    x = torch.randn(4, 10)
    zeros, twice = torch.vmap(define("sums")(sums))(x)
    assert not loops and torch.equal(twice, 2 * x[:, 2:5])
    assert torch.equal(zeros[:, 4:], torch.zeros(4, 6)) and torch.equal(zeros[:, :4], x[:, :4] ** 2)


def test_vmap_of_a_function_that_computes_calls_for_each_index(loops):
    def plus_one(x: torch.Tensor) -> torch.Tensor:
        return scale(x + 1)

    def into_one(x: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        return scale(total.clone() if x is total else x)

    x = torch.randn(4, 10)
    torch.testing.assert_close(torch.vmap(define("plus_one")(plus_one))(x), 2 * (x + 1))
    y = x.clone()
    torch.testing.assert_close(torch.vmap(define("into_one")(into_one), (0, None))(y, y), 2 * y)
    assert loops == ["tilewright_rules::plus_one", "tilewright_rules::into_one"]


def test_vmap_of_views_by_another_dtype(loops):
    def wider(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty(2, dtype=torch.float64)
        scale_kernel[1](x.view(torch.float64), out, 2.0, TILE)
        return out

    x, operator = torch.randn(3, 2, dtype=torch.float64), define("wider")(wider)
    torch.testing.assert_close(torch.vmap(operator)(x.view(torch.float32)), 2 * x)
    assert not loops
    odd = torch.zeros(3, 5)
    odd[:, :4] = x.view(torch.float32)
    with pytest.raises(RuntimeError, match="divisible"):  # PyTorch has no such view of the second item
        torch.vmap(operator)(odd[:, :4])


def test_memory_that_is_freed_is_not_mistaken(loops):
    def sum_of_temporaries(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        for i in range(5):
            torch.empty_like(x)
            numbers = torch.arange(10.0) + i  # the same for all items, where the one before was
            product_kernel[1](x, numbers, out, TILE)
        return out

    x = torch.randn(4, 10)
    torch.testing.assert_close(torch.vmap(define("temporaries")(sum_of_temporaries))(x), x * (torch.arange(10.0) + 4))
    assert not loops


def test_vmap_of_gradients_that_are_recorded(loops):
    x = torch.randn(3, 10, requires_grad=True)
    torch.vmap(scaled)(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.full_like(x, 2))
    y = torch.randn(10, requires_grad=True)
    torch.vmap(product, (0, None))(x.detach(), y).sum().backward()
    torch.testing.assert_close(y.grad, x.detach().sum(0))
    assert not loops


def test_vmap_over_nothing():
    assert torch.vmap(scaled)(torch.zeros(0, 10)).shape == (0, 10)


def test_vmap():
    x = torch.randn(3, 5, 10)
    torch.testing.assert_close(torch.vmap(scaled)(x), 2 * x)
    torch.testing.assert_close(torch.vmap(torch.vmap(scaled, 1, 1))(x), 2 * x)
    y = torch.randn(10)
    rows = x[0].contiguous()
    torch.testing.assert_close(torch.vmap(product, (0, None))(rows, y), rows * y)


def test_vmap_of_gradients():
    x = torch.randn(5, 10)
    gradient = torch.func.grad(lambda x: scaled(x, 3.0).pow(2).sum())
    torch.testing.assert_close(torch.vmap(gradient)(x), 18 * x)
    torch.testing.assert_close(torch.func.grad(lambda x: torch.vmap(scaled)(x).pow(2).sum())(x), 8 * x)


def test_vmap_in_place():
    @define("halve_", mutates="x")
    def halve_(x: torch.Tensor, y: torch.Tensor) -> None:
        scale_kernel[1](y, x, 0.5, TILE)

    x, y = torch.zeros(3, 8), torch.randn(3, 8)
    in_place = torch.vmap(lambda x, y: (halve_(x, y), x)[1])
    in_place(x, y)
    torch.testing.assert_close(x, y / 2)
    with pytest.raises(OperatorError, match="mutates 'x', which vmap does not map over"):
        torch.vmap(halve_, (None, 0))(x[0], y)


def test_a_rule_for_vmap():
    calls = []

    def batched(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
        calls.append(x.shape)
        return scale(x, factor)

    mapped = define("mapped")(scale)
    mapped.register_vmap(define("batched")(batched))
    x = torch.randn(3, 10)
    torch.testing.assert_close(torch.vmap(lambda x: mapped(x, 3.0))(x), 3 * x)
    assert (3, 10) in calls


def compiled(function, **options):
    torch.compiler.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager", **options)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_gradients(dynamic):
    f = compiled(lambda x: scaled(x, 3.0).pow(2).sum(), dynamic=dynamic)
    for size in (10, 77):
        x = numbers(size)
        f(x).backward()
        torch.testing.assert_close(x.grad, 18 * x)


def test_compiled_vmap(loops):
    f = compiled(torch.vmap(lambda x: scaled(x, 3.0) + 1), dynamic=True)
    for size in (5, 7):
        x = torch.randn(size, 10)
        torch.testing.assert_close(f(x), 3 * x + 1)
    gradient = compiled(torch.vmap(torch.func.grad(lambda x: scaled(x, 3.0).pow(2).sum())))
    torch.testing.assert_close(gradient(x), 18 * x)
    assert not loops


def test_opcheck():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(scaled.overload, (numbers(10), 3.0))
        torch.library.opcheck(product.overload, (numbers(10), numbers(10)))
        torch.library.opcheck(product.over_batch.overload, (3, [True, False], numbers(3, 10), numbers(10)))
