# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the handlers that XLA calls, without XLA."""

import ctypes

import fake_cuda
import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from xla_frames import Described, Extension, Frame, FrameOfXla, Metadata, handler

on_cpu, on_gpu = handler(_native.xla_handler_cpu), handler(_native.xla_handler_gpu)


@ct.kernel
def scale(x, y, factor: float, TILE: ct.Constant):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


@ct.kernel
def total(xs: list, y):
    sums = ct.load(xs[0], 0, 8)
    for i in range(1, len(xs)):
        sums = sums + ct.load(xs[i], 0, 8)
    ct.store(y, 0, sums)


@ct.kernel
def refuse(x, y):
    ct.assert_(ct.load(x, 0, 8) < 5, "too large")
    ct.store(y, 0, ct.load(x, 0, 8))


def floats(number, shape=(8,), **kwargs):
    return Described(number, "float32", shape, **kwargs)


def program_of(kernel, args, memories, grid=(1,), loops=()):
    made = _native.XlaProgram(kernel.__name__, memories)
    made.add(kernel, grid, args, list(loops))
    return made


def run(program, operands, results, call=on_cpu, **kwargs):
    frame = Frame(operands, results, program.address, **kwargs)
    returned = call(frame.frame)
    assert bool(returned) == bool(frame.errors)
    return frame.errors


def test_a_frame_becomes_a_launch():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    program = program_of(scale, (floats(0), floats(1), 2.0, 4), 2, grid=(2,))
    for factor in (1, 2):  # the second time it is prepared
        assert not run(program, [x * factor], [y])
        np.testing.assert_array_equal(y, x * factor * 2)
    y[:] = 0
    assert not run(program, [x], [y], stage=1)
    assert not y.any()


def test_a_view_of_memory():
    x, y = np.arange(16, dtype=np.float32), np.zeros(8, np.float32)
    every_second = floats(0, strides=(8,), offset=4)
    assert not run(program_of(scale, (every_second, floats(1), 1.0, 8), 2), [x], [y])
    np.testing.assert_array_equal(y, x[1::2])


def test_a_launch_in_two_loops():
    x, y = np.arange(48, dtype=np.float32), np.zeros((2, 3, 8), np.float32)
    loops = [(2, [96, 96]), (3, [32, 32])]
    assert not run(program_of(scale, (floats(0), floats(1), 2.0, 8), 2, loops=loops), [x], [y])
    np.testing.assert_array_equal(y, x.reshape(2, 3, 8) * 2)


def test_a_list_of_arrays():
    x, y = np.arange(24, dtype=np.float32), np.zeros(8, np.float32)
    program = program_of(total, ([floats(0, offset=32 * i) for i in range(3)], floats(1)), 2)
    for _ in range(2):
        assert not run(program, [x], [y])
        np.testing.assert_array_equal(y, x.reshape(3, 8).sum(0))


@pytest.mark.parametrize("variable", ["TILEWRIGHT_INTERPRET", "TILEWRIGHT_CHECK"])
def test_a_launch_in_the_interpreter(monkeypatch, variable):
    monkeypatch.setenv(variable, "1")

    @ct.kernel
    def twice(xs: list, y):
        ct.store(y, 0, ct.load(xs[0], 0, 8) * 2)

    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    assert not run(program_of(twice, ([floats(0)], floats(1)), 2), [x], [y])
    np.testing.assert_array_equal(y, x * 2)


def test_errors_go_to_xla():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    good = program_of(scale, (floats(0), floats(1), 2.0, 4), 2, grid=(2,))
    (error,) = run(good, [x], [y], process=7)
    assert error == "another process compiled the program, and its kernels are not here"
    (error,) = run(good, [x, x], [y])
    assert error == "scale: the call has 3 buffers, expected 2"
    (error,) = run(good, [x[1:]], [y])
    assert error == "scale: XLA has a buffer at an address that is no multiple of 16"
    read_only = floats(1, read_only=True)
    (error,) = run(program_of(scale, (floats(0), read_only, 2.0, 4), 2), [x], [y])
    assert error.startswith("ValueError: scale: argument 'y' is read-only, but the kernel writes it")
    (error,) = run(program_of(refuse, (floats(0), floats(1)), 2), [x], [y])
    assert error.startswith("TileAssertionError: ") and "too large" in error


def test_the_handler_says_what_it_is():
    metadata = Metadata(traits=9)
    extension = Extension(ctypes.sizeof(Extension), 1, None, ctypes.pointer(metadata))
    frame = FrameOfXla(extension=ctypes.addressof(extension))
    assert on_cpu(frame) is None
    assert (metadata.version.major, metadata.version.minor, metadata.traits) == (0, 1, 0)


def test_memory_of_a_gpu_goes_to_the_stream_of_xla():
    with fake_cuda.loaded() as driver:
        x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        program = program_of(scale, (floats(0), floats(1), 2.0, 4), 2, grid=(2,), loops=[(3, [0, 0])])
        assert not run(program, [x], [y], call=on_gpu)
        launches = driver.launches()
        assert len(launches) == 3
        assert all("scale" in each and "grid 2 1 1" in each and "stream 0x5150" in each for each in launches)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_small_floats_of_a_gpu(name):
    @ct.kernel
    def copy(x, y):
        ct.store(y, 0, ct.load(x, 0, 8))

    with fake_cuda.loaded() as driver:
        x = np.arange(8, dtype=np.uint16)
        program = program_of(copy, (Described(0, name, (8,)), Described(1, name, (8,))), 2)
        assert not run(program, [x], [np.zeros_like(x)], call=on_gpu)
        assert "copy" in driver.launches()[0]
