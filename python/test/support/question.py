# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A question: one operation with one element type in one mode, as an entry that reads its operands from memory and
writes what it gives to memory.

    Question("addf", "f32", ("flush_to_zero",), "%r = addf %a, %b flush_to_zero : tile<32xf32>",
             (Take("a", "f32", (32,)), Take("b", "f32", (32,))), (Give("r", "f32", (32,), "number"),))

The verifier says whether it is Tile IR; if so, every target is asked for the same bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

BLOCKS = 32
"""How many tile blocks run a question about scalars: each takes an element of its own."""

ELEMENTS = ["i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2",
            "f8E8M0FNU", "fnv8E5M3FNU", "f4E2M1FN", "ptr"]  # fmt: skip
INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
ALL_INTEGERS = ["i1", "i4", "i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
ALL_FLOATS = ["f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "fnv8E5M3FNU", "f4E2M1FN"]
UNSIGNED_FLOATS = ["f8E8M0FNU", "fnv8E5M3FNU"]


def ir(element: str) -> str:
    return "ptr<f32>" if element == "ptr" else element


def tile(element: str, shape=()) -> str:
    return f"tile<{''.join(f'{extent}x' for extent in shape)}{ir(element)}>"


@dataclass(frozen=True)
class Take:
    """A tile `%name` read from memory; `values` is a kind of operands.py, or the numbers."""

    name: str
    element: str
    shape: tuple
    values: object = "any"


@dataclass(frozen=True)
class Give:
    """A tile `%name` to be written to memory. Targets agree on its `bits`; as a `number`, where every NaN is one; or
    within so many numbers of the type. With `flushes` subnormal numbers are equal to zero."""

    name: str
    element: str
    shape: tuple
    within: object = "bits"
    flushes: bool = False


@dataclass(frozen=True)
class Memory:
    """A parameter `%name` that points to elements, compared after the run."""

    name: str
    element: str
    count: int
    values: object = "any"
    within: object = "bits"
    kind: str = ""


@dataclass(frozen=True)
class Number:
    """A parameter `%name` that is a number, by its bits."""

    name: str
    element: str
    bits: int


@dataclass(frozen=True)
class Question:
    row: str
    """The operation, and what of it has a row of its own."""
    column: str
    """The element type; empty for an operation without one."""
    mode: tuple
    """What was varied: flags, values of attributes, optional operands."""
    body: str
    takes: tuple = ()
    gives: tuple = ()
    memories: tuple = ()
    numbers: tuple = ()
    globals: str = ""
    prints: bool = False

    @property
    def blocks(self) -> int:
        if any(part.shape for part in self.gives):
            return 1  # all of them would write the same memory
        return BLOCKS if any(not part.shape for part in (*self.takes, *self.gives)) else 1


def in_memory(element: str, shape: tuple) -> tuple[str, int]:
    """Element type and count of what holds a tile, one per block for a scalar."""
    count = math.prod(shape) if shape else BLOCKS
    if element == "f4E2M1FN":
        return "i8", count // 2
    return {"i4": "i8", "ptr": "i64"}.get(element, element), count


def _place(part, count: int) -> tuple[str, str]:
    """A view of which one tile is all of the memory."""
    memory, _ = in_memory(part.element, part.shape)
    tensor = f"tensor_view<{count}x{memory}, strides=[1]>"
    view = f"partition_view<tile=({count}), {tensor}>"
    return (
        f"  %t_{part.name} = make_tensor_view %p_{part.name}, shape = [{count}], strides = [1] : {tensor}\n"
        f"  %v_{part.name} = make_partition_view %t_{part.name} : {view}\n"
    ), view


# Conversions between a tile and the elements that hold it.
_UNPACKED = {"i4": "trunci {value} : {held} -> {tile}", "ptr": "int_to_ptr {value} : {held} -> {tile}"}
_PACKED = {"i4": "exti {value} unsigned : {tile} -> {held}", "ptr": "ptr_to_int {value} : {tile} -> {held}"}


def _taken(part: Take) -> str:
    memory, count = in_memory(part.element, part.shape)
    name, pointer = part.name, f"tile<ptr<{memory}>>"
    if not part.shape:
        text = f"  %o_{name} = offset %p_{name}, %block : {pointer}, tile<i32> -> {pointer}\n"
        text += f"  %m_{name}, %l_{name} = load_ptr_tko weak %o_{name} : {pointer} -> tile<{memory}>, token\n"
        held = tile(memory)
    else:
        text, view = _place(part, count)
        flat = tile(memory, (count,))
        text += f"  %f_{name}, %l_{name} = load_view_tko weak %v_{name}[%zero] : {view}, tile<i32> -> {flat}, token\n"
        if part.element == "f4E2M1FN":
            unpacked = tile(part.element, (2 * count,))
            text += f"  %u_{name} = unpack %f_{name} : {flat} -> {unpacked}\n"
            return text + f"  %{name} = reshape %u_{name} : {unpacked} -> {tile(part.element, part.shape)}\n"
        held = tile(memory, part.shape)
        text += f"  %m_{name} = reshape %f_{name} : {flat} -> {held}\n"
    if part.element in _UNPACKED:
        line = _UNPACKED[part.element].format(value=f"%m_{name}", held=held, tile=tile(part.element, part.shape))
        return text + f"  %{name} = {line}\n"
    return text.replace(f"%m_{name}", f"%{name}")


def _given(part: Give) -> str:
    memory, count = in_memory(part.element, part.shape)
    name, value, whole = part.name, f"%{part.name}", tile(part.element, part.shape)
    text = ""
    if part.element == "f4E2M1FN":
        unpacked = tile(part.element, (2 * count,))
        text = f"  %u_{name} = reshape {value} : {whole} -> {unpacked}\n"
        text += f"  %f_{name} = pack %u_{name} : {unpacked} -> tile<{count}xi8>\n"
    else:
        held = tile(memory, part.shape)
        if part.element in _PACKED:
            line = _PACKED[part.element].format(value=value, held=held, tile=whole)
            text, value = f"  %h_{name} = {line}\n", f"%h_{name}"
        if part.shape:
            text += f"  %f_{name} = reshape {value} : {held} -> {tile(memory, (count,))}\n"
    if not part.shape:
        pointer = f"tile<ptr<{memory}>>"
        text += f"  %o_{name} = offset %p_{name}, %block : {pointer}, tile<i32> -> {pointer}\n"
        return text + f"  %s_{name} = store_ptr_tko weak %o_{name}, {value} : {pointer}, tile<{memory}> -> token\n"
    made, view = _place(part, count)
    types = f"{tile(memory, (count,))}, {view}, tile<i32>"
    return text + made + f"  %s_{name} = store_view_tko weak %f_{name}, %v_{name}[%zero] : {types} -> token\n"


def entry_text(question: Question, name: str) -> str:
    def held(part):
        return f"%p_{part.name}: tile<ptr<{in_memory(part.element, part.shape)[0]}>>"

    parameters = [held(part) for part in question.takes]
    parameters += [f"%{part.name}: tile<ptr<{ir(part.element)}{part.kind}>>" for part in question.memories]
    parameters += [f"%{part.name}: {tile(part.element)}" for part in question.numbers]
    parameters += [held(part) for part in question.gives]
    body = "".join(f"  {line.strip()}\n" for line in question.body.strip().splitlines())
    return (
        f"entry @{name}({', '.join(parameters)}) {{\n"
        "  %zero = constant <i32: 0> : tile<i32>\n  %block, %block_y, %block_z = get_tile_block_id : tile<i32>\n"
        f"{''.join(map(_taken, question.takes))}{body}{''.join(map(_given, question.gives))}  return\n}}\n"
    )


def module_text(questions) -> str:
    """A module of the questions, the entries named q0, q1, ...; what they need of globals is the same."""
    entries = [entry_text(question, f"q{i}") for i, question in enumerate(questions)]
    return f"cuda_tile.module @support {{\n{questions[0].globals}\n{''.join(entries)}}}\n"
