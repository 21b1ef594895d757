# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on GPUs, as far as a driver over the host's memory shows them: where arrays are, what stream a launch goes
to, copies, and what is said when something fails. Kernels are Python here; test/gpu has what needs a real GPU."""

import ctypes
import os
import subprocess
import sys

import fake_cuda
import numpy as np
import pytest
import tilewright as ct
from fake_cuda import CudaArray
from tilewright import _native
from tilewright._frontend.signature import Parameter, ParameterSource


@pytest.fixture
def driver():
    with fake_cuda.loaded() as driver:
        yield driver


def make_launcher(fills, python_parameters, **changes):
    """A launcher of the kernel `k` that gets `fills`: letters as of fake_cuda.image, and where each comes from."""
    letters = "".join(letter for letter, *_ in fills)
    records = tuple(ParameterSource((argument,), kind, axis, "i32", "") for _, kind, argument, axis in fills)
    asked = []

    def specialize(specs, device):
        asked.append(device)
        return _native.load_gpu_image(*fake_cuda.image(letters, **changes)), records

    parameters = [Parameter(name, False, None) for name in python_parameters]
    launcher = _native.Launcher("k", parameters, specialize)
    return launcher, asked


ADD = [("p", "pointer", 0, 0), ("p", "pointer", 1, 0), ("w", "pointer", 2, 0), ("i", "shape", 2, 0)]


def add(name, grid, parameters):
    """out = a + b, as the kernel of the launches here."""
    a, b, out = (fake_cuda.memory(fake_cuda.value(parameters, i), n(parameters)) for i in range(3))
    out[:] = a + b


def n(parameters):
    return fake_cuda.value(parameters, 3, ctypes.c_int32)


def vector(count=40):
    return np.arange(count, dtype=np.float32)


def test_arrays_on_a_gpu_are_launched_there(driver):
    launcher, asked = make_launcher(ADD, "abc")
    driver.on_launch(add)
    a, out = vector(), np.zeros(40, np.float32)
    launcher((3, 2), (CudaArray(a), CudaArray(a), CudaArray(out)))
    np.testing.assert_array_equal(out, a + a)
    assert asked == [0]
    [launch] = driver.launches()
    address = a.ctypes.data
    assert launch == (
        f"launch k({address}, {address}, {out.ctypes.data}, 40) grid 3 2 1 block 128 1 1 shared 0 stream (nil)"
    )
    assert not any("synchronize" in line for line in driver.log())
    # The second launch queries nothing.
    driver.clear()
    launcher(1, (CudaArray(a), CudaArray(a), CudaArray(out)))
    assert len(driver.log()) == 1 and len(asked) == 1


def test_arrays_of_the_host_are_copied_to_the_gpu_and_back(driver):
    launcher, asked = make_launcher(ADD, "abc")
    allocations = driver.library.fakecuda_allocations()
    driver.on_launch(add)
    a, out = vector(), np.zeros(40, np.float32)
    launcher(1, (a, a[:40], out))
    np.testing.assert_array_equal(out, a + a)
    assert asked == [None]
    [launch] = driver.launches()
    assert str(a.ctypes.data) not in launch
    assert driver.library.fakecuda_allocations() == allocations
    assert any("synchronize" in line for line in driver.log())


def test_only_what_is_written_is_copied_back(driver):
    launcher, _ = make_launcher(ADD, "abc")

    def write_all(name, grid, parameters):
        for i in range(3):
            fake_cuda.memory(fake_cuda.value(parameters, i), 40)[:] = -1

    driver.on_launch(write_all)
    a, b, out = vector(), vector(), vector()
    launcher(1, (a, b, out))
    np.testing.assert_array_equal(a, vector())
    np.testing.assert_array_equal(out, -1)


def test_all_arrays_are_in_one_place(driver):
    launcher, _ = make_launcher(ADD, "abc")
    with pytest.raises(
        ValueError,
        match="k: argument 'b' is in host memory, argument 'a' is on GPU 0, expected all arrays in one place; copy it "
        "there",
    ):
        launcher(1, (CudaArray(vector()), vector(), CudaArray(vector())))


def test_lists_have_their_table_on_the_gpu(driver):
    launcher, _ = make_launcher([("p", "table", 0, 0), ("i", "length", 0, 0), ("w", "pointer", 1, 0)], "ab")
    arrays = [vector(8), vector(16)]
    seen = []

    def read(name, grid, parameters):
        table = fake_cuda.memory(fake_cuda.value(parameters, 0), 3 * 2, np.int64)
        seen.append((fake_cuda.value(parameters, 0), table.tolist()))

    driver.on_launch(read)
    out = vector()
    for _ in range(2):
        launcher(1, ([CudaArray(array) for array in arrays], CudaArray(out)))
    assert seen[0] == seen[1]  # copied once
    assert seen[0][1] == [arrays[0].ctypes.data, 8, 1, arrays[1].ctypes.data, 16, 1]
    # Of the host: with the addresses of the copies.
    launcher(1, (arrays, out))
    [_, _, (_, table)] = seen
    assert table[1:3] == [8, 1] and table[0] not in (arrays[0].ctypes.data, 0)


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack before version 1, with everything up to what a consumer calls."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class DlpackArray:
    """Says through DLPack that a NumPy array is on GPU 0, as JAX does: it waits, if no stream is named."""

    def __init__(self, array):
        self.array, self.asked = array, []
        self.shape = (ctypes.c_int64 * 1)(array.size)
        self.tensor = Tensor(array.ctypes.data, 2, 0, 1, 2, 32, 1, ctypes.addressof(self.shape), None, 0, None, None)

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return (2, 0)


def test_dlpack(driver):
    launcher, _ = make_launcher(ADD, "abc")
    driver.on_launch(add)
    a, out = DlpackArray(vector()), DlpackArray(np.zeros(40, np.float32))
    for _ in range(2):
        launcher(1, (a, a, out))
    np.testing.assert_array_equal(out.array, vector() * 2)
    assert all("stream" not in asked for asked in a.asked)  # a framework that is not known to take -1
    other = DlpackArray(vector())
    other.tensor.device_id = 1
    with pytest.raises(ValueError, match="argument 'b' is on GPU 1, argument 'a' is on GPU 0"):
        launcher(1, (a, other, out))


class CudaStream:
    """As PyTorch's."""

    def __init__(self, handle):
        self.cuda_stream = handle

    cuda_stream = None


