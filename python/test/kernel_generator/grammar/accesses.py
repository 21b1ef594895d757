# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory: arrays that are read by all blocks, and results of which each block writes a part of its own."""

from __future__ import annotations

import math

from kernel_generator.dtypes import DType, bool_, float32, float64, int32
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
    padding += w.choose(("", "", "", ", latency=3", ", allow_tma=False", ", latency=10, allow_tma=True"))
    if not order and w.chance(0.3):
        padding = padding.split(", latency")[0].split(", allow_tma")[0]
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


@expression(3)
def gather_of_rows(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    """Indices of two axes that broadcast against each other."""
    if w.in_function or len(shape) != 2:
        return None
    rows, columns = w.random.randint(1, 9), w.random.randint(1, 9)
    name = w.parameter("g", ("array", dtype.name, (rows, columns), "any"))
    i, j = w.plain(int32, shape[:1], depth), w.plain(int32, shape[1:], depth)
    return f"ct.gather({name}, (({i} & 15)[:, None] - 2, ({j} & 15)[None, :]))"


@expression(3)
def load_by_offset(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    if w.in_function:
        return None
    name = w.parameter("m", ("array", dtype.name, (4, 8), "any"))
    mask = f", mask={w.plain(bool_, shape, depth)}" if w.chance(0.5) else ""
    return f"{name}.get_raw_memory().load_offset({w.plain(int32, shape, depth)} & 31{mask})"


@expression(2)
def load_from_overlapping_tiles(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    if w.in_function or not shape:
        return None
    steps = [w.random.randint(1, e) for e in shape]
    extents = [e + 2 * s for e, s in zip(shape, steps, strict=True)]
    name = w.parameter("x", ("array", dtype.name, tuple(extents), "any"))
    return f"{name}.tiled_view({shape}, traversal_steps={tuple(steps)}).load({indices(w, [3] * len(shape), depth)})"


@expression(3)
def load_from_one_of_two(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    """Arrays that a condition chooses."""
    if w.in_function or len(shape) != 1:
        return None
    first, second = (w.parameter("x", ("array", dtype.name, (shape[0] * 2,), "any")) for _ in range(2))
    return f"ct.load(({first} if {w.plain(bool_, (), depth)} else {second}), ({index(w, 2, depth)},), {shape})"


@expression(2)
def load_from_a_slice(w: Writer, dtype: DType, shape: Shape, depth: int) -> str | None:
    if w.in_function or not shape:
        return None
    axis, start = w.random.randrange(len(shape)), w.random.randint(0, 5)
    extents = tuple(e + 7 if i == axis else e for i, e in enumerate(shape))
    name = w.parameter("x", ("array", dtype.name, extents, "any"))
    begin = w.choose((str(start), f"{w.plain(int32, (), depth)} % 6"))
    mode = padding_mode(w, dtype)
    end = w.choose((f"{extents[axis]}", f"{name}.shape[{axis}]"))
    zeros = "0, " * len(shape)
    return f"ct.load({name}.slice({axis}, {begin}, {end}), ({zeros}), {shape}, padding_mode=ct.PaddingMode.{mode})"


_FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "tanh", "sinh", "cosh", "rsqrt")


@statement(4)
def store_function(w: Writer, depth: int) -> bool:
    """A value that is not rounded correctly, to a result that may be eight numbers apart."""
    if w.in_function:
        return False
    dtype, shape = w.choose([t for t in w.dtypes if t.is_float] or [float32]), w.choose(w.shapes)
    if dtype is float64:
        return False
    argument = f"ct.maximum(ct.minimum({w.value(dtype, shape, 1)}, 30.0), -30.0)"
    name = w.parameter("r", ("result", dtype.name, (w.blocks, *shape), 8))
    zeros = "".join(", 0" for _ in shape)
    w.line(f"ct.store({name}, ({BLOCK},{zeros[1:]}), ct.{w.choose(_FUNCTIONS)}({argument}).reshape({(1, *shape)}))")
    return True


@statement(3)
def atomic_of_a_view(w: Writer, depth: int) -> bool:
    dtype = w.choose([t for t in w.dtypes if t.is_integral and t.bitwidth >= 32])
    if w.in_function or w.loops:
        return False
    shape = w.choose([s for s in w.shapes if len(s) in (1, 2)] or [(4,)])
    name = w.parameter("r", ("result", dtype.name, tuple(e + 1 for e in shape), 0))
    function = w.choose(("add", "max", "min", "and", "or", "xor"))
    zeros = "0, " * len(shape)
    w.line(f"{name}.tiled_view({shape}).atomic_store_{function}(({zeros}), {w.plain(dtype, shape, depth)})")
    return True


@statement(3)
def exchange(w: Writer, depth: int) -> bool:
    """With the block's part of a result, whose old elements are known."""
    dtype = w.choose([t for t in w.dtypes if t.is_integral and t.bitwidth >= 32])
    if w.in_function:
        return False
    name = w.parameter("r", ("result", dtype.name, (w.blocks, 8), 0))
    old = w.name("v")
    function = w.choose(("xchg", "add", "max", "xor"))
    w.line(f"{old} = ct.atomic_{function}({name}, ({BLOCK}, ct.arange(8, dtype=ct.int32)), "
           f"{w.plain(dtype, (8,), depth + 1)})")  # fmt: skip
    w.declare(Variable(old, dtype, (8,), assignable=False))
    return True


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
