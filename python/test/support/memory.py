# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory: pointers, views, atomics, globals, memory of a block."""

from __future__ import annotations

from itertools import product

from .question import ALL_INTEGERS, ELEMENTS, Give, Memory, Question, Take, ir, tile
from .shapes import literals

ORDERS = ["weak", "relaxed", "acquire", "release", "acq_rel"]
SCOPES = ["tl_blk", "device", "sys"]
ORDERED = [("weak",), *product(ORDERS[1:], SCOPES)]
PADDINGS = ["", "zero", "neg_zero", "nan", "pos_inf", "neg_inf"]
FUNCTIONS = ["and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg"]
MULTICAST = ", <multicast>"
N = 32


def pointer_tile(element: str) -> str:
    return f"tile<{N}xptr<{ir(element)}>>"


def addresses(element: str) -> str:
    """%ps: the first N elements behind %p; %m: every other of them."""
    scalar = f"tile<ptr<{ir(element)}>>"
    pair, many = scalar.replace("tile<", "tile<1x"), pointer_tile(element)
    return (
        f"%o = iota : tile<{N}xi32>\n%m = trunci %o : tile<{N}xi32> -> tile<{N}xi1>\n"
        f"%p1 = reshape %p : {scalar} -> {pair}\n%pn = broadcast %p1 : {pair} -> {many}\n"
        f"%ps = offset %pn, %o : {many}, tile<{N}xi32> -> {many}\n"
    )


def through_pointers():
    for element in ELEMENTS:
        whole, mask, many = tile(element, (N,)), f"tile<{N}xi1>", pointer_tile(element)
        given, source = (Give("r", element, (N,)),), (Memory("p", element, N),)
        start = addresses(element)
        for order in ORDERED:
            body = f"{start}%r, %t = load_ptr_tko {' '.join(order)} %ps : {many} -> {whole}, token"
            yield Question("load_ptr_tko", element, order, body, (), given, source)
            body = f"{start}%t = store_ptr_tko {' '.join(order)} %ps, %v : {many}, {whole} -> token"
            yield Question("store_ptr_tko", element, order, body, (Take("v", element, (N,)),), (), source)
        other = (Take("v", element, (N,)),)
        body = f"{start}%l, %t = load_ptr_tko weak %ps, %m : {many}, {mask} -> {whole}, token\n"
        body += f"%r = select %m, %l, %v : {mask}, {whole}"
        yield Question("load_ptr_tko", element, ("mask",), body, other, given, source)
        body = f"{start}%r, %t = load_ptr_tko weak %ps, %m, %v : {many}, {mask}, {whole} -> {whole}, token"
        yield Question("load_ptr_tko", element, ("mask", "padding"), body, other, given, source)
        body = f"{start}%k = make_token : token\n%r, %t = load_ptr_tko weak %ps token=%k : {many} -> {whole}, token"
        yield Question("load_ptr_tko", element, ("token",), body, (), given, source)
        body = f"{start}%t = store_ptr_tko weak %ps, %v, %m : {many}, {whole}, {mask} -> token"
        yield Question("store_ptr_tko", element, ("mask",), body, other, (), source)
        body = f"{start}%k = make_token : token\n%t = store_ptr_tko weak %ps, %v token=%k : {many}, {whole} -> token"
        yield Question("store_ptr_tko", element, ("token",), body, other, (), source)


