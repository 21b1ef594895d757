# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile IR from files: kernels of any front end, launched by name. All since 0.1."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright._frontend.signature import ArraySpec, Parameter, ParameterSource, ScalarSpec
from tilewright._runtime.tracebacks import boundary
from tilewright.dtypes import ALL, int64, tfloat32
from tilewright.errors import TileUnsupportedFeatureError
from tilewright.kernel import start

_instances = itertools.count(1)


@dataclass(frozen=True)
class ModuleParameter(ParameterSource):
    """A parameter of an entry: a scalar, or a pointer to elements of ``ir_type``.

    The kernel relies on the value (in bytes for a pointer) being a multiple of ``divisor``, and on a scalar being from
    ``least`` to ``most``.
    """

    written: bool
    divisor: int
    least: int
    most: int

    def __repr__(self) -> str:
        kind = f"ptr<{self.ir_type}>" if self.kind == "pointer" else self.ir_type
        return f"{self.name}: {kind}"


class ModuleKernel:
    """An entry of a `TileModule`, to be launched like a kernel: ``kernel[grid](*args)``, or with `launch`.

    It takes what the entry takes, in order: a number for a scalar; for a pointer an array of that dtype, whose address
    is passed. Extents and strides are parameters like others. One array may be passed several times, also if the entry
    writes it: that is a specialization, in which a block's accesses of the array happen in the order of the module's
    text, whether its tokens ask for it or not. The interpreter goes by that order always.
    """

    def __init__(self, module: Any, name: str, parameters: tuple[ModuleParameter, ...], instance: str = ""):
        self._module = module
        self._instance = instance
        self.__name__ = name
        self.parameters = parameters
        self._executables: dict[tuple, Any] = {}  # by device, and `_first_of_same`

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """``kernel[grid](*args)`` launches on the default stream."""
        return functools.partial(start, self, grid)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            f"{self.__name__} is a kernel: start it with launch(stream, grid, kernel, args) or kernel[grid]"
        )

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}({', '.join(map(repr, self.parameters))})>"

    def _make_launcher(self) -> Any:
        from tilewright import _native

        return _native.Launcher(self.__name__, [_launch_parameter(p) for p in self.parameters], self._specialize)

    def _make_debug_launcher(self) -> Any:
        from tilewright import _native
        from tilewright._runtime.dispatch import INTERPRETER

        def specialize(specs: tuple, device: int | None) -> tuple:
            for spec, parameter in zip(specs, self.parameters, strict=True):
                self._check(spec, parameter)
            return self.compile(INTERPRETER), self.parameters

        return _native.Launcher(self.__name__, [_launch_parameter(p) for p in self.parameters], specialize)

    def _specialize(self, specs: tuple, device: int | None) -> tuple[Any, tuple[ModuleParameter, ...]]:
        """One code for all arguments of one place, of the entry's types, of which the same are one array."""
        for spec, parameter in zip(specs, self.parameters, strict=True):
            self._check(spec, parameter)
        key = device, self._first_of_same(specs)
        if key not in self._executables:
            self._executables[key] = self._compile(None, *key)
        return self._executables[key], self.parameters

    def _first_of_same(self, specs: tuple) -> tuple[int, ...]:
        """For each parameter the number of the first one that is the same memory; empty where that changes nothing:
        none is, or the entry only reads it."""
        arrays = [i for i, spec in enumerate(specs) if isinstance(spec, ArraySpec)]
        first = list(range(len(specs)))
        for i in arrays:
            if specs[i].same_as is not None:
                first[i] = arrays[specs[i].same_as]
        written = {earlier for earlier, parameter in zip(first, self.parameters, strict=True) if parameter.written}
        first = [earlier if earlier in written else i for i, earlier in enumerate(first)]
        return tuple(first) if first != list(range(len(specs))) else ()

    def _check(self, spec: Any, parameter: ModuleParameter) -> None:
        found = "a number" if isinstance(spec, ScalarSpec) else "no array"
        if isinstance(spec, ArraySpec):
            found = f"an array of {spec.dtype}"
        if parameter.kind == "pointer":
            fits = isinstance(spec, ArraySpec) and _same_storage(spec.dtype, parameter.ir_type)
            expected = f"an array of {' or '.join(_dtypes_of(parameter.ir_type))}"
        else:
            fits = isinstance(spec, ScalarSpec)
            expected = "a number"
        if not fits:
            raise TypeError(f"{self.__name__}: argument '{parameter.name}' is {found}, expected {expected}")

    def extracted(self) -> Any:
        """The module with this entry alone, as the compiler takes it."""
        return self._module.extract(self.__name__, ())

    def compile(self, target: str | None = None, device: int | None = None) -> Any:
        """The entry ready to run: compiled for a target, or for the interpreter; by default the target of launches.
        `device` is the GPU that the arrays are on."""
        return self._compile(target, device, ())

    def _compile(self, target: str | None, device: int | None, first: tuple[int, ...]) -> Any:
        from tilewright import _native
        from tilewright._runtime import cache, dispatch, environment
        from tilewright.limits import time_limit

        target = target or dispatch.default_target(device)
        # The interpreter takes the module as it is: all its kernels share the memory of its globals.
        module = self._module if target == dispatch.INTERPRETER else self._module.extract(self.__name__, first)
        return _native.compile(
            module,
            target=target,
            device=device or 0,
            entry=self.__name__,
            verify=environment.value("TILEWRIGHT_VERIFY"),
            cache=cache.current(),
            time_limit=time_limit(),
            instance=self._instance,
        )


