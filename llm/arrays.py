# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where arrays lie: NumPy's on the CPU (bf16 and f8 by ml_dtypes), PyTorch's on a GPU. Types are named by strings."""

import contextlib

import ml_dtypes
import numpy as np

from .errors import MissingPackage, ModelError

LINE = 64  # bytes of a cache line, at which arrays begin

NUMPY = {
    "float32": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
}


def empty(shape, dtype) -> np.ndarray:
    """Memory that begins at a cache line."""
    dtype = NUMPY[dtype]
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.empty(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


class Cpu:
    name = "cpu"

    def empty(self, shape, dtype):
        return empty(shape, dtype)

    def zeros(self, shape, dtype):
        array = empty(shape, dtype)
        array[...] = 0
        return array

    def put(self, array):
        """A NumPy array as one of this device, which may share its memory."""
        return array

    def get(self, array):
        """As a NumPy array."""
        return array

    def synchronize(self):
        """Waits for launches, which on a CPU are done when they return."""

    def available(self) -> int:
        """Bytes that can still be allocated."""
        with contextlib.suppress(OSError), open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        return 1 << 62


class Torch:
    """PyTorch's tensors on one of its devices; f8 is moved as bytes, which NumPy has."""

    name = place = "cpu"

    def __init__(self):
        try:
            import torch
        except ImportError:
            raise MissingPackage(
                f"device {self.name} needs PyTorch, which is not installed; pip install torch"
            ) from None
        self.torch = torch

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=getattr(self.torch, dtype), device=self.place)

    def zeros(self, shape, dtype):
        return self.torch.zeros(shape, dtype=getattr(self.torch, dtype), device=self.place)

    def _tensor(self, array):
        array, name = np.ascontiguousarray(array), array.dtype.name
        if name in ("bfloat16", "float8_e4m3fn"):
            plain = array.view(np.int16 if name == "bfloat16" else np.uint8)
            return self.torch.from_numpy(plain).view(getattr(self.torch, name))
        return self.torch.from_numpy(array)

    def put(self, array):
        return self._tensor(array).to(self.place)

    def get(self, array):
        return (array.float() if array.dtype == self.torch.bfloat16 else array).cpu().numpy()

    def synchronize(self):
        pass

    def available(self) -> int:
        return Cpu().available()


class Cuda(Torch):
    """GPU number 0."""

    name = place = "cuda"

    def __init__(self):
        super().__init__()
        if not self.torch.cuda.is_available():
            raise ModelError(
                f"PyTorch {self.torch.__version__} finds no GPU; expected a build with CUDA and its driver;"
                " use --device cpu"
            )

    def synchronize(self):
        self.torch.cuda.synchronize()

    def available(self) -> int:
        return self.torch.cuda.mem_get_info()[0]


DEVICES = {"cpu": Cpu, "cuda": Cuda}


def device(name):
    if name not in DEVICES:
        raise ModelError(f"device is {name!r}, expected {' or '.join(DEVICES)}")
    return DEVICES[name]()
