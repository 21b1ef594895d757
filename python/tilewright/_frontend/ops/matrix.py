# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import UNIT
from tilewright._frontend.ops.conversions import broadcast, broadcast_shapes, convert, signedness
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.values.arguments import require_constant_bool
from tilewright._frontend.values.kinds import TileValue, describe
from tilewright.dtypes import (
    DType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e5m3fnu,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int32,
    promote,
    tfloat32,
    uint8,
)
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

# Operand dtype -> accumulator dtypes, the one that matmul() uses first.
_ACCUMULATORS: dict[DType, tuple[DType, ...]] = {
    float16: (float16, float32),
    bfloat16: (float32,),
    float32: (float32,),
    tfloat32: (float32,),
    float64: (float64,),
    float8_e4m3fn: (float16, float32),
    float8_e5m2: (float16, float32),
    int8: (int32,),
    uint8: (int32,),
}
# Operand dtype -> scale dtype -> operand elements per scale.
_SCALES: dict[DType, dict[DType, tuple[int, ...]]] = {
    float8_e4m3fn: {float8_e8m0fnu: (32,)},
    float8_e5m2: {float8_e8m0fnu: (32,)},
    float4_e2m1fn: {float8_e8m0fnu: (16, 32), float8_e4m3fn: (16,), float8_e5m3fnu: (16, 32)},
}


def _check_tiles(function: str, **tiles: Any) -> None:
    for name, value in tiles.items():
        if not isinstance(value, TileValue):
            raise TileTypeError(f"{name} of {function}() is a {describe(value)}; expected a tile")


def _names(dtypes: Any) -> str:
    return ", ".join(d.name for d in dtypes)


def _check_dtypes(x: DType, y: DType, acc: DType | None) -> None:
    if x not in _ACCUMULATORS:
        raise TileTypeError(f"mma() of {x} is not defined; expected one of {_names(_ACCUMULATORS)}")
    if x is not y and not (x in (int8, uint8) and y in (int8, uint8)):
        raise TileTypeError(f"mma() of {x} and {y}; expected one dtype on both sides: cast with astype()")
    if acc is not None and acc not in _ACCUMULATORS[x]:
        raise TileTypeError(f"mma() of {x} accumulates in {_names(_ACCUMULATORS[x])}; found an accumulator of {acc}")


