# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The annotations of kernel parameters."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest
import tilewright as ct
from language import run_block

ConstInt = ct.Constant[int]


def test_annotations_become_parameters():
    Local = Annotated[float, ct.ConstantAnnotation()]

    @ct.kernel
    def kernel(
        x,
        big: ct.IndexedWithInt64,
        fixed: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(0, 1))],
        n: int,
        wide: ct.ScalarInt64,
        T: ConstInt,
        ANY: ct.Constant,
        pair: tuple[ct.Constant[int], float],
        unknown: NotDefinedAnywhere = 3,  # noqa: F821
    ):
        pass

    x, big, fixed, n, wide, tile, any_, pair, unknown = kernel.parameters
    assert [p.name for p in kernel.parameters[:3]] == ["x", "big", "fixed"]
    assert not x.constant and x.index_dtype is ct.int32 and not x.has_default
    assert big.index_dtype is ct.int64
    assert fixed.static_shape_axes == (0, 1)
    assert not n.constant and wide.scalar_dtype is ct.int64
    assert tile.constant and tile.constant_type is int
    assert any_.constant and any_.constant_type is None
    assert [p.constant for p in pair.items] == [True, False]
    assert unknown.has_default and unknown.default == 3
    assert Local


def test_annotations_of_an_enclosing_function_are_found():
    Local = ct.Constant[int]

    def use(local):
        return local

    @ct.kernel
    def kernel(x, T: Local):
        use(Local)

    assert kernel.parameters[1].constant


def test_replaced_hints_make_a_new_kernel():
    @ct.kernel(occupancy=2)
    def kernel(x):
        pass

    other = kernel.replace_hints(occupancy=4)
    assert other is not kernel and other.hints["occupancy"] == 4 and kernel.hints["occupancy"] == 2
    assert other.function is kernel.function and other.__name__ == "kernel"
    with pytest.raises(TypeError, match="unknown hint"):
        kernel.replace_hints(warps=2)


def test_only_kernels_can_be_launched():
    def function(x):
        pass

    with pytest.raises(TypeError, match=r"launch\(\) takes a kernel, found <function .*; mark the function"):
        ct.launch(None, (1,), function, ())


def test_annotations_that_exclude_each_other():
    with pytest.raises(TypeError, match="parameter 'x' has ConstantAnnotation and ArrayAnnotation, expected one of"):

        @ct.kernel
        def kernel(x: Annotated[int, ct.ConstantAnnotation(), ct.ArrayAnnotation()]):
            pass


def test_a_tuple_of_any_length():
    @ct.kernel
    def kernel(y, dims: tuple[ct.Constant[int], ...], numbers: tuple[ct.ScalarInt64, ...]):
        total = numbers[0] * 0
        for i in ct.static_iter(range(len(numbers))):
            total += numbers[i] + dims[i]
        ct.store(y, 0, ct.full(dims[0], 0, ct.int64) + total)

    assert kernel.parameters[1].each.constant and kernel.parameters[1].items == ()
    for dims, numbers in (((8,), (1 << 40,)), ((4, 100, 5), (1, 2, 3))):
        y = np.zeros(8, np.int64)
        run_block(kernel, y, dims, numbers)
        total = sum(numbers) + sum(dims)
        assert y.tolist() == [total] * dims[0] + [0] * (8 - dims[0])
    with pytest.raises(TypeError, match=r"argument 'dims\[1\]' is a constant of type float, expected int"):
        run_block(kernel, y, (4, 1.5), (1, 2))
