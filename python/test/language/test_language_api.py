# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public objects on the host, and calls in the forms that the reference's documentation allows."""

import pickle
import re
from typing import Annotated

import numpy as np
import pytest
import tilewright as ct
from language import array, ints, run_block, scalar, text_of


def test_dtypes_on_the_host():
    assert repr(ct.int8) == "<DType 'int8'>" and f"{ct.int8}" == ct.int8.__name__ == ct.int8.name == "int8"
    assert ct.bool_.bitwidth == 8 and ct.float4_e2m1fn.bitwidth == 4
    pointer = ct.foreign_pointer_dtype(ct.float32)
    assert pointer is ct.foreign_pointer_dtype(pointee_dtype=ct.float32)
    assert repr(pointer) == "<DType 'foreign_pointer[float32]'>" and pointer.bitwidth == 64
    for dtype in (ct.bool_, ct.bfloat16, pointer):
        assert pickle.loads(pickle.dumps(dtype)) is dtype
    with pytest.raises(TypeError, match="pointers do not nest"):
        ct.foreign_pointer_dtype(pointer)
    with pytest.raises(TypeError, match="pointee_dtype is 3, expected a dtype"):
        ct.foreign_pointer_dtype(3)


def test_bools_widen_to_eight_bits():
    @ct.kernel
    def kernel(x):
        t = ct.arange(4, dtype=ct.int32) > 1
        ct.store(x, 0, t.astype(ct.int8) + ct.int8(1))

    x = np.zeros(4, np.int8)
    run_block(kernel, x)
    assert x.tolist() == [1, 1, 2, 2]


