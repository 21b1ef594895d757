# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments that can be passed to a kernel, and the errors for others."""

import collections

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from tilewright._runtime.dispatch import make_launcher


@ct.kernel
def add(a, b, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


@ct.kernel
def scale(a, factor, out):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (16,)) * factor)


@ct.kernel
def scale_by(a, out, FACTOR: ct.Constant[float]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (16,)) * FACTOR)


@ct.kernel
def copy2d(a, out):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (i, j), ct.load(a, (i, j), (4, 4)))


@ct.kernel
def fill(out, values):
    ct.store(out, (ct.bid(0),), ct.full((16,), values[0], ct.float32) + values[1])


def vector(n=40, dtype=np.float32):
    return np.arange(n).astype(dtype)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    a, b, out = torch.arange(40.0), torch.ones(40, requires_grad=True), torch.zeros(40)
    add[3](a, b, out, 16)
    assert torch.equal(out, a + 1)
    bf16 = torch.arange(40, dtype=torch.bfloat16)
    result = torch.zeros(40, dtype=torch.bfloat16)
    add[3](bf16, bf16, result, 16)
    assert torch.equal(result, bf16 + bf16)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.int64, np.int8, np.uint8, np.uint16]
)
def test_dtypes(dtype):
    a, out = vector(dtype=dtype), np.zeros(40, dtype)
    add[3](a, a, out, 16)
    np.testing.assert_array_equal(out, a + a)


def test_strides_are_honoured():
    source = np.arange(96, dtype=np.float32).reshape(8, 12)
    out = np.full((20, 30), -1, np.float32)
    copy2d[2, 3](source.T[:, ::2].T, out[1:5, 2:26:2])
    np.testing.assert_array_equal(out[1:5, 2:26:2], source[::2])
    assert (out[0] == -1).all() and (out[1:5, 3::2] == -1).all()


def test_numbers():
    a, out = vector(16), np.zeros(16, np.float32)
    for factor in (3, 2.5, True, np.float32(0.5), np.float64(1.5), np.int32(4)):
        scale[1](a, factor, out)
        np.testing.assert_array_equal(out, a * np.float32(factor))


def test_tuples_are_flattened():
    out = np.zeros(16, np.float32)
    fill[1](out, (3.0, 4.5))
    np.testing.assert_array_equal(out, np.full(16, 7.5, np.float32))


def test_named_tuples_are_refused():
    """A kernel would have their items without the names."""
    Pair = collections.namedtuple("Pair", ("first", "second"))
    message = r"argument 'values' is a .*Pair, a subclass of tuple; expected a plain tuple, .* frozen=True"
    refused(TypeError, fill, 1, (np.zeros(16, np.float32), Pair(3.0, 4.5)), message)


def test_specializations_are_shared_where_the_compiler_may_rely_on_the_same():
    launcher = make_launcher(add)
    a, out = vector(48), np.zeros(48, np.float32)
    launcher((3,), (a, a, out, 16))
    launcher((2,), (a[:32], a[:32], out[:32], 16))
    assert launcher.num_specializations == 1
    launcher((2,), (a[1:33], a[:32], out[:32], 16))  # not aligned to 16 bytes
    launcher((2,), (a[:31], a[:31], out[:31], 16))  # a length that is no multiple of 16
    launcher((2,), (a[:32], a[:32], out[:32], 32))  # another constant
    launcher((1,), (a[:32:2], a[:16], out[:16], 16))  # another stride
    assert launcher.num_specializations == 5


def test_constants_of_equal_value_but_other_type_differ():
    specs = lambda value: make_launcher(add).specs((vector(), vector(), vector(), value))[3]  # noqa: E731
    assert specs(1) != specs(True)
    assert specs(np.int64(1)) == specs(1)


def refused(exception, kernel, grid, args, match):
    before = [a.copy() for a in args if isinstance(a, np.ndarray)]
    with pytest.raises(exception, match=match):
        ct.launch(None, grid, kernel, args)
    after = [a for a in args if isinstance(a, np.ndarray)]
    for x, y in zip(before, after, strict=False):
        np.testing.assert_array_equal(x, y)


def test_wrong_number_of_arguments():
    refused(TypeError, add, 1, (vector(),), r"add: 1 arguments, expected 4 \(a, b, out, TILE\)")


def test_unsupported_dtypes():
    refused(
        TypeError,
        add,
        1,
        (vector(), vector(), vector(dtype=np.complex64), 16),
        r"argument 'out' has dtype complex64, expected one of",
    )
    refused(TypeError, add, 1, (vector(), vector(dtype=">f4"), vector(), 16), r"argument 'b' has dtype >f4")
    refused(TypeError, add, 1, (vector(), np.array(["x"] * 40), vector(), 16), r"argument 'b' has dtype <U1")
    # ml_dtypes has a byte for each, which is no memory that Tile IR knows.
    quads = vector(dtype=ml_dtypes.float4_e2m1fn)
    refused(TypeError, add, 1, (quads, vector(), vector(), 16), r"'a' has dtype float4_e2m1fn, of .*unpack_from_bytes")


