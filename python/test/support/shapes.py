# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants, shapes, reductions and scans."""

from __future__ import annotations

from itertools import product

from .question import ALL_FLOATS, ELEMENTS, FLOATS, INTEGERS, UNSIGNED_FLOATS, Give, Question, Take, ir, tile


def one(row, element, mode, body, takes, shape, result=None, **rest):
    return Question(row, element, mode, body, tuple(takes), (Give("r", result or element, shape),), **rest)


def literals(element: str) -> list[str]:
    if element == "i1":
        return ["true", "false", "true", "true"]
    if element in ALL_FLOATS:
        return ["1.0", "2.0", "0.5", "4.0"]
    return ["1", "0", "-1" if element != "ptr" else "16", "2"]


def constants():
    for element in ELEMENTS:
        listed, shape = literals(element), (4,)
        yield one("constant", element, ("one number",), f"%r = constant <{ir(element)}: {listed[0]}> : "
                  f"{tile(element, shape)}", (), shape)  # fmt: skip
        yield one("constant", element, ("list",), f"%r = constant <{ir(element)}: [{', '.join(listed)}]> : "
                  f"{tile(element, shape)}", (), shape)  # fmt: skip
        for extent in (2, 64):
            body = f"%r = iota : {tile(element, (extent,))}"
            yield one("iota", element, (f"of {extent}",), body, (), (extent,))


def moved():
    """Operations that move elements: (row, mode, operation, shapes of operands, shape of the result)."""
    yield "broadcast", ("rows",), "broadcast %a : {0} -> {r}", [(1, 8)], (4, 8)
    yield "broadcast", ("columns",), "broadcast %a : {0} -> {r}", [(4, 1, 2)], (4, 8, 2)
    yield "broadcast", ("both",), "broadcast %a : {0} -> {r}", [(1, 2, 1)], (4, 2, 8)
    yield "permute", ("2 dimensions",), "permute %a [1, 0] : {0} -> {r}", [(4, 8)], (8, 4)
    yield "permute", ("3 dimensions",), "permute %a [2, 0, 1] : {0} -> {r}", [(4, 8, 2)], (2, 4, 8)
    yield "reshape", ("of tiles",), "reshape %a : {0} -> {r}", [(4, 8)], (2, 8, 2)
    yield "reshape", ("of a scalar",), "reshape %a : {0} -> {r}", [()], (1, 1)
    yield "reshape", ("to a scalar",), "reshape %a : {0} -> {r}", [(1,)], ()
    for dim, shape in enumerate([(8, 8), (4, 16)]):
        yield "cat", (f"dimension {dim}",), f"cat %a, %b dim = {dim} : {{0}}, {{1}} -> {{r}}", [(4, 8), (4, 8)], shape
    yield "extract", ("rows",), "extract %a[%one, %zero] : {0} -> {r}", [(4, 8)], (2, 8)
    yield "extract", ("both",), "extract %a[%one, %one] : {0} -> {r}", [(4, 8)], (2, 4)
    yield "insert", ("rows",), "insert %b, %a[%one, %zero] : {1}, {0}", [(4, 8), (2, 8)], (4, 8)
    yield "insert", ("both",), "insert %b, %a[%one, %one] : {1}, {0}", [(4, 8), (2, 4)], (4, 8)


def moving():
    index = "%one = constant <i32: 1> : tile<i32>\n"
    for element in ELEMENTS:
        for row, mode, text, shapes, to in moved():
            types = [tile(element, shape) for shape in shapes]
            body = f"{index}%r = " + text.format(*types, r=tile(element, to))
            takes = [Take(name, element, shape) for name, shape in zip("ab", shapes, strict=False)]
            yield one(row, element, mode, body, takes, to)
        for shape in ((), (4, 8)):
            takes = Take("c", "i1", shape), Take("a", element, shape), Take("b", element, shape)
            body = f"%r = select %c, %a, %b : {tile('i1', shape)}, {tile(element, shape)}"
            yield one("select", element, (), body, takes, shape)


def promises():
    facts = [("div_by", "div_by<16>"), ("div_by every", "div_by<16, every 2 along 0>"), ("bounded", "bounded<0, 48>"),
             ("bounded below", "bounded<0, ?>"), ("same_elements", "same_elements<[1]>")]  # fmt: skip
    for element, (mode, fact) in product(ELEMENTS, facts):
        bounded = "bounded<0, 0>" if mode == "bounded" and element in ("i1", "i4") else fact
        take = Take("a", element, (16,), "counted" if "every" not in mode and element != "ptr" else (16, 32, 0, 48))
        yield one("assume", element, (mode,), f"%r = assume {bounded}, %a : {tile(element, (16,))}", [take], (16,))


