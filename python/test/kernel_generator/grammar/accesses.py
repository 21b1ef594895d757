# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory: arrays that are read by all blocks, and results of which each block writes a part of its own."""

from __future__ import annotations

import math

from kernel_generator.dtypes import DType, bool_, int32
from kernel_generator.grammar.writer import Shape, Variable, Writer, expression, statement

BLOCK = "block"  # the name of the running block's number


def index(w: Writer, count: int, depth: int) -> str:
    """A number below `count`."""
    kind = w.random.random()
    if count == 1 or kind < 0.3:
        return str(w.random.randrange(count))
    if kind < 0.6 or not w.scopes[0]:
        return f"ct.bid(0) % {count}"
    return f"{w.plain(int32, (), depth)} % {count}"


def indices(w: Writer, counts: list[int], depth: int) -> str:
    texts = [index(w, c, depth) for c in counts]
    return f"({', '.join(texts)},)" if len(texts) > 1 or w.chance(0.8) else texts[0]


@expression(10)
def load(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    if w.in_function:
        return None
    contents = w.choose(("any", "any", "small"))
    if not shape:
        name = w.parameter("x", ("array", dtype.name, (5,), contents))
        return f"ct.load({name}, {index(w, 5, depth)}, shape=())"
    tiles = [w.random.randint(1, 3) for _ in shape]
    extents = [t * e for t, e in zip(tiles, shape, strict=True)]
    padding = ""
    if w.chance(0.5):
        axis = w.random.randrange(len(shape))
        extents[axis] -= w.random.randrange(shape[axis])
        padding = f", padding_mode=ct.PaddingMode.{padding_mode(w, dtype)}"
    axes, order = list(range(len(shape))), ""
    if len(shape) > 1 and w.chance(0.3):
        w.random.shuffle(axes)
        order = f", order={tuple(axes)}"
        if axes == axes[::-1] or w.chance(0.3):
            axes, order = axes and list(reversed(range(len(shape)))), ", order='F'"
    in_memory = [0] * len(shape)
    for i, axis in enumerate(axes):
        in_memory[axis] = extents[i]
    name = w.parameter("x", ("array", dtype.name, tuple(in_memory), contents))
    at = indices(w, tiles, depth)
    if not order and w.chance(0.3):
        return f"{name}.tiled_view({shape}{padding}).load({at})"
    return f"ct.load({name}, {at}, {shape}{order}{padding})"


def padding_mode(w: Writer, dtype: DType) -> str:
    return w.choose(("ZERO", "NEG_ZERO", "NAN", "POS_INF", "NEG_INF") if dtype.is_float else ("ZERO",))


@expression(6)
def gather(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    if w.in_function:
        return None
    name = w.parameter("g", ("array", dtype.name, (w.random.randint(1, 20),), w.choose(("any", "small"))))
    mask = f", mask={w.plain(bool_, shape, depth)}" if w.chance(0.4) else ""
    padding = f", padding_value={w.literal(dtype)}" if dtype is not bool_ and w.chance(0.5) else ""
    where = w.plain(int32, shape, depth)
    if w.chance(0.7):
        where = f"({where} & 31) - 4"
    return f"ct.gather({name}, {where}{mask}{padding})"


@statement(10)
def store(w: Writer, depth: int) -> bool:
    """A variable, to the block's part of a result."""
    if w.in_function:
        return False
    variables = w.visible()
    if not variables:
        return False
    variable = w.choose(variables[-8:])
    store_to_result(w, variable)
    return True


def store_to_result(w: Writer, variable: Variable) -> None:
    shape = variable.shape
    name = w.parameter("r", ("result", variable.dtype.name, (w.blocks, *shape), 0))
    kind = w.random.random()
    if kind < 0.5 or not shape:
        at = (BLOCK, *("0" for _ in shape))
        value = variable.text if not shape else f"{variable.text}.reshape({(1, *shape)})"
        w.line(f"ct.store({name}, ({', '.join(at)},), {value})")
    elif kind < 0.7:
        zeros = "".join(", 0" for _ in shape)
        w.line(f"{name}.tiled_view({(1, *shape)}).store(({BLOCK}{zeros}), {variable.text}.reshape({(1, *shape)}))")
    elif len(shape) == 1:
        shift, factor = w.random.randrange(8), w.choose((1, 3, 5))
        where = f"(ct.arange({shape[0]}, dtype=ct.int32) * {factor} + {shift}) % {shape[0]}"
        mask = f", mask={w.plain(bool_, shape, 1)}" if w.chance(0.4) else ""
        w.line(f"ct.scatter({name}, ({BLOCK}, {where}), {variable.text}{mask})")
    else:
        zeros = "".join(", 0" for _ in shape)
        w.line(f"ct.store({name}.slice(0, {BLOCK}, {BLOCK} + 1), (0{zeros}), {variable.text}.reshape({(1, *shape)}))")


@statement(4)
def atomic(w: Writer, depth: int) -> bool:
    """Of memory that all blocks change, by one function that commutes; what it gives is not looked at."""
    dtype = w.choose([t for t in w.dtypes if t.is_integral and t.bitwidth >= 32])
    if w.in_function or w.loops:
        return False
    name = w.parameter("r", ("result", dtype.name, (16,), 0))
    shape = w.choose([s for s in w.shapes if math.prod(s) <= 32])
    function = w.choose(("add", "max", "min", "and", "or", "xor"))
    w.line(f"ct.atomic_{function}({name}, {w.plain(int32, shape, 1)} & 15, {w.plain(dtype, shape, depth)})")
    return True