class CupyStream:
    ptr = 0x300


class CoreStream:
    def __cuda_stream__(self):
        return (0, 0x400)


class NumberStream:
    def __int__(self):
        return 0x500


@pytest.mark.parametrize(
    "stream, handle",
    [
        (None, "(nil)"),
        (0x100, "0x100"),
        (CudaStream(0x200), "0x200"),
        (CupyStream(), "0x300"),
        (CoreStream(), "0x400"),
        (NumberStream(), "0x500"),
    ],
)
def test_streams(driver, stream, handle):
    launcher, _ = make_launcher(ADD, "abc")
    array = CudaArray(vector())
    launcher(1, (array, array, CudaArray(vector())), stream)
    assert driver.launches()[-1].endswith(f"stream {handle}")


def test_streams_in_turns(driver):
    """A stream of PyTorch is asked for its handle once; others may change theirs."""
    launcher, _ = make_launcher(ADD, "abc")
    array = CudaArray(vector())
    torchs = type("Stream", (CudaStream,), {"__module__": "torch.cuda.streams"})
    streams = [torchs(0x200), torchs(0x300), CudaStream(0x400)]
    for stream in (*streams, streams[0], streams[0], streams[1], streams[2]):
        launcher(1, (array, array, CudaArray(vector())), stream)
        assert driver.launches()[-1].endswith(f"stream {stream.cuda_stream:#x}")
    streams[2].cuda_stream = 0x500
    launcher(1, (array, array, CudaArray(vector())), streams[2])
    assert driver.launches()[-1].endswith("stream 0x500")


@pytest.mark.parametrize("stream", ["default", 1.5, object(), -1])
def test_what_is_no_stream(driver, stream):
    launcher, _ = make_launcher(ADD, "abc")
    array = CudaArray(vector())
    with pytest.raises(TypeError, match=r"k: the stream is .*, expected None, a stream of PyTorch, CuPy or cuda-core"):
        launcher(1, (array, array, CudaArray(vector())), stream)


