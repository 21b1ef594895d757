# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of shapes, constants, views, memory, atomics, tokens and what a kernel says about itself."""

from dataclasses import replace
from itertools import product
from math import prod

from cuda.tile._bytecode import AtomicRMWMode as Mode
from cuda.tile._bytecode import Bounded, DivBy, MultimemReductionKind, PtrAttr
from cuda.tile._bytecode import LoadStoreHints as Hints
from cuda.tile._bytecode import MemoryOrderingSemantics as Order
from cuda.tile._bytecode import MemoryScope as Scope
from cuda.tile._bytecode import PaddingValue as Padding
from cuda.tile._bytecode.attribute import make_load_store_hints

from .arithmetic import CONSTANTS, tiles
from .table import FLAG, Row
from .types import (
    ANY_INT,
    BOOL,
    FLOATS,
    I32,
    INTS,
    NUMBERS,
    TOKEN,
    V1,
    V2,
    V3,
    V4,
    V5,
    E,
    GatherScatterView,
    LaterPtrAttr,
    PartitionView,
    Ptr,
    StridedView,
    TensorView,
    Tile,
)

MAYBE_TOKEN = [None, TOKEN]
IN_MEMORY = CONSTANTS  # all but i4
ORDERED = [Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL]


def shapes():
    numbers = [Tile(e, (4, 2)) for e in NUMBERS]
    for op, pairs in {
        "Broadcast": [((1, 2), (4, 2)), ((1, 1, 1), (2, 1, 4))],
        "Reshape": [((4, 2), (8,)), ((8,), (2, 1, 4)), ((1, 1), ())],
    }.items():
        yield Row(
            op,
            [
                {"result_type": Tile(e, b), "source": Tile(e, a)}
                for e in (*NUMBERS, Ptr(E.F32))
                for a, b in pairs
                if e != E.F4E2M1FN or prod(a) > 1
            ],
        )
    yield Row(
        "Permute",
        [{"result_type": Tile(e, (2, 8, 4)), "source": Tile(e, (4, 2, 8))} for e in (*NUMBERS, Ptr(E.F32))],
        {"permutation": [(1, 2, 0)]},
    )
    yield Row("Permute", [{"result_type": t, "source": t} for t in numbers], {"permutation": [(0, 1)]})
    for dim, result in enumerate([(8, 2), (4, 4)]):
        yield Row(
            "Cat", [{"result_type": Tile(t.element, result), "lhs": t, "rhs": t} for t in numbers], {"dim": [dim]}
        )
    corners = [{"result_type": Tile(t.element, (2, 2)), "source": t, "indices": (I32, I32)} for t in numbers]
    yield Row("Extract", corners)
    yield Row(
        "Insert",
        [
            {"result_type": t, "source": Tile(t.element, (2, 2)), "destination": t, "indices": (I32, I32)}
            for t in numbers
        ],
        since=V4,
    )
    yield Row("Iota", [{"result_type": Tile(e, (n,))} for e in INTS for n in (1, 2, 128) if e != E.I1 or n < 4])
    yield Row(
        "Assume",
        [{"result_type": t, "value": t} for e in INTS for t in (Tile(e), Tile(e, (4, 8)))],
        {"predicate": [DivBy(1), DivBy(16), Bounded(None, None), Bounded(0, None), Bounded(None, 0), Bounded(0, 0)]},
    )
    yield Row(
        "Assume",
        [{"result_type": t, "value": t} for t in (*tiles(ANY_INT, ((4, 8),)), Tile(Ptr(E.F32), (4, 8)))],
        {"predicate": [DivBy(8, 4, 0), DivBy(8, 1, 1), DivBy(4)]},
    )
    yield Row(
        "Assume", [{"result_type": Tile(Ptr(e)), "value": Tile(Ptr(e))} for e in IN_MEMORY], {"predicate": [DivBy(16)]}
    )


def contiguous(element, *shape):
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent if extent and strides[0] else None)
    return TensorView(element, shape, tuple(strides))


def paddings(element):
    return list(Padding) if element in FLOATS else [Padding.Missing, Padding.Zero]


