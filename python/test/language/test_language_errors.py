# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every mistake is an exception that points at the place, says what was found and expected, and how to fix it."""

import linecache
import math
import re

import numpy as np
import pytest
import tilewright as ct
from language import array, compiled, constant, scalar


def fails(function, *specs, error, match, caret=None):
    """Compiling `function` raises; `caret` is the marked source text."""
    with pytest.raises(error, match=match) as caught:
        compiled(ct.kernel(function), *specs)
    place, excerpt, marks, *_ = str(caught.value).split("\n")
    file, line, column = re.match(r"(.*?):(\d+):(\d+): ", place).groups()
    assert file == __file__
    assert excerpt.strip() == linecache.getline(file, int(line)).strip()
    if caret is not None:
        start, end = marks.index("^"), len(marks)
        assert excerpt[start:end] == caret
        assert start == 4 + int(column) - 1
    return str(caught.value)


def test_tile_shape_that_is_no_power_of_two():
    def kernel(x):
        ct.load(x, 0, (100,))

    message = r"shape \(100,\) has extent 100 at axis 0; expected a power of two, for example 128: pad"
    fails(kernel, array(), error=ct.TileTypeError, match=message, caret="ct.load(x, 0, (100,))")


def test_ranges_that_their_dtype_cannot_count():
    def kernel(x):
        ct.store(x, 0, ct.arange(512, dtype=ct.int8).astype(ct.float32))

    message = r"arange\(\) of 512 elements: int8 has 256 values; expected a wider dtype"
    fails(kernel, array(), error=ct.TileTypeError, match=message, caret="ct.arange(512, dtype=ct.int8)")


def test_constants_without_a_value_in_their_dtype():
    def one(x):
        ct.store(x, 0, ct.full((2,), -3.0, ct.float8_e8m0fnu).astype(ct.float32))

    def several(x):
        ct.store(x, 0, ct.astile((1.0, -3.0), dtype=ct.float8_e8m0fnu).astype(ct.float32))

    def identity(x):
        t = ct.load(x, 0, 4).astype(ct.int32)
        ct.store(x, 0, ct.reduce(t, 0, lambda a, b: a + b, float("inf")).astype(ct.float32))

    message = "-3.0 has no value as float8_e8m0fnu, which has no sign; expected a positive number"
    fails(one, array(), error=ct.TileValueError, match=message, caret="ct.full((2,), -3.0, ct.float8_e8m0fnu)")
    caret = "ct.astile((1.0, -3.0), dtype=ct.float8_e8m0fnu)"
    fails(several, array(), error=ct.TileValueError, match=message, caret=caret)
    caret = 'ct.reduce(t, 0, lambda a, b: a + b, float("inf"))'
    fails(identity, array(), error=ct.TileTypeError, match="inf has no value as int32", caret=caret)


def test_undefined_name():
    def kernel(x):
        ct.store(x, 0, ct.load(x, 0, (16,)) + yy)  # noqa: F821

    fails(kernel, array(), error=ct.TileSyntaxError, match="undefined name 'yy'", caret="yy")


def test_caret_counts_characters_not_bytes():
    def kernel(x):
        ct.printf("größe\n" + größe)  # noqa: F821

    fails(kernel, array(), error=ct.TileSyntaxError, match="undefined name 'größe'", caret="größe")


def unsupported():
    def a_try(x):
        try:
            pass
        except ValueError:
            pass

    def a_list(x):
        y = [1, 2]  # noqa: F841

    def a_comprehension(x):
        y = [i for i in (1, 2)]  # noqa: F841

    def an_import(x):
        import math  # noqa: F401

    def a_class(x):
        class C:
            pass

    def a_for_else(x):
        for _ in range(3):
            pass
        else:
            pass

    def a_raise(x):
        raise ValueError("no")

    def a_global(x):
        global some_name
        some_name = 1

    def a_yield(x):
        yield 1

    def an_assert(x):
        assert x

    return [
        (a_try, "cannot contain try/except"),
        (a_list, "cannot contain a list; use a tuple"),
        (a_comprehension, "list comprehension; write tuple"),
        (an_import, "import at the top of the file"),
        (a_class, "define it outside of the kernel"),
        (a_for_else, "no 'else'; put the statements after the loop"),
        (a_raise, "use assert_"),
        (a_global, "pass the value as a parameter"),
        (a_yield, "return a tuple"),
        (an_assert, "use assert_"),
    ]


@pytest.mark.parametrize(("kernel", "message"), unsupported(), ids=lambda v: getattr(v, "__name__", ""))
def test_unsupported_construct(kernel, message):
    fails(kernel, array(), error=ct.TileSyntaxError, match=re.escape(message))


