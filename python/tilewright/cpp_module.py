# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in CUDA Tile C++, compiled where they are launched. All since 0.1."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Any

from tilewright._runtime.tracebacks import boundary
from tilewright.dtypes import DType
from tilewright.tile_module import ModuleKernel, TileModule, load_module

_CPP_NAMES = {
    "bool_": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned",
    "uint64": "unsigned long long",
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "float32": "float",
    "float64": "double",
    "tfloat32": "__nv_tf32",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
    "float8_e8m0fnu": "__nv_fp8_e8m0",
}


class CppModule:
    """A source in CUDA Tile C++: its kernels by expressions that name them, as ``module["add<float, 1024>"]``.

    A template may also be indexed with its arguments: ``module["add", ct.float32, 1024]``, and a kernel without
    arguments by its name. Each expression is compiled when first asked for; the code of a kernel is cached like that
    of others.
    """

    def __init__(self, source: str, name: str, options: tuple[str, ...]):
        self._source = source
        self._name = name
        self._options = options
        self._kernels: dict[str, ModuleKernel] = {}

    def __getitem__(self, key: str | tuple) -> ModuleKernel:
        expression = key if isinstance(key, str) else _spell(key)
        if expression not in self._kernels:
            module, symbol = _compile(self._source, self._name, self._options, expression)
            self._kernels[expression] = module[symbol]
        return self._kernels[expression]

    def __repr__(self) -> str:
        return f"<C++ module {self._name}>"


@boundary
def cpp_module(source: str | os.PathLike, *, options: tuple[str, ...] | list[str] = ()) -> CppModule:
    """A source in CUDA Tile C++: the text, or the path of a file. ``options`` are Clang's, such as ``"-DSIZE=3"``.

    An error in the source is a `ValueError` with Clang's diagnostics, when a kernel is asked for.
    """
    if isinstance(source, str) and "\n" in source:
        return CppModule(source, "module.cpp", tuple(options))
    path = Path(source).resolve()
    return CppModule(path.read_text(), str(path), tuple(options))


def _spell(key: tuple) -> str:
    name, *arguments = key
    return f"{name}<{', '.join(map(_spell_argument, arguments))}>" if arguments else name


def _spell_argument(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, str)):
        return str(value)
    if isinstance(value, DType) and value.name in _CPP_NAMES:
        return _CPP_NAMES[value.name]
    raise TypeError(f"template argument {value!r}, expected a dtype that C++ has, a number, a bool or C++ as text")


@functools.cache
def _library() -> ctypes.CDLL:
    package = Path(__file__).parent
    for folder in (package, package.parents[1] / "build" / "lib"):
        path = folder / "libtilewright-cpp.so"
        if path.is_file():
            library = ctypes.CDLL(str(path))
            for name in ("error_message", "program_log", "program_lowered_name"):
                getattr(library, f"tilewright_{name}").restype = ctypes.c_char_p
            for name in ("create", "add_name", "compile", "module"):
                getattr(library, f"tilewright_program_{name}").restype = ctypes.c_void_p
            return library
    raise ImportError(f"neither {package} nor a build beside it has libtilewright-cpp.so, which compiles C++")


def _check(error: int | None) -> None:
    if error:
        message = _library().tilewright_error_message(ctypes.c_void_p(error)).decode()
        _library().tilewright_error_free(ctypes.c_void_p(error))
        raise ValueError(message)


def _compile(source: str, name: str, options: tuple[str, ...], expression: str) -> tuple[TileModule, str]:
    """The module with that kernel, and the name of its entry."""
    library, program = _library(), ctypes.c_void_p()
    _check(library.tilewright_program_create(source.encode(), name.encode(), 0, None, None, ctypes.byref(program)))
    try:
        _check(library.tilewright_program_add_name(program, expression.encode()))
        words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        _check(library.tilewright_program_compile(program, ctypes.c_size_t(len(options)), words))
        size = ctypes.c_size_t()
        data = library.tilewright_program_module(program, ctypes.byref(size))
        symbol = library.tilewright_program_lowered_name(program, expression.encode()).decode()
        return load_module(ctypes.string_at(data, size.value)), symbol
    finally:
        library.tilewright_program_free(program)
