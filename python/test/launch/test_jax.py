# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in programs of JAX, where that is installed; and what XLA's frames are read as, without it."""

import ctypes
import functools

import fake_cuda
import numpy as np
import pytest
import tilewright as ct
from tilewright._runtime import xla_ffi
from tilewright._runtime.dispatch import make_launcher
from tilewright.jax import InputOutput, OutputPlaceholder, _Call, _name, _Operand, _run, cutile_call


@ct.kernel
def scale(x, y, factor: ct.Constant, TILE: ct.Constant):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


@ct.kernel
def halve(x, TILE: ct.Constant):
    ct.store(x, ct.bid(0), ct.load(x, ct.bid(0), TILE) / 2)


@ct.kernel
def sum_and_difference(pair: tuple, total, difference, shift: float):
    x, y = ct.load(pair[0], ct.bid(0), 4), ct.load(pair[1], ct.bid(0), 4)
    ct.store(total, ct.bid(0), x + y + shift)
    ct.store(difference, ct.bid(0), x - y)


# ---- with JAX ----


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax", reason="needs JAX, which is not installed")
    jax.config.update("jax_platforms", "cpu")
    return jax


def test_a_kernel_inside_of_a_compiled_function(jax):
    @functools.partial(jax.jit, static_argnums=(1, 2))
    def graph(x, factor, tile):
        grid = (ct.cdiv(x.shape[0], tile),)
        y = cutile_call(grid, scale, (x + 1, OutputPlaceholder(x.shape, x.dtype), factor, tile))
        return y, cutile_call(grid, halve, (InputOutput(y), tile)) + 1

    x = jax.numpy.arange(10, dtype=jax.numpy.float32)
    for factor in (3, 5.0, 3):
        y, z = graph(x, factor, 4)
        np.testing.assert_array_equal(y, (np.arange(10) + 1) * factor)
        np.testing.assert_array_equal(z, (np.arange(10) + 1) * factor / 2 + 1)


def test_several_results_tuples_and_numbers(jax):
    x = jax.numpy.arange(8, dtype=jax.numpy.float32)
    placeholder = OutputPlaceholder((8,), np.float32)
    found = cutile_call((2,), sum_and_difference, ((x, x * x), placeholder, placeholder, 0.5))
    assert isinstance(found, tuple) and len(found) == 2
    np.testing.assert_array_equal(found[0], x + x * x + 0.5)
    np.testing.assert_array_equal(found[1], x - x * x)


@pytest.mark.parametrize("dtype", ["int8", "uint32", "float16", "bfloat16"])
def test_dtypes(jax, dtype):
    x = jax.numpy.arange(8).astype(dtype)
    y = cutile_call((2,), scale, (x, OutputPlaceholder(x.shape, x.dtype), 2, 4))
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(y, np.float32), np.arange(8) * 2)


def test_an_array_of_two_axes_and_a_transposed_one(jax):
    @ct.kernel
    def copy(x, y):
        ct.store(y, (0, 0), ct.load(x, (0, 0), (4, 8)))

    x = jax.numpy.arange(32, dtype=jax.numpy.int32).reshape(8, 4)
    y = jax.jit(lambda x: cutile_call((1,), copy, (x.T, OutputPlaceholder((4, 8), x.dtype))))(x)
    np.testing.assert_array_equal(y, np.asarray(x).T)


def test_mistakes_and_errors_of_launches(jax):
    x = jax.numpy.arange(8, dtype=jax.numpy.float32)
    placeholder = OutputPlaceholder((8,), np.float32)
    for args, message in (
        ((x, placeholder, 2), "scale takes 4 arguments, found 3"),
        ((x, x, 2, 4), "scale: no argument is an OutputPlaceholder or an InputOutput, expected one or more"),
        (([1], placeholder, 2, 4), "argument 'x' is a list, expected a JAX array, an OutputPlaceholder"),
    ):
        with pytest.raises(TypeError, match=message):
            cutile_call((2,), scale, args)
    with pytest.raises(TypeError, match="cutile_call takes a kernel, found 3"):
        cutile_call((2,), 3, ())

    @ct.kernel
    def writes_its_input(x, y):
        ct.store(x, 0, ct.load(x, 0, 8))
        ct.store(y, 0, ct.load(x, 0, 8))

    with pytest.raises(
        Exception, match="ValueError: writes_its_input: argument 'x' is read-only, but the kernel writes"
    ):
        jax.block_until_ready(cutile_call((1,), writes_its_input, (x, placeholder)))


# ---- frames ----


