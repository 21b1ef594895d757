# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA driver of tests, build/lib/libfakecuda.so, in this process, and arrays that say they are on its GPU."""

import ctypes
import json
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tilewright import _native

LAUNCHED = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_void_p))


def path() -> Path:
    """Beside the library in use."""
    libraries = [
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libtilewright" in line
    ]
    return Path(libraries[0]).parent / "libfakecuda.so"


class FakeDriver:
    def __init__(self):
        self.library = ctypes.CDLL(str(path()))
        self.library.fakecuda_log.restype = ctypes.c_char_p
        self.library.fakecuda_global.restype = ctypes.c_uint64
        self.library.fakecuda_reset()
        self._kernel = None

    def log(self) -> list[str]:
        return self.library.fakecuda_log().decode().splitlines()

    def launches(self) -> list[str]:
        return [line for line in self.log() if line.startswith("launch ")]

    def clear(self) -> None:
        kernel = self._kernel
        self.library.fakecuda_reset()
        self.on_launch(kernel)

    def fail(self, function: str, status: int) -> None:
        self.library.fakecuda_fail(function.encode(), status)

    def fault(self, status: int) -> None:
        self.library.fakecuda_fault(status)

    def global_word(self, name: str) -> int:
        """The contents of a global of the module that was loaded last."""
        return ctypes.c_uint64.from_address(self.library.fakecuda_global(name.encode())).value

    def on_launch(self, kernel) -> None:
        """`kernel(name, grid, parameters)` runs in place of each kernel; parameters are addresses."""
        self._kernel = kernel
        self._callback = LAUNCHED(
            (lambda name, grid, parameters: kernel(name.decode(), tuple(grid[:3]), parameters)) if kernel else 0
        )
        self.library.fakecuda_on_launch(self._callback)


@contextmanager
def loaded():
    """The driver, where the process has no real one."""
    os.environ["TILEWRIGHT_CUDA_DRIVER"] = str(path())
    try:
        name = _native.describe_gpu(0)[0]
    finally:
        del os.environ["TILEWRIGHT_CUDA_DRIVER"]
    if name != "a GPU that is none":
        pytest.skip(f"this process has the driver of a real GPU, {name}")
    driver = FakeDriver()
    yield driver
    driver.library.fakecuda_reset()


def value(parameters, index: int, kind=ctypes.c_int64):
    return kind.from_address(parameters[index]).value


def memory(address: int, count: int, dtype=np.float32) -> np.ndarray:
    """The memory at an address, as an array."""
    bytes_ = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(bytes_, dtype)


class CudaArray:
    """Describes a NumPy array as one on GPU 0."""

    def __init__(self, array: np.ndarray):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__array_interface__


def image(parameters: str, *, text: str = "", sites: tuple = (), **changes) -> tuple[str, bytes]:
    """A module for load_gpu_image with the kernel `k`. A letter for each parameter: p a pointer, w one that is written,
    i an integer of 32 bits."""
    kinds = {"p": [0, 32, False], "w": [0, 32, True], "i": [1, 32, False]}
    entry = {"name": "k", "threads": 128, "parameters": [kinds[letter] for letter in parameters]} | changes
    sizes = " ".join("4" if letter == "i" else "8" for letter in parameters)
    description = {"architecture": "sm_90a", "entries": [entry], "hostSites": list(sites)}
    return json.dumps(description), f"kernel k {sizes}\n{text}".encode()
