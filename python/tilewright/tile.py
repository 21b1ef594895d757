# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of tile code: `Tile`, scalars, and `Slice`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from tilewright._intrinsic import tile_attribute
from tilewright.dtypes import DType

if TYPE_CHECKING:
    from tilewright.modes import RoundingMode


def _language() -> Any:
    import tilewright

    return tilewright


def _operator(name: str, reflected: bool = False) -> Any:
    def method(self, other):
        function = getattr(_language(), name)
        return function(other, self) if reflected else function(self, other)

    return method


class Tile:
    """An immutable array value of static shape that a kernel computes with. Every dimension is a power of two; a
    scalar is a tile of shape ``()``. Operators work element by element with broadcasting (see
    `tilewright.elementwise`), ``@`` multiplies matrices, ``t[:, None]`` inserts a dimension of size 1. Tiles exist in
    tile code only. Since 0.1."""

    @tile_attribute
    def dtype(self) -> DType:
        """Element type; a compile-time value."""

    @tile_attribute
    def shape(self) -> tuple[int, ...]:
        """Extents, outermost first; compile-time integers."""

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def item(self) -> Tile:
        """The only element of a tile of one element, as a scalar."""
        return _language().reshape(self, ())

    def reshape(self, shape) -> Tile:
        """See `tilewright.reshape`."""
        return _language().reshape(self, shape)

    def permute(self, axes) -> Tile:
        """See `tilewright.permute`."""
        return _language().permute(self, axes)

    def transpose(self, axis0: int | None = None, axis1: int | None = None) -> Tile:
        """See `tilewright.transpose`."""
        return _language().transpose(self, axis0, axis1)

    def astype(self, dtype, *, rounding_mode: RoundingMode | None = None) -> Tile:
        """See `tilewright.astype`."""
        return _language().astype(self, dtype, rounding_mode=rounding_mode)

    def extract(self, index, shape) -> Tile:
        """See `tilewright.extract`."""
        return _language().extract(self, index, shape)

    def insert(self, index, value) -> Tile:
        """See `tilewright.insert`."""
        return _language().insert(self, index, value)

    def __getitem__(self, index) -> Tile:
        return _language().expand_dims(self, index)

    if TYPE_CHECKING:
        # A variable that was a number may get the result of a reflected operator, so that is Any.
        _any: Any = None
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rdivmod__ = _any
        __rpow__ = __rmatmul__ = __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _any

        def __add__(self, other: Any, /) -> Tile: ...
        def __sub__(self, other: Any, /) -> Tile: ...
        def __mul__(self, other: Any, /) -> Tile: ...
        def __truediv__(self, other: Any, /) -> Tile: ...
        def __floordiv__(self, other: Any, /) -> Tile: ...
        def __mod__(self, other: Any, /) -> Tile: ...
        def __pow__(self, other: Any, /) -> Tile: ...
        def __matmul__(self, other: Any, /) -> Tile: ...
        def __and__(self, other: Any, /) -> Tile: ...
        def __or__(self, other: Any, /) -> Tile: ...
        def __xor__(self, other: Any, /) -> Tile: ...
        def __lshift__(self, other: Any, /) -> Tile: ...
        def __rshift__(self, other: Any, /) -> Tile: ...
        def __gt__(self, other: Any, /) -> Tile: ...
        def __ge__(self, other: Any, /) -> Tile: ...
        def __lt__(self, other: Any, /) -> Tile: ...
        def __le__(self, other: Any, /) -> Tile: ...
        def __bool__(self) -> bool: ...
        def __divmod__(self, other: Any, /) -> tuple[Tile, Tile]: ...
        def __eq__(self, other: object, /) -> Tile: ...  # type: ignore[override]
        def __ne__(self, other: object, /) -> Tile: ...  # type: ignore[override]
    else:
        __add__, __radd__ = _operator("add"), _operator("add", True)
        __sub__, __rsub__ = _operator("sub"), _operator("sub", True)
        __mul__, __rmul__ = _operator("mul"), _operator("mul", True)
        __truediv__, __rtruediv__ = _operator("truediv"), _operator("truediv", True)
        __floordiv__, __rfloordiv__ = _operator("floordiv"), _operator("floordiv", True)
        __mod__, __rmod__ = _operator("mod"), _operator("mod", True)
        __divmod__, __rdivmod__ = _operator("divmod"), _operator("divmod", True)
        __pow__, __rpow__ = _operator("pow"), _operator("pow", True)
        __matmul__, __rmatmul__ = _operator("matmul"), _operator("matmul", True)
        __and__, __rand__ = _operator("bitwise_and"), _operator("bitwise_and", True)
        __or__, __ror__ = _operator("bitwise_or"), _operator("bitwise_or", True)
        __xor__, __rxor__ = _operator("bitwise_xor"), _operator("bitwise_xor", True)
        __lshift__, __rlshift__ = _operator("bitwise_lshift"), _operator("bitwise_lshift", True)
        __rshift__, __rrshift__ = _operator("bitwise_rshift"), _operator("bitwise_rshift", True)
        __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
        __lt__, __le__ = _operator("less"), _operator("less_equal")
        __eq__, __ne__ = _operator("equal"), _operator("not_equal")

    __hash__ = object.__hash__

    def __index__(self) -> int:
        """The value of a scalar that is known at compile time; others count in ``range`` without it."""
        raise TypeError("a tile is known at run time only; expected a compile-time integer")

    def __neg__(self) -> Tile:
        return _language().negative(self)

    def __invert__(self) -> Tile:
        return _language().bitwise_not(self)

    def __abs__(self) -> Tile:
        return _language().abs(self)


if TYPE_CHECKING:
    # A number or a tile, as is known where a kernel is compiled: checkers allow the operations of both.
    Scalar: TypeAlias = Any
    TileOrScalar: TypeAlias = Any
else:
    Scalar = Union[Tile, int, float, bool]  # noqa: UP007
    """A tile of shape ``()`` or a Python number."""
    TileOrScalar = Union[Tile, int, float, bool]  # noqa: UP007


class Slice:
    """``Slice(start, length)``: the elements ``start`` to ``start + length - 1`` of an axis, in
    `tilewright.load_advanced_indexing` and its store. ``start`` is an integer scalar, ``length`` a compile-time power
    of two. Since 0.1."""

    def __init__(self, start, length, /):
        self.start = start
        self.length = length