class TileModule(Mapping):
    """A module of Tile IR: its kernels by name, as items and, where the name allows, as attributes."""

    def __init__(self, module: Any, name: str):
        self._module = module
        self._name = name
        self._kernels = {}
        # Kernels of one module share its globals, those of two modules with the same content do not.
        instance = str(next(_instances)) if module.has_globals() else ""
        for entry, parameters in module.entries():
            self._kernels[entry] = ModuleKernel(
                module,
                entry,
                tuple(
                    ModuleParameter((i,), kind, 0, ir_type, f"%arg{i}", *facts)
                    for i, (kind, ir_type, *facts) in enumerate(parameters)
                ),
                instance,
            )

    def __getitem__(self, name: str) -> ModuleKernel:
        if name not in self._kernels:
            raise KeyError(f"{self._name} has no kernel {name!r}, expected one of {', '.join(self) or '(none)'}")
        return self._kernels[name]

    def __getattr__(self, name: str) -> ModuleKernel:
        if name.startswith("_") or name not in self._kernels:
            raise AttributeError(f"{self._name} has no kernel {name!r}, found {', '.join(self) or 'none'}")
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"<module {self._name}: {', '.join(self) or 'no kernels'}>"

    def text(self, *, debug_info: bool = False) -> str:
        """The module as text, with locations if asked for."""
        return self._module.text(debug_info)

    def bytecode(self, version: str | None = None) -> bytes:
        """The module as bytecode of a version such as ``"13.3"``, or of the newest."""
        return self._module.bytecode(version or "")


@boundary
def load_module(source: bytes | str | os.PathLike) -> TileModule:
    """Read a module of Tile IR: bytecode or text as ``bytes``, or the path of a file with either.

    Invalid Tile IR is a `ValueError` that says where. Kernels are compiled when first launched.
    """
    from tilewright import _native

    if isinstance(source, (bytes, bytearray, memoryview)):
        content, name = bytes(source), "<bytes>"
    else:
        content, name = Path(source).read_bytes(), os.fspath(source)
    return TileModule(_native.Module.read(content, name), name)


@boundary
def disassemble(module: bytes, *, debug_info: bool = False) -> str:
    """The text of a module, with locations if asked for."""
    from tilewright import _native

    return _native.disassemble(bytes(module), "<bytes>", debug_info).decode()


@boundary
def assemble(text: str | bytes, *, bytecode_version: str | None = None) -> bytes:
    """The bytecode of a module given as text, of a version such as ``"13.3"``, or of the newest.

    >>> text = "cuda_tile.module @m { entry @nothing() { return } }"
    >>> list(ct.load_module(ct.assemble(text)))
    ['nothing']
    """
    from tilewright import _native

    content = text.encode() if isinstance(text, str) else bytes(text)
    return _native.assemble(content, "<text>", bytecode_version or "")


def _same_storage(dtype: Any, ir_type: str) -> bool:
    # float32 arrays hold tf32 values too.
    return dtype.ir_name == ir_type or (ir_type == tfloat32.ir_name and dtype.name == "float32")


def _dtypes_of(ir_type: str) -> list[str]:
    return [dtype.name for dtype in ALL if _same_storage(dtype, ir_type)] or [ir_type]


def _launch_parameter(parameter: ModuleParameter) -> Parameter:
    """How the launcher reads the argument."""
    if parameter.kind == "pointer":
        return Parameter(parameter.name, False, None, index_dtype=int64)
    signed = [dtype for dtype in ALL if dtype.ir_name == parameter.ir_type]
    if not signed:
        raise TileUnsupportedFeatureError(f"{parameter!r}: numbers of type {parameter.ir_type} cannot be passed")
    return Parameter(parameter.name, False, None, scalar_dtype=signed[0])
