# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations, on scalars and on tiles, and matrix products."""

from __future__ import annotations

from itertools import product

from test_numerics_functions import BOUNDS

from .question import ALL_FLOATS, ALL_INTEGERS, ELEMENTS, FLOATS, INTEGERS, Give, Question, Take, ir, tile

SHAPES = ((), (1024,))
ROUNDINGS = ["nearest_even", "zero", "negative_inf", "positive_inf", "approx", "full", "nearest_int_to_zero",
             "nearest_away"]  # fmt: skip
SIGNS = ["signed", "unsigned"]
OVERFLOWS = ["", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"]
PREDICATES = ["equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"]
FLUSH = ["", "flush_to_zero"]


def words(*parts: str) -> tuple:
    return tuple(part for part in parts if part)


def rounding(mode: str) -> str:
    return f"rounding<{mode}>"


def elementwise(row, text, modes=((),), arity=1, result=None, values="any", within="number", elements=ELEMENTS):
    """`text` is the operation of %a, %b, %c, with {mode} and the type {t} of an operand and {r} of the result."""
    for element, mode, shape in product(elements, modes, SHAPES):
        to = result or element
        body = text.format(mode=" ".join(mode), t=tile(element, shape), r=tile(to, shape))
        chosen = values(mode) if callable(values) else values
        takes = tuple(Take(name, element, shape, chosen) for name in "abc"[:arity])
        bound = within(element, mode) if callable(within) else within
        given = Give("r", to, shape, bound)
        if row == "exp" and element == "f32" and rounding("approx") in mode:
            # On GPUs within (2^-22 + 2^-24 |x|) of the result, and zero below 2^-126: docs/nvidia.md.
            given = Give("r", to, shape, 4 + 104, flushes=True)
        yield Question(row, element, mode, f"%r = {body}", takes, (given,))


def numbers_apart(name):
    """The interpreter rounds once, the CPU target stays within its bound."""

    def within(element, mode):
        for word in ("approx", "full"):
            if rounding(word) in mode:
                name_of = f"{name} {word}" if (f"{name} {word}", element) in BOUNDS else name
                return int(BOUNDS[name_of, element]) + 1 if (name_of, element) in BOUNDS else "number"
        return int(BOUNDS[name, element]) + 1 if (name, element) in BOUNDS else "number"

    return within


def integers():
    for name in ("absi", "mulhii", "andi", "ori", "xori"):
        arity = 1 if name == "absi" else 2
        yield from elementwise(name, f"{name} {'%a, %b'[: 4 * arity - 2]} : {{t}}", arity=arity)
    flags = [words(overflow and f"overflow<{overflow}>") for overflow in OVERFLOWS]
    yield from elementwise("negi", "negi %a {mode} : {t}", flags, values=lambda mode: "no_overflow" if mode else "any")
    for name in ("addi", "subi", "muli", "shli"):
        kept = "no_shift_out" if name == "shli" else "no_overflow"
        values = lambda mode, kept=kept: kept if mode else "any"  # noqa: E731
        yield from elementwise(name, f"{name} %a, %b {{mode}} : {{t}}", flags, 2, values=values)
    signs = [(sign,) for sign in SIGNS]
    for name in ("maxi", "mini", "remi", "shri"):
        yield from elementwise(name, f"{name} %a, %b {{mode}} : {{t}}", signs, 2)
    divisions = [(sign, rounding(mode)) for sign, mode in product(SIGNS, ROUNDINGS)]
    yield from elementwise("divi", "divi %a, %b {mode} : {t}", divisions, 2)
    for predicate, sign in product(PREDICATES, SIGNS):
        text = f"cmpi {predicate} %a, %b, {sign} : {{t}} -> {{r}}"
        yield from elementwise("cmpi", text, [(predicate, sign)], 2, result="i1")


def floats():
    for name in ("absf", "negf"):
        yield from elementwise(name, f"{name} %a : {{t}}", within="bits")
    for name in ("ceil", "floor"):
        yield from elementwise(name, f"{name} %a : {{t}}")
    rounded = [words(rounding(mode), flush) for mode, flush in product(ROUNDINGS, FLUSH)]
    for name in ("addf", "subf", "mulf", "divf"):
        yield from elementwise(name, f"{name} %a, %b {{mode}} : {{t}}", rounded, 2, within=numbers_apart(name))
    yield from elementwise("fma", "fma %a, %b, %c {mode} : {t}", rounded, 3)
    yield from elementwise("remf", "remf %a, %b : {t}", arity=2)
    for name in ("maxf", "minf"):
        modes = [words(*flags) for flags in product(FLUSH, ("", "propagate_nan"))]
        yield from elementwise(name, f"{name} %a, %b {{mode}} : {{t}}", modes, 2)
    for predicate, order in product(PREDICATES, ("ordered", "unordered")):
        text = f"cmpf {predicate} {order} %a, %b : {{t}} -> {{r}}"
        yield from elementwise("cmpf", text, [(predicate, order)], 2, result="i1")


def functions():
    for name in ("cos", "cosh", "sin", "sinh", "tan", "log", "log2"):
        yield from elementwise(name, f"{name} %a : {{t}}", within=numbers_apart(name))
    for name in ("exp2", "rsqrt"):
        flags = [words(flush) for flush in FLUSH]
        yield from elementwise(name, f"{name} %a {{mode}} : {{t}}", flags, within=numbers_apart(name))
    modes = [(rounding(mode),) for mode in ROUNDINGS]
    for name in ("exp", "tanh"):
        yield from elementwise(name, f"{name} %a {{mode}} : {{t}}", modes, within=numbers_apart(name))
    rounded = [words(rounding(mode), flush) for mode, flush in product(ROUNDINGS, FLUSH)]
    yield from elementwise("sqrt", "sqrt %a {mode} : {t}", rounded, within=numbers_apart("sqrt"))
    for name in ("atan2", "fpowf"):
        yield from elementwise(name, f"{name} %a, %b : {{t}}", arity=2, within=numbers_apart(name))
    for element, exponent, shape in product(ELEMENTS, ALL_INTEGERS, SHAPES):
        body = f"%r = fpowi %a, %b : {tile(element, shape)}, {tile(exponent, shape)}"
        takes = Take("a", element, shape), Take("b", exponent, shape)
        gives = (Give("r", element, shape, numbers_apart("fpowi")(element, ())),)
        yield Question("fpowi", element, (f"by {exponent}",), body, takes, gives)


def converted(name, sources, results, modes=((),), values="any", within="number"):
    """A row for each type converted from, the columns are the types converted to."""
    for source, to, mode, shape in product(sources, results, modes, SHAPES):
        chosen = values(mode) if callable(values) else values
        body = f"%r = {name} %a {' '.join(mode)} : {tile(source, shape)} -> {tile(to, shape)}"
        takes, gives = (Take("a", source, shape, chosen),), (Give("r", to, shape, within),)
        yield Question(f"{name} from {source}", to, mode, body, takes, gives)


def conversions():
    signs = [(sign,) for sign in SIGNS]
    yield from converted("exti", ALL_INTEGERS, ALL_INTEGERS, signs)
    flags = [words(overflow and f"overflow<{overflow}>") for overflow in OVERFLOWS]
    kept = lambda mode: "no_overflow" if mode else "any"  # noqa: E731
    for question in converted("trunci", ALL_INTEGERS, ALL_INTEGERS, flags, values=kept):
        if question.mode:  # of what both types hold
            takes = (Take("a", question.takes[0].element, question.takes[0].shape, (0,)),)
            question = Question(question.row, question.column, question.mode, question.body, takes, question.gives)
        yield question
    roundings = [(rounding(mode),) for mode in ROUNDINGS]
    yield from converted("ftof", ALL_FLOATS, ALL_FLOATS, roundings)
    others = [("signed", rounding(mode)) for mode in ROUNDINGS if mode != "nearest_int_to_zero"]
    to_integer = [words(sign, flag) for sign, flag in product(SIGNS, ("", "saturating"))] + others
    yield from converted("ftoi", ALL_FLOATS, ALL_INTEGERS, to_integer)
    others = [("signed", rounding(mode)) for mode in ROUNDINGS if mode != "nearest_even"]
    yield from converted("itof", ALL_INTEGERS, ALL_FLOATS, signs + others)
    numbers = [element for element in ELEMENTS if element != "ptr"]
    yield from converted("bitcast", numbers, numbers, within="bits")
    for element in numbers:
        width = {"i1": 1, "i4": 4, "f4E2M1FN": 4, "i16": 16, "f16": 16, "bf16": 16, "i32": 32, "f32": 32, "tf32": 32,
                 "i64": 64, "f64": 64}.get(element, 8)  # fmt: skip
        packed = Take("a", "i8", (8 * width,)), f"tile<{8 * width}xi8>"
        unpacked = Take("a", element, (64,)), tile(element, (64,))
        yield Question("pack", element, (), f"%r = pack %a : {unpacked[1]} -> {packed[1]}", unpacked[:1],
                       (Give("r", "i8", packed[0].shape),))  # fmt: skip
        yield Question("unpack", element, (), f"%r = unpack %a : {packed[1]} -> {unpacked[1]}", packed[:1],
                       (Give("r", element, (64,)),))  # fmt: skip


def pointers():
    """The type is the one pointed to; addresses are any numbers."""
    for element, shape in product(ELEMENTS, SHAPES):
        to = tile("i64", shape).replace("i64", f"ptr<{ir(element)}>")
        given = (Give("r", "i64", shape),)
        made = f"%q = int_to_ptr %a : {tile('i64', shape)} -> {to}\n"
        back = f"%r = ptr_to_int %q : {to} -> {tile('i64', shape)}"
        for name in ("int_to_ptr", "ptr_to_int"):
            yield Question(name, element, (), made + back, (Take("a", "i64", shape),), given)
        body = f"%q = ptr_to_ptr %a : {tile('ptr', shape)} -> {to}\n{back}"
        yield Question("ptr_to_ptr", element, (), body, (Take("a", "ptr", shape),), given)
        for by in ALL_INTEGERS:
            body = f"{made}%m = offset %q, %b : {to}, {tile(by, shape)} -> {to}\n{back.replace('%q', '%m')}"
            takes = Take("a", "i64", shape), Take("b", by, shape)
            yield Question("offset", element, (f"by {by}",), body, takes, given)


def products():
    numbers = [element for element in ELEMENTS if element != "ptr"]
    for element, sums, batch in product(numbers, [*INTEGERS, *FLOATS], ("", "batch")):
        lead = (2,) * bool(batch)
        shapes = (*lead, 16, 32), (*lead, 32, 8), (*lead, 16, 8)
        types = ", ".join(tile(e, shape) for e, shape in zip((element, element, sums), shapes, strict=True))
        takes = tuple(Take(n, e, s, "small") for n, e, s in zip("abc", (element, element, sums), shapes, strict=True))
        gives = (Give("r", sums, shapes[2]),)
        for flag in ("", "fast_acc") if sums in FLOATS else ():
            body = f"%r = mmaf %a, %b, %c {flag} : {types}"
            yield Question(f"mmaf into {sums}", element, words(batch, flag), body, takes, gives)
        for lhs, rhs in product(SIGNS, SIGNS) if sums in INTEGERS else ():
            body = f"%r = mmai %a, %b, %c {lhs} {rhs} : {types}"
            mode = words(batch, f"lhs {lhs}", f"rhs {rhs}")
            yield Question(f"mmai into {sums}", element, mode, body, takes, gives)
    for element, scale, sums, block, batch in product(ALL_FLOATS, ALL_FLOATS, FLOATS, (16, 32), ("", "batch")):
        lead = (2,) * bool(batch)
        shapes = (*lead, 16, 64), (*lead, 64, 8), (*lead, 16, 8), (*lead, 16, 64 // block), (*lead, 64 // block, 8)
        elements = element, element, sums, scale, scale
        types = ", ".join(tile(e, shape) for e, shape in zip(elements, shapes, strict=True))
        takes = tuple(Take(n, e, s, "small") for n, e, s in zip("abcde", elements, shapes, strict=True))
        body = f"%r = mmaf_scaled %a, %b, %c, %d, %e : {types}"
        row, mode = f"mmaf_scaled by {scale} into {sums}", words(f"of {block}", batch)
        yield Question(row, element, mode, body, takes, (Give("r", sums, shapes[2]),))


def questions():
    for family in (integers, floats, functions, conversions, pointers, products):
        yield from family()
