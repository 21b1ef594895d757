# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions, closures, tuples, and compile-time evaluation."""

import contextlib
import enum
import functools
import math
import operator
from dataclasses import dataclass, replace

import numpy as np
import pytest
import tilewright as ct
from language import array, constant, ints, ops_of, run_block, text_of


def outputs(kernel, *args, count=8):
    out = ints(count)
    run_block(kernel, out, *args)
    return out.tolist()


def scaled(x, factor=2, *, offset=0):
    return x * factor + offset


SCALE = 3


def test_helpers_take_defaults_and_keywords():
    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, scaled(n))
        ct.store(out, 1, scaled(n, SCALE, offset=1))
        ct.store(out, 2, scaled(*(n, 5), offset=2))

    assert outputs(kernel, 10)[:3] == [20, 31, 52]


def test_nested_functions_and_lambdas_capture_names():
    @ct.kernel
    def kernel(out, n: int):
        m = n + 1

        def add(x, *rest, y=m):
            return x + y + len(rest)

        double = lambda x: x * m  # noqa: E731
        ct.store(out, 0, add(1, 2, 3))
        ct.store(out, 1, double(4))

    assert outputs(kernel, 9)[:2] == [1 + 10 + 2, 40]


def test_decorated_helper():
    def twice(f):
        @functools.wraps(f)
        def wrapper(x):
            return f(f(x))

        return wrapper

    @twice
    def increment(x):
        return x + 1

    @ct.function
    def helper(x):
        return increment(x)

    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, helper(n))

    assert outputs(kernel, 5)[0] == 7


def test_tuples():
    @ct.kernel
    def kernel(out, n: int):
        first, *middle, last = (n, 1, 2) + (3,)  # noqa: RUF005
        ct.store(out, 0, first + last)
        ct.store(out, 1, len(middle) + middle[1])
        ct.store(out, 2, sum(tuple(i * n for i in range(4) if i != 2)))
        ct.store(out, 3, 1 if 2 in (1, 2, 3) else 0)
        ct.store(out, 4, (1, 2, 3)[-1] + (1, 2, 3, 4)[1:3][0])

    assert outputs(kernel, 10)[:5] == [13, 4, 40, 1, 5]


def test_builtins_and_operator_functions():
    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, max(n, 3, 7) + min(n, 2))
        ct.store(out, 1, abs(-n) + int(2.9) + ct.int32(n > 1))
        ct.store(out, 2, operator.add(n, operator.mul(2, 3)))
        quotient, remainder = divmod(n, 4)
        ct.store(out, 3, quotient * 10 + remainder)
        ct.store(out, 4, pow(2, 5) + round_up(n))

    def round_up(n):
        return ct.cdiv(n, 4) * 4

    assert outputs(kernel, 5)[:5] == [9, 8, 11, 11, 40]


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2

    def sum(self):
        return self.x + self.y


def test_enums_and_frozen_dataclasses():
    mode = Mode.EXACT
    origin = Point(1)

    @ct.kernel
    def kernel(out, n: int):
        point = Point(n, y=5)
        for _ in range(3):
            point = replace(point, x=point.x + 1)
        ct.store(out, 0, point.sum())
        ct.store(out, 1, origin.sum() if mode is Mode.EXACT else 0)
        ct.store(out, 2, Mode(1).value)

    assert outputs(kernel, 10)[:3] == [18, 3, 1]


def test_static_evaluation():
    table = [1, 4, 9]

    @ct.kernel
    def kernel(out, n: int, K: ct.Constant[int]):
        ct.static_assert(K == 2, f"K is {K}")
        ct.store(out, 0, ct.static_eval(table[K] + len([i for i in range(K)])))
        ct.store(out, 1, ct.static_eval(n * 2 + table[1]))
        for i, factor in ct.static_iter(enumerate(table)):
            ct.store(out, i + 2, n * factor)

    assert outputs(kernel, 10, 2)[:5] == [11, 24, 10, 40, 90]