def views():
    yield Row(
        "MakeTensorView",
        [
            {"result_type": t, "base": Tile(Ptr(t.element, t.kind)), "dynamicShape": shape, "dynamicStrides": strides}
            for t, shape, strides in tensors()
        ],
    )
    for op, view in ("Partition", partition_views), ("Strided", strided_views), ("GatherScatter", gather_views):
        yield Row(f"Make{op}View", [{"result_type": v, "tensor_view": v.tensor} for v in view()])
    yield Row(
        "GetTensorShape",
        [{"result_types": (Tile(i),) * len(t.shape), "src": t} for t, i in queried(tensors()) if t.shape],
    )
    every = [(view,) for views in (partition_views, strided_views) for view in views()]
    yield Row(
        "GetIndexSpaceShape", [{"result_types": (Tile(i),) * len(v.index_types), "src": v} for v, i in queried(every)]
    )


def queried(sources):
    """Each with one of the integer types in turn, and the first with all of them."""
    sources = [source[0] for source in sources]
    indices = INTS[1:]
    return [(sources[0], i) for i in indices] + [(s, indices[n % len(indices)]) for n, s in enumerate(sources)]


def tensors():
    """(type, types of the dynamic extents, of the dynamic strides)"""
    for e in IN_MEMORY:
        yield TensorView(e, (16, 32), (32, 1)), (), ()
    for i in INTS[1:]:
        yield TensorView(E.F32, (None,), (1,)), (Tile(i),), ()
    for kind in (PtrAttr.Default, *LaterPtrAttr):
        yield TensorView(E.F32, (8,), (1,), kind), (), ()
    yield TensorView(E.F32, (), ()), (), ()
    yield TensorView(E.F32, (None, 8, None), (None, None, 1)), (Tile(E.I64),) * 2, (Tile(E.I64),) * 2
    yield TensorView(E.F16, (1, 7, 2**40), (None, 1, None)), (), (I32, I32)


def partition_views():
    for e in IN_MEMORY:
        for padding in paddings(e):
            yield PartitionView((4, 8), contiguous(e, 16, 32), None, padding)
    for tile, tensor, dim_map in (
        ((8,), contiguous(E.F32, None), None),
        ((), contiguous(E.F32), None),
        ((8, 4), contiguous(E.F32, 16, None), (1, 0)),
        ((1, 2, 4), contiguous(E.I8, 4, 4, 4), (2, 0, 1)),
    ):
        if tile:
            yield PartitionView(tile, tensor, dim_map)


def strided_views():
    for e in IN_MEMORY:
        for padding in paddings(e):
            yield StridedView((4, 8), contiguous(e, 16, 32), None, padding, (2, 16))
    yield StridedView((8, 4), contiguous(E.F32, 16, None), (1, 0), Padding.Missing, (1, 1))
    yield StridedView((8,), contiguous(E.F32, None), None, Padding.Zero, (3,))


def gather_views():
    for e in IN_MEMORY:
        for padding in paddings(e):
            yield GatherScatterView((4, 8), contiguous(e, 16, 32), 0, padding)
    yield GatherScatterView((4, 8), contiguous(E.F32, 16, None), 1)


def hints():
    """Each known hint, by itself and together, for several machines."""
    one = Hints(latency=1), Hints(latency=10), Hints(allow_tma=False), Hints(latency=4, allow_tma=False), Hints()
    yield None
    for hint in one:
        yield make_load_store_hints({"sm_100": hint})
    yield make_load_store_hints({"sm_90": one[0], "sm_120": one[2]})
    yield make_load_store_hints({"default": one[3]})
    yield make_load_store_hints({})


def latencies():
    yield None
    yield make_load_store_hints({"sm_100": Hints(latency=3)})


def scoped(*orders):
    """(ordering, scope): weak has no scope, the others have one."""
    return [(Order.WEAK, None)] * (Order.WEAK in orders) + list(product([o for o in orders if o != Order.WEAK], Scope))


def accesses():
    loads, stores = scoped(Order.WEAK, Order.RELAXED, Order.ACQUIRE), scoped(Order.WEAK, Order.RELAXED, Order.RELEASE)
    for order, scope in loads:
        yield from load_store_rows(order, scope, is_load=True)
    for order, scope in stores:
        yield from load_store_rows(order, scope, is_load=False)