# Associative functions of scalars %x and %y of a type, with the identity.
def folds(element: str):
    if element in FLOATS:
        yield "sum", "0.0", "%z = addf %x, %y : {t}"
        yield "product", "1.0", "%z = mulf %x, %y : {t}"
        yield "maximum", "-4.0", "%z = maxf %x, %y : {t}"
        yield "minimum", "4.0", "%z = minf %x, %y propagate_nan : {t}"
    elif element in ALL_FLOATS:
        smallest = "5.877471754111438e-39" if element in UNSIGNED_FLOATS else "-4.0"
        yield "maximum", smallest, ("%i = ftof %x : {t} -> tile<f32>\n%j = ftof %y : {t} -> tile<f32>\n"
               "%l = cmpf less_than ordered %i, %j : tile<f32> -> tile<i1>\n"
               "%z = select %l, %y, %x : tile<i1>, {t}")  # fmt: skip
    elif element in INTEGERS:
        yield "sum", "false" if element == "i1" else "0", "%z = addi %x, %y : {t}"
        yield "product", "true" if element == "i1" else "1", "%z = muli %x, %y : {t}"
        yield "maximum", "false" if element == "i1" else "0", "%z = maxi %x, %y unsigned : {t}"
        yield "and", "true" if element == "i1" else "-1", "%z = andi %x, %y : {t}"
        yield "exclusive or", "false" if element == "i1" else "0", "%z = xori %x, %y : {t}"
    elif element == "i4":
        yield "exclusive or", "0", ("%i = exti %x signed : {t} -> tile<i32>\n%j = exti %y signed : {t} -> tile<i32>\n"
               "%k = xori %i, %j : tile<i32>\n%z = trunci %k : tile<i32> -> {t}")  # fmt: skip


def folding():
    """Of small integers, so that the order does not matter."""
    shape = (4, 16)
    for element in ELEMENTS:
        scalar, whole = tile(element), tile(element, shape)
        typed = f"!cuda_tile.{element}" if element == "fnv8E5M3FNU" else element
        for name, identity, fold in folds(element):
            values = (1, -1, 1, 2, 1, 1, -1) if name == "product" and element not in ("i1", "i4") else "small"
            region = f"(%x: {scalar}, %y: {scalar}) {{\n{fold.format(t=scalar)}\nyield %z : {scalar}\n}}"
            with_identity = f"identities=[{identity}]" if element == "i1" else f"identities=[{identity} : {typed}]"
            for dim, to in enumerate([(16,), (4,)]):
                body = f"%r = reduce %a dim={dim} {with_identity} : {whole} -> {tile(element, to)}\n{region}"
                yield one("reduce", element, (name, f"dimension {dim}"), body, [Take("a", element, shape, values)], to)
                for reverse in ("false", "true"):
                    body = f"%r = scan %a dim={dim} reverse={reverse} {with_identity} : {whole} -> {whole}\n{region}"
                    mode = (name, f"dimension {dim}", *(["reverse"] if reverse == "true" else []))
                    yield one("scan", element, mode, body, [Take("a", element, shape, values)], shape)
        if element in (*INTEGERS, *FLOATS):
            yield from pairs(element, shape)


def pairs(element, shape):
    """Two operands at once: the largest, and where it is."""
    less = "cmpf greater_than ordered %x, %y" if element in FLOATS else "cmpi greater_than %x, %y, signed"
    if element in FLOATS:
        less = less.replace("%x, %y", "%x, %y : {0} -> tile<i1>")
        least = "-8.0"
    else:
        less, least = less + " : {0} -> tile<i1>", "true" if element == "i1" else "-8"
    identities = f"[{least}{'' if element == 'i1' else ' : ' + element}, 99 : i32]"
    scalar = tile(element)
    equal = "cmpf equal ordered %x, %y" if element in FLOATS else "cmpi equal %x, %y, signed"
    region = (
        f"(%x: {scalar}, %y: {scalar}, %i: tile<i32>, %j: tile<i32>) {{\n%g = {less.format(scalar)}\n"
        f"%e = {equal} : {scalar} -> tile<i1>\n%b = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>\n"
        "%f = andi %e, %b : tile<i1>\n%h = ori %g, %f : tile<i1>\n"
        f"%v = select %h, %x, %y : tile<i1>, {scalar}\n%w = select %h, %i, %j : tile<i1>, tile<i32>\n"
        f"yield %v, %w : {scalar}, tile<i32>\n}}"
    )
    takes = Take("a", element, shape, "small"), Take("n", "i32", shape, tuple(range(64)))
    whole, indices = tile(element, shape), tile("i32", shape)
    for row, to, extra in (("reduce", (4,), ""), ("scan", shape, "reverse=false ")):
        results = f"{tile(element, to)}, {tile('i32', to)}"
        body = f"%r, %s = {row} %a, %n dim=1 {extra}identities={identities} : {whole}, {indices} -> {results}\n{region}"
        yield Question(row, element, ("two operands",), body, takes, (Give("r", element, to), Give("s", "i32", to)))


def questions():
    for family in (constants, moving, promises, folding):
        yield from family()
