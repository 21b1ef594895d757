# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright run`: launches an entry of a module with arguments from files, whatever front end wrote it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tilewright import _native
from tilewright._frontend.ir.numbers import float_bits
from tilewright.dtypes import ALL, DType
from tilewright.tile_module import ModuleKernel, ModuleParameter

_ALIGNMENT = 128
"""Of arrays, in bytes; what kernels assume of pointers is rarely more than 16."""

_SPREAD = "tensor:"
"""Before an array: it fills its pointer, its extents and its strides."""


@dataclass
class Array:
    """An array in memory that a launch may write, and how many elements of the kernel each of its elements holds."""

    data: np.ndarray
    packing: int

    @property
    def extents(self) -> list[int]:
        return [*self.data.shape[:-1], self.data.shape[-1] * self.packing] if self.data.ndim else []

    @property
    def strides(self) -> list[int]:
        """In elements of the kernel; the array is contiguous."""
        extents = self.extents
        return [math.prod(extents[i + 1 :]) for i in range(len(extents))]


@dataclass
class Arguments:
    """The bits of each parameter, and the arrays by the number of their --arg."""

    values: list[int]
    arrays: dict[int, Array]
    written: dict[int, Array]
    parameters: dict[int, ModuleParameter]  # those of the arrays' pointers


def read_arguments(kernel: ModuleKernel, texts: list[str]) -> Arguments:
    """The values of --arg options, for the parameters of an entry. ValueError names the option and the parameter."""
    result = Arguments([], {}, {}, {})
    parameters = iter(kernel.parameters)
    for number, text in enumerate(texts):
        parameter = next(parameters, None)
        if parameter is None:
            raise ValueError(f"{_counts(kernel, result)}; --arg {text} is one too many")
        spread = text.startswith(_SPREAD)
        try:
            if parameter.kind == "pointer":
                array = _read_array(text.removeprefix(_SPREAD), parameter)
                result.arrays[number] = array
                result.parameters[number] = parameter
                if parameter.written:
                    result.written[number] = array
                _append(result.values, array.data.ctypes.data, parameter)
                if spread:
                    _spread(array, parameters, result.values)
            elif spread:
                raise ValueError("expected a number, since the parameter is no pointer")
            else:
                _append(result.values, _read_scalar(text, parameter.ir_type), parameter)
        except (ValueError, OSError, KeyError) as error:
            message = error.args[0] if isinstance(error, KeyError) else error
            raise ValueError(f"--arg {text} for {parameter!r}: {message}") from None
    if len(result.values) != len(kernel.parameters):
        raise ValueError(_counts(kernel, result))
    return result


def describe_arrays(arguments: Arguments) -> list[tuple[str, int, int, list[int], list[int], bool]]:
    """The records of arrays for checked mode: name, address, bytes of an element, shape, strides in bytes, is
    written."""
    return [
        (
            arguments.parameters[number].name,
            array.data.ctypes.data,
            array.data.itemsize,
            list(array.data.shape),
            list(array.data.strides),
            arguments.parameters[number].written,
        )
        for number, array in arguments.arrays.items()
    ]


def _counts(kernel: ModuleKernel, found: Arguments) -> str:
    signature = ", ".join(map(repr, kernel.parameters)) or "nothing"
    return f"{kernel.__name__} takes {len(kernel.parameters)} values ({signature}), got {len(found.values)}"


def _spread(array: Array, parameters: Iterator[ModuleParameter], values: list[int]) -> None:
    """The convention of cuTile: after a pointer come the extents and then the strides of the tensor."""
    for what, number in [*(("extent", n) for n in array.extents), *(("stride", n) for n in array.strides)]:
        parameter = next(parameters, None)
        if parameter is None or parameter.kind == "pointer" or not parameter.ir_type.startswith("i"):
            found = "no more parameters" if parameter is None else repr(parameter)
            raise ValueError(f"expected an integer parameter for {what} {number}, found {found}")
        _append(values, _read_scalar(str(number), parameter.ir_type), parameter)