def load_store_rows(order, scope, is_load):
    fixed = {"memory_ordering_semantics": [order], "memory_scope": [scope]}
    is_weak = order == Order.WEAK
    # Everything else is varied under the weak ordering; under the others one type and few options do.
    elements = IN_MEMORY if is_weak else [E.F32]
    data, address = ("result_type", "source") if is_load else ("value", "destination")
    pointer_tiles = [(Tile(e, s), Tile(Ptr(e), s)) for e in elements for s in ((), (4, 2)) if e != E.F4E2M1FN]
    for mask, padding in ((False, False), (True, False), (True, True)):
        if padding and not is_load:
            continue
        extra = {"result_token_type": TOKEN}
        signatures = []
        for value, pointers in pointer_tiles:
            more = {"mask": Tile(E.I1, value.shape) if mask else None}
            if is_load:
                more["paddingValue"] = value if padding else None
            signatures.append({data: value, address: pointers} | extra | more)
        yield Row(
            "LoadPtrTko" if is_load else "StorePtrTko",
            signatures,
            fixed | {"token": MAYBE_TOKEN, "optimization_hints": list(latencies()) if is_weak else [None]},
        )

    options = fixed | {"token": MAYBE_TOKEN, "optimization_hints": list(hints()) if is_weak else [None]}
    tile, op = ("tile_type", "LoadViewTko") if is_load else ("tile", "StoreViewTko")
    for view in accessed_views(elements):
        signature = {
            tile: Tile(view.tensor.element, view.tile),
            "result_token_type": TOKEN,
            "view": view,
            "index": view.index_types,
        }
        rich = is_weak and view.tensor.element == E.F32
        yield Row(
            op,
            [signature],
            options | {"inbounds": inbounds(view)} | ({} if rich else {"optimization_hints": [None]}),
            option_since=access_since,
        )


def tiled_views(e):
    return PartitionView((4, 8), contiguous(e, 16, 32)), StridedView(
        (4, 8), contiguous(e, 16, 32), None, Padding.Missing, (2, 16)
    )


def accessed_views(elements):
    for e in elements:
        yield from tiled_views(e)
        yield GatherScatterView((4, 8), contiguous(e, 16, 32))


def inbounds(view):
    count = len(view.index_types)
    return [(False,) * count, (True,) + (False,) * (count - 1), (True,) * count]


def access_since(name, value):
    if name == "inbounds" and any(value):
        return V4
    # NVIDIA's reader takes hints for all machines from any version, its front end writes them from 13.3 on.
    if name == "optimization_hints" and value and "default" in dict(value.hints_by_arch):
        return V3
    return V1


WORDS = (E.I32, E.I64)
MODES = {
    **dict.fromkeys((Mode.AND, Mode.OR, Mode.XOR, Mode.ADD, Mode.MAX, Mode.MIN, Mode.UMAX, Mode.UMIN), WORDS),
    Mode.ADDF: FLOATS,
    Mode.XCHG: (*WORDS, E.F32, E.F64),
}


def atomics():
    for shape in ((), (4, 2)):
        mask = [None, Tile(E.I1, shape)]
        ordering = {"memory_ordering_semantics": ORDERED, "memory_scope": list(Scope)}
        common = {"mask": mask, "token": MAYBE_TOKEN} | ordering
        for mode, elements in MODES.items():
            for e in elements:
                value = Tile(e, shape)
                signature = {
                    "result_type": value,
                    "result_token_type": TOKEN,
                    "pointers": Tile(Ptr(e), shape),
                    "arg": value,
                }
                yield Row("AtomicRMWTko", [signature], common | {"mode": [mode]})
        for e in (*WORDS, E.F32, E.F64):
            value = Tile(e, shape)
            signature = {"result_type": value, "result_token_type": TOKEN, "pointers": Tile(Ptr(e), shape)}
            yield Row("AtomicCASTko", [signature | {"cmp": value, "val": value}], common)
    for mode, elements in MODES.items():
        if mode == Mode.XCHG:
            continue
        for e in elements:
            for view in tiled_views(e):
                value = Tile(e, view.tile)
                yield Row(
                    "AtomicRedViewTko",
                    [{"result_token_type": TOKEN, "view": view, "index": view.index_types, "value": value}],
                    {
                        "token": MAYBE_TOKEN,
                        "memory_ordering_semantics": [Order.RELAXED],
                        "memory_scope": [Scope.DEVICE, Scope.TL_BLK],
                        "mode": [mode],
                        "inbounds": inbounds(view),
                    },
                    V3,
                    option_since=lambda name, value: V5 if name == "inbounds" and any(value) else V3,
                )