def _operand_shapes(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Shapes of both operands with the batch repeated, and of the product."""
    if not 2 <= len(x) <= 3 or not 2 <= len(y) <= 3:
        raise TileTypeError(f"mma() of shapes {x} and {y}; expected 2 or 3 dimensions on each side")
    if x[-1] != y[-2]:
        raise TileTypeError(f"mma() of shapes {x} and {y}; expected (M, K) and (K, N): {x[-1]} and {y[-2]} differ")
    batch = broadcast_shapes(x[:-2], y[:-2])
    return (*batch, *x[-2:]), (*batch, *y[-2:]), (*batch, x[-2], y[-1])


def _emit(tracer: Tracer, x: TileValue, y: TileValue, acc: TileValue, fast: bool) -> TileValue:
    if acc.dtype is int32:
        attributes = {"signedness_lhs": signedness(x.dtype), "signedness_rhs": signedness(y.dtype)}
        return tracer.emit_tile("mmai", [x, y, acc], acc.dtype, acc.shape, attributes)
    return tracer.emit_tile("mmaf", [x, y, acc], acc.dtype, acc.shape, {"fast_acc": UNIT} if fast else {})


@implements("mma")
def mma(tracer: Tracer, x: Any, y: Any, acc: Any, use_fast_acc: Any = False) -> TileValue:
    _check_tiles("mma", x=x, y=y, acc=acc)
    fast = require_constant_bool(use_fast_acc, "use_fast_acc")
    _check_dtypes(x.dtype, y.dtype, acc.dtype)
    if fast and x.dtype not in (float8_e4m3fn, float8_e5m2):
        raise TileTypeError(f"use_fast_acc is for float8_e4m3fn and float8_e5m2; found {x.dtype}")
    x_shape, y_shape, product = _operand_shapes(x.shape, y.shape)
    if acc.shape != product:
        raise TileTypeError(f"the accumulator of mma() has shape {acc.shape}; expected {product}, the shape of x @ y")
    return _emit(tracer, broadcast(tracer, x, x_shape), broadcast(tracer, y, y_shape), acc, fast)


@implements("matmul")
def matmul(tracer: Tracer, x: Any, y: Any) -> TileValue:
    _check_tiles("matmul", x=x, y=y)
    dtype = promote(x.dtype, y.dtype)
    _check_dtypes(dtype, dtype, None)
    x, y = convert(tracer, x, dtype), convert(tracer, y, dtype)
    if not x.shape or not y.shape:
        raise TileTypeError(f"matmul() of shapes {x.shape} and {y.shape}; expected 1 to 3 dimensions on each side")
    x_vector, y_vector = len(x.shape) == 1, len(y.shape) == 1
    x = reshape_to(tracer, x, (1, *x.shape)) if x_vector else x
    y = reshape_to(tracer, y, (*y.shape, 1)) if y_vector else y
    x_shape, y_shape, product = _operand_shapes(x.shape, y.shape)
    acc = tracer.constant(0, _ACCUMULATORS[dtype][0], product)
    result = _emit(tracer, broadcast(tracer, x, x_shape), broadcast(tracer, y, y_shape), acc, False)
    shape = product[:-2] + (() if x_vector else product[-2:-1]) + (() if y_vector else product[-1:])
    result = reshape_to(tracer, result, shape)
    return convert(tracer, result, dtype)


@implements("mma_scaled")
def mma_scaled(tracer: Tracer, x: Any, x_scale: Any, y: Any, y_scale: Any, acc: Any) -> TileValue:
    _check_tiles("mma_scaled", x=x, x_scale=x_scale, y=y, y_scale=y_scale, acc=acc)
    scales = _SCALES.get(x.dtype)
    if scales is None or x.dtype is not y.dtype:
        raise TileTypeError(f"mma_scaled() of {x.dtype} and {y.dtype}; expected one dtype out of {_names(_SCALES)}")
    if x_scale.dtype is not y_scale.dtype or x_scale.dtype not in scales:
        raise TileTypeError(f"mma_scaled() with scales {x_scale.dtype} and {y_scale.dtype}; expected {_names(scales)}")
    if acc.dtype is not float32:
        raise TileTypeError(f"mma_scaled() accumulates in float32; found {acc.dtype}")
    x_shape, y_shape, product = _operand_shapes(x.shape, y.shape)
    if acc.shape != product:
        raise TileTypeError(f"the accumulator of mma_scaled() has shape {acc.shape}; expected {product}")
    for side, tile, scale, along in (("x", x, x_scale, -1), ("y", y, y_scale, -2)):
        fitting = list(tile.shape)
        fitting[along] = scale.shape[along] if len(scale.shape) == len(fitting) else -1
        if tuple(fitting) != scale.shape:
            raise TileTypeError(f"{side}_scale of shape {scale.shape} for {side} of shape {tile.shape};"
                                " expected equal extents but along K")  # fmt: skip
    ratios = {x_shape[-1] / x_scale.shape[-1], y_shape[-2] / y_scale.shape[-2]}
    if len(ratios) != 1 or ratios.pop() not in scales[x_scale.dtype]:
        raise TileTypeError(f"scales of shapes {x_scale.shape} and {y_scale.shape}; expected one per"
                            f" {' or '.join(map(str, scales[x_scale.dtype]))} elements along K")  # fmt: skip
    batch = product[:-2]
    x_scale = broadcast(tracer, x_scale, (*batch, *x_scale.shape[-2:]))
    y_scale = broadcast(tracer, y_scale, (*batch, *y_scale.shape[-2:]))
    operands = [broadcast(tracer, x, x_shape), broadcast(tracer, y, y_shape), acc, x_scale, y_scale]
    return tracer.emit_tile("mmaf_scaled", operands, acc.dtype, acc.shape)
