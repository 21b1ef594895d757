# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types as data. A module has its own table of types, so a type here is what to enter into one."""

from dataclasses import dataclass, field
from enum import Enum

import cuda.tile._bytecode as writer
from cuda.tile._bytecode import BytecodeVersion, PaddingValue, PtrAttr
from cuda.tile._bytecode import SimpleType as E

V1, V2, V3, V4, V5 = BytecodeVersion

INTS = (E.I1, E.I8, E.I16, E.I32, E.I64)
FLOATS = (E.F16, E.BF16, E.F32, E.F64)
FP8 = (E.F8E4M3FN, E.F8E5M2)
STORED_FLOATS = (E.TF32, *FP8, E.F8E8M0FNU, E.F4E2M1FN, E.FNV8E5M3FNU)
ANY_INT = (*INTS, E.I4)
ANY_FLOAT = (*FLOATS, *STORED_FLOATS)
NUMBERS = (*ANY_INT, *ANY_FLOAT)

SINCE = {E.F8E8M0FNU: V2, E.F4E2M1FN: V3, E.I4: V3, E.FNV8E5M3FNU: V4}
BITS = {E.I1: 1, E.I4: 4, E.F4E2M1FN: 4}
BITS |= dict.fromkeys((E.I8, *FP8, E.F8E8M0FNU, E.FNV8E5M3FNU), 8)
BITS |= dict.fromkeys((E.I16, E.F16, E.BF16), 16)
BITS |= dict.fromkeys((E.I32, E.F32), 32) | dict.fromkeys((E.I64, E.F64), 64) | {E.TF32: 19}


class LaterPtrAttr(Enum):
    """Kinds of pointers that 13.5 adds; the writer passes them on though it does not list them."""

    Unicast = b"\x01"
    Multicast = b"\x02"


class Type:
    """`since` is the first version that has the type, `write` enters it into a table."""

    since = V1

    def write(self, table):
        raise NotImplementedError

    def __str__(self):
        parts = [show(value) for value in vars(self).values() if value is not None]
        return f"{type(self).__name__}<{', '.join(filter(None, parts))}>"


def show(value):
    """A type, an element type, an attribute or a list of such in short."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, Enum):
        return "" if value.name == "Missing" else value.name.lower()
    return str(value)


def element_since(element):
    return element.since if isinstance(element, Type) else SINCE.get(element, V1)


def write_element(element, table):
    return element.write(table) if isinstance(element, Type) else table.simple(element)


@dataclass(frozen=True)
class Token(Type):
    def write(self, table):
        return table.Token


@dataclass(frozen=True)
class Ptr(Type):
    pointee: E
    kind: PtrAttr | LaterPtrAttr = PtrAttr.Missing

    @property
    def since(self):
        later = {PtrAttr.Missing: V1, PtrAttr.Default: V4}
        return max(element_since(self.pointee), later.get(self.kind, V5))

    def write(self, table):
        return table.pointer(write_element(self.pointee, table), self.kind)


@dataclass(frozen=True)
class Tile(Type):
    element: E | Ptr
    shape: tuple = ()

    @property
    def since(self):
        return element_since(self.element)

    def write(self, table):
        return table.tile(write_element(self.element, table), self.shape)


@dataclass(frozen=True)
class TensorView(Type):
    """None is a dynamic extent or stride."""

    element: E
    shape: tuple
    strides: tuple
    kind: PtrAttr | LaterPtrAttr = PtrAttr.Missing

    @property
    def since(self):
        return Ptr(self.element, self.kind).since

    def write(self, table):
        dynamic = [tuple(writer.DYNAMIC_SHAPE if x is None else x for x in xs) for xs in (self.shape, self.strides)]
        return table.tensor_view(write_element(self.element, table), *dynamic, self.kind)


@dataclass(frozen=True)
class PartitionView(Type):
    tile: tuple
    tensor: TensorView
    dim_map: tuple = field(default=None)
    padding: PaddingValue = PaddingValue.Missing

    @property
    def since(self):
        return self.tensor.since

    @property
    def index_types(self):
        return (Tile(E.I32),) * len(self.tensor.shape)

    @property
    def order(self):
        return tuple(range(len(self.tile))) if self.dim_map is None else self.dim_map

    def write(self, table):
        return table.partition_view(self.tile, self.tensor.write(table), self.order, self.padding)


@dataclass(frozen=True)
class StridedView(PartitionView):
    traversal: tuple = ()

    @property
    def since(self):
        return max(V3, self.tensor.since)

    def write(self, table):
        return table.strided_view(self.tile, self.traversal, self.tensor.write(table), self.order, self.padding)


@dataclass(frozen=True)
class GatherScatterView(Type):
    tile: tuple
    tensor: TensorView
    sparse_dim: int = 0
    padding: PaddingValue = PaddingValue.Missing

    @property
    def since(self):
        return max(V3, self.tensor.since)

    @property
    def index_types(self):
        index = [Tile(E.I32)] * len(self.tile)
        index[self.sparse_dim] = Tile(E.I32, (self.tile[self.sparse_dim],))
        return tuple(index)

    def write(self, table):
        return table.gather_scatter_view(self.tile, self.tensor.write(table), self.sparse_dim, self.padding)


TOKEN = Token()
I32 = Tile(E.I32)
BOOL = Tile(E.I1)