class Frame:
    """The arguments that XLA passes: arrays, the attribute `call`, a stream."""

    def __init__(self, operands, results, call, stage=3):
        self.errors, self.keep = [], []
        self.api = xla_ffi.Api()
        self.api.error_create = xla_ffi._CREATE(self._create)
        self.api.stream_get = xla_ffi._STREAM(self._stream)
        text = self._span(call)
        name = ctypes.pointer(self._span(b"call"))
        attributes = (
            1,
            (ctypes.c_int * 1)(4),
            (ctypes.POINTER(xla_ffi.Span) * 1)(name),
            (ctypes.c_void_p * 1)(ctypes.addressof(text)),
        )
        self.frame = xla_ffi.Frame(
            ctypes.sizeof(xla_ffi.Frame), None, ctypes.pointer(self.api), 77, stage, self._values(operands),
            self._values(results), xla_ffi.Attributes(ctypes.sizeof(xla_ffi.Attributes), None, *attributes),
        )  # fmt: skip

    def _span(self, text):
        buffer = ctypes.create_string_buffer(text)
        span = xla_ffi.Span(ctypes.addressof(buffer), len(text))
        self.keep += [buffer, span]
        return span

    def _values(self, arrays):
        codes = {name: code for code, name in xla_ffi._DTYPES.items()}
        buffers = []
        for array in arrays:
            dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
            size = ctypes.sizeof(xla_ffi.Buffer)
            buffers.append(
                xla_ffi.Buffer(size, None, codes.get(array.dtype.name, 15), array.ctypes.data, array.ndim, dims)
            )
        count = len(buffers)
        addresses = (ctypes.c_void_p * max(1, count))(*map(ctypes.addressof, buffers))
        self.keep += [buffers, addresses]
        types = (ctypes.c_int * max(1, count))(*[1] * count)
        return xla_ffi.Values(ctypes.sizeof(xla_ffi.Values), None, count, types, addresses)

    def _create(self, arguments):
        self.errors.append(arguments.contents.message.decode())
        return 0xBAD

    def _stream(self, arguments):
        assert arguments.contents.context == 77
        arguments.contents.stream = 0x5150
        return None


def named(*arguments, kernel=scale, grid=(2,)):
    return _name(_Call(kernel, grid, arguments)).encode()


IN, OUT = _Operand(0, False), _Operand(0, True)


def test_a_frame_becomes_a_launch():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    handler = xla_ffi.make_handler(_run, on_gpu=False)
    frame = Frame([x], [y], named(IN, OUT, 2.0, 4))
    assert handler(frame.frame) is None and not frame.errors
    np.testing.assert_array_equal(y, x * 2)
    other_stage = Frame([x], [y], b"nothing", stage=1)
    assert handler(other_stage.frame) is None and not other_stage.errors


def test_errors_go_to_xla():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    handler = xla_ffi.make_handler(_run, on_gpu=False)
    for operand, call, message in (
        (
            x,
            b"scale.elsewhere.0",
            "KeyError: 'the program was compiled by another process, whose kernel scale.elsewhere",
        ),
        (
            x.astype(np.complex64),
            named(IN, OUT, 2.0, 4),
            "operand 0 has elements of XLA's type 15, which kernels do not",
        ),
        (x, named(OUT, IN, 2.0, 4), "ValueError: scale: argument 'y' is read-only, but the kernel writes it"),
    ):
        frame = Frame([operand], [y], call)
        assert handler(frame.frame) == 0xBAD
        assert message in frame.errors[0]


def test_the_handler_says_what_it_is():
    metadata = xla_ffi.Metadata(traits=9)
    extension = xla_ffi.Extension(ctypes.sizeof(xla_ffi.Extension), 1, None, ctypes.pointer(metadata))
    frame = xla_ffi.Frame(extension=ctypes.addressof(extension))
    assert xla_ffi.make_handler(_run, on_gpu=False)(frame) is None
    assert (metadata.version.major, metadata.version.minor, metadata.traits) == (0, 1, 0)


def test_equal_calls_have_one_name():
    assert named(IN, OUT, 2.0, 4) == named(IN, OUT, 2.0, 4)
    others = {named(IN, OUT, value, 4) for value in (2.0, 2, True, 1, 1.0, 0.0, -0.0, "2")}
    assert len(others) == 8 and named(IN, OUT, 2.0, 4, grid=(3,)) not in others


def test_arrays_of_a_gpu_go_to_the_stream_of_xla():
    with fake_cuda.loaded() as driver:
        x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        handler = xla_ffi.make_handler(_run, on_gpu=True)
        frame = Frame([x], [y], named(IN, OUT, 2.0, 4))
        assert handler(frame.frame) is None and not frame.errors
        (launch,) = driver.launches()
        assert "scale" in launch and "grid 2 1 1" in launch and "stream 0x5150" in launch


SMALL_FLOATS = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"]


@ct.kernel
def copy(x, y):
    ct.store(y, 0, ct.load(x, 0, 8))


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_small_floats_of_a_gpu(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with fake_cuda.loaded() as driver:
        x = np.arange(8).astype(getattr(ml_dtypes, name))
        frame = Frame([x], [np.zeros_like(x)], named(IN, OUT, kernel=copy, grid=(1,)))
        assert xla_ffi.make_handler(_run, on_gpu=True)(frame.frame) is None and not frame.errors
        assert "copy" in driver.launches()[0]
        device_array = xla_ffi.DeviceArray(x.ctypes.data, x.shape, x.dtype, False)
        for spec in make_launcher(copy).specs((device_array, device_array)):
            assert spec.dtype is getattr(ct, name) and spec.ndim == 1
        frame = Frame([x], [np.zeros_like(x)], named(OUT, IN, kernel=copy, grid=(1,)))
        assert xla_ffi.make_handler(_run, on_gpu=True)(frame.frame) == 0xBAD
        assert "argument 'y' is read-only" in frame.errors[0]


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_small_floats_in_a_compiled_function(jax, name):
    x = jax.numpy.arange(8).astype(name)
    y = jax.jit(lambda x: cutile_call((1,), copy, (x, OutputPlaceholder(x.shape, x.dtype))))(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(y).view(np.uint8), np.asarray(x).view(np.uint8))