def atomic_pointers():
    for element in ELEMENTS:
        whole, mask, many = tile(element, (N,)), f"tile<{N}xi1>", pointer_tile(element)
        start, types = addresses(element), f"{many}, {whole}"
        options = [(order, "", "") for order in [("weak", "device"), *ORDERED[1:]]]
        options += [(("relaxed", "device"), ", %m", ""), (("relaxed", "device"), "", " token=%k")]
        within = "number" if element in ("f16", "bf16", "f32", "f64") else "bits"
        for function, (order, masked, token) in product(FUNCTIONS, options):
            close = within if function == "addf" else "bits"
            body = start + "%k = make_token : token\n"
            body += f"%r, %t = atomic_rmw_tko {' '.join(order)} %ps, {function}, %v{masked}{token} : {types}" \
                    f"{', ' + mask if masked else ''} -> {whole}, token"  # fmt: skip
            mode = ("mask",) if masked else ("token",) if token else order
            yield Question(f"atomic_rmw_tko {function}", element, mode, body, (Take("v", element, (N,)),),
                           (Give("r", element, (N,)),), (Memory("p", element, N, within=close),))  # fmt: skip
        # Every other element is the expected one.
        seen, expected = (1, 0, 1, 1), (1, 1, 0, 1)
        for order, masked, token in options:
            body = start + "%k = make_token : token\n"
            body += f"%r, %t = atomic_cas_tko {' '.join(order)} %ps, %c, %v{masked}{token} : {types}" \
                    f"{', ' + mask if masked else ''} -> {whole}, token"  # fmt: skip
            takes = Take("c", element, (N,), expected), Take("v", element, (N,))
            mode = ("mask",) if masked else ("token",) if token else order
            yield Question("atomic_cas_tko", element, mode, body, takes, (Give("r", element, (N,)),),
                           (Memory("p", element, N, seen),))  # fmt: skip


# Views of a tensor of 6x12, and an index where tiles lie partly outside of it.
VIEWS = {
    "partition_view": ("partition_view<tile=(4x8), {padding}{tensor}>", "%one, %one", "tile<i32>"),
    "partition_view turned": (
        "partition_view<tile=(4x8), {padding}{tensor}, dim_map=[1, 0]>",
        "%two, %zero",
        "tile<i32>",
    ),
    "strided_view": (
        "strided_view<tile=(4x8), traversal_strides=[3,2], {padding}{tensor}>",
        "%one, %three",
        "tile<i32>",
    ),
    "gather_scatter_view": (
        "gather_scatter_view<tile=(4x8), {padding}{tensor}, sparse_dim=0>",
        "%rows, %eight",
        "tile<4xi32>, tile<i32>",
    ),
}
EXTENTS, TILE = (6, 12), (4, 8)
INDICES = "".join(f"%{name} = constant <i32: {value}> : tile<i32>\n"
                  for name, value in (("one", 1), ("two", 2), ("three", 3), ("eight", 8)))  # fmt: skip
INDICES += "%rows = constant <i32: [5, 0, 7, 2]> : tile<4xi32>\n"


def made_view(kind: str, element: str, padding: str = "", multicast: bool = False):
    """Text that makes %w, its type, the index and its types."""
    attribute = ", #cuda_tile.ptr_attr<multicast>" if multicast else ""
    tensor = f"tensor_view<6x12x{ir(element)}, strides=[12,1]{attribute}>"
    view, index, types = VIEWS[kind]
    view = view.format(padding=f"padding_value = {padding}, " if padding else "", tensor=tensor)
    base = f"tile<ptr<{ir(element)}{MULTICAST}>> -> " if multicast else ""
    text = f"{INDICES}%w0 = make_tensor_view %p, shape = [6, 12], strides = [12, 1] : {base}{tensor}\n"
    return text + f"%w = make_{kind.split()[0]} %w0 : {view}\n", view, index, types


