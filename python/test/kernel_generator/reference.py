# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs through NVIDIA's front end, whose Tile IR is compiled and run here: a third opinion on what they mean."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import tilewright
from cuda.tile import TileInternalError, compilation
from tilewright.compilation import CallingConvention, KernelSignature

from kernel_generator.outcome import LeftOut
from kernel_generator.programs import Program


def launch(program: Program, arguments: list[Any]) -> None:
    """As tilewright.launch does it; raises what the front end raises, and LeftOut where it says nothing about us."""
    if any(description[0] == "list" for description in program.descriptions):
        raise LeftOut("only our launcher makes tables of arrays")
    if "float64" in program.source:
        raise LeftOut("NVIDIA's front end rounds Python numbers to f32 before it makes them f64 (0.1: 0.10000000149)")
    signature = KernelSignature.from_kernel_args(
        program.compiled(), arguments, CallingConvention.cutile_python_v2(), symbol=None
    )
    theirs = Program(program.name + "-reference", program.source.replace("import tilewright as", "import cuda.tile as"))
    file = io.BytesIO()
    try:
        compilation.export_kernel(
            theirs.compiled(),
            [compilation.demangle_kernel_name(signature.symbol)[1].with_symbol("k")],
            file,
            gpu_code="sm_100",
            output_format="tileir_bytecode",
            bytecode_version="13.4",
        )
    except TileInternalError as error:
        if isinstance(error.__cause__, KeyError):
            raise LeftOut("NVIDIA's front end has lost a value of its own, as it does for kernel 15") from error
        raise
    try:
        kernel = tilewright.load_module(file.getvalue()).k
    except ValueError as error:
        if UNSIGNED_FLOOR in str(error):
            raise LeftOut("NVIDIA's front end rounds // of unsigned integers down, as no compiler accepts") from error
        raise
    tilewright.launch(None, program.grid, kernel, tuple(_flat(program.descriptions, arguments)))


def _flat(descriptions: list[tuple], arguments: list[Any]) -> Iterator[Any]:
    """The parameters of an entry: of an array its address, extents and strides; of a tuple its members; no
    constants."""
    for description, argument in zip(descriptions, arguments, strict=True):
        if isinstance(argument, np.ndarray):
            yield argument
            yield from argument.shape
            # NVIDIA's front end takes the stride of an extent of one for divisible by anything, as nothing is that far.
            for extent, stride in zip(argument.shape, argument.strides, strict=True):
                yield 0 if extent == 1 else stride // argument.itemsize
        elif description[0] == "tuple":
            yield from _flat(description[1], argument)
        elif description[0] != "constant":
            yield argument


UNSIGNED_FLOOR = "expected rounding zero or positive_inf of unsigned integers"
"""Of our verifier, and in other words of NVIDIA's."""
