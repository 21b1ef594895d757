# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Legalization for a GPU and a version of the bytecode: refuses dtypes and rounding modes that they lack, and replaces
operations that older versions lack by equivalent ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tilewright._frontend.ir.attributes import AtomicMode, Hints, Signedness
from tilewright._frontend.ir.program import Block, Op, Value, resolve, walk
from tilewright._frontend.ir.types import element_of
from tilewright._frontend.passes.forward_values import forward_values
from tilewright.dtypes import (
    DType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e5m3fnu,
    float8_e8m0fnu,
    float64,
)
from tilewright.errors import TileUnsupportedFeatureError

Version = tuple[int, ...]


@dataclass(frozen=True)
class Target:
    """The GPU that bytecode is for, for example "sm_90" (None: any), and the version that it is written in."""

    gpu: str | None
    version: Version

    def require(self, op: Op, what: str, capability: int = 0, version: Version = (0, 0)) -> None:
        """Refuse `op` where the GPU or the version is older than that."""
        found = None
        if self.gpu is not None and int(self.gpu.removeprefix("sm_")) < capability:
            found = f"{self.gpu}; expected sm_{capability} or newer"
        elif self.version < version:
            found = f"bytecode version {_text(self.version)}; expected {_text(version)} or newer"
        if found is not None:
            raise TileUnsupportedFeatureError(f"{what} is not available for {found}", op.location)


class _Since(NamedTuple):
    capability: int
    version: Version


_DTYPES = {
    float8_e4m3fn: _Since(90, (13, 1)),
    float8_e5m2: _Since(90, (13, 1)),
    float8_e8m0fnu: _Since(100, (13, 2)),
    float4_e2m1fn: _Since(100, (13, 3)),
    float8_e5m3fnu: _Since(107, (13, 4)),
}
_ROUNDED_SINCE, _SCALES_ROUNDED_SINCE = (13, 4), (13, 3)  # conversions that do not round to the nearest even
_NOT_TO_SCALES = (float64, float8_e5m2, float8_e4m3fn)  # sources that are rounded to scales since the later version
_HINTS_BY_TARGET_SINCE = (13, 3)
_INTEGER_POWER_SINCE = (13, 4)
_ORDERED_PRINTS_SINCE = (13, 2)


def fit_target(block: Block, target: Target) -> None:
    if target.version < _ORDERED_PRINTS_SINCE:
        _print_without_tokens(block)
    for op in walk(block):
        _check_dtypes(op, target)
        if op.name == "cuda_tile.ftof" and "rounding_mode" in op.attributes:
            _check_rounding(op, target)
        if op.attributes.get("mode") is AtomicMode.ADDF:
            if any(_element(operand) is bfloat16 for operand in op.operands):
                target.require(op, "an atomic sum of bfloat16", 90, (13, 3))
        hints = op.attributes.get("optimization_hints")
        if hints is not None and target.gpu is not None and target.version < _HINTS_BY_TARGET_SINCE:
            by_target = {target.gpu if name == "default" else name: of for name, of in hints.by_target.items()}
            op.attributes["optimization_hints"] = Hints(by_target)
    if target.version < _INTEGER_POWER_SINCE:
        _use_powers_of_floats(block)


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def _element(value: Value) -> DType | None:
    return element_of(resolve(value).type)


def _check_dtypes(op: Op, target: Target) -> None:
    for value in (*op.operands, *op.results):
        dtype = _element(value)
        since = _DTYPES.get(dtype)
        if since is not None:
            target.require(op, str(dtype), since.capability, since.version)


def _check_rounding(op: Op, target: Target) -> None:
    mode = op.attributes["rounding_mode"].value
    early = _element(op.results[0]) is float8_e8m0fnu and _element(op.operands[0]) not in _NOT_TO_SCALES
    version = _SCALES_ROUNDED_SINCE if early else _ROUNDED_SINCE
    target.require(op, f"rounding mode {mode} of this conversion", version=version)


def _print_without_tokens(block: Block) -> None:
    """Prints of such a version take no token, and nothing can use the one they give: an operation that was ordered
    behind a print is ordered behind those before it."""
    for op in walk(block):
        if op.name == "cuda_tile.print_tko" and op.segments is not None and op.segments[1]:
            op.results[0].replacement = op.operands.pop()
            op.segments = [op.segments[0], 0]
    forward_values(block)


def _use_powers_of_floats(block: Block) -> None:
    """A float to an integer becomes one to a float of that value."""
    ops: list[Op] = []
    for op in block.ops:
        for inner in op.blocks:
            _use_powers_of_floats(inner)
        if op.name == "cuda_tile.fpowi":
            signed = {"signedness": Signedness.SIGNED}
            exponent = Op("cuda_tile.itof", [op.operands[1]], [op.results[0].type], signed, op.location)
            op.name, op.operands = "cuda_tile.fpowf", [op.operands[0], exponent.results[0]]
            ops.append(exponent)
        ops.append(op)
    block.ops = ops