def _append(values: list[int], bits: int, parameter: ModuleParameter) -> None:
    """The assumptions of the code are checked, as at every launch."""
    if parameter.kind == "pointer" or parameter.ir_type.startswith("i"):
        width = _BITS.get(parameter.ir_type, 64) if parameter.kind != "pointer" else 64
        value = bits - (1 << width) if bits >> (width - 1) and parameter.kind != "pointer" else bits
        if value % parameter.divisor:
            raise ValueError(f"the module assumes a multiple of {parameter.divisor}, got {value}")
        if parameter.kind != "pointer" and not parameter.least <= value <= parameter.most:
            raise ValueError(f"the module assumes {parameter.least} to {parameter.most}, got {value}")
    values.append(bits)


_BITS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def _read_scalar(text: str, ir_type: str) -> int:
    """The bits of a number in a type."""
    if ir_type in _BITS:
        width = _BITS[ir_type]
        value = {"true": 1, "false": 0}.get(text.lower())
        if value is None:
            try:
                value = int(text, 0)
            except ValueError:
                raise ValueError("expected an integer, since the parameter is no pointer") from None
        least, most = -(1 << width - 1) if width > 1 else 0, (1 << width) - 1
        if not least <= value <= most:
            raise ValueError(f"expected a number from {least} to {most}")
        return value & most
    try:
        value = float(text)
    except ValueError:
        raise ValueError("expected a number, since the parameter is no pointer") from None
    if ir_type == "tf32":  # held as an f32
        return struct.unpack("<I", struct.pack("<f", value))[0]
    return float_bits(value, _dtype(ir_type))


def _dtype(ir_type: str) -> DType:
    found = [dtype for dtype in ALL if dtype.ir_name == ir_type]
    if not found:
        raise ValueError(f"values of type {ir_type} cannot be passed")
    return found[0]


def _storage(ir_type: str) -> tuple[list[str], int]:
    """NumPy dtypes that hold elements of a type, the first for new arrays, and elements per item."""
    names = [dtype.name.rstrip("_") for dtype in ALL if dtype.ir_name == ir_type]
    if ir_type == "f4E2M1FN":
        return ["uint8"], 2
    if ir_type == "tf32":
        return ["float32", "uint32"], 1
    if ir_type.startswith("ptr"):
        return ["int64", "uint64"], 1
    if not names:
        raise ValueError(f"arrays of {ir_type} cannot be passed")
    if ir_type in _BITS or ir_type in ("f16", "f32", "f64"):
        return names, 1
    # Formats that NumPy does not have travel as bits, or in the dtype of ml_dtypes, which .npy files call V1 or V2.
    size = _dtype(ir_type).bitwidth // 8
    return [f"uint{8 * size}", *names, f"void{8 * size}"], 1