def test_keywords_of_the_grid():
    @ct.kernel
    def kernel(x):
        i = ct.bid(axis=0)
        n = ct.assume_divisible_by(x=ct.num_blocks(axis=0), divisor=4)
        for k in ct.static_iter(iterable=(0, 100)):
            ct.scatter(x, i + n * (k // 100), i + k)

    x = ints()
    ct.launch(None, (4,), kernel, (x,))
    assert x.tolist() == [0, 1, 2, 3, 100, 101, 102, 103]


def test_printf_takes_its_format_by_name(capfd):
    @ct.kernel
    def kernel(x):
        ct.printf(format="hello\n")

    run_block(kernel, ints())
    assert "hello" in capfd.readouterr().out


def test_product_of_bytes_wraps_to_bytes():
    @ct.kernel
    def kernel(x, y):
        t = ct.load(x, (0, 0), (4, 4))
        ct.static_assert((t @ t).dtype is ct.int8)
        ct.store(y, (0, 0), t @ t)

    x = np.arange(-8, 8, dtype=np.int8).reshape(4, 4) * 5
    y = np.zeros_like(x)
    run_block(kernel, x, y)
    np.testing.assert_array_equal(y, (x.astype(np.int32) @ x.astype(np.int32)).astype(np.int8))


def test_annotations_are_validated():
    for wrong, error, message in (
        (lambda: ct.ArrayAnnotation(index_dtype=ct.int8), ValueError, "index_dtype is int8, expected int32 or int64"),
        (lambda: ct.ArrayAnnotation(static_shape_dims=1), TypeError, "static_shape_dims is 1, expected a tuple"),
        (lambda: ct.ArrayAnnotation(static_stride_dims=(0, True)), TypeError, r"static_stride_dims\[1\] is True"),
        (lambda: ct.ScalarAnnotation(dtype=ct.float32), ValueError, "dtype is float32, expected int32 or int64"),
        (lambda: ct.ListAnnotation(element=3), TypeError, "element is 3, which has 0 ArrayAnnotations, expected one"),
        (lambda: ct.ListAnnotation(element=ct.Constant[int]), TypeError, "has 0 ArrayAnnotations"),
    ):
        with pytest.raises(error, match=message):
            wrong()
    assert ct.ListAnnotation(element=ct.IndexedWithInt64).element == ct.ArrayAnnotation(index_dtype=ct.int64)
    assert ct.IndexedWithInt64[ct.Array] == Annotated[ct.Array, ct.ArrayAnnotation(index_dtype=ct.int64)]


def test_a_target_without_default_is_no_none():
    assert ct.ByTarget() != ct.ByTarget(default=None)
    assert repr(ct.ByTarget(sm_90=1)) == "ByTarget(sm_90=1)" and repr(ct.ByTarget(default=2)) == "ByTarget(default=2)"

    @ct.kernel(occupancy=ct.ByTarget(sm_90=2), opt_level=ct.ByTarget(sm_90=0))
    def kernel(x):
        ct.store(x, 0, 1)

    text = text_of(kernel, array(ct.int32))
    assert re.search(r"optimization_hints=<sm_90 = \{occupancy = 2\}>", text), text
    assert ct.ByTarget[int] is not None
    with pytest.raises(TypeError, match="unknown hint 'warps'"):
        kernel.replace_hints(warps=3)
    with pytest.raises(TypeError, match="unknown hint 'warps'"):
        ct.kernel(warps=3)


def test_errors_have_a_place():
    @ct.kernel
    def kernel(x):
        x.nothing()

    with pytest.raises(ct.TileTypeError) as error:
        run_block(kernel, ints())
    assert error.value.loc.filename == __file__ and error.value.loc.line > 0
    assert ct.TileError("message").loc is None and ct.TileValueError("message", loc=None).message == "message"


def test_tile_code_on_the_host_and_hints_that_are_no_numbers():
    @ct.function
    def helper():
        pass

    for call in (lambda: ct.bid(0), helper, lambda: ct.static_assert(True)):
        with pytest.raises(RuntimeError) as error:
            call()
        assert isinstance(error.value, ct.TileError)
    with pytest.raises(TypeError, match=r"int32\(...\) converts values in tile code only"):
        ct.int32(3)
    for hint, error in (({"occupancy": "2"}, TypeError), ({"num_ctas": 1.0}, TypeError), ({"num_ctas": 3}, ValueError)):
        with pytest.raises(error, match=r"expected .* or None"):
            ct.kernel(**hint)(lambda x: None)


def test_attributes_outside_of_tile_code():
    assert "Element type" in ct.Array.dtype.__doc__ and ct.TiledView.tile_shape.__name__ == "tile_shape"
    with pytest.raises(AttributeError, match=r"Array\.shape is known in tile code only"):
        _ = ct.Array().shape
    with pytest.raises(TypeError, match="known at run time only"):
        range(ct.Tile())


def test_scalars_count_where_python_wants_an_index():
    @ct.kernel
    def kernel(x):
        i = ct.int32(2)
        ct.scatter(x, 0, ct.static_eval((10, 20, 30)[i]))

    x = ints()
    run_block(kernel, x)
    assert x[0] == 30


# ---- foreign pointers ----


def test_array_from_a_foreign_pointer():
    @ct.kernel
    def kernel(x, y):
        ct.static_assert(x.foreign_pointer.dtype is ct.foreign_pointer_dtype(x.dtype))
        rows = ct.Array.from_foreign(x.foreign_pointer, (2, x.shape[0] // 2), (x.shape[0] // 2, 1))
        ct.static_assert(rows.ndim == 2 and rows.shape[0] == 2)
        ct.store(y, (0, 0), ct.load(rows, (0, 0), (2, 4)) * 2)

    x, y = np.arange(8, dtype=np.float32), np.zeros((2, 4), np.float32)
    run_block(kernel, x, y)
    np.testing.assert_array_equal(y, x.reshape(2, 4) * 2)


def test_foreign_pointer_chosen_at_run_time():
    @ct.kernel
    def kernel(x, y, out):
        for i in range(4):
            pointer = ct.where(i % 2 == 0, x.foreign_pointer, y.foreign_pointer)
            if i == 3:
                pointer = x.foreign_pointer
            chosen = ct.Array.from_foreign(pointer, (4,), (1,))
            ct.scatter(out, i, ct.gather(chosen, i))

    x, y, out = np.arange(4, dtype=np.int32), np.arange(10, 14, dtype=np.int32), np.zeros(4, np.int32)
    run_block(kernel, x, y, out)
    assert out.tolist() == [0, 11, 2, 3]


def test_store_through_a_foreign_pointer_is_seen_by_the_array():
    @ct.kernel
    def kernel(x, n):
        pointer = x.foreign_pointer
        if n > 0:
            pointer = ct.where(n > 1, pointer, x.foreign_pointer)
        ct.store(ct.Array.from_foreign(pointer, x.shape, x.strides), 0, ct.full(4, 7, ct.int32))
        ct.store(x, 1, ct.load(x, 0, 4) + 1)

    x = ints()
    run_block(kernel, x, 1)
    assert x.tolist() == [7] * 4 + [8] * 4
    # The load of x waits for the store, whose array is unknown.
    store, load = re.search(
        r"(%\w+) = store_view_tko.*?load_view_tko weak [^\n]* token = (%\w+)",
        text_of(kernel, array(ct.int32), scalar()),
        re.S,
    ).groups()
    assert store == load


@pytest.mark.parametrize(
    "message, use",
    {
        "the left side of \\+ is a scalar of foreign_pointer": lambda p, x: p + 1,
        "does not convert to int64|which has no arithmetic|expected": lambda p, x: ct.astype(p, ct.int64),
        "pointer is a 1-dimensional array": lambda p, x: ct.Array.from_foreign(x, (1,), (1,)),
        "1 extents with 2 strides": lambda p, x: ct.Array.from_foreign(p, (1,), (1, 2)),
        "shape\\[0\\] is -1; expected no negative number": lambda p, x: ct.Array.from_foreign(p, (-1,), (1,)),
        "strides\\[0\\] is a scalar of uint32; expected a signed": lambda p, x: ct.Array.from_foreign(
            p, (1,), (ct.uint32(1),)
        ),
        "pointee_dtype is foreign_pointer\\[int32\\]": lambda p, x: ct.foreign_pointer_dtype(p.dtype),
    }.items(),
    ids=range(7),
)
def test_misuse_of_a_foreign_pointer(message, use):
    @ct.kernel
    def kernel(x):
        use(x.foreign_pointer, x)

    with pytest.raises(ct.TileTypeError, match=message):
        text_of(kernel, array(ct.int32))


def test_a_single_tile_is_put_together_with_nothing():
    @ct.kernel
    def kernel(x):
        ct.store(x, 0, ct.cat((ct.full(8, 3, ct.int32),), 0))

    x = ints()
    run_block(kernel, x)
    assert x.tolist() == [3] * 8


def test_divisors_that_are_no_power_of_two():
    @ct.kernel
    def kernel(x, n):
        ct.scatter(x, 0, ct.assume_divisible_by(n, 12))
        ct.scatter(x, 1, ct.assume_divisible_by(n, 3))

    text = text_of(kernel, array(ct.int32), scalar())
    assert text.count("div_by<4>") == 1 and text.count("div_by") == 1
    with pytest.raises(ct.TileTypeError, match="divisor 0; expected a positive number"):
        text_of(ct.kernel(lambda n: ct.assume_divisible_by(n, 0)), scalar())


# ---- printing ----


def test_parts_and_transposes_of_tiles_are_printed_as_they_are(capsys):
    @ct.kernel
    def kernel(x, i):
        t = ct.load(x, (0, 0), (4, 4))
        print(ct.extract(t, (i, 1), (2, 2)), ct.load(x, (0, 0), (2, 4), order="F"), t.transpose())

    x = np.arange(16, dtype=np.int32).reshape(4, 4)
    run_block(kernel, x, 1)
    parts = x[2:, 2:], x.T[:2], x.T
    expected = " ".join(str(part.tolist()) for part in parts)
    assert capsys.readouterr().out == expected + "\n"