def test_dependent_launch(driver):
    launcher, _ = make_launcher(ADD, "abc")
    array = CudaArray(vector())
    launcher(1, (array, array, CudaArray(vector())), None, True)
    assert driver.launches()[-1].endswith("dependent 1")


def test_a_failed_launch_leaves_the_rest_intact(driver):
    launcher, _ = make_launcher(ADD, "abc")
    array = CudaArray(vector())
    driver.fail("cuLaunchKernelEx", 701)
    with pytest.raises(ct.TileDeviceError, match=r"kernel 'k' cannot be launched on GPU 0 .*LAUNCH_OUT_OF_RESOURCES"):
        launcher(1, (array, array, CudaArray(vector())))
    driver.fail("cuLaunchKernelEx", 0)
    launcher(1, (array, array, CudaArray(vector())))


def test_no_memory_on_the_gpu(driver):
    launcher, _ = make_launcher(ADD, "abc")
    launcher(1, (vector(), vector(), vector()))
    driver.fail("cuMemAlloc_v2", 2)
    with pytest.raises(MemoryError, match="the GPU has no memory left"):
        launcher(1, (vector(), vector(), vector()))


@ct.kernel
def double(a, out):
    ct.store(out, (ct.bid(0),), ct.load(a, (ct.bid(0),), (16,)) * 2)


def test_the_cpu_goes_on_after_an_illegal_access(driver):
    launcher, _ = make_launcher(ADD, "abc")
    driver.on_launch(lambda *_: driver.fault(700))
    with pytest.raises(ct.TileFaultError, match="kernel 'k' accessed memory that is not there on GPU 0") as caught:
        launcher(1, (vector(), vector(), vector()))
    assert "TILEWRIGHT_CHECK=1 finds the line" in str(caught.value)
    a, out = vector(16), np.zeros(16, np.float32)
    double[1](a, out)
    np.testing.assert_array_equal(out, a * 2)


def test_arrays_on_a_gpu_can_be_interpreted(driver, monkeypatch):
    """And checked: they are copied to the host and back."""
    monkeypatch.setenv("TILEWRIGHT_CHECK", "1")
    kernel = double.replace_hints()
    a, out = vector(16), np.zeros(16, np.float32)
    kernel[1](CudaArray(a), CudaArray(out))
    np.testing.assert_array_equal(out, a * 2)
    with pytest.raises(ct.TileCheckError, match="out"):
        kernel[1](CudaArray(a), CudaArray(np.zeros(0, np.float32)))


PRINT = {"kind": 0, "text": "x = %d\n", "tiles": [{"type": 3, "shape": [2]}]}
ASSERT = {"kind": 1, "text": "no", "file": "k.py", "line": 7, "tiles": [{"type": 0, "shape": [2]}]}


class HostBuffer:
    """The writes of a kernel of a module with PRINT and ASSERT to the buffer."""

    def __init__(self, driver):
        self.address = driver.global_word("__tilewright_host_buffer")

    def write(self, site, block, payload):
        header = fake_cuda.memory(self.address, 8, np.uint64)
        record = fake_cuda.memory(self.address + 64 + int(header[0]), 64, np.uint8)
        header[0] += 64
        record[32 : 32 + len(payload)] = list(payload)
        record[:20].view(np.uint32)[:] = [1, site, block, 0, 0]


def load_speaking(driver, *sites):
    code = _native.load_gpu_image(
        *fake_cuda.image("i", text="global __tilewright_host_buffer\n", sites=sites, hostBuffer=True)
    )
    return code, HostBuffer(driver)


def test_what_a_kernel_prints_is_shown_in_the_order_of_blocks(driver, capsys):
    code, buffer = load_speaking(driver, PRINT, ASSERT)
    driver.on_launch(lambda *_: [buffer.write(0, block, np.int32([block, 5]).tobytes()) for block in (1, 0)])
    code.run((2, 1, 1), [7])
    assert capsys.readouterr().out == "x = [0, 5]\nx = [1, 5]\n"