def _read_array(text: str, parameter: ModuleParameter) -> Array:
    accepted, packing = _storage(parameter.ir_type)
    kind, colon, rest = text.partition(":")
    if colon and kind in _FILLS:
        try:
            shape = tuple(int(extent) for extent in rest.split("x"))
        except ValueError:
            raise ValueError(f"expected {kind}:SHAPE as in {kind}:16x32") from None
        if packing > 1:
            if shape[-1] % packing:
                raise ValueError(f"expected a multiple of {packing} elements in the last dimension, two share a byte")
            shape = (*shape[:-1], shape[-1] // packing)
        data = _FILLS[kind](shape, np.dtype(accepted[0]))
    else:
        data = _load(text)
        if data.dtype.name not in accepted:
            raise ValueError(f"found an array of {data.dtype.name}, expected {' or '.join(accepted)}")
    return Array(_aligned(data), packing)


_FILLS: dict[str, Callable[[tuple[int, ...], np.dtype], np.ndarray]] = {
    "zeros": np.zeros,
    "arange": lambda shape, dtype: np.arange(math.prod(shape)).astype(dtype).reshape(shape),
    "random": lambda shape, dtype: _random(shape, dtype),
}


def _random(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The same numbers each time."""
    generator = np.random.default_rng(0)
    if dtype.kind == "f":
        return generator.random(shape).astype(dtype)
    return generator.integers(0, 2 if dtype.kind == "b" else 64, shape).astype(dtype)


def _load(text: str) -> np.ndarray:
    path, name = text, ""
    if not Path(text).is_file() and ".npz:" in text:
        path, _, name = text.rpartition(":")
    if not path.endswith((".npy", ".npz")):
        raise ValueError("expected FILE.npy, FILE.npz:NAME, zeros:SHAPE, arange:SHAPE or random:SHAPE for a pointer")
    content: Any = np.load(path, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return content
    with content:
        if not name and len(content.files) == 1:
            name = content.files[0]
        if name not in content.files:
            raise ValueError(f"{path} has {', '.join(content.files) or 'nothing'}, name one as in {path}:NAME")
        return content[name]


def _aligned(data: np.ndarray) -> np.ndarray:
    """A contiguous copy at an address that kernels may take for granted."""
    memory = np.empty(data.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    copy = memory[start : start + data.nbytes].view(data.dtype).reshape(data.shape)
    copy[...] = data
    return copy


def choose_kernel(module: Any, entry: str | None) -> Any:
    if entry is not None:
        if entry not in module:
            raise ValueError(f"the module has no entry '{entry}', expected one of {', '.join(module) or '(none)'}")
        return module[entry]
    if len(module) != 1:
        raise ValueError(f"the module has {len(module)} entries ({', '.join(module)}), choose one with --entry")
    return next(iter(module.values()))


class SimulatedKernel:
    """An entry for a GPU, which is simulated on the host."""

    def __init__(self, name: str, parameters: tuple[ModuleParameter, ...], executable: Any):
        self.__name__ = name
        self.parameters = parameters
        self.executable = executable

    def compile(self, target: str | None = None) -> Any:
        return self.executable


def load_simulated(content: bytes, name: str, target: str) -> dict[str, SimulatedKernel]:
    """The kernels for an architecture of a module of Tile IR, or those that a text already has."""
    architecture = target.removeprefix("nvidia:")
    if not architecture:
        raise ValueError("--level=tileas needs an architecture, as in --target=nvidia:sm_90a")
    kernels = {}
    for entry, executable, parameters in _native.load_simulated(content, name, architecture):
        listed = tuple(
            ModuleParameter((i,), kind, 0, ir_type, f"%arg{i}", written, 1, -(1 << 63), (1 << 63) - 1)
            for i, (kind, ir_type, written) in enumerate(parameters)
        )
        kernels[entry] = SimulatedKernel(entry, listed, executable)
    return kernels


def write_results(arguments: Arguments, outputs: list[str]) -> str:
    """Arrays go where --out says; without it those that the kernel writes are shown."""
    if not outputs:
        return "".join(f"argument {i}: {_shown(array)}\n" for i, array in arguments.written.items())
    for output in outputs:
        number, equals, path = output.partition("=")
        if not equals and output.endswith(".npz"):
            np.savez(output, **{f"arg{i}": array.data for i, array in arguments.arrays.items()})
            continue
        arrays = ", ".join(map(str, arguments.arrays)) or "none"
        if not equals or not number.isdigit() or int(number) not in arguments.arrays:
            raise ValueError(f"--out {output}: expected FILE.npz, or N=FILE.npy with N one of {arrays}")
        np.save(path, arguments.arrays[int(number)].data)
    return ""


def _shown(array: Array) -> str:
    shape = "x".join(map(str, array.data.shape))
    return f"{array.data.dtype.name} {shape}\n{np.array2string(array.data, threshold=256, edgeitems=4)}"
