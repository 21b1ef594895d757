# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entries, control flow, tokens and debugging."""

from __future__ import annotations

from .memory import addresses, whole_view
from .question import ALL_FLOATS, ELEMENTS, Give, Memory, Number, Question, Take, tile

COUNT = "%n{0} = constant <i32: {0}> : tile<i32>\n"
NUMBERS = "".join(COUNT.format(number) for number in (1, 3, 7))


def carried(element, shape):
    """(row, mode, text) of control flow that passes on %a and %b of one type."""
    t = tile(element, shape)
    swap = f"for %i in (%zero to %n3, step %n1) : tile<i32> iter_values(%x = %a, %y = %b) -> ({t}, {t}) {{\n"
    early = f"%c = cmpi equal %i, %n1, signed : tile<i32> -> tile<i1>\nif %c {{\ncontinue %x, %y : {t}, {t}\n}}\n"
    yield "for", (), f"%r, %s = {swap}continue %y, %x : {t}, {t}\n}}"
    yield "continue", (), f"%r, %s = {swap}{early}continue %y, %x : {t}, {t}\n}}"
    loop = f"loop iter_values(%x = %a, %y = %b, %i = %zero) : {t}, {t}, tile<i32> -> {t}, {t} {{\n" \
           "%c = cmpi equal %i, %n3, signed : tile<i32> -> tile<i1>\n" \
           f"if %c {{\nbreak %x, %y : {t}, {t}\n}}\n%j = addi %i, %n1 : tile<i32>\n" \
           f"continue %y, %x, %j : {t}, {t}, tile<i32>\n}}"  # fmt: skip
    yield "loop", (), f"%r, %s = {loop}"
    yield "break", (), f"%r, %s = {loop}"
    chosen = f"if %c -> ({t}, {t}) {{\nyield %a, %b : {t}, {t}\n}} else {{\nyield %b, %a : {t}, {t}\n}}"
    for row in ("if", "yield"):
        yield row, (), f"%c = cmpi equal %block, %n3, signed : tile<i32> -> tile<i1>\n%r, %s = {chosen}"


def control():
    for element in ELEMENTS:
        for shape in ((), (4, 8)):
            takes = Take("a", element, shape), Take("b", element, shape)
            gives = Give("r", element, shape), Give("s", element, shape)
            for row, mode, text in carried(element, shape):
                yield Question(row, element, mode, NUMBERS + text, takes, gives)
        t = tile(element)
        for mode, word in ((("signed",), ""), (("unsigned",), "unsigned ")):
            if element == "i1" and not word:
                continue  # has no positive step
            bounds = (0, 1, 1) if element == "i1" else (0, 3, 1)
            makes = "".join(f"%k{i} = constant <i64: {bound}> : tile<i64>\n" for i, bound in enumerate(bounds))
            names = [f"%k{i}" for i in range(3)]
            if element != "i64":
                makes += "".join(f"%b{i} = trunci %k{i} : tile<i64> -> {t}\n" for i in range(3))
                names = [f"%b{i}" for i in range(3)]
            body = f"{makes}%r = for {word}%i in ({names[0]} to {names[1]}, step {names[2]}) : {t} "
            body += "iter_values(%x = %a) -> (tile<i32>) {\n%y = addi %x, %x : tile<i32>\ncontinue %y : tile<i32>\n}"
            yield Question("for over", element, mode, body, (Take("a", "i32", ()),), (Give("r", "i32", ()),))


def _loaded(pointer, element, count):
    """The tile behind a pointer, as the body of a question, what it takes and what it gives."""
    made, view = whole_view(pointer, element, count)
    body = f"{made}%r, %t = load_view_tko weak %w[%zero] : {view}, tile<i32> -> {tile(element, (count,))}, token"
    return body, (), (Give("r", element, (count,)),)


def entries():
    for element in ELEMENTS:
        body, given = f"%r = reshape %n : {tile(element)} -> {tile(element, (1,))}", Give("r", element, (1,))
        if element != "ptr":
            yield Question("entry", element, ("number",), body, (), (given,), (), (Number("n", element, 1),))
        yield Question("entry", element, ("pointer",), *_loaded("p", element, 32), (Memory("p", element, 32),))


def debugging():
    for element in ELEMENTS:
        form = "%f" if element in ALL_FLOATS else "%lld" if element == "i64" else "%p" if element == "ptr" else "%d"
        for shape in ((), (2, 2)):
            t = tile(element, shape)
            mode = ("tile",) if shape else ("scalar",)
            take = Take("a", element, shape, (1, 0, 1, 1))
            # Tile blocks print in any order: one does.
            body = "%k = make_token : token\n%c = cmpi equal %block, %zero, signed : tile<i32> -> tile<i1>\nif %c {\n"
            body += f'%t = print_tko "is {form}\\0A", %a token=%k : {t} -> token\n}}\n%r = iota : tile<2xi8>'
            yield Question("print_tko", element, mode, body, (take,), (Give("r", "i8", (2,)),), prints=True)
            for mode, values in (("true", (1,)), ("false", (1, 0))):
                body = f'assert %a, "no" : {t}\n%r = iota : tile<2xi8>'
                takes, given = (Take("a", element, shape, values),), (Give("r", "i8", (2,)),)
                yield Question("assert", element, (mode,), body, takes, given, prints=True)


def without_element():
    """Operations on no element type."""
    made, gives = "%k = make_token : token\n", (Give("r", "f32", (32,)),)
    many, source = "tile<32xptr<f32>>", (Memory("p", "f32", 32),)
    load = f"{addresses('f32')}{{0}}%r, %t = load_ptr_tko weak %ps token={{1}} : {many} -> tile<32xf32>, token"
    for row in ("module", "return", "make_token"):
        yield Question(row, "", (), load.format(made, "%k"), (), gives, source)
    early = "%c = cmpi equal %block, %zero, signed : tile<i32> -> tile<i1>\nif %c {\nreturn\n}\n"
    yield Question(
        "return", "", ("early",), early + "%r = addi %block, %block : tile<i32>", (), (Give("r", "i32", ()),)
    )
    joined = f"{made}%l = make_token : token\n%j = join_tokens %k, %l : token\n"
    yield Question("join_tokens", "", (), load.format(joined, "%j"), (), gives, source)
    yield Question("memory_fence_alias_tko", "", (), load.format(made + "%j = memory_fence_alias_tko %k\n", "%j"), (),
                   gives, source)  # fmt: skip
    for name in ("gdc_launch_dependents_tko", "gdc_wait_tko"):
        for mode, token in (((), ""), (("token",), "token = %k ")):
            body = load.format(f"{made}%j = {name} {token}-> token\n", "%j")
            yield Question(name, "", mode, body, (), gives, source)
    for name in ("get_tile_block_id", "get_num_tile_blocks"):
        given = tuple(Give(n, "i32", ()) for n in "xyz")
        yield Question(name, "", (), f"%x, %y, %z = {name} : tile<i32>", (), given)
    body = '%r = preview$call "f"(%a) {const_args = []} : (tile<i32>) -> (tile<i32>)'
    yield Question("preview$call", "", (), body, (Take("a", "i32", ()),), (Give("r", "i32", ()),))


def questions():
    for family in (entries, control, without_element, debugging):
        yield from family()
