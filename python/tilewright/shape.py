# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shape, dtype and part of a tile. Shapes, axes and dtypes are compile-time values; a negative axis counts from the
end. All since 0.1."""

from __future__ import annotations

from tilewright._intrinsic import intrinsic
from tilewright.dtypes import DType
from tilewright.modes import RoundingMode
from tilewright.tile import Tile, TileOrScalar


@intrinsic
def cat(tiles, /, axis: int) -> Tile:
    """The two tiles of equal shape and dtype in the tuple ``tiles``, one after the other along ``axis``; a single one
    as it is."""


@intrinsic
def broadcast_to(x, /, shape) -> Tile:
    """``x`` repeated along its dimensions of size 1, and along new leading ones, until it has ``shape``."""


@intrinsic
def expand_dims(x, /, axis) -> Tile:
    """``x`` with a new dimension of size 1 at ``axis``; ``x[:, None]`` writes the same."""


@intrinsic
def reshape(x, /, shape) -> Tile:
    """The elements of ``x`` in row-major order as a tile of ``shape``; one extent may be -1 (whatever is left).

    >>> @ct.kernel
    ... def pairs(x, out):
    ...     ct.store(out, index=(0, 0), tile=ct.load(x, index=0, shape=(4,)).reshape((2, -1)))
    >>> out = np.empty((2, 2), int)
    >>> pairs[1](np.arange(4), out)
    >>> out
    array([[0, 1],
           [2, 3]])
    """


@intrinsic
def permute(x, /, axes) -> Tile:
    """``x`` with its dimensions in another order: result dimension i is dimension ``axes[i]`` of ``x``."""


@intrinsic
def transpose(x, /, axis0: int | None = None, axis1: int | None = None) -> Tile:
    """``x`` with two dimensions exchanged; without axes, those of a 2-D tile."""


@intrinsic
def astype(x, dtype: DType, /, *, rounding_mode: RoundingMode | None = None) -> Tile:
    """``x`` converted to ``dtype``: floats round to nearest even unless ``rounding_mode`` says otherwise (float to
    float only), float to integer truncates, integers wrap, `bool_` is ``x != 0``. Undefined for a float beyond the
    integer's range."""


@intrinsic
def bitcast(x, /, dtype: DType) -> Tile:
    """The bits of ``x`` read as ``dtype``, which has the same bit width."""


@intrinsic
def pack_to_bytes(x, /) -> Tile:
    """The bytes of ``x``, little endian, as a 1-D uint8 tile."""


@intrinsic
def unpack_from_bytes(x, /, dtype: DType) -> Tile:
    """A 1-D uint8 tile read as elements of ``dtype``, little endian."""


@intrinsic
def extract(x, /, index, shape) -> Tile:
    """The part of ``x`` of ``shape`` at grid position ``index``: ``x`` is cut into parts of ``shape``, and ``index``
    counts parts along each dimension. Undefined outside of the grid.

    >>> @ct.kernel
    ... def second_half(x, out):
    ...     tile = ct.load(x, index=0, shape=(8,))
    ...     ct.store(out, index=0, tile=ct.extract(tile, index=(1,), shape=(4,)))
    >>> out = np.empty(4, int)
    >>> second_half[1](np.arange(8), out)
    >>> out
    array([4, 5, 6, 7])
    """


@intrinsic
def insert(x, /, index, value: TileOrScalar) -> Tile:
    """``x`` with the part at grid position ``index`` replaced by ``value``; the inverse of `extract`."""
