# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of names while a kernel is traced. Compile-time values are the Python objects themselves: numbers,
strings, tuples, dtypes, functions, modules. The classes here stand for run-time values and closures."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.numbers import Number
from tilewright._frontend.ir.program import Value
from tilewright._frontend.ir.types import TensorViewType, TileType, tile_type
from tilewright._frontend.signature import ListSpec
from tilewright._frontend.source.functions import FunctionSource
from tilewright._frontend.source.location import Location
from tilewright.array import Array, RawArrayMemory, TiledView
from tilewright.dtypes import DType, pointer_to
from tilewright.modes import PaddingMode
from tilewright.tile import Tile

if TYPE_CHECKING:
    from tilewright._frontend.trace.frame import Frame


class TileValue(Tile):
    """A tile that the running kernel computes. `constant` is its value where a strictly typed scalar is known."""

    __slots__ = ("constant", "dtype", "shape", "value")

    def __init__(self, value: Value, dtype: DType, shape: tuple[int, ...], constant: Number | None = None):
        self.value = value
        self.dtype = dtype
        self.shape = shape
        self.constant = constant

    @property
    def type(self) -> TileType:
        return tile_type(self.dtype, self.shape)

    def __index__(self) -> int:
        if isinstance(self.constant, int) and not isinstance(self.constant, bool):
            return self.constant
        return super().__index__()

    def __bool__(self) -> bool:
        if self.constant is None:
            raise TypeError("a tile has no truth value at compile time")
        return bool(self.constant)

    def __repr__(self) -> str:
        return describe(self)


class ArrayValue(Array):
    """An array argument, or a slice of one. `alias` names the memory behind it: the
    path of the argument, or the alias groups that it shares with others."""

    def __init__(self, name, dtype, pointer, shape, strides, static_shape, static_strides, alias):
        self.name: str = name
        self.dtype: DType = dtype
        self.pointer: Value = pointer
        self.shape: tuple[TileValue, ...] = shape  # per axis a scalar, a constant if known
        self.strides: tuple[TileValue, ...] = strides
        self.static_shape: tuple[int | None, ...] = static_shape  # as in the types of views
        self.static_strides: tuple[int | None, ...] = static_strides
        self.alias = alias
        self.view: Value | None = None  # its tensor_view, made at the place where the array is
        self.view_type: TensorViewType | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def foreign_pointer(self) -> PointerValue:
        return PointerValue(self.pointer, pointer_to(self.dtype), self.alias)

    def __repr__(self) -> str:
        return describe(self)


class PointerValue(TileValue):
    """The address of an array, and what it may share memory with; a branch or loop that chooses one forgets that."""

    __slots__ = ("alias",)

    def __init__(self, value: Value, dtype: DType, alias: Any):
        super().__init__(value, dtype, ())
        self.alias = alias


@dataclass(frozen=True, eq=False)
class ListValue:
    """A list argument: a table with a row of 64-bit words per array."""

    name: str
    spec: ListSpec
    table: ArrayValue  # of int64, in one dimension
    length: TileValue
    alias: Any  # of the arrays


class TiledViewValue(TiledView):
    def __init__(self, array: ArrayValue, tile_shape: tuple[int, ...], padding: PaddingMode, steps: tuple[int, ...]):
        self.array = array
        self.dtype = array.dtype
        self.tile_shape = tile_shape
        self.padding = padding
        self.traversal_steps = steps

    @property
    def extents(self) -> tuple[int, ...]:
        """Of a tile, one per axis: () is a tile of one element."""
        return self.tile_shape or (1,) * self.array.ndim


class RawMemoryValue(RawArrayMemory):
    def __init__(self, array: ArrayValue):
        self.array = array
        self.dtype = array.dtype


@dataclass(frozen=True)
class RangeValue:
    start: Any
    stop: Any
    step: Any


@dataclass(frozen=True, eq=False)
class BoundMethod:
    """A method of a run-time value: an intrinsic or a Python function, with its receiver."""

    receiver: Any
    function: Any


@dataclass(frozen=True, eq=False)
class Closure:
    """A function or lambda defined in tile code. It reads the names around it when it is called: those of `frame`
    and the frames around that, but `captured` first, which are what it read there when the calls were over."""

    source: FunctionSource
    frame: Frame | None
    defaults: dict[str, Any]
    globals: dict[str, Any]
    captured: dict[str, Any]


@dataclass(frozen=True)
class Undefined:
    """A name that has no value on some path to here; using it is an error with this explanation."""

    reason: str
    location: Location | None = None


def describe(value: Any) -> str:
    """A value in the words of an error message, to stand after "a"."""
    if isinstance(value, TileValue):
        return f"tile of {value.dtype} with shape {value.shape}" if value.shape else f"scalar of {value.dtype}"
    if isinstance(value, ArrayValue):
        return f"{value.ndim}-dimensional array {value.name!r} of {value.dtype}"
    if isinstance(value, ListValue):
        return f"list {value.name!r} of arrays"
    if isinstance(value, bool) or value is None:
        return f"constant {value!r}"
    if isinstance(value, (int, float)):
        return f"number {value!r}"
    if isinstance(value, str):
        return f"string {value!r}"
    if isinstance(value, DType):
        return f"dtype {value}"
    if isinstance(value, tuple):
        return f"tuple of {len(value)}"
    if isinstance(value, (Closure, BoundMethod)) or callable(value):
        return f"function {getattr(value, '__name__', '')}".strip()
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    return f"value of type {type(value).__name__}"


def how_to_agree(*values: Any) -> str:
    """Advice about a name that means different things by path or iteration, to end a message."""
    if any(isinstance(value, ArrayValue) for value in values):
        return "make them arrays of one dtype and rank, or choose the index into a list of arrays"
    return "make both the same with astype() or reshape()"


def numbers_of_constants(value: Any) -> Any:
    """The value with Python's numbers in the place of strictly typed constants, also inside of tuples."""
    if type(value) is tuple:
        return tuple(map(numbers_of_constants, value))
    return value.constant if isinstance(value, TileValue) and value.constant is not None else value


RUN_TIME_VALUES = (TileValue, ArrayValue, TiledViewValue, RawMemoryValue)


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def is_numeric(value: Any) -> bool:
    """A number, or a tile of them."""
    return isinstance(value, TileValue) or is_number(value)


def is_numpy_scalar(value: Any) -> bool:
    """NumPy's numbers stand for Python's."""
    return type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item")