def test_an_assert_that_fails_is_raised(driver, capsys):
    code, buffer = load_speaking(driver, PRINT, ASSERT)

    def run(name, grid, parameters):
        buffer.write(0, 0, np.int32([1, 2]).tobytes())
        buffer.write(1, 3, b"\1\0")
        buffer.write(1, 2, b"\0\1")
        driver.fault(719)  # it ends by a trap

    driver.on_launch(run)
    with pytest.raises(ct.TileAssertionError) as caught:
        code.run((4, 1, 1), [7])
    assert str(caught.value).startswith("k: assert failed, tile block: [2, 0, 0], position: [0]: no\n")
    assert 'File "k.py", line 7' in str(caught.value)
    assert capsys.readouterr().out == "x = [1, 2]\n"


LATE = """
import fake_cuda, test_gpu_launch as t
with fake_cuda.loaded() as driver:
    code, buffer = t.load_speaking(driver, t.PRINT, t.ASSERT)
    code.run((4, 1, 1), [7])
    buffer.write(1, 2, b"\\1\\0")  # after the launch has come back
    {then}
    print("the end")
"""


@pytest.mark.parametrize("then, told", [("", 1), ("t.ct.synchronize()", 1), ("buffer.write(0, 0, bytes(8))", 1)])
def test_an_assert_that_nobody_asks_for_is_written_when_the_process_ends(then, told):
    run = subprocess.run(
        [sys.executable, "-c", LATE.format(then=then)], cwd=os.path.dirname(__file__), capture_output=True, text=True
    )
    message = "TileAssertionError: a kernel on a GPU: assert failed, tile block: [2, 0, 0], position: [1]: no\n"
    assert run.stderr.count(message) == told, run.stderr
    # Raised where it is asked for, and not told again.
    assert run.returncode == (1 if "synchronize" in then else 0)


def test_synchronize_raises_what_is_left(driver):
    ct.synchronize()
    driver.fault(700)
    with pytest.raises(ct.TileFaultError, match="accessed memory that is not there"):
        ct.synchronize()


@pytest.mark.parametrize(
    "environment, message",
    [
        ({"TILEWRIGHT_CUDA_DRIVER": "libnone.so"}, "there is no NVIDIA driver: libnone.so: cannot open"),
        ({"TILEWRIGHT_FAKE_CUDA": "devices=0"}, "the NVIDIA driver finds no GPU"),
        (
            {"TILEWRIGHT_TARGET": "nvidia:sm_80", "TILEWRIGHT_FAKE_CUDA": "cc=90"},
            "the code is for sm_80, GPU 0 (a GPU that is none) is sm_90a and runs no other; compile for that",
        ),
    ],
)
def test_what_is_missing_is_said(environment, message, tmp_path):
    run = run_copy(tmp_path, **environment)
    assert run.returncode == 1 and message in run.stderr, run.stderr
    assert "TileDeviceError" in run.stderr


def run_copy(folder, **environment):
    """A kernel that the compiler makes, launched on the driver of the tests, which does nothing."""
    script = folder / "script.py"
    script.write_text(
        "import numpy as np, tilewright as ct\n"
        "@ct.kernel\n"
        "def copy(a, b):\n"
        "    ct.store(b, (0,), ct.load(a, (0,), (16,)))\n"
        "copy[1](np.ones(16, np.float32), np.ones(16, np.float32))\n"
    )
    base = {"TILEWRIGHT_TARGET": "nvidia", "TILEWRIGHT_CUDA_DRIVER": str(fake_cuda.path())}
    return subprocess.run(
        [sys.executable, script], env={**os.environ, **base, **environment}, capture_output=True, text=True
    )


def test_the_driver_assembles_where_nothing_else_does(tmp_path):
    """The code stays PTX, in the cache of compiled kernels too."""
    run = run_copy(tmp_path, TILEWRIGHT_ASSEMBLER="driver", TILEWRIGHT_CACHE_DIR=str(tmp_path / "cache"))
    assert run.returncode == 0, run.stderr
    (kept,) = (file.read_bytes() for file in (tmp_path / "cache").rglob("*.image"))
    assert b".visible .entry copy(" in kept