def test_torch_says_the_same_of_its_packed_float4():
    torch = pytest.importorskip("torch")
    quads = torch.zeros(40, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    refused(TypeError, add, 1, (quads, vector(), vector(), 16), r"'a' has dtype float4_e2m1fn, of .*unpack_from_bytes")


def test_tensors_without_memory():
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(40)
    refused(ValueError, add, 1, (vector(), fake, vector(), 16), r"'b' has no memory, .*tilewright.torch.op")
    add[1](torch.zeros(0), vector(), torch.zeros(0), 16)


def test_views_of_pytorch_that_negate_what_lies_in_memory():
    torch = pytest.importorskip("torch")
    real = torch.arange(40, dtype=torch.float32)
    negated = torch.complex(real, real).conj().imag
    assert negated.is_neg() and torch.equal(negated, -real)
    refused(ValueError, add, 1, (vector(), negated, vector(), 16), r"'b' has the negative bit set: .*resolve_neg\(\)")
    refused(ValueError, add, 1, (vector(), negated[3:4], vector(), 16), r"'b' has the negative bit set")
    out = vector()
    ct.launch(None, 3, add, (real, negated.resolve_neg(), out, 16))
    np.testing.assert_array_equal(out, 0)
    ct.launch(None, 3, add, (real, torch.complex(real, real).imag, out, 16))  # as strided as the other
    np.testing.assert_array_equal(out, 2 * real)


def test_things_that_are_no_arguments():
    refused(TypeError, add, 1, (vector(), object(), vector(), 16), r"argument 'b' is a object, expected an array")
    refused(
        TypeError, add, 1, (vector(), [1.0], vector(), 16), r"argument 'b\[0\]' is a float, expected a list of arrays"
    )
    with pytest.raises(ct.TileTypeError, match=r"load\(\) takes an array first, found a list 'b' of arrays"):
        ct.launch(None, 1, add, (vector(), [vector()], vector(), 16))
    refused(
        TypeError,
        add,
        1,
        (vector(), vector(), vector(), "x"),
        r"argument 'TILE' is a constant of type str, expected int",
    )
    refused(TypeError, add, 1, (vector(), vector(), vector(), vector(1)), r"argument 'TILE'")
    refused(
        TypeError,
        scale_by,
        1,
        (vector(), vector(), "1.5"),
        r"argument 'FACTOR' is a constant of type str, expected float",
    )
    with pytest.raises(TypeError, match="the arguments are a int, expected a tuple"):
        ct.launch(None, 1, add, 5)


def test_numbers_out_of_range():
    refused(
        OverflowError,
        scale,
        1,
        (vector(), 2**31, vector()),
        r"argument 'factor' is 2147483648, which does not fit int32; annotate .* ScalarInt64",
    )


def test_read_only_output():
    out = vector()
    out.flags.writeable = False
    refused(ValueError, add, 3, (vector(), vector(), out, 16), r"argument 'out' is read-only, but the kernel writes it")
    add[3](out, out, np.zeros(40, np.float32), 16)  # reading it is fine


def test_output_that_overlaps_itself():
    out = np.broadcast_to(np.zeros(1, np.float32), 40)
    out = np.lib.stride_tricks.as_strided(np.zeros(40, np.float32), (40,), (0,))
    refused(ValueError, add, 3, (vector(), vector(), out, 16), r"argument 'out' overlaps itself")
    window = np.lib.stride_tricks.as_strided(np.zeros(40, np.float32), (8, 8), (4, 4))
    refused(ValueError, copy2d, (2, 2), (np.zeros((8, 8), np.float32), window), r"argument 'out' overlaps itself")
    copy2d[2, 2](window, np.zeros((8, 8), np.float32))


def test_overlapping_arguments():
    buffer = vector(80)
    refused(
        ValueError,
        add,
        3,
        (buffer[:40], vector(), buffer[20:60], 16),
        r"argument 'out' shares memory with argument 'a'",
    )
    refused(
        ValueError, add, 3, (vector(), buffer[:40], buffer[:30], 16), r"argument 'out' shares memory with argument 'b'"
    )
    add[3](buffer[:40], buffer[:40], buffer[40:], 16)  # the same input twice
    add[3](buffer[:40], buffer[20:60], np.zeros(40, np.float32), 16)  # inputs that overlap
    expected = buffer[::2] * 2
    add[3](buffer[::2], buffer[::2], buffer[1::2], 16)  # interleaved, nothing shared
    np.testing.assert_array_equal(buffer[1::2], expected)


def test_grids():
    args = (vector(), vector(), vector(), 16)
    for grid in (0, (0,), (1, 0), (1, 65536), (1, 1, 65536), 2**31, (-1,), 2**70):
        refused(ValueError, add, grid, args, r"add: grid extent -?\d+ on axis \d, expected 1 to \d+")
    refused(ValueError, add, (1, 1, 1, 1), args, "a grid of 4 extents, expected 1 to 3")
    refused(ValueError, add, (), args, "a grid of 0 extents")
    refused(TypeError, add, "x", args, "grid extent 'x', expected an integer")
    refused(TypeError, add, 1.5, args, "grid extent 1.5, expected an integer")
    add[np.int64(3)](vector(), vector(), np.zeros(40, np.float32), 16)
    add[[3, 1]](vector(), vector(), np.zeros(40, np.float32), 16)


def test_negative_strides():
    refused(ValueError, add, 3, (vector()[::-1], vector(), vector(), 16), r"argument 'a' has stride -1 on axis 0")


def test_strides_between_elements():
    records = np.zeros(40, np.dtype([("x", "f4"), ("y", "i2")], align=False))
    refused(
        ValueError, add, 3, (records["x"], vector(), vector(), 16), r"argument 'a' has a stride of 6 bytes on axis 0"
    )


def test_empty_arrays():
    empty = np.zeros(0, np.float32)
    add[1](empty, empty, empty, 16)  # nothing to load or store: every tile is clipped
    assert empty.size == 0


def test_a_failed_launch_leaves_the_kernel_usable():
    out = np.zeros(40, np.float32)
    with pytest.raises(ct.TileTypeError, match="takes an array"):
        add[3](vector(), None, out, 16)
    add[3](vector(), vector(), out, 16)
    np.testing.assert_array_equal(out, vector() * 2)