def test_functions_of_math():
    def known(x):
        ct.store(x, 0, math.sqrt(2.0))

    def unknown(x):
        ct.store(x, 0, math.erf(ct.load(x, 0, 1)))

    message = r"'sqrt' cannot be called in tile code; evaluate it with static_eval\(\), or use tilewright.sqrt\(\)"
    fails(known, array(), error=ct.TileTypeError, match=message, caret="math.sqrt(2.0)")
    message = (
        r"'erf' cannot be called in tile code; evaluate it with static_eval\(\), or use a function of the language"
    )
    fails(unknown, array(), error=ct.TileTypeError, match=message, caret="math.erf(ct.load(x, 0, 1))")


def test_with_over_what_is_no_context_manager():
    def kernel(x):
        with 5:
            pass

    message = "'with' over a number 5; expected a call of a function marked with @contextlib.contextmanager"
    fails(kernel, array(), error=ct.TileTypeError, match=message, caret="5")


def test_loop_that_changes_a_dtype():
    def kernel(x, n):
        total = 0
        for i in range(n):
            total = total + ct.sum(ct.load(x, i, (16,)))
        ct.store(x, 0, total)

    message = (
        r"'total' has a type that the loop at line \d+ changes: a scalar of int32 before the loop, a scalar of float32"
    )
    fails(kernel, array(), scalar(), error=ct.TileTypeError, match=message, caret="total")


def test_loop_that_changes_a_shape():
    def kernel(x, n):
        t = ct.load(x, 0, (16,))
        while n > 0:
            t = ct.cat((t, t), 0)
            n -= 1
        ct.store(x, 0, t)

    fails(
        kernel, array(), scalar(), error=ct.TileTypeError, match=r"shape \(16,\) before.*shape \(32,\) after", caret="t"
    )


def test_value_on_one_path_only():
    def kernel(x, n):
        if n > 3:
            y = 1.0
        ct.store(x, 0, y)

    message = (
        r"'y' has a value only if the condition at line \d+ is true; assign it before the 'if' or in both branches"
    )
    fails(kernel, array(), scalar(), error=ct.TileTypeError, match=message, caret="y")


def test_value_of_a_loop_that_may_not_run():
    def kernel(x, n):
        for i in range(n):
            y = i
        ct.store(x, 0, y)

    fails(kernel, array(), scalar(), error=ct.TileTypeError, match="'y' gets a value only inside the loop", caret="y")


def test_type_that_depends_on_the_path():
    def kernel(x, n):
        if n > 3:
            t = ct.zeros((16,), ct.float32)
        else:
            t = ct.zeros((8,), ct.float32)
        ct.store(x, 0, t)

    fails(kernel, array(), scalar(), error=ct.TileTypeError, caret="t",
          match=r"type that depends on the path.*\(16,\) \(line \d+\) or .*\(8,\) \(line \d+\)")  # fmt: skip


def test_wrong_rank():
    def of_shape(x):
        ct.load(x, (0, 0), (16,))

    def of_index(x):
        ct.load(x, 0, (16, 16))

    fails(of_shape, array(ndim=2), error=ct.TileTypeError, match="has 1 dimensions; array 'x' has 2")
    fails(of_index, array(ndim=2), error=ct.TileTypeError, match="index has 1 entries; array 'x' has 2 axes")


def test_wrong_dtype():
    def stored(x, y):
        ct.store(x, 0, ct.load(y, 0, (16,)))

    def promoted(x, y):
        ct.load(x, 0, (16,)) + ct.load(y, 0, (16,))

    def multiplied(x, y):
        ct.mma(ct.zeros((16, 16), x.dtype), ct.zeros((16, 16), y.dtype), ct.zeros((16, 16), ct.float32))

    f16, f32 = array(ct.float16), array()
    fails(
        stored, f16, f32, error=ct.TileTypeError, match="stored to array 'x' has dtype float32; expected float16: cast"
    )
    fails(
        promoted,
        f16,
        array(ct.bfloat16),
        error=ct.TileTypeError,
        match="no implicit promotion of float16 with bfloat16",
    )
    fails(promoted, array(ct.uint8), array(ct.int32), error=ct.TileTypeError, match="promotion of uint8 with int32")
    fails(multiplied, f16, f32, error=ct.TileTypeError, match="expected one dtype on both sides")


def test_shapes_of_mma():
    def operands(x):
        a = ct.zeros((16, 32), ct.float32)
        ct.mma(a, a, a)

    def accumulator(x):
        a = ct.zeros((16, 16), ct.float32)
        ct.mma(a, a, ct.zeros((16, 8), ct.float32))

    fails(operands, array(), error=ct.TileTypeError, match=r"expected \(M, K\) and \(K, N\): 32 and 16 differ")
    fails(accumulator, array(), error=ct.TileTypeError, match=r"shape \(16, 8\); expected \(16, 16\)")


