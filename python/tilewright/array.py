# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in memory as a kernel sees them. Two array arguments of a launch must not overlap where one is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._intrinsic import intrinsic, tile_attribute
from tilewright.dtypes import DType
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode
from tilewright.tile import Tile, TileOrScalar


class Array:
    """An n-dimensional strided array argument. It is read and written with `tilewright.load`, `store`, `gather` and
    `scatter`; it cannot be subscripted. Since 0.1."""

    @tile_attribute
    def dtype(self) -> DType:
        """Element type; a compile-time value."""

    @tile_attribute
    def shape(self) -> tuple[int, ...]:
        """Extents as int32 scalars (int64 if the parameter is annotated so); not compile-time unless annotated."""

    @tile_attribute
    def strides(self) -> tuple[int, ...]:
        """Steps between neighbours along each axis, in elements; same dtype as the shape."""

    @tile_attribute
    def ndim(self) -> int:
        """Number of axes; a compile-time value."""

    @tile_attribute
    def foreign_pointer(self) -> Tile:
        """The address of the first element, as a scalar of dtype `foreign_pointer_dtype`. It goes to
        `Array.from_foreign`, through branches, loops and `where`; it has no arithmetic."""

    @staticmethod
    @intrinsic
    def from_foreign(pointer, shape, strides) -> Array:
        """The array of the pointer's element type that begins at the foreign pointer ``pointer``, with the tuples
        ``shape`` and ``strides`` (in elements): signed integer scalars, none negative, one of each per axis."""

    @intrinsic
    def slice(self, axis: int, start, stop) -> Array:
        """The part from ``start`` to ``stop - 1`` along a compile-time ``axis``, as a view of the same memory.
        Compile-time bounds give a compile-time extent. Undefined unless ``0 <= start <= stop <= shape[axis]``."""

    @intrinsic
    def tiled_view(
        self, tile_shape, *, padding_mode: PaddingMode = PaddingMode.UNDETERMINED, traversal_steps=None
    ) -> TiledView:
        """This array cut into tiles of compile-time ``tile_shape`` (one extent per axis). ``traversal_steps`` gives the
        distance in elements between the origins of neighbouring tiles, by default the tile's extents."""

    @intrinsic
    def get_raw_memory(self) -> RawArrayMemory:
        """The memory behind this array, addressed by element offset from its first element."""


class TiledView:
    """An array cut into equal tiles; made by `Array.tiled_view`. Since 0.1."""

    @tile_attribute
    def dtype(self) -> DType:
        """Element type of the array; a compile-time value."""

    @tile_attribute
    def tile_shape(self) -> tuple[int, ...]:
        """Extents of each tile; compile-time integers."""

    @tile_attribute
    def traversal_steps(self) -> tuple[int, ...]:
        """Elements between the origins of neighbouring tiles, per axis; compile-time integers."""

    if TYPE_CHECKING:
        atomic_store_add: Callable[[Any, Any], None]
        atomic_store_max: Callable[[Any, Any], None]
        atomic_store_min: Callable[[Any, Any], None]
        atomic_store_and: Callable[[Any, Any], None]
        atomic_store_or: Callable[[Any, Any], None]
        atomic_store_xor: Callable[[Any, Any], None]

    @intrinsic
    def num_tiles(self, axis: int) -> int:
        """Number of tiles along a compile-time ``axis``, an int32 scalar."""

    @intrinsic
    def load(
        self, index, *, check_bounds: bool = True, latency: int | None = None, allow_tma: bool | None = None
    ) -> Tile:
        """The tile at ``index`` (one integer scalar per axis, in tiles). Undefined entirely outside of the array."""

    @intrinsic
    def store(
        self, index, tile, *, check_bounds: bool = True, latency: int | None = None, allow_tma: bool | None = None
    ) -> None:
        """Write ``tile``, cast to the array's dtype and broadcast to ``tile_shape``, at ``index``; elements outside of
        the array are dropped."""


class RawArrayMemory:
    """Memory addressed by element offset, without bounds checks; made by `Array.get_raw_memory`. An offset outside of
    the allocation is undefined. Masked-off lanes touch no memory. Since 0.1."""

    @tile_attribute
    def dtype(self) -> DType:
        """Element type of the array; a compile-time value."""

    if TYPE_CHECKING:
        atomic_xchg_offset: Callable[..., Tile]
        atomic_add_offset: Callable[..., Tile]
        atomic_max_offset: Callable[..., Tile]
        atomic_min_offset: Callable[..., Tile]
        atomic_and_offset: Callable[..., Tile]
        atomic_or_offset: Callable[..., Tile]
        atomic_xor_offset: Callable[..., Tile]

    @intrinsic
    def load_offset(self, offset, /, *, mask=None, padding_value: TileOrScalar = 0, latency: int | None = None) -> Tile:
        """Elements at ``offset`` (integers, any shape); ``padding_value`` where ``mask`` is false."""

    @intrinsic
    def store_offset(self, offset, value, /, *, mask=None, latency: int | None = None) -> None:
        """Write ``value`` at ``offset`` where ``mask`` holds. Undefined which lane wins where offsets collide."""

    @intrinsic
    def atomic_cas_offset(
        self,
        offset,
        expected,
        desired,
        /,
        *,
        mask=None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile:
        """Per element: write ``desired`` if the element equals ``expected``. Returns the old elements."""


def _atomic_offset_method(name: str, effect: str):
    def method(
        self,
        offset,
        update,
        /,
        *,
        mask=None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile:
        pass

    method.__name__ = f"atomic_{name}_offset"
    method.__qualname__ = f"RawArrayMemory.{method.__name__}"
    method.__doc__ = (
        f"Per element, atomically: {effect}. Returns the old elements; the order of elements is unspecified."
    )
    return intrinsic(method)


def _atomic_store_method(name: str, effect: str):
    def method(self, index, update, /) -> None:
        pass

    method.__name__ = f"atomic_store_{name}"
    method.__qualname__ = f"TiledView.{method.__name__}"
    method.__doc__ = f"Per element of the tile at ``index``, atomically: {effect}. Relaxed, device scope; no result."
    return intrinsic(method)


for _name, _effect in {
    "xchg": "write ``update``",
    "add": "add ``update``",
    "max": "keep the larger of element and ``update``",
    "min": "keep the smaller of element and ``update``",
    "and": "bitwise and with ``update``",
    "or": "bitwise or with ``update``",
    "xor": "bitwise exclusive or with ``update``",
}.items():
    setattr(RawArrayMemory, f"atomic_{_name}_offset", _atomic_offset_method(_name, _effect))
    if _name != "xchg":
        setattr(TiledView, f"atomic_store_{_name}", _atomic_store_method(_name, _effect))
