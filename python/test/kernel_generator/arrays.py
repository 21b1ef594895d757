# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in memory, as the evaluation sees them: tile space with padding, views, access by index, atomics."""

from __future__ import annotations

import itertools

import numpy as np

from kernel_generator import dtypes
from kernel_generator.dtypes import Undefined
from kernel_generator.tiles import BINARY, Tile, as_tile, extreme_of_two, scalar

PADDING = {"UNDETERMINED": 0, "ZERO": 0, "NEG_ZERO": -0.0, "NAN": np.nan, "POS_INF": np.inf, "NEG_INF": -np.inf}


class Array:
    def __init__(self, values: np.ndarray):
        self.values = values
        self.dtype = dtypes.of_array(values)

    @property
    def ndim(self) -> int:
        return self.values.ndim

    @property
    def shape(self) -> tuple[Tile, ...]:
        return tuple(scalar(extent, dtypes.int32) for extent in self.values.shape)

    def slice(self, axis, start, stop) -> Array:
        start, stop = int(start), int(stop)
        if not 0 <= start <= stop <= self.values.shape[axis]:
            raise Undefined(f"slice {start}:{stop} of {self.values.shape} along {axis}")
        return Array(self.values[(slice(None),) * axis + (slice(start, stop),)])

    def tiled_view(self, tile_shape, *, padding_mode="UNDETERMINED", traversal_steps=None) -> TiledView:
        return TiledView(self, tile_shape, padding_mode, traversal_steps)

    def get_raw_memory(self) -> RawMemory:
        return RawMemory(self)


class RawMemory:
    """An array of the program by element offset; contiguous ones only."""

    def __init__(self, array: Array):
        assert array.values.flags.c_contiguous
        self.flat = Array(array.values.reshape(-1))

    def load_offset(self, offset, /, *, mask=None, padding_value=0, **hints) -> Tile:
        return gather(self.flat, offset, mask=mask, padding_value=padding_value, check_bounds=False)

    def store_offset(self, offset, value, /, *, mask=None, **hints) -> None:
        scatter(self.flat, offset, value, mask=mask, check_bounds=False)


