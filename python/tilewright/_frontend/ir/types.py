# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of Tile IR. They are named tuples, of which the classes are made in a sixth of the time of dataclasses."""

from __future__ import annotations

import functools
from typing import NamedTuple, Union

from tilewright.dtypes import DType
from tilewright.modes import PaddingMode


class TokenType:
    """Of values that order memory accesses."""


class TileType(NamedTuple):
    """A tile of numbers or, with the dtype of a pointer, of addresses."""

    dtype: DType
    shape: tuple[int, ...]


class TensorViewType(NamedTuple):
    """An array in memory; an extent or stride is None where it is known at run time only."""

    dtype: DType
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]


class PartitionViewType(NamedTuple):
    """An array in tiles beside each other; `order` has the axis of the array for each of the tile."""

    view: TensorViewType
    tile: tuple[int, ...]
    order: tuple[int, ...]
    padding: PaddingMode


class StridedViewType(NamedTuple):
    """An array in tiles that begin `steps` elements from each other."""

    view: TensorViewType
    tile: tuple[int, ...]
    steps: tuple[int, ...]
    padding: PaddingMode


class GatherScatterViewType(NamedTuple):
    """An array of which a tile takes single rows along `sparse_axis`."""

    view: TensorViewType
    tile: tuple[int, ...]
    sparse_axis: int
    padding: PaddingMode


class EntryType(NamedTuple):
    """The type of an entry, which returns nothing."""

    arguments: tuple[Type, ...]


Type = Union[  # noqa: UP007
    TokenType, TileType, TensorViewType, PartitionViewType, StridedViewType, GatherScatterViewType, EntryType
]

TOKEN = TokenType()


@functools.cache
def tile_type(dtype: DType, shape: tuple[int, ...]) -> TileType:
    """One object for each of the few types that a program has."""
    return TileType(dtype, shape)


def element_of(type: Type) -> DType | None:
    """The dtype of the elements of a tile, of what its addresses point to, or of the array behind a view."""
    if isinstance(type, (PartitionViewType, StridedViewType, GatherScatterViewType)):
        type = type.view
    dtype = getattr(type, "dtype", None)
    return dtype.pointee if dtype is not None and dtype.is_pointer else dtype
