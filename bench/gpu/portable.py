# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The portable launch ABI: bytecode through our `tileiras`, and its cubin launched as by NVIDIA's own launcher, with
the parameters of the bytecode in order and a block of one thread."""

import ctypes
import io
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import tilewright
from tilewright import compilation
from tilewright._frontend.compile import compile_to_module
from tilewright.compilation.specs import signature_of_constraints

from bench.gpu import machine
from kernels.peer import torch

SCALARS = {"i1": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
           "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}  # fmt: skip


def our_tileiras() -> Path:
    """NVIDIA's may be the one in PATH."""
    package = Path(tilewright.__file__).resolve().parents[1]
    places = [package / "bin", Path(sysconfig.get_path("scripts")), package.parent / "build" / "bin"]
    for place in places:
        if (place / "tileiras").exists() and (place / "tilewright").exists():
            return place / "tileiras"
    raise FileNotFoundError(f"no tileiras of ours in {', '.join(map(str, places))}")


def cubin_of(kernel, signature) -> bytes:
    bytecode = io.BytesIO()
    compilation.export_kernel(kernel, [signature], bytecode, output_format="tileir_bytecode")
    architecture = machine.architecture().rstrip("af")
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "k.tilebc"), Path(folder, "k.cubin")
        source.write_bytes(bytecode.getvalue())
        done = subprocess.run(
            [our_tileiras(), source, f"--gpu-name={architecture}", "-o", made], capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"tileiras: {done.stderr.strip()}")
        return made.read_bytes()


def entry_values(kernel, signature, arguments):
    """The entry's arguments for these values: an array becomes its pointer, its extents and its strides."""
    for parameter in compile_to_module(kernel, signature_of_constraints(kernel, signature)).parameters:
        value = arguments
        for index in parameter.argument:
            value = value[index]
        if parameter.kind == "pointer":
            yield ctypes.c_void_p(value.data_ptr())
        elif parameter.kind == "shape":
            yield SCALARS[parameter.ir_type](value.shape[parameter.axis])
        elif parameter.kind == "stride":
            yield SCALARS[parameter.ir_type](value.stride(parameter.axis))
        else:
            yield SCALARS[parameter.ir_type](value)


def start_portable(kernel, grid, arguments, out, **hints):
    """A call, as those of `launching`."""
    from cuda.bindings import driver

    def do(result):
        if result[0] != driver.CUresult.CUDA_SUCCESS:
            raise RuntimeError(f"the driver answers {result[0].name}")
        return result[1] if len(result) > 1 else None

    kernel = kernel.replace_hints(**hints) if hints else kernel
    convention = compilation.CallingConvention.cutile_python_v1()
    signature = compilation.KernelSignature.from_kernel_args(kernel, arguments, convention)
    module = do(driver.cuModuleLoadData(cubin_of(kernel, signature)))
    function = do(driver.cuModuleGetFunction(module, signature.symbol.encode()))
    values = list(entry_values(kernel, signature, arguments))
    parameters = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    extents = (*grid, 1, 1)[:3]
    stream = torch.cuda.current_stream().cuda_stream

    def call():
        do(driver.cuLaunchKernel(function, *extents, 1, 1, 1, 0, stream, ctypes.addressof(parameters), 0))
        return out

    call.keeps = (module, values, arguments)
    return call
