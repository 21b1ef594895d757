# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing arrays.

Tile space: an array cut into tiles of one shape; an index counts tiles, not elements. Inside a block, an access sees
every earlier store of the same block to the same array; between blocks nothing is ordered but by atomics.
All since 0.1. Hints: ``latency`` is 1 (cheap) to 10 (heavy traffic); ``allow_tma=False`` forbids the copy engine."""

from __future__ import annotations

from tilewright._intrinsic import intrinsic
from tilewright.array import Array
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode
from tilewright.tile import Scalar, Tile, TileOrScalar


@intrinsic
def bid(axis: int) -> int:
    """Index of the running block along a compile-time ``axis`` 0, 1 or 2 of the grid; an int32 scalar."""


@intrinsic
def num_blocks(axis: int) -> int:
    """Extent of the grid along a compile-time ``axis`` 0, 1 or 2; an int32 scalar."""


@intrinsic
def num_tiles(array: Array, /, axis: int, shape, order: str | tuple[int, ...] = "C") -> int:
    """Number of tiles of ``shape`` along ``axis`` of the tile space of ``array``, the last one possibly partial; an
    int32 scalar."""


@intrinsic
def load(
    array: Array,
    /,
    index,
    shape,
    *,
    order: str | tuple[int, ...] = "C",
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> Tile:
    """The tile at ``index`` of the tile space of ``array``: ``t[x, y] = array[i*tm + x, j*tn + y]``.

    ``index``: one integer scalar per axis (a bare scalar for one axis). ``shape``: compile-time powers of two, one per
    axis, or ``()`` for a single element. ``order``: tile axis i lies along array axis ``order[i]``; "C" keeps the axes,
    "F" reverses them. Elements beyond the array are ``padding_mode``. With ``check_bounds=False`` the caller promises
    that there are none. Undefined for a tile entirely outside of the array. Memory order WEAK, RELAXED or ACQUIRE.

    >>> @ct.kernel
    ... def row_of_sums(x, out):
    ...     tile = ct.load(x, index=(0, ct.bid(0)), shape=(4, 2), padding_mode=ct.PaddingMode.ZERO)
    ...     ct.store(out, index=ct.bid(0), tile=ct.sum(tile, axis=0))
    >>> out = np.empty(5, np.int32)
    >>> row_of_sums[3](np.ones((3, 5), np.int32), out)
    >>> out
    array([3, 3, 3, 3, 3], dtype=int32)
    """


@intrinsic
def store(
    array: Array,
    /,
    index,
    tile: TileOrScalar,
    *,
    order: str | tuple[int, ...] = "C",
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> None:
    """Write ``tile`` at ``index`` of the tile space that its shape cuts ``array`` into, see `load`. The tile is cast to
    the array's dtype; elements beyond the array are dropped. Memory order WEAK, RELAXED or RELEASE."""


@intrinsic
def load_advanced_indexing(
    array: Array,
    indices,
    /,
    *,
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    latency: int | None = None,
    allow_tma: bool | None = None,
) -> Tile:
    """Rows picked by a tile: ``indices`` has one entry per axis, exactly one of them a 1-D integer tile and the others
    `Slice`. Elements beyond the array are ``padding_mode``."""


@intrinsic
def store_advanced_indexing(
    array: Array, indices, tile: TileOrScalar, /, *, latency: int | None = None, allow_tma: bool | None = None
) -> None:
    """Write ``tile`` to the elements that the same ``indices`` of `load_advanced_indexing` would read."""


@intrinsic
def gather(
    array: Array,
    indices,
    /,
    *,
    mask=None,
    padding_value: TileOrScalar = 0,
    check_bounds: bool = True,
    latency: int | None = None,
) -> Tile:
    """Element by element: ``t[k] = array[i[k], j[k]]``. ``indices`` is one integer tile or scalar per axis (a bare one
    for one axis); they broadcast to the shape of the result. Where ``mask`` is false or an index is negative or beyond
    the array, the element is ``padding_value``. With ``check_bounds=False`` an index outside is undefined.

    >>> @ct.kernel
    ... def look_up(table, at, out):
    ...     ct.store(out, index=0, tile=ct.gather(table, ct.load(at, index=0, shape=(4,)), padding_value=-1))
    >>> out = np.empty(4, np.int32)
    >>> look_up[1](np.array([10, 20, 30], np.int32), np.array([2, 0, 7, 1], np.int32), out)
    >>> out
    array([30, 10, -1, 20], dtype=int32)
    """


@intrinsic
def scatter(
    array: Array, indices, value: TileOrScalar, /, *, mask=None, check_bounds: bool = True, latency: int | None = None
) -> None:
    """Element by element: ``array[i[k], j[k]] = value[k]``, skipped where ``mask`` is false or an index is outside.
    ``value`` is cast to the array's dtype. Undefined which element wins where indices collide.

    >>> @ct.kernel
    ... def reverse(x):
    ...     tile = ct.load(x, index=0, shape=(4,))
    ...     ct.scatter(x, 3 - ct.arange(4, dtype=ct.int32), tile)
    >>> x = np.arange(4)
    >>> reverse[1](x)
    >>> x
    array([3, 2, 1, 0])
    """


@intrinsic
def atomic_cas(
    array: Array,
    indices,
    expected,
    desired,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile:
    """Per element, atomically: write ``desired`` if the element equals ``expected``. Returns the old elements
    (``expected`` where an index is outside). Indices as in `gather`."""


def _atomic(name: str, effect: str):
    def function(
        array: Array,
        indices,
        update: TileOrScalar,
        /,
        *,
        check_bounds: bool = True,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile:
        pass

    function.__name__ = function.__qualname__ = f"atomic_{name}"
    function.__doc__ = (
        f"Per element, atomically: {effect}. Returns the old elements; the order of elements is unspecified. "
        "Indices as in `gather`; an element outside is left alone and its result is undefined."
    )
    return intrinsic(function)


atomic_xchg = _atomic("xchg", "write ``update``")
atomic_add = _atomic("add", "add ``update``")
atomic_max = _atomic("max", "keep the larger of element and ``update``")
atomic_min = _atomic("min", "keep the smaller of element and ``update``")
atomic_and = _atomic("and", "bitwise and with ``update``")
atomic_or = _atomic("or", "bitwise or with ``update``")
atomic_xor = _atomic("xor", "bitwise exclusive or with ``update``")


@intrinsic
def assume_divisible_by(x: Scalar, divisor: int) -> Scalar:
    """``x``, with the caller's promise that it is a multiple of the compile-time ``divisor``, of which the compiler
    uses the largest power of two. Undefined if it is not."""


@intrinsic
def grid_dependency_control_wait() -> None:
    """Wait until the kernels that this launch depends on have finished. No effect on CPU targets."""


@intrinsic
def grid_dependency_control_launch_dependents() -> None:
    """Let dependent launches start before this kernel ends. No effect on CPU targets."""