def test_number_out_of_range():
    def kernel(x):
        ct.load(x, 0, (16,)) + 1000

    fails(kernel, array(ct.int8), error=ct.TileValueError, match="1000 is out of range of int8 \\(-128 to 127\\)")


def test_arithmetic_of_numbers_that_fails():
    def kernel(x, N):
        ct.store(x, 0, 1 // N)

    message = "integer division or modulo by zero"
    fails(kernel, array(), constant(0), error=ct.TileValueError, match=message, caret="1 // N")


def test_shapes_that_do_not_broadcast():
    def kernel(x):
        ct.zeros((4,), ct.float32) + ct.zeros((8,), ct.float32)

    fails(kernel, array(), error=ct.TileTypeError, match=r"\(4,\) and \(8,\) do not broadcast")


def test_run_time_value_where_a_constant_is_needed():
    def kernel(x, n):
        ct.load(x, 0, (n,))

    fails(kernel, array(), scalar(), error=ct.TileTypeError, match="annotate the kernel parameter with Constant")


def test_condition_that_is_no_scalar():
    def of_tile(x):
        if ct.load(x, 0, (16,)) > 0:
            pass

    def of_array(x):
        while x:
            pass

    fails(
        of_tile, array(), error=ct.TileTypeError, match="choose elements with where", caret="ct.load(x, 0, (16,)) > 0"
    )
    fails(of_array, array(), error=ct.TileTypeError, match="array 'x' of float32; expected a scalar", caret="x")


def test_wrong_arguments():
    def missing(x):
        ct.load(x, 0)

    def unknown(x):
        ct.load(x, 0, (16,), padding=0)

    def of_helper(x):
        helper(1, 2, 3)

    def helper(a):
        return a

    fails(missing, array(), error=ct.TileTypeError, match=r"load\(\): missing a required argument: 'shape'")
    fails(unknown, array(), error=ct.TileTypeError, match="unexpected keyword argument 'padding'")
    fails(of_helper, array(), error=ct.TileTypeError, match=r"helper\(\): too many positional arguments")


def test_array_used_like_a_numpy_array():
    def read(x):
        y = x[0]  # noqa: F841

    def written(x):
        x[0] = 1.0

    def sized(x):
        len(x)

    fails(read, array(), error=ct.TileTypeError, match=r"'x' cannot be subscripted; use load\(\)")
    fails(written, array(), error=ct.TileTypeError, match="use store")
    fails(sized, array(), error=ct.TileTypeError, match="use shape")


def test_call_of_what_is_no_tile_function():
    def numpy_call(x):
        np.zeros(3)

    def kernel_call(x):
        other(x)

    @ct.kernel
    def other(x):
        pass

    fails(
        numpy_call, array(), error=ct.TileTypeError, match="'zeros' cannot be called in tile code", caret="np.zeros(3)"
    )
    fails(kernel_call, array(), error=ct.TileTypeError, match="kernel 'other' cannot be called in tile code")


def outer(x, size):
    return inner(x) + size


def inner(x):
    return x + ct.zeros((7,), ct.float32)


def test_call_sites_of_inlined_helpers():
    def kernel(x):
        ct.store(x, 0, outer(ct.load(x, 0, (16,)), 1))

    message = fails(kernel, array(), error=ct.TileTypeError, match="extent 7", caret="ct.zeros((7,), ct.float32)")
    assert re.search(r"called from .*, in outer:\n    .*return inner\(x\) \+ size\n +\^{8}\n", message)
    assert re.search(r"called from .*, in kernel:\n", message)


def endless(n):
    return endless(n)


def test_recursion():
    def kernel(x, n):
        endless(n)

    message = fails(kernel, array(), scalar(), error=ct.TileRecursionError, match="cannot recurse")
    assert "more calls" in message and len(message) < 5000


def test_static_assertions_and_exceptions():
    def asserted(x, K):
        ct.static_assert(K > 4, f"K is {K}")

    def raised(x, K):
        raise ct.static_exception(ValueError(f"K is {K}"))

    def evaluated(x, K):
        ct.static_eval(K // 0)

    fails(asserted, array(), constant(3), error=ct.TileStaticAssertionError, match="K is 3")
    fails(raised, array(), constant(3), error=ct.StaticException, match="K is 3")
    fails(evaluated, array(), constant(3), error=ct.TileStaticEvalError, match="ZeroDivisionError")


def test_functions_of_reductions_are_pure():
    def kernel(x):
        ct.reduce(ct.load(x, 0, (16,)), 0, lambda a, b: a if a > b else b, 0.0)

    fails(kernel, array(), error=ct.TileSyntaxError, match=r"has an 'if', a loop or a memory access; use where\(\)")


def test_step_of_range():
    def kernel(x, n):
        for _ in range(n, 0, -1):
            pass

    fails(kernel, array(), scalar(), error=ct.TileTypeError, match="step -1; expected a positive step: reverse")


def test_loop_over_a_tuple():
    def kernel(x):
        for _ in (1, 2):
            pass

    fails(kernel, array(), error=ct.TileTypeError, match=r"range\(...\) or static_iter", caret="(1, 2)")


def test_kernel_that_returns_a_value():
    def kernel(x, n):
        return n

    fails(kernel, array(), scalar(), error=ct.TileTypeError, match="returns a scalar of int32; store results")


def test_number_of_arguments():
    def kernel(x, n):
        pass

    fails(kernel, array(), error=ct.TileTypeError, match=r"takes 2 arguments \(x, n\), found 1")


def test_source_that_is_not_available():
    names = {}
    exec("import tilewright as ct\n@ct.kernel\ndef kernel(x): pass", names)
    with pytest.raises(
        ct.TileSyntaxError, match=r"source of 'kernel' is not available .* in an IPython or Jupyter cell"
    ):
        compiled(names["kernel"], array())


def test_cell_of_a_notebook():
    """IPython and Jupyter give each cell a file name and put its text into linecache."""
    text = "import tilewright as ct\n\n@ct.kernel\ndef kernel(x):\n    ct.store(x, 0, wrong)\n"
    name = "/tmp/ipykernel_1/2.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    with pytest.raises(ct.TileSyntaxError, match=r"ipykernel_1/2.py:5:20: undefined name 'wrong'"):
        compiled(names["kernel"], array())


def test_functions_of_the_language_outside_of_tile_code():
    with pytest.raises(ct.TileError, match=r"load\(\) works in tile code only"):
        ct.load(None, 0, 1)
    with pytest.raises(TypeError, match="start it with launch"):
        ct.kernel(lambda_kernel)(1)
    assert ct.cdiv(7, 2) == 4


def lambda_kernel(x):
    pass


def test_decorator_arguments():
    with pytest.raises(ValueError, match="occupancy=64: expected an integer from 1 to 32"):
        ct.kernel(occupancy=64)(lambda_kernel)
    with pytest.raises(ValueError, match="num_ctas=3: expected a power of two"):
        ct.kernel(num_ctas=3)(lambda_kernel)
    with pytest.raises(TypeError, match="unknown hint 'warps'"):
        ct.kernel(warps=4)(lambda_kernel)
    with pytest.raises(ct.TileTypeError, match="fixed list of parameters"):

        @ct.kernel
        def variadic(*args):
            pass


def _array_by_iteration(x, y):
    a = x
    for _i in range(3):
        ct.store(x, 0, ct.load(a, 0, (4,)).astype(ct.float32))
        a = y


def _array_in_a_closure(x, y):
    a = x
    for _i in range(3):
        ct.store(x, 0, (lambda: ct.load(a, 0, (4,)))().astype(ct.float32))
        a = y


def _array_by_path_and_iteration(x, y):
    a = x
    for i in range(3):
        ct.store(x, 0, ct.load(a, 0, (4,)).astype(ct.float32))
        if i > 1:
            a = y


def _text_by_iteration(x, y):
    mode = "first"
    while ct.load(y, 0, ()) > 0:
        ct.store(y, 0, ct.load(x, 0, (4,)) if mode == "first" else ct.zeros((4,), ct.float32))
        mode = "later"


def _tuple_that_grows(x, y):
    tiles = ()
    for i in range(3):
        ct.store(y, 0, ct.full((4,), len(tiles), ct.float32))
        tiles = (*tiles, i)


@pytest.mark.parametrize(
    "function, message",
    [
        (
            _array_by_iteration,
            r"'a' has a type that the loop at line \d+ changes: .* 'x' .* 'y' .* one dtype",
        ),
        (_array_in_a_closure, r"'a' has a type that the loop at line \d+ changes"),
        (_array_by_path_and_iteration, r"'a', which the next iteration reads, has a type that depends on the path"),
        (_text_by_iteration, r"'mode' has a type that the loop at line \d+ changes: a string 'first' before"),
        (_tuple_that_grows, r"'tiles' has a type that the loop at line \d+ changes: a tuple of 0 before"),
    ],
)
def test_loops_that_change_what_is_known_while_tracing(function, message):
    with pytest.raises(ct.TileTypeError, match=message):
        compiled(ct.kernel(function), array(), array(ct.float16 if "array" in function.__name__ else ct.float32))
