# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays out of lists of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import Value
from tilewright._frontend.ir.types import tile_type
from tilewright._frontend.ops.conversions import coerce, convert
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.ops.pointers import load_pointers, unsigned_less
from tilewright._frontend.ops.views import make_array
from tilewright._frontend.values.arguments import require_int_scalar
from tilewright._frontend.values.kinds import ArrayValue, ListValue
from tilewright.dtypes import int64, pointer_to
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def list_item(tracer: Tracer, value: ListValue, index: Any) -> ArrayValue:
    """`value[index]`. Beyond the list it is an array without elements."""
    if isinstance(index, slice):
        raise TileTypeError(f"list {value.name!r} has no slices; expected an integer index")
    index = require_int_scalar(index, f"the index of list {value.name!r}")
    if isinstance(index, int) and index < 0:
        raise TileTypeError(f"index {index} of list {value.name!r}; expected 0 or more: count from its len()")
    spec = value.spec.element
    row = coerce(tracer, index, int64)
    inside = unsigned_less(tracer, row, coerce(tracer, value.length, int64))
    start = binary(tracer, "mul", row, 1 + 2 * spec.ndim)

    def word(i: int) -> Any:
        return load_pointers(tracer, value.table, binary(tracer, "add", start, i) if i else start, inside, 0, {})

    def length(i: int) -> Value:
        return convert(tracer, word(i), spec.index_dtype).value

    pointer = tracer.emit("int_to_ptr", [word(0).value], [tile_type(pointer_to(spec.dtype), ())]).results[0]
    shape = [length(1 + axis) for axis in range(spec.ndim)]
    strides = [length(1 + spec.ndim + axis) for axis in range(spec.ndim)]
    return make_array(tracer, spec, value.name, value.alias, pointer, shape, strides)
