# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing compiled kernels to files."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from tilewright._runtime.tracebacks import boundary
from tilewright.compilation.constraints import alias_groups_in
from tilewright.compilation.mangling import mangle_kernel_name
from tilewright.compilation.specs import signature_of_constraints
from tilewright.errors import TileUnsupportedFeatureError

if TYPE_CHECKING:
    from tilewright.compilation.signature import KernelSignature
    from tilewright.kernel import kernel as Kernel

_FORMATS = {
    "cubin": "code of a GPU",
    "tileir_bytecode": "Tile IR bytecode, for every compiler of Tile IR",
    "object": "a relocatable object for a CPU",
    "shared_library": "a shared library for a CPU",
}


@boundary
def export_kernel(
    kernel: Kernel,
    signatures: Sequence[KernelSignature],
    output_file: IO[bytes] | str | bytes | os.PathLike,
    *,
    gpu_code: str | None = None,
    output_format: Literal["cubin", "tileir_bytecode", "object", "shared_library"],
    bytecode_version: str | None = None,
    cpu_code: str = "cpu",
) -> None:
    """Compile ``kernel`` for each of ``signatures`` into one module, and write it to a file or binary file object.

    ``output_format``: ``"cubin"``, ``"tileir_bytecode"``, or for a CPU ``"object"`` or ``"shared_library"``.
    ``gpu_code`` (``"sm_100"``) is the GPU that a cubin is for, whose parameters are those of the calling convention and
    nothing else. For bytecode it is the one that hints are resolved for; None keeps those of all, which needs version
    13.3 or later. ``bytecode_version`` is ``"13.1"`` to ``"13.4"``; None is the newest. Features that the version lacks
    are refused, in a cubin as well. ``cpu_code``: the CPU to compile for, ``"cpu"`` (this one) or ``"cpu:x86-64-v3"``;
    code that goes to a file gets a C header beside it.

    Where a signature has no symbol, `mangle_kernel_name` makes it.
    """
    from tilewright._frontend.compile import compile_entries, hint_attributes
    from tilewright._frontend.passes.fit_target import Target

    if not hasattr(kernel, "replace_hints"):
        raise TypeError(f"export_kernel takes a kernel, found {kernel!r}; mark the function with @tilewright.kernel")
    _check_format(output_format)
    for_cpu = output_format in ("object", "shared_library")
    if gpu_code is None and output_format == "cubin":
        raise ValueError("gpu_code is None, expected the GPU that the cubin is for, as in 'sm_100'")
    if gpu_code is not None and for_cpu:
        raise ValueError(f"gpu_code is {gpu_code!r}, expected None for {output_format!r}; a CPU is named by cpu_code")
    if gpu_code is not None and not re.fullmatch(r"sm_\d+", gpu_code):
        raise ValueError(f"gpu_code is {gpu_code!r}, expected sm_ and a number, as in 'sm_100'")
    version = (0, 0) if for_cpu else _bytecode_version(bytecode_version)

    signatures = list(signatures)
    compiled = {}
    for signature in signatures:
        symbol = signature.symbol or mangle_kernel_name(kernel.function.__name__, signature)
        if symbol in compiled:
            raise ValueError(f"two signatures have the symbol {symbol!r}, expected different ones")
        compiled[symbol] = signature_of_constraints(kernel, signature)
    if not compiled:
        raise ValueError("there are no signatures, expected one or more")

    header = ""
    if not for_cpu:
        attributes = hint_attributes(_with_known_hints(kernel, gpu_code, version), gpu_code)
        module, _ = compile_entries(kernel, compiled, attributes, target=Target(gpu_code, version))
        try:
            data = module.bytecode(bytecode_version or "")
        except ValueError as error:
            raise TileUnsupportedFeatureError(str(error)) from None
        if output_format == "cubin":
            data = _cubin(data, kernel, gpu_code)
    else:
        if any(name for signature in signatures for _, name in alias_groups_in(signature.parameters)):
            raise TileUnsupportedFeatureError(
                "a signature has alias groups, but code for a CPU takes arrays for disjoint; leave them out, or write"
                " bytecode"
            )
        module, _ = compile_entries(kernel, compiled, {})
        data, header = _native_code(module, kernel, output_format, cpu_code)
    if hasattr(output_file, "write"):
        output_file.write(data)
    else:
        path = Path(os.fsdecode(output_file))
        path.write_bytes(data)
        if header:
            path.with_suffix(".h").write_text(header)


def _check_format(output_format: str) -> None:
    if output_format in _FORMATS:
        return
    available = "; ".join(f"{name!r} is {what}" for name, what in _FORMATS.items())
    raise ValueError(f"output_format is {output_format!r}: {available}")


def _bytecode_version(text: str | None) -> tuple[int, ...]:
    from tilewright import _native

    versions = _native.bytecode_versions()
    if text is None:
        text = _native.newest_bytecode_version
    if text not in versions:
        raise ValueError(f"bytecode_version is {text!r}, expected one of {', '.join(versions)}")
    return tuple(map(int, text.split(".")))


def _with_known_hints(kernel: Kernel, gpu_code: str | None, version: tuple[int, ...]) -> Kernel:
    """The kernel with hints that this version of the bytecode can say."""
    number = ".".join(map(str, version))
    if version < (13, 3) and gpu_code is None:
        raise TileUnsupportedFeatureError(
            f"bytecode version {number} has hints for one GPU only, found no gpu_code; name the GPU, or use version"
            " 13.3 or later"
        )
    warps = kernel.hints["num_worker_warps"]
    if warps is None:
        return kernel
    if version < (13, 3):
        warnings.warn(f"num_worker_warps is left out: bytecode version {number} lacks it, 13.3 has it", stacklevel=3)
        return kernel.replace_hints(num_worker_warps=None)
    asked = [warps.default, *warps.by_target.values()] if hasattr(warps, "by_target") else [warps]
    for amount in asked:
        if isinstance(amount, int) and amount not in (4, 8):
            raise TileUnsupportedFeatureError(
                f"num_worker_warps is {amount}, expected 4 or 8 in bytecode version {number}"
            )
    return kernel


def _cubin(bytecode: bytes, kernel: Kernel, gpu_code: str) -> bytes:
    """Code that any launcher starts: it is told of nothing but the parameters."""
    from tilewright import _native
    from tilewright._runtime.dispatch import codegen_level
    from tilewright.limits import time_limit

    return _native.compile_to(
        bytecode,
        name=kernel.function.__name__,
        target=f"nvidia:{gpu_code}",
        emit="cubin",
        opt_level=codegen_level(kernel.hints["opt_level"]),
        time_limit=time_limit(),
        packages=sys.path,
        launch_abi="portable",
    ).output


def _native_code(module: Any, kernel: Kernel, output_format: str, cpu_code: str) -> tuple[bytes, str]:
    """The bytes of the file, and the C header that goes beside it."""
    from tilewright import _native
    from tilewright._runtime import environment
    from tilewright._runtime.dispatch import codegen_level
    from tilewright.limits import time_limit

    library = output_format == "shared_library"
    made = _native.compile_to(
        module,
        name=kernel.function.__name__,
        target=cpu_code,
        emit="so" if library else "obj",
        opt_level=codegen_level(kernel.hints["opt_level"]),
        time_limit=time_limit(),
    )
    if not library:
        return made.output, made.header
    with tempfile.TemporaryDirectory(dir=environment.value("CUDA_TILE_TEMP_DIR")) as folder:
        path = Path(folder, "kernel.so")
        _native.link_shared(made.output, str(path))
        return path.read_bytes(), made.header