def test_strictly_typed_constants():
    @ct.kernel
    def kernel(out):
        x = ct.full((8,), 1, ct.float16)
        assert_dtype(x * 2.5, ct.float16)
        assert_dtype(x * ct.float32(2.5), ct.float32)
        assert_dtype(ct.int64(1) + 1, ct.int64)
        ct.store(out, 0, ct.arange(ct.int32(8), dtype=ct.int32))

    def assert_dtype(x, dtype):
        ct.static_assert(x.dtype is dtype, f"{x.dtype}")

    assert outputs(kernel) == list(range(8))


def test_attributes_of_tiles_and_arrays():
    @ct.kernel
    def kernel(out, N: ct.Constant[int]):
        t = ct.zeros((N, 4), out.dtype)
        ct.store(out, 0, t.shape[0] * 10 + t.ndim)
        ct.store(out, 1, out.shape[0] + out.ndim)
        ct.store(out, 2, out.strides[0])

    assert outputs(kernel, 2)[:3] == [22, 9, 1]


def test_modules_and_numpy_names():
    @ct.kernel
    def kernel(out):
        t = ct.arange(4, dtype=ct.int32)
        ct.store(out, 0, (t[:, np.newaxis] + t[None, :]).reshape((16,)))
        ct.store(out, 16, int(math.pi * 10))

    out = ints(17)
    run_block(kernel, out)
    np.testing.assert_array_equal(out, [*np.add.outer(range(4), range(4)).ravel(), 31])


def test_arrays_in_tuples():
    @ct.kernel
    def kernel(arrays, N: ct.Constant[int]):
        for i in ct.static_iter(range(len(arrays))):
            ct.store(arrays[i], 0, i + N)

    first, second = ints(), ints()
    run_block(kernel, (first, second), 5)
    assert (first[0], second[0]) == (5, 6)


def test_dtypes_of_other_packages():
    @ct.kernel
    def kernel(out):
        ct.store(out, 0, ct.full((4,), 1.5, np.float32).astype(np.int32))

    assert outputs(kernel)[:4] == [1, 1, 1, 1]


@pytest.mark.parametrize("contract", [True, False])
def test_products_and_sums_are_contracted_unless_switched_off(contract):
    @ct.kernel
    def kernel(x):
        a = ct.load(x, 0, (16,))
        ct.store(x, 0, a * a - 2.0)

    ops = ops_of(kernel, array(), contract_fma=contract)
    assert ("fma" in ops) == contract
    assert ("mulf" in ops) != contract


def test_a_product_with_two_readers_is_not_contracted():
    @ct.kernel
    def kernel(x):
        a = ct.load(x, 0, (16,))
        product = a * a
        ct.store(x, 0, product + 1.0)
        ct.store(x, 1, product)

    assert "fma" not in ops_of(kernel, array())


def test_hints_reach_the_entry_and_the_access():
    @ct.kernel(occupancy=2, num_ctas=ct.ByTarget(default=1, sm_100=2))
    def kernel(x):
        ct.store(x, 0, ct.load(x, 0, (16,), latency=3, allow_tma=False), latency=5)

    text = text_of(kernel, array())
    assert "occupancy = 2" in text and "sm_100 = {num_cta_in_cga = 2}" in text
    assert "allow_tma = false" in text and "latency = 3" in text and "latency = 5" in text
    assert "occupancy = 4" in text_of(kernel.replace_hints(occupancy=4), array())


def test_constant_parameters_are_compile_time():
    @ct.kernel
    def kernel(x, N: ct.Constant[int], NAME: ct.Constant):
        if NAME == "ones":
            ct.store(x, 0, ct.ones((N,), ct.float32))

    assert "tile<32xf32>" in text_of(kernel, array(), constant(32), constant("ones"))
    assert "store_view_tko" not in text_of(kernel, array(), constant(32), constant("none"))


@contextlib.contextmanager
def shifted(out, index, by):
    ct.store(out, index, by)
    yield index + by
    ct.store(out, index + 1, by * 2)


def test_context_managers():
    @ct.kernel
    def kernel(out, n: int):
        with shifted(out, 0, n) as at, shifted(out, 2, 10):
            ct.store(out, 5, at)

    assert outputs(kernel, 3)[:6] == [3, 6, 10, 20, 0, 3]


def test_numpy_scalars_are_numbers():
    factor = np.float32(2.5)

    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, ct.astype(n * factor, ct.int32))

    assert outputs(kernel, 4)[0] == 10
