# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of NumPy and PyTorch as arguments of Warp's kernels, by their addresses, and launches on PyTorch's stream."""

import functools

import numpy as np
import warp as wp

from ...arrays import NUMPY

wp.config.log_level = wp.LOG_WARNING
# Address, shape and strides, as kernels take arrays: making a wp.array for each argument takes longer than a launch.
Descriptor = type(wp.empty(0, dtype=int, device="cpu").__ctype__())

F32 = wp.float32
TYPES = {
    "float32": wp.float32,
    "float16": wp.float16,
    "bfloat16": wp.bfloat16,
    "float8_e4m3fn": wp.uint8,  # Warp has no numbers of 8 bits: kernels decode them
    "int8": wp.uint8,  # decoded as well
    "uint8": wp.uint8,
    "int32": wp.int32,
    "int64": wp.int64,
}
WORDS = {8: wp.uint64, 4: wp.uint32, 2: wp.uint16, 1: wp.uint8}

# Kernels are made for types and sizes by cached functions. Each is a module of its own, so that a new one leaves the
# compiled ones valid; products of bf16 need modules without derivatives.
kernel = functools.partial(wp.kernel, module="unique", module_options={"enable_backward": False})


def name_of(array):
    return array.dtype.name if isinstance(array, np.ndarray) else str(array.dtype).removeprefix("torch.")


def type_of(array):
    return TYPES[name_of(array)]


def layout(array):
    """Address, shape, strides in bytes, and bytes of an element."""
    if isinstance(array, np.ndarray):
        return array.ctypes.data, array.shape, array.strides, array.itemsize
    size = array.element_size()
    return array.data_ptr(), tuple(array.shape), tuple(stride * size for stride in array.stride()), size


def describe(array):
    """The argument for an array, which has to live until the kernel is launched."""
    address, shape, strides, _ = layout(array)
    return Descriptor(data=address, ndim=len(shape), shape=shape, strides=strides)


def word_size(array, most=8):
    """Bytes of the widest words, of at most so many, that rows along the last axis consist of."""
    address, shape, strides, size = layout(array)
    places = (address, shape[-1] * size, *strides[:-1])
    return next((word for word in WORDS if size < word <= most and all(p % word == 0 for p in places)), size)


def describe_words(array, word):
    """The argument for an array whose rows are read in words of so many bytes."""
    address, shape, strides, size = layout(array)
    shape, strides = (*shape[:-1], shape[-1] * size // word), (*strides[:-1], word)
    return Descriptor(data=address, ndim=len(shape), shape=shape, strides=strides)


def empty(like, shape, name):
    """New memory on the device of another array."""
    if isinstance(like, np.ndarray):
        return np.empty(shape, NUMPY[name])
    import torch

    return torch.empty(shape, dtype=getattr(torch, name), device=like.device)


@functools.cache
def stream_of(device, address):
    return wp.Stream(device, cuda_stream=address)


def place_of(array):
    """Where launches go that have the array as an argument: device and stream."""
    if isinstance(array, np.ndarray):
        return {"device": "cpu"}
    import torch

    device = f"cuda:{array.device.index or 0}"
    return {"device": device, "stream": stream_of(device, torch.cuda.current_stream(array.device).cuda_stream)}


def take(argument):
    plain = argument is None or isinstance(argument, (Descriptor, int, float))
    return argument if plain else describe(argument)


def launch(kernel, dim, *arguments):
    """A thread per element of the grid; arguments are arrays, of which the first is one, descriptions and numbers."""
    wp.launch(kernel, dim=dim, inputs=list(map(take, arguments)), **place_of(arguments[0]))


def launch_blocks(kernel, dim, threads, *arguments):
    """Blocks of so many threads, which see their place in the block as the last index; on CPUs they have one thread."""
    inputs = list(map(take, arguments))
    wp.launch_tiled(kernel, dim=dim, inputs=inputs, block_dim=threads, **place_of(arguments[0]))


def ceil_div(a, b):
    return -(-a // b)
