# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources beside this file, compiled by NVRTC for a set of constants on first use, and launched by the driver."""

import ctypes
from functools import cache
from pathlib import Path

from cuda.bindings import driver, nvrtc

from ...errors import ModelError

FOLDER = Path(__file__).parent / "cpp"


class CompileError(ModelError):
    """NVRTC or the driver refused a source; the text is theirs."""


def call(api, name, *arguments):
    """The results of a function of the driver or of NVRTC without its status."""
    status, *results = getattr(api, name)(*arguments)
    if int(status):
        raise CompileError(f"{name} failed with {status.name}; expected success, so check the driver and its version")
    return results[0] if len(results) == 1 else results


def compile_source(file, architecture, constants) -> bytes:
    """The cubin of a file, whose constants {name: value} are macros, for an architecture such as sm_90."""
    source = (FOLDER / file).read_bytes()
    program = call(nvrtc, "nvrtcCreateProgram", source, file.encode(), 0, [], [])
    options = [f"--gpu-architecture={architecture}", "--std=c++17", f"--include-path={FOLDER}"]
    options += [f"--define-macro={name}={value}" for name, value in constants.items()]
    status = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])[0]
    if int(status):
        log = b" " * call(nvrtc, "nvrtcGetProgramLogSize", program)
        call(nvrtc, "nvrtcGetProgramLog", program, log)
        raise CompileError(f"NVRTC cannot compile {file} with {constants}: {log.decode().rstrip(chr(0))}")
    cubin = b" " * call(nvrtc, "nvrtcGetCUBINSize", program)
    call(nvrtc, "nvrtcGetCUBIN", program, cubin)
    call(nvrtc, "nvrtcDestroyProgram", program)
    return cubin


@cache
def architecture():
    import torch

    return "sm_{}{}".format(*torch.cuda.get_device_capability())


@cache
def multiprocessors() -> int:
    import torch

    return torch.cuda.get_device_properties(0).multi_processor_count


@cache
def kernel(file, name, constants):
    """The function of a kernel on the current device, with all of its shared memory allowed."""
    module = call(driver, "cuModuleLoadData", compile_source(file, architecture(), dict(constants)))
    function = call(driver, "cuModuleGetFunction", module, name.encode())
    attributes, limits = driver.CUfunction_attribute, driver.CUdevice_attribute
    fixed = call(driver, "cuFuncGetAttribute", attributes.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)
    most = limits.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    allowed = call(driver, "cuDeviceGetAttribute", most, call(driver, "cuCtxGetDevice")) - fixed
    call(driver, "cuFuncSetAttribute", function, attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, allowed)
    return function


def pack(value):
    """An argument as the driver reads it: 8 bytes, of which a parameter of 4 takes the low ones."""
    if isinstance(value, float):
        return ctypes.c_float(value)
    if value is None:
        return ctypes.c_longlong(0)
    return ctypes.c_longlong(value if isinstance(value, int) else value.data_ptr())


def launch(file, name, constants, grid, threads, *arguments, shared=0):
    """A kernel on PyTorch's current stream; arguments are tensors, for their addresses, and numbers."""
    import torch

    if 0 in grid:
        return
    function = kernel(file, name, tuple(constants.items()))
    values = [pack(value) for value in arguments]
    addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    stream = torch.cuda.current_stream().cuda_stream
    x, y, z = (*grid, 1, 1)[:3]
    call(driver, "cuLaunchKernel", function, x, y, z, threads, 1, 1, shared, stream, ctypes.addressof(addresses), 0)
