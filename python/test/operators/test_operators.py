# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that launch kernels as operators of PyTorch: calls, declarations, tracing."""

import copy
import pickle
import shutil
import warnings

import numpy as np
import pytest
import tilewright as ct

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

import tilewright.ops as ops  # noqa: E402
from operator_kernels import scale_kernel  # noqa: E402
from tilewright import _runtime  # noqa: E402
from tilewright._runtime.observed import launches_go_to, written_arguments  # noqa: E402
from tilewright.torch import OperatorError, op, size_hint  # noqa: E402

TILE = 64


@ct.kernel
def pair_kernel(pair: tuple, total, TILE: ct.Constant[int]):
    x, y = ct.load(pair[0], ct.bid(0), TILE), ct.load(pair[1], ct.bid(0), TILE)
    ct.store(total, ct.bid(0), x + y)
    ct.store(pair[1], ct.bid(0), x - y)


@ct.kernel
def row_sums_kernel(x, sums, TILE: ct.Constant[int]):
    row = ct.load(x, (ct.bid(0), 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO)
    ct.store(sums, ct.bid(0), ct.sum(row, axis=1))


@op("tilewright_test::scaled")
def scaled(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    out = torch.empty_like(x)
    ct.launch(None, (ct.cdiv(x.numel(), TILE),), scale_kernel, (x.view(-1), out.view(-1), factor, TILE))
    return out


@op("tilewright_test::scale_", mutates=("x",))
def scale_(x: torch.Tensor, factor: float) -> None:
    ct.launch(None, (ct.cdiv(x.numel(), TILE),), scale_kernel, (x, x, factor, TILE))


@op("tilewright_test::sums_and_difference", mutates="y")
def sums_and_difference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = torch.empty_like(x)
    pair_kernel[ct.cdiv(x.numel(), TILE)]((x, y.view(-1)), total, TILE)
    return total


@op("tilewright_test::row_sums")
def row_sums(x: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(x.shape[0])
    tile = 1 << (size_hint(x.shape[1]) - 1).bit_length()
    row_sums_kernel[x.shape[0]](x, out, tile)
    return out


def test_calls():
    x = torch.randn(100)
    torch.testing.assert_close(scaled(x), 2 * x)
    torch.testing.assert_close(torch.ops.tilewright_test.scaled(x, factor=3.0), 3 * x)
    torch.testing.assert_close(row_sums(x.view(4, 25)), x.view(4, 25).sum(1))
    assert scaled.__name__ == "scaled"
    assert repr(scaled) == "<operator tilewright_test::scaled(Tensor x, float factor=2.) -> Tensor>"


def test_copies_and_pickles_are_the_operator():
    assert copy.deepcopy(scaled) is scaled and pickle.loads(pickle.dumps(ops.rms_norm)) is ops.rms_norm


def test_mutated_arguments_count_as_changed():
    x, y = torch.randn(10), torch.randn(10)
    expected, difference = x + y, x - y
    before = y._version
    torch.testing.assert_close(sums_and_difference(x, y), expected)
    torch.testing.assert_close(y, difference)
    assert y._version > before
    weight = torch.randn(10, requires_grad=True)
    product = weight * x
    scale_(x, 2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
    with torch.inference_mode():
        scale_(torch.randn(10), 2.0)


def test_what_a_kernel_writes():
    x = np.zeros(8, np.float32)
    assert written_arguments(scale_kernel, (x, x.copy(), 1.0, 8)) == {(1,)}
    assert written_arguments(pair_kernel, ((x, x.copy()), x.copy(), 8)) == {(0, 1), (1,)}


def define(name, mutates, function, **options):
    return op(f"tilewright_test::{name}", mutates=mutates, **options)(function)


def scales_x_by_view(x: torch.Tensor, y: torch.Tensor) -> None:
    ct.launch(None, (1,), scale_kernel, (y, x[:10], 2.0, TILE))


def test_a_write_that_is_not_declared():
    text = (r"undeclared: the kernel scale_kernel writes its parameter 'y', which is the operator's argument 'x', but"
            r" mutates=\(\) does not name it")  # fmt: skip
    undeclared = define("undeclared", (), scales_x_by_view)
    for _ in range(2):
        with pytest.raises(OperatorError, match=text):
            undeclared(torch.zeros(10), torch.ones(10))
    with pytest.raises(OperatorError, match=text):
        undeclared.check(torch.empty(10, device="meta"), torch.empty(10, device="meta"))


def test_a_declaration_that_no_kernel_keeps():
    text = r"unkept: mutates=\('x', 'y'\) names the argument 'y', but no kernel writes it; launched: scale_kernel"
    with pytest.raises(OperatorError, match=text):
        define("unkept", ("x", "y"), scales_x_by_view)(torch.zeros(10), torch.ones(10))


def test_an_example_is_checked_at_registration():
    with pytest.raises(OperatorError, match="does not name it"):
        define("example", (), scales_x_by_view, example=lambda: (torch.empty(10), torch.empty(10)))
    assert not hasattr(torch.ops.tilewright_test, "example")
    define("example2", "x", scales_x_by_view, example=lambda: (torch.empty(10), torch.empty(10)))


def test_results_that_are_not_as_declared():
    def returns_argument(x: torch.Tensor) -> torch.Tensor:
        return x.view(-1)

    with pytest.raises(OperatorError, match="result 0 is the argument 'x' or a view of it"):
        define("returns_argument", (), returns_argument)(torch.zeros(3))

    def returns_three(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x + 1, x + 2, x + 3

    with pytest.raises(OperatorError, match="returns 3 results, its annotation says 2"):
        define("returns_three", (), returns_three).check(torch.zeros(3))

    calls = []

    def grows(x: torch.Tensor) -> torch.Tensor:
        calls.append(0)
        return x.new_zeros(len(calls))

    with pytest.raises(OperatorError, match=r"result 0 is float32\[2\] .*, but float32\[1\] .* on tensors without"):
        define("grows", (), grows)(torch.zeros(3))


def test_an_operator_may_be_defined_again():
    x = torch.ones(4)
    for factor in (2.0, 3.0):

        def again(x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            scale_kernel[1](x, out, factor, TILE)  # noqa: B023
            return out

        defined = define("again", (), again)
        assert torch.equal(defined(x), factor * x) and torch.equal(torch.ops.tilewright_test.again(x), factor * x)
        assert torch.equal(torch.vmap(defined)(x[None]), factor * x[None])


def test_names_and_annotations():
    with pytest.raises(ValueError, match="'namespace::name', found 'scaled'"):
        op("scaled")(lambda: None)
    with pytest.raises(ValueError, match="annotation"):
        define("bare", (), lambda x: None)
    with pytest.raises(ValueError, match="z"):
        define("unknown", ("z",), scales_x_by_view)


def test_launches_elsewhere_are_not_observed():
    plain, seen = _runtime.launch, []
    x = np.ones(8, np.float32)
    with launches_go_to(lambda kernel, *_: seen.append(kernel)):
        scale_kernel[1](x, x, 2.0, 8)
    assert seen == [scale_kernel] and x[0] == 1 and _runtime.launch is plain
    scale_kernel[1](x, x, 2.0, 8)
    assert x[0] == 2


def compiled(function, **options):
    torch.compiler.reset()
    return torch.compile(function, fullgraph=True, **options)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_functions(backend):
    if backend == "inductor" and not any(map(shutil.which, ("c++", "g++", "clang++"))):
        pytest.skip("needs a C++ compiler")

    def function(x):
        y = x + 1
        scale_(y, 2.0)
        return scaled(y) * 2, sums_and_difference(x, y), y

    f = compiled(function, backend=backend, dynamic=True)
    for size in (10, 100, 333):
        x = torch.randn(size)
        for found, expected in zip(f(x), function(x), strict=True):
            torch.testing.assert_close(found, expected)


def test_one_graph_for_all_shapes():
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    f = compiled(lambda x: row_sums(scaled(x)), backend=backend, dynamic=True)
    for shape in ((4, 25), (6, 10), (3, 100)):
        x = torch.randn(shape)
        torch.testing.assert_close(f(x), 2 * x.sum(1))
    assert len(graphs) == 1


def test_exported_programs():
    class Model(torch.nn.Module):
        def forward(self, x):
            return row_sums(scaled(x, 3.0))

    rows, columns = torch.export.Dim("rows", min=2), torch.export.Dim("columns", min=2)
    program = torch.export.export(Model(), (torch.randn(4, 25),), dynamic_shapes=({0: rows, 1: columns},))
    x = torch.randn(7, 31)
    torch.testing.assert_close(program.module()(x), 3 * x.sum(1))


@pytest.mark.parametrize("operator, arguments", [
    (scaled, lambda: (torch.randn(100), 3.0)),
    (scale_, lambda: (torch.randn(100), 3.0)),
    (sums_and_difference, lambda: (torch.randn(100), torch.randn(100))),
    (row_sums, lambda: (torch.randn(4, 25),)),
])  # fmt: skip
def test_opcheck(operator, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(operator.overload, arguments())