def multimem():
    Kind = MultimemReductionKind
    kinds = dict.fromkeys(Kind, WORDS) | {Kind.ADD: (*WORDS, *FLOATS)}
    loaded = kinds | dict.fromkeys((Kind.MIN, Kind.MAX), (*WORDS, E.F16, E.BF16))
    for e in (*WORDS, *FLOATS):
        view = PartitionView((4, 8), replace(contiguous(e, 16, 32), kind=LaterPtrAttr.Multicast))
        tile = Tile(e, view.tile)
        place = {"result_token_type": TOKEN, "view": view, "index": view.index_types}
        common = {"token": MAYBE_TOKEN, "inbounds": inbounds(view)}
        reduction, load_reduction = (
            {"reduction": [kind for kind, elements in table.items() if e in elements]} for table in (kinds, loaded)
        )

        def ordered(order, scope):
            return {"memory_ordering_semantics": [order], "memory_scope": [scope]}

        for order, scope in scoped(Order.WEAK, Order.RELAXED, Order.ACQUIRE):
            yield Row(
                "MultimemLoadReduceViewTko",
                [place | {"reduced_values_type": tile}],
                common | load_reduction | ordered(order, scope),
                V5,
            )
        for order, scope in scoped(Order.RELAXED, Order.RELEASE):
            yield Row("MultimemReduceViewTko", [place | {"tile": tile}], common | reduction | ordered(order, scope), V5)
        for order, scope in scoped(Order.WEAK, Order.RELAXED, Order.RELEASE):
            yield Row("MultimemStoreViewTko", [place | {"tile": tile}], common | ordered(order, scope), V5)


def tokens():
    yield Row("MakeToken", [{"result_type": TOKEN}])
    yield Row("JoinTokens", [{"result_type": TOKEN, "tokens": (TOKEN,) * n} for n in (2, 3)])
    for op in ("GdcLaunchDependentsTko", "GdcWaitTko"):
        yield Row(op, [{"result_token_type": TOKEN}], {"token": MAYBE_TOKEN}, V4)
    yield Row("MemoryFenceAliasTko", [{"result_token_type": TOKEN, "token": TOKEN}], {}, V4)


def rest():
    yield Row(
        "Offset",
        [
            {"result_type": Tile(Ptr(e), s), "ptr": Tile(Ptr(e), s), "offset": Tile(i, s)}
            for e in IN_MEMORY
            for i in INTS
            for s in ((), (4, 2))
            if e != E.F4E2M1FN or not s
        ],
    )
    yield Row(
        "Alloca",
        [{"result_type": Tile(Ptr(e))} for e in IN_MEMORY],
        {"num_elem": [1, 1024], "alignment": [16, 128], "global_": FLAG},
        V3,
    )
    for op, axis in ("GetTileBlockId", "blockId"), ("GetNumTileBlocks", "gridSize"):
        yield Row(op, [{f"{axis}_{letter}_type": I32 for letter in "xyz"}])
    yield Row(
        "Assert", [{"condition": BOOL}, {"condition": Tile(E.I1, (4, 2))}], {"message": ["", 'a "b" \\ ünï\n\t\x00%']}
    )
    # 13.1 printed without tokens.
    printed = ((), (I32,), *((t,) for t in tiles(NUMBERS)), (Tile(E.F32, (4,)), BOOL, Tile(E.I64)))
    for args in printed:
        form = {"str": ["%d " * len(args) + "100%%\n"]}
        yield Row("PrintTko", [{"result_token_type": None, "args": args}], form | {"token": [None]}, until=V1)
        yield Row("PrintTko", [{"result_token_type": TOKEN, "args": args}], form | {"token": MAYBE_TOKEN}, since=V2)


def rows():
    for family in (shapes, views, accesses, atomics, multimem, tokens, rest):
        yield from family()
