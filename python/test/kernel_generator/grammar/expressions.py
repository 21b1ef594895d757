# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions: arithmetic of one and of mixed types, conversions, shapes. Each gets the type that it has to
have, and gives None if it has no expression of that type."""

from __future__ import annotations

import math

from kernel_generator import dtypes
from kernel_generator.dtypes import DType, bool_, float32, float64, int32
from kernel_generator.grammar.writer import Shape, Writer, as_written, broadcasts, expression


def sides(w: Writer, dtype: DType, shape: Shape, depth: int, fuse: bool = False) -> tuple[str, str]:
    """Two operands whose common type and shape are these: one has them, the other is as wide, narrower, of a weaker
    kind, or a number. Of the operands of a sum one may be a product."""
    write = w.expression if fuse else w.plain
    first = write(dtype, shape, depth)
    is_product = first.startswith("*")
    kind = w.random.random()
    if kind < 0.25 and dtype is not bool_:
        second = w.literal(dtype)
    else:
        second_dtype = w.choose(weaker(w, dtype)) if kind < 0.5 else dtype
        fitting = [s for s in w.shapes if broadcasts(s, shape)]
        second_shape = w.choose(fitting) if fitting and w.chance(0.3) else shape
        may_fuse = fuse and not is_product and second_dtype is dtype and second_shape == shape
        second = (w.expression if may_fuse else w.plain)(second_dtype, second_shape, depth)
    first, second = as_written(first), as_written(second)
    return (second, first) if w.chance(0.3) else (first, second)


def weaker(w: Writer, dtype: DType) -> list[DType]:
    """Types that with `dtype` give `dtype`."""

    def gives(other: DType) -> bool:
        try:
            return dtypes.promote(dtype, other) is dtype
        except dtypes.NoPromotion:
            return False

    return [t for t in w.dtypes if gives(t)]


@expression(24)
def arithmetic(w, dtype, shape, depth):
    if dtype is bool_:
        return None
    operator = w.choose("+-*")
    if not dtype.is_float:
        x, y = sides(w, dtype, shape, depth)
        return f"({x} {operator} {y})"
    x, y = sides(w, dtype, shape, depth, fuse=operator != "*")
    return f"*({x} * {y})" if operator == "*" else f"({x} {operator} {y})"


@expression(4)
def named_arithmetic(w, dtype, shape, depth):
    if dtype is bool_ or (dtype.is_float and dtype is not float32):
        return None
    x, y = sides(w, dtype, shape, depth)
    mode = f", rounding_mode=ct.RoundingMode.{w.choose(('RZ', 'RM', 'RP'))}" if dtype is float32 else ""
    return f"ct.{w.choose(('add', 'sub', 'mul'))}({x}, {y}{mode})"


@expression(4)
def with_typed_constant(w, dtype, shape, depth):
    """A constant that does not adapt: it wraps or rounds to its own type first."""
    if dtype is bool_:
        return None
    kind = w.choose([t for t in (*weaker(w, dtype), dtype) if t is not bool_])
    literal = w.literal(kind)
    if kind.is_integral and w.chance(0.5):
        literal = w.choose(("300", "-3", "1 << 40", "0x80", "2.0", "True", "-129", "70000"))
    elif kind.is_float and w.chance(0.5):
        literal = w.choose(("0.1", "1e-5", "3.14159265", "1e30", "float('inf')", "-0.0", "16777217"))
    x = w.value(dtype, shape, depth)
    return f"{w.choose(('ct.minimum', 'ct.maximum', 'ct.add', 'ct.sub'))}(ct.{kind}({literal}), {x})"


@expression(6)
def integer_division(w, dtype, shape, depth):
    """By what is neither 0 nor -1: of signed numbers 1 to 16 or -17 to -2."""
    if not dtype.is_integral:
        return None
    x, y = w.plain(dtype, shape, depth), w.plain(dtype, shape, depth)
    choices = [f"(({y} & 15) + 1)"]
    if dtype.is_signed:
        choices += [f"(({y} & 15) - 17)", w.choose(("-3", "-8"))]
    divisor = w.choose([*choices, w.choose(("3", "8", "7"))])
    return w.choose((f"({x} // {divisor})", f"({x} % {divisor})", f"ct.cdiv({x}, {divisor})",
                     f"ct.floordiv({x}, {divisor})", f"ct.mod({x}, {divisor})"))  # fmt: skip


@expression(5)
def float_division(w, dtype, shape, depth):
    if not dtype.is_float:
        return None
    if dtype is float32 and w.chance(0.3):
        kind = w.choose([t for t in w.dtypes if t.is_integral])
        return f"({w.plain(kind, shape, depth)} / {w.plain(kind, shape, depth)})"
    x, y = sides(w, dtype, shape, depth)
    return f"({x} {w.choose(('/', '/', '//', '%'))} {y})"


@expression(6)
def bits(w, dtype, shape, depth):
    if dtype.is_float:
        return None
    x, y = w.plain(dtype, shape, depth), w.plain(dtype, shape, depth)
    if dtype.is_integral and w.chance(0.4):
        return f"({x} {w.choose(('<<', '>>'))} ({y} & {dtype.bitwidth - 1}))"
    if w.chance(0.2):
        text = w.value(dtype, shape, depth)  # ~ is not defined for a bool that is known at compile time
        return f"ct.bitwise_not({text})" if dtype is bool_ else f"(~{text})"
    if dtype.is_integral and w.chance(0.2):
        y = w.literal(dtype)
    return f"({x} {w.choose('&|^')} {y})"


@expression(5)
def one_operand(w, dtype, shape, depth):
    if dtype is bool_:
        return None
    x = w.plain(dtype, shape, depth)
    if not dtype.is_float:
        return f"(-{x})" if not dtype.is_signed else w.choose((f"(-{x})", f"abs({x})"))
    return w.choose((f"(-{x})", f"abs({x})", f"ct.floor({x})", f"ct.ceil({x})", f"ct.sqrt({x})"))


@expression(5)
def extremes(w, dtype, shape, depth):
    if dtype is bool_:
        return None
    x, y = sides(w, dtype, shape, depth)
    if w.chance(0.3):
        return f"{w.choose(('min', 'max'))}({x}, {y})"
    nan = ", propagate_nan=True" if dtype.is_float and w.chance(0.5) else ""
    return f"ct.{w.choose(('minimum', 'maximum'))}({x}, {y}{nan})"


@expression(10)
def comparison(w, dtype, shape, depth):
    if dtype is not bool_:
        return None
    kind = w.number()
    x, y = sides(w, kind, shape, depth)
    operator = w.choose(("<", "<=", ">", ">=", "==", "!="))
    if kind.is_float and w.chance(0.15):
        return f"ct.isnan({w.plain(kind, shape, depth)})"
    return f"({x} {operator} {y})"


@expression(5)
def where(w, dtype, shape, depth):
    condition = w.plain(bool_, shape, depth)
    if dtype is bool_:
        return f"ct.where({condition}, {w.plain(dtype, shape, depth)}, {w.plain(dtype, shape, depth)})"
    x, y = sides(w, dtype, shape, depth)
    return f"ct.where({condition}, {x}, {y})"


@expression(8)
def conversion(w, dtype, shape, depth):
    source = w.choose(w.dtypes)
    x = w.plain(source, shape, depth)
    if source.is_float and dtype.is_integral:
        low = "-100.0" if dtype.is_signed else "0.0"
        x = f"ct.maximum(ct.minimum({x}, 100.0), {low})"
    if source.is_float and dtype.is_float and dtype.bitwidth < source.bitwidth and w.chance(0.3):
        modes = ("RN", "RZ", "RM", "RP") if (source, dtype) == (float64, float32) else ("RN", "RZ")
        return f"{x}.astype(ct.{dtype}, rounding_mode=ct.RoundingMode.{w.choose(modes)})"
    form = w.choose(("method", "function", "constructor" if not shape else "method"))
    return {
        "method": f"{x}.astype(ct.{dtype})",
        "function": f"ct.astype({x}, ct.{dtype})",
        "constructor": f"ct.{dtype}({x})",
    }[form]


@expression(3)
def small_float(w, dtype, shape, depth):
    """Through a type that only stores: f64 is left out, since nothing rounds twice."""
    if not dtype.is_float:
        return None
    through = w.choose(dtypes.SMALL_FLOATS)
    return f"{w.plain(dtype, shape, depth)}.astype(ct.{through}).astype(ct.{dtype})"


@expression(3)
def bitcast(w, dtype, shape, depth):
    if dtype is bool_:
        return None
    same = [t for t in (*dtypes.INTEGERS, *dtypes.FLOATS) if t.bitwidth == dtype.bitwidth and t is not dtype]
    source = w.choose(same)
    x = w.plain(source, shape, depth)
    if source.is_float:
        x = f"ct.maximum({x}, -1000.0)"  # the bits of a NaN are unspecified
    return f"ct.bitcast({x}, ct.{dtype})"


@expression(5)
def reshaped(w, dtype, shape, depth):
    size = math.prod(shape)
    kind = w.choose(("reshape", "permute", "expand", "broadcast"))
    if kind == "reshape":
        source = w.choose([s for s in (*w.shapes, (size,), (size, 1), (1, size)) if math.prod(s) == size])
        return f"{w.plain(dtype, source, depth)}.reshape({shape})"
    if kind == "permute" and len(shape) > 1:
        axes = w.random.sample(range(len(shape)), len(shape))
        source = tuple(shape[axes.index(i)] for i in range(len(shape)))
        x = w.plain(dtype, source, depth)
        if len(shape) == 2 and axes == [1, 0] and w.chance(0.5):
            return w.choose((f"ct.transpose({x})", f"{x}.transpose()", f"{x}.transpose(0, 1)"))
        return f"ct.permute({x}, {tuple(axes)})"
    if kind == "expand" and 1 in shape:
        axis = shape.index(1)
        x = w.plain(dtype, shape[:axis] + shape[axis + 1 :], depth)
        if len(shape) <= 2 and len(shape) > 1 and w.chance(0.5):
            return f"{x}[{'None, :' if axis == 0 else ':, None'}]"
        return f"ct.expand_dims({x}, {axis})"
    if kind == "broadcast" and shape:
        source = w.choose((shape[1:], tuple(e if w.chance(0.5) else 1 for e in shape)))
        return f"ct.broadcast_to({w.plain(dtype, source, depth)}, {shape})"
    return None


@expression(3)
def parts(w, dtype, shape, depth):
    if not shape:
        return None
    axis = w.random.randrange(len(shape))
    if w.chance(0.4) and shape[axis] > 1:
        half = tuple(e // 2 if i == axis else e for i, e in enumerate(shape))
        return f"ct.cat(({w.plain(dtype, half, depth)}, {w.plain(dtype, half, depth)}), {axis})"
    if w.chance(0.6) and math.prod(shape) <= 64:
        twice = tuple(e * 2 if i == axis else e for i, e in enumerate(shape))
        index = tuple(w.random.randrange(2) if i == axis else 0 for i in range(len(shape)))
        return f"ct.extract({w.plain(dtype, twice, depth)}, {index}, {shape})"
    if shape[axis] > 1:
        half = tuple(e // 2 if i == axis else e for i, e in enumerate(shape))
        index = tuple(w.random.randrange(2) if i == axis else 0 for i in range(len(shape)))
        return f"ct.insert({w.plain(dtype, shape, depth)}, {index}, {w.plain(dtype, half, depth)})"
    return None


@expression(2)
def bytes_as(w, dtype, shape, depth):
    """The elements of another type with the same bytes."""
    if dtype is bool_ or len(shape) != 1:
        return None
    source = w.choose([t for t in (*dtypes.INTEGERS, *dtypes.FLOATS) if t is not dtype])
    bits = shape[0] * dtype.bitwidth
    if bits % source.bitwidth:
        return None
    x = w.plain(source, (bits // source.bitwidth,), depth)
    if source.is_float:
        x = f"ct.maximum({x}, -1000.0)"  # the bits of a NaN are unspecified
    return f"ct.unpack_from_bytes(ct.pack_to_bytes({x}), ct.{dtype})"


@expression(2)
def like_another(w, dtype, shape, depth):
    """Types and extents of other tiles are known while compiling."""
    same = [v for v in w.visible() if v.dtype is dtype and v.text.isidentifier()]
    extents = [v for v in w.visible() if v.shape == shape and v.text.isidentifier()]
    if same and w.chance(0.5):
        return f"{w.value(w.choose([t for t in w.dtypes if dtype.is_float or not t.is_float]), shape, depth)}" \
               f".astype({w.choose(same).text}.dtype)"  # fmt: skip
    if extents and shape:
        return f"ct.broadcast_to({w.value(dtype, (), depth)}, {w.choose(extents).text}.shape)"
    return None


@expression(4)
def choice(w, dtype, shape, depth):
    """A conditional expression evaluates one side only."""
    x, y = w.plain(dtype, shape, depth), w.plain(dtype, shape, depth)
    return f"({x} if {condition(w, depth)} else {y})"


@expression(8)
def call(w, dtype, shape, depth):
    fitting = [f for f in w.functions() if f.dtype is dtype and f.shape == shape]
    if not fitting:
        return None
    function = w.choose(fitting)
    count = len(function.parameters) - (w.random.randint(0, function.defaults) if function.defaults else 0)
    arguments = [w.value(*p, depth) for p in function.parameters[:count]]
    return f"{function.name}({', '.join(arguments)})"


def condition(w: Writer, depth: int) -> str:
    """Of an if or a loop: a scalar, with Python's own operators."""
    kind = w.random.random()
    if kind < 0.2 and depth > 0:
        return f"({condition(w, depth - 1)} {w.choose(('and', 'or'))} {condition(w, depth - 1)})"
    if kind < 0.3 and depth > 0:
        return f"(not {condition(w, depth - 1)})"
    if kind < 0.36:
        return w.plain(w.choose([t for t in w.dtypes if t.is_integral]), (), max(depth, 1))
    if kind < 0.4:
        return f"({w.value(int32, (), 1)} {w.choose(('in', 'not in'))} (0, 2, 5))"
    if kind < 0.55:
        dtype = w.number()
        x, y, z = (w.plain(dtype, (), max(depth - 1, 0)) for _ in range(3))
        return f"({x} {w.choose(('<', '<='))} {y} {w.choose(('<', '!=', '>='))} {z})"
    return w.plain(bool_, (), max(depth, 1))
