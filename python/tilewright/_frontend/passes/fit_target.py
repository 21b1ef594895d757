# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Legalization for a GPU and a version of the bytecode: refuses dtypes and rounding modes that they lack, and replaces
operations that older versions lack by equivalent ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from tilewright._frontend.ir import Block, Op, Value, resolve, walk
from tilewright._frontend.passes.forward_values import forward_values
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
    name: str
    capability: int
    version: Version


_DTYPES = {
    "f8E4M3FN": _Since("float8_e4m3fn", 90, (13, 1)),
    "f8E5M2": _Since("float8_e5m2", 90, (13, 1)),
    "f8E8M0FNU": _Since("float8_e8m0fnu", 100, (13, 2)),
    "f4E2M1FN": _Since("float4_e2m1fn", 100, (13, 3)),
    "fnv8E5M3FNU": _Since("float8_e5m3fnu", 107, (13, 4)),
}
_NAMES = re.compile("|".join(_DTYPES))
_ROUNDING = re.compile(r"rounding<(\w+)>")
_ROUNDED_SINCE, _SCALES_ROUNDED_SINCE = (13, 4), (13, 3)  # conversions that do not round to the nearest even
_NOT_TO_SCALES = ("f64", "f8E5M2", "f8E4M3FN")  # sources that are rounded to scales since the later version
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
        if op.name in ("cuda_tile.atomic_rmw_tko", "cuda_tile.atomic_red_view_tko") and "addf" in op.attributes["mode"]:
            if any("bf16" in _type(operand) for operand in op.operands):
                target.require(op, "an atomic sum of bfloat16", 90, (13, 3))
        hints = op.attributes.get("optimization_hints")
        if hints is not None and target.gpu is not None and target.version < _HINTS_BY_TARGET_SINCE:
            op.attributes["optimization_hints"] = hints.replace("<default =", f"<{target.gpu} =", 1)
    if target.version < _INTEGER_POWER_SINCE:
        _use_powers_of_floats(block)


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def _type(value: Value) -> str:
    return resolve(value).type


def _check_dtypes(op: Op, target: Target) -> None:
    for value in (*op.operands, *op.results):
        for name in _NAMES.findall(_type(value)):
            since = _DTYPES[name]
            target.require(op, since.name, since.capability, since.version)


def _check_rounding(op: Op, target: Target) -> None:
    [mode] = _ROUNDING.findall(op.attributes["rounding_mode"])
    to_scales = "f8E8M0FNU" in op.results[0].type
    early = to_scales and not any(name in _type(op.operands[0]) for name in _NOT_TO_SCALES)
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
            signed = {"signedness": "#cuda_tile.signedness<signed>"}
            exponent = Op("cuda_tile.itof", [op.operands[1]], [op.results[0].type], signed, op.location)
            op.name, op.operands = "cuda_tile.fpowf", [op.operands[0], exponent.results[0]]
            ops.append(exponent)
        ops.append(op)
    block.ops = ops
