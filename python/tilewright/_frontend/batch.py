# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels over a batch: some of their arrays have one more axis in front, and the grid has blocks for each index of it.

The third axis of the grid has the batch, outside of the blocks that the kernel itself has there. A block of the kernel
sees the arrays at its index, and the grid without the batch.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import Value
from tilewright._frontend.ir.types import tile_type
from tilewright._frontend.ops.conversions import coerce
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.signature import ArraySpec, Parameter
from tilewright._frontend.values.kinds import TileValue
from tilewright.dtypes import int32, int64

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer
    from tilewright.kernel import kernel as Kernel

AXIS = 2


@dataclasses.dataclass(frozen=True)
class Batch:
    arguments: frozenset[tuple[int, ...]]  # the paths of the arrays that have the axis
    shares_axis: bool  # the kernel's own grid has blocks along the third axis


def batched_kernel(kernel: Kernel, batch: Batch) -> Kernel:
    """The kernel over a batch; it compiles on its own."""
    known = kernel.__dict__.setdefault("_batched", {})
    if batch not in known:
        made = known[batch] = kernel.replace_hints()
        made.batch = batch
        made.__name__ = f"{kernel.__name__}_batched"
        made.parameters = tuple(_shifted(p, (i,), batch.arguments) for i, p in enumerate(kernel.parameters))
    return known[batch]


def _shifted(parameter: Parameter, path: tuple[int, ...], arguments: frozenset) -> Parameter:
    """With the axes of its annotation as they are in the array of the launch."""
    if parameter.each:
        count = 1 + max((p[len(path)] for p in arguments if p[: len(path)] == path and len(p) > len(path)), default=-1)
        items = tuple(_shifted(parameter.each, (*path, i), arguments) for i in range(count))
        return dataclasses.replace(parameter, items=items, each=None) if items else parameter
    if parameter.items:
        items = tuple(_shifted(item, (*path, i), arguments) for i, item in enumerate(parameter.items))
        return dataclasses.replace(parameter, items=items)
    if path not in arguments:
        return parameter
    shapes, strides = (
        tuple(axis + 1 if axis >= 0 else axis for axis in axes)
        for axes in (parameter.static_shape_axes, parameter.static_stride_axes)
    )
    return dataclasses.replace(parameter, static_shape_axes=shapes, static_stride_axes=strides)


class BatchBuilder:
    """The place of a block in the batch, in an entry that is being built."""

    def __init__(self, tracer: Tracer, batch: Batch):
        self.tracer = tracer
        self.batch = batch
        self.index: TileValue | None = None

    def array(
        self, spec: ArraySpec, pointer: Value | None, shape: list[Value], strides: list[Value]
    ) -> tuple[ArraySpec, Value | None, list[Value], list[Value]]:
        """The array at the block's index; a pointer of None stays that."""
        stride = TileValue(strides[0], spec.index_dtype, ())
        index = self._index(TileValue(shape[0], spec.index_dtype, ()))
        if pointer is not None:
            offset = binary(self.tracer, "mul", coerce(self.tracer, index, int64), coerce(self.tracer, stride, int64))
            pointer = self.tracer.emit("offset", [pointer, offset.value], [pointer.type]).results[0]
        return _without_axis(spec), pointer, shape[1:], strides[1:]

    def _index(self, size: TileValue) -> TileValue:
        if self.index is None:
            blocks, count = self._query("get_tile_block_id"), self._query("get_num_tile_blocks")
            if self.batch.shares_axis:
                own = binary(self.tracer, "floordiv", count, coerce(self.tracer, size, int32))
                self.index = binary(self.tracer, "floordiv", blocks, own)
                self.tracer.grid = {"bid": binary(self.tracer, "mod", blocks, own), "num_blocks": own}
            else:
                self.index = blocks
                self.tracer.grid = {"bid": _number(self.tracer, 0), "num_blocks": _number(self.tracer, 1)}
        return self.index

    def _query(self, op: str) -> TileValue:
        return TileValue(self.tracer.emit(op, [], [tile_type(int32, ())] * 3).results[AXIS], int32, ())


def _number(tracer: Tracer, number: int) -> TileValue:
    return tracer.constant(number, int32)


def _without_axis(spec: ArraySpec) -> ArraySpec:
    """The address is a multiple of whatever divides the array's and the stride of the batch."""
    item = max(1, spec.dtype.bitwidth // 8)
    stride = spec.static_strides[0]
    known = spec.stride_divisible_by[0] if stride is None else (stride & -stride) or spec.base_divisible_by
    return dataclasses.replace(
        spec,
        ndim=spec.ndim - 1,
        static_strides=spec.static_strides[1:],
        static_shape=spec.static_shape[1:],
        stride_divisible_by=spec.stride_divisible_by[1:],
        shape_divisible_by=spec.shape_divisible_by[1:],
        base_divisible_by=min(spec.base_divisible_by, known * item),
    )


def batched_grid(grid: Any, size: int) -> tuple[tuple[int, int, int], bool]:
    """The grid of a launch over a batch, and whether the kernel's own has blocks along the third axis."""
    x, y, z = (*((grid,) if isinstance(grid, int) else tuple(grid)), 1, 1)[:3]
    return (x, y, z * size), z != 1