def through_views():
    for element, kind in product(ELEMENTS, VIEWS):
        whole, source = tile(element, TILE), (Memory("p", element, 72),)
        given, taken = (Give("r", element, TILE),), (Take("v", element, TILE),)
        name, turned = kind.split()[0], ("dim_map",) * ("turned" in kind)
        for padding in PADDINGS:
            text, view, index, types = made_view(kind, element, padding)
            body = f"{text}%r, %t = load_view_tko weak %w[{index}] : {view}, {types} -> {whole}, token"
            mode = (*turned, f"padding_value {padding}" if padding else "no padding_value")
            yield Question(f"make_{name}", element, mode, body, (), given, source)
        text, view, index, types = made_view(kind, element)
        inside = {"%one, %one": "%zero, %zero", "%two, %zero": "%zero, %zero", "%one, %three": "%zero, %one"}.get(index)
        variants = [(order, index, "", order) for order in ORDERED] + [(("weak",), index, " token = %k", ("token",))]
        if inside and not turned:
            variants.append((("weak",), inside, " inbounds = [true, true]", ("inbounds",)))
        for order, at, extra, mode in variants:
            body = f"{text}%k = make_token : token\n%r, %t = load_view_tko {' '.join(order)} %w[{at}]{extra} : " \
                   f"{view}, {types} -> {whole}, token"  # fmt: skip
            yield Question(f"load_view_tko of {name}", element, (*turned, *mode), body, (), given, source)
            body = f"{text}%k = make_token : token\n%t = store_view_tko {' '.join(order)} %v, %w[{at}]{extra} : " \
                   f"{whole}, {view}, {types} -> token"  # fmt: skip
            yield Question(f"store_view_tko of {name}", element, (*turned, *mode), body, taken, (), source)
    for element, by in product(ELEMENTS, ALL_INTEGERS):
        tensor = f"tensor_view<?x12x{ir(element)}, strides=[?,1]>"
        view = f"partition_view<tile=(4x8), {tensor}>"
        body = f"%n = trunci %six : tile<i64> -> tile<{by}>\n" if by != "i64" else ""
        body = "%six = constant <i64: 6> : tile<i64>\n%twelve = constant <i64: 12> : tile<i64>\n"
        extent, stride = "%six", "%twelve"
        if by != "i64":
            extent, stride = "%n", "%s"
            body += f"%n = trunci %six : tile<i64> -> tile<{by}>\n%s = trunci %twelve : tile<i64> -> tile<{by}>\n"
        body += f"{INDICES}%w0 = make_tensor_view %p, shape = [{extent}, 12], strides = [{stride}, 1] : tile<{by}> "
        body += f"-> {tensor}\n%w = make_partition_view %w0 : {view}\n"
        body += f"%r, %t = load_view_tko weak %w[%one, %zero] : {view}, tile<i32> -> {tile(element, TILE)}, token"
        yield Question("make_tensor_view", element, (f"extents of {by}",), body, (), (Give("r", element, TILE),),
                       (Memory("p", element, 192),))  # fmt: skip


def shapes_of_views():
    """The type is the one of the results."""
    source = (Memory("p", "f32", 72),)
    for element in ELEMENTS:
        given = Give("r", element, ()), Give("s", element, ())
        for kind in VIEWS:
            text, view, _, _ = made_view(kind, "f32")
            body = f"{text}%r, %s = get_index_space_shape %w : {view} -> {tile(element)}"
            yield Question("get_index_space_shape", element, (kind,), body, (), given, source)
        tensor = "tensor_view<6x?xf32, strides=[12,1]>"
        body = "%n = constant <i32: 12> : tile<i32>\n%w = make_tensor_view %p, shape = [6, %n], strides = [12, 1] : " \
               f"tile<i32> -> {tensor}\n%r, %s = get_tensor_shape %w : {tensor} -> {tile(element)}"  # fmt: skip
        yield Question("get_tensor_shape", element, (), body, (), given, source)


def atomic_views():
    for element, kind, function in product(ELEMENTS, VIEWS, FUNCTIONS):
        text, view, index, types = made_view(kind, element)
        close = "number" if function == "addf" and element in ("f16", "bf16", "f32", "f64") else "bits"
        orders = [("weak", "device"), *ORDERED[1:]] if kind == "partition_view" else [("relaxed", "device")]
        for order in orders:
            body = f"{text}%t = atomic_red_view_tko {' '.join(order)} %w[{index}], {function}, %v : " \
                   f"{tile(element, TILE)}, {view}, {types} -> token"  # fmt: skip
            mode = order if kind == "partition_view" else (kind,)
            yield Question(f"atomic_red_view_tko {function}", element, mode, body, (Take("v", element, TILE),), (),
                           (Memory("p", element, 72, within=close),))  # fmt: skip