class TiledView:
    def __init__(self, array: Array, tile_shape, padding_mode: str, traversal_steps=None):
        self.array = array
        self.dtype = array.dtype
        self.tile_shape = (tile_shape,) if isinstance(tile_shape, int) else tuple(tile_shape)
        self.padding = padding_mode
        steps = self.tile_shape if traversal_steps is None else traversal_steps
        self.steps = (steps,) if isinstance(steps, int) else tuple(steps)

    def num_tiles(self, axis) -> Tile:
        return scalar(-(-self.array.values.shape[axis] // self.steps[axis]), dtypes.int32)

    def _slices(self, index):
        """(where in the array, where in the tile) of the elements that both have."""
        index = index if isinstance(index, tuple) else (index,)
        in_array, in_tile = [], []
        for i, extent, step, size in zip(index, self.tile_shape, self.steps, self.array.values.shape, strict=True):
            start = int(i) * step
            if not 0 <= start < size:
                raise Undefined(f"a tile at {start} of an axis of {size}")
            count = min(extent, size - start)
            in_array.append(slice(start, start + count))
            in_tile.append(slice(0, count))
        return tuple(in_array), tuple(in_tile)

    def load(self, index, **hints) -> Tile:
        in_array, in_tile = self._slices(index)
        result = np.full(self.tile_shape, PADDING[self.padding], self.dtype.numpy)
        result[in_tile] = self.array.values[in_array]
        return Tile(result, self.dtype)

    def store(self, index, tile, **hints) -> None:
        in_array, in_tile = self._slices(index)
        values = np.broadcast_to(scalar(tile, self.dtype).values, self.tile_shape)
        self.array.values[in_array] = values[in_tile]

    def _atomic(self, name, index, update) -> None:
        in_array, in_tile = self._slices(index)
        old = Tile(self.array.values[in_array], self.dtype)
        values = np.broadcast_to(scalar(update, self.dtype).values, self.tile_shape)
        self.array.values[in_array] = MODIFY[name](old, Tile(values[in_tile], self.dtype)).values


MODIFY = {
    "add": BINARY["add"],
    "max": lambda x, y: extreme_of_two(x, y, largest=True),
    "min": lambda x, y: extreme_of_two(x, y, largest=False),
    "and": BINARY["and"],
    "or": BINARY["or"],
    "xor": BINARY["xor"],
    "xchg": lambda x, y: y,
}
for _name in ("add", "max", "min", "and", "or", "xor"):
    setattr(TiledView, f"atomic_store_{_name}",
            lambda self, index, update, name=_name: self._atomic(name, index, update))  # fmt: skip


def load(array, index, shape, *, order="C", padding_mode="UNDETERMINED", **hints) -> Tile:
    values = _reordered(array.values, order)
    extents = (1,) * array.ndim if shape == () else shape
    tile = TiledView(Array(values), extents, padding_mode).load(index)
    return tile.reshape(()) if shape == () else tile


def store(array, index, tile, *, order="C", **hints) -> None:
    tile = scalar(tile, array.dtype)
    if not tile.shape:
        tile = tile.reshape((1,) * array.ndim)
    TiledView(Array(_reordered(array.values, order)), tile.shape, "UNDETERMINED").store(index, tile)


def num_tiles(array, axis, shape, order="C") -> Tile:
    shape = (shape,) if isinstance(shape, int) else shape
    return TiledView(Array(_reordered(array.values, order)), shape, "UNDETERMINED").num_tiles(axis)


def _reordered(values: np.ndarray, order) -> np.ndarray:
    return values if order == "C" else values.T if order == "F" else values.transpose(order)


# ---- access by index ----


def _places(array, indices, others):
    """The indices of each element of the result, as one array per axis, with `others` broadcast to their shape, and
    where they are inside of the array."""
    indices = indices if isinstance(indices, tuple) else (indices,)
    tiles = [as_tile(i).values.astype(object) for i in indices]
    broadcast = np.broadcast_arrays(*tiles, *others)
    places, others = broadcast[: len(tiles)], broadcast[len(tiles) :]
    inside = np.ones(places[0].shape, bool)
    for place, size in zip(places, array.values.shape, strict=True):
        inside &= np.array((place >= 0) & (place < size), bool)
    return places, inside, others


def gather(array, indices, /, *, mask=None, padding_value=0, check_bounds=True, **hints) -> Tile:
    padding = scalar(padding_value, array.dtype).values
    mask = np.array(True) if mask is None else as_tile(mask).values
    places, inside, (mask,) = _places(array, indices, [mask])
    if not check_bounds and not inside[mask].all():
        raise Undefined("gather without bounds")
    result = np.broadcast_to(padding, inside.shape).copy()
    for at in itertools.product(*map(range, inside.shape)):
        if mask[at] and inside[at]:
            result[at] = array.values[tuple(int(p[at]) for p in places)]
    return Tile(result, array.dtype)


def scatter(array, indices, value, /, *, mask=None, check_bounds=True, **hints) -> None:
    mask = np.array(True) if mask is None else as_tile(mask).values
    places, inside, (values, mask) = _places(array, indices, [scalar(value, array.dtype).values, mask])
    if not check_bounds and not inside[mask].all():
        raise Undefined("scatter without bounds")
    for at in itertools.product(*map(range, inside.shape)):
        if mask[at] and inside[at]:
            array.values[tuple(int(p[at]) for p in places)] = values[at]


def _atomic(name: str):
    def function(array, indices, update, /, **hints) -> Tile:
        places, inside, (values,) = _places(array, indices, [scalar(update, array.dtype).values])
        old = values.copy()
        for at in itertools.product(*map(range, inside.shape)):
            if inside[at]:
                place = tuple(int(p[at]) for p in places)
                old[at] = array.values[place]
                both = (Tile(np.array(v, array.dtype.numpy), array.dtype) for v in (old[at], values[at]))
                array.values[place] = MODIFY[name](*both).values
        return Tile(old, array.dtype)

    return function


ATOMICS = {f"atomic_{name}": _atomic(name) for name in MODIFY}