def multicast():
    """Of small integers: a multicast object is one copy here."""
    functions = ("add", "min", "max", "and", "or", "xor", "umin", "umax")
    for element in ELEMENTS:
        text, view, index, types = made_view("partition_view", element, multicast=True)
        whole, source = tile(element, TILE), (Memory("p", element, 72, "small", kind=MULTICAST),)
        given, taken = (Give("r", element, TILE),), (Take("v", element, TILE, "small"),)
        for order in ORDERED:
            body = f"{text}%t = multimem_store_view_tko {' '.join(order)} %w, %v[{index}] : "
            body += f"{view}, {whole}, {types} -> token"
            yield Question("multimem_store_view_tko", element, order, body, taken, (), source)
        orders = [("add", order, order) for order in ORDERED]
        for function, order, mode in orders + [(name, ("relaxed", "sys"), (name,)) for name in functions]:
            reduction = f"attributes {{reduction = #cuda_tile.multimem_reduction_kind<{function}>}}"
            ordered = " ".join(order)
            body = f"{text}%r, %t = multimem_load_reduce_view_tko {ordered} %w[{index}] {reduction} : "
            body += f"{view}, {types} -> {whole}, token"
            yield Question("multimem_load_reduce_view_tko", element, mode, body, (), given, source)
            body = f"{text}%t = multimem_reduce_view_tko {ordered} %w, %v[{index}] {reduction} : {view}, {whole}, " \
                   f"{types} -> token"  # fmt: skip
            yield Question("multimem_reduce_view_tko", element, mode, body, taken, (), source)


def whole_view(pointer: str, element: str, count: int) -> tuple[str, str]:
    """Text that makes %w, of which one tile is all elements behind a pointer; and its type."""
    tensor = f"tensor_view<{count}x{ir(element)}, strides=[1]>"
    view = f"partition_view<tile=({count}), {tensor}>"
    made = f"%w0 = make_tensor_view %{pointer}, shape = [{count}], strides = [1] : {tensor}\n"
    return f"{made}%w = make_partition_view %w0 : {view}\n", view


def own_memory():
    for element in ELEMENTS:
        made, view = whole_view("p", element, N)
        whole = tile(element, (N,))
        for mode in ((), ("global",)):
            body = f"%p = alloca num_elem = {N}, alignment = 16 {' '.join(mode)} : tile<ptr<{ir(element)}>>\n{made}"
            body += f"%t = store_view_tko weak %v, %w[%zero] : {whole}, {view}, tile<i32> -> token\n"
            body += f"%r, %u = load_view_tko weak %w[%zero] token = %t : {view}, tile<i32> -> {whole}, token"
            yield Question("alloca", element, mode, body, (Take("v", element, (N,)),), (Give("r", element, (N,)),))
        made, view = whole_view("p", element, 4)
        body = f"%p = get_global @g : tile<ptr<{ir(element)}>>\n{made}" \
               f"%r, %u = load_view_tko weak %w[%zero] : {view}, tile<i32> -> {tile(element, (4,))}, token"  # fmt: skip
        for mode, words in (((), ""), (("private",), "private "), (("constant",), "constant ")):
            numbers = ", ".join(literals(element))
            text = f"global {words}@g alignment = 16 <{ir(element)}: [{numbers}]> : {tile(element, (4,))}"
            for row in ("global", "get_global"):
                yield Question(row, element, mode, body, (), (Give("r", element, (4,)),), globals=text)


def questions():
    for family in (
        through_pointers,
        through_views,
        shapes_of_views,
        own_memory,
        atomic_pointers,
        atomic_views,
        multicast,
    ):
        yield from family()
