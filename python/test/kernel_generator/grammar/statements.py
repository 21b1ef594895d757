# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements: assignments, control flow, functions, tuples; and the kernel around them."""

from __future__ import annotations

import math

from kernel_generator.dtypes import bool_, int32
from kernel_generator.grammar.accesses import BLOCK, store_to_result
from kernel_generator.grammar.expressions import condition
from kernel_generator.grammar.parameters import declare_parameters
from kernel_generator.grammar.writer import Function, Variable, Writer, as_written, statement

DEPTH = 2  # of expressions


def write_kernel(w: Writer) -> None:
    parts = [f"ct.bid({axis}) * {math.prod(w.grid[:axis])}" for axis in range(len(w.grid))]
    w.line(f"{BLOCK} = {' + '.join(parts)}")
    w.declare(Variable(BLOCK, int32, (), assignable=False))
    declare_parameters(w)
    for _ in range(w.random.randint(2, 4)):
        assign_new(w, 0)
    write_statements(w, w.random.randint(3, 8), 0)
    for variable in w.assignable()[-3:]:
        store_to_result(w, variable)
    if not any(description[0] == "result" for _, description in w.parameters):
        store_to_result(w, w.visible()[-1])


def write_statements(w: Writer, count: int, depth: int) -> None:
    for _ in range(count):
        for _ in range(8):
            [(_, write)] = w.random.choices(w.statements, [weight for weight, _ in w.statements]) or [(0, assign_new)]
            if write(w, depth):
                break
        else:
            assign_new(w, depth)


def write_block(w: Writer, count: int, depth: int) -> None:
    with w.block():
        w.line("pass")
        write_statements(w, count, depth)


@statement(16)
def assign_new(w: Writer, depth: int) -> bool:
    dtype, shape = w.any_type()
    text = w.value(dtype, shape, DEPTH)
    name = w.name("v")
    w.line(f"{name} = {text}")
    w.declare(Variable(name, dtype, shape))
    return True


@statement(14)
def assign_again(w: Writer, depth: int) -> bool:
    variables = w.assignable()
    if not variables:
        return False
    variable = w.choose(variables)
    if variable.dtype is bool_ or w.chance(0.6):
        w.line(f"{variable.text} = {w.value(variable.dtype, variable.shape, DEPTH)}")
    elif w.chance(0.3):
        w.line(f"{variable.text} *= {w.value(variable.dtype, variable.shape, DEPTH)}")
        if variable.dtype.is_float:  # no product may be left in a variable
            w.line(f"{variable.text} = -{variable.text}")
    else:
        operator = w.choose("+-")
        w.line(f"{variable.text} {operator}= {as_written(w.expression(variable.dtype, variable.shape, DEPTH))}")
    return True


@statement(8)
def branch(w: Writer, depth: int) -> bool:
    if depth >= 2:
        return False
    w.line(f"if {condition(w, 1)}:")
    write_block(w, w.random.randint(1, 3), depth + 1)
    if w.chance(0.3):
        w.line(f"elif {condition(w, 1)}:")
        write_block(w, w.random.randint(1, 2), depth + 1)
    if w.chance(0.6):
        w.line("else:")
        write_block(w, w.random.randint(1, 2), depth + 1)
    return True


@statement(5)
def branch_that_defines(w: Writer, depth: int) -> bool:
    dtype, shape = w.any_type()
    name = w.name("v")
    w.line(f"if {condition(w, 1)}:")
    with w.block():
        w.line(f"{name} = {w.value(dtype, shape, DEPTH)}")
    w.line("else:")
    with w.block():
        w.line(f"{name} = {w.value(dtype, shape, DEPTH)}")
    w.declare(Variable(name, dtype, shape))
    return True


@statement(6)
def for_loop(w: Writer, depth: int) -> bool:
    if depth >= 2 or w.loops >= 2:
        return False
    name = w.name("i")
    start, count, step = w.random.randint(-2, 3), w.random.randint(0, 4), w.random.randint(1, 3)
    if w.chance(0.4):
        bounds = f"{w.plain(int32, (), 1)} % 5"
    else:
        bounds = w.choose((str(count), f"{start}, {start + count}", f"{start}, {start + count * step}, {step}"))
    w.line(f"for {name} in range({bounds}):")
    write_loop_body(w, depth, Variable(name, int32, (), assignable=False))
    return True


@statement(4)
def while_loop(w: Writer, depth: int) -> bool:
    """The counter is a Python number before the loop, and a value of the running kernel afterwards."""
    if depth >= 2 or w.loops >= 2:
        return False
    name = w.name("w")
    w.line(f"{name} = 0")
    limit = w.choose((str(w.random.randint(0, 4)), f"{w.plain(int32, (), 1)} % 5"))
    more = f" and {condition(w, 0)}" if w.chance(0.3) else ""
    w.line(f"while {name} < {limit}{more}:")
    w.line(f"    {name} += 1")
    write_loop_body(w, depth, Variable(f"ct.int32({name})", int32, (), assignable=False))
    return True


def write_loop_body(w: Writer, depth: int, counter: Variable) -> None:
    w.loops += 1
    with w.block():
        w.line("pass")
        w.declare(counter)
        write_statements(w, w.random.randint(1, 3), depth + 1)
        if w.chance(0.3):
            w.line(f"if {condition(w, 1)}:")
            w.line(f"    {w.choose(('break', 'continue'))}")
            write_statements(w, w.random.randint(1, 2), depth + 1)
    w.loops -= 1


@statement(3)
def early_return(w: Writer, depth: int) -> bool:
    if w.unrolled:
        return False
    if w.in_function:
        if w.returning is None:
            return False
        w.line(f"if {condition(w, 1)}:")
        w.line(f"    return {w.value(*w.returning, DEPTH)}")
        return True
    w.line(f"if {condition(w, 1)}:")
    with w.block():
        for variable in w.visible()[-1:]:
            store_to_result(w, variable)
        w.line("return")
    return True


@statement(7)
def define_function(w: Writer, depth: int) -> bool:
    """A helper of the module, a nested function, or a lambda. Nested ones read names of the kernel when called."""
    if w.in_function and (w.read_only > 1 or w.chance(0.7)):
        return False
    kind = w.choose(("nested", "lambda") if w.in_function else ("helper", "nested", "nested", "lambda"))
    parameters = tuple(w.any_type() for _ in range(w.random.randint(1, 3)))
    dtype, shape = w.any_type()
    name = w.name("f")
    names = [w.name("a") for _ in parameters]
    defaults = 0
    declared = list(names)
    if w.chance(0.4):
        defaults = 1
        default = w.opaque_constant(parameters[-1][0]) if not parameters[-1][1] else w.constant(*parameters[-1])
        if kind == "nested" and w.chance(0.5):
            default = w.value(*parameters[-1], 0)  # has the value of now
        declared[-1] += f"={default}"
    if kind == "helper":
        declared = [d.replace("=", "=", 1) for d in declared]
        if defaults:  # a constant of the language exists in tile code only
            declared, defaults = names, 0
    if kind == "lambda":
        with w.function(outside=False):
            for text, (t, s) in zip(names, parameters, strict=True):
                w.declare(Variable(text, t, s, assignable=False))
            body = w.value(dtype, shape, DEPTH)
        w.line(f"{name} = lambda {', '.join(declared)}: {body}")
    else:
        at = len(w.lines)
        with w.function(outside=kind == "helper"):
            head = w.indent[:-4] + f"def {name}({', '.join(declared)}):"
            w.lines.append(head)
            for text, (t, s) in zip(names, parameters, strict=True):
                w.declare(Variable(text, t, s))
            w.returning = (dtype, shape)
            write_statements(w, w.random.randint(0, 4), depth + 1)
            w.line(f"return {w.value(dtype, shape, DEPTH)}")
        assert at <= len(w.lines)
    function = Function(name, parameters, dtype, shape, defaults, kind == "helper")
    if kind == "helper":
        w.scopes[0].append(function)
    else:
        w.declare(function)
    return True


@statement(5)
def make_tuple(w: Writer, depth: int) -> bool:
    types = [w.any_type() for _ in range(w.random.randint(2, 4))]
    texts = [w.value(*t, 1) for t in types]
    name = w.name("t")
    kind = w.choose(("flat", "nested", "unpack", "sum"))
    if kind == "unpack":
        names = [w.name("v") for _ in types]
        w.line(f"{', '.join(names)} = {', '.join(texts)}")
        for text, (dtype, shape) in zip(names, types, strict=True):
            w.declare(Variable(text, dtype, shape))
        return True
    if kind == "nested":
        w.line(f"{name} = ({texts[0]}, ({', '.join(texts[1:])},))")
        places = [f"{name}[0]", *(f"{name}[1][{i}]" for i in range(len(texts) - 1))]
    else:
        w.line(f"{name} = ({', '.join(texts)},)" + (f" + ({texts[0]},)" if kind == "sum" else ""))
        places = [w.choose((f"{name}[{i}]", f"{name}[{i}:][0]")) for i in range(len(texts))]
        if kind == "sum":
            places[0] = f"{name}[-1]"
    for text, (dtype, shape) in zip(places, types, strict=True):
        w.declare(Variable(text, dtype, shape, assignable=False))
    return True


@statement(4)
def map_tuple(w: Writer, depth: int) -> bool:
    """A comprehension, over tiles of one type."""
    dtype, shape = w.any_type()
    texts = [w.value(dtype, shape, 1) for _ in range(w.random.randint(1, 3))]
    name, element = w.name("t"), w.name("e")
    w.scopes.append([Variable(element, dtype, shape, assignable=False)])
    body = w.value(dtype, shape, 2)
    w.scopes.pop()
    items = w.name("t")  # static_iter takes names, and calls nothing of the language
    w.line(f"{items} = ({', '.join(texts)},)")
    w.line(f"{name} = tuple({body} for {element} in ct.static_iter({items}))")
    for i in range(len(texts)):
        w.declare(Variable(f"{name}[{i}]", dtype, shape, assignable=False))
    return True


@statement(3)
def unrolled_loop(w: Writer, depth: int) -> bool:
    if depth >= 2 or w.loops >= 2:
        return False
    name = w.name("s")
    items = w.choose((f"range({w.random.randint(1, 3)})", "(1, 2, 5)", "(3,)"))
    w.line(f"for {name} in ct.static_iter({items}):")
    w.unrolled += 1  # which no statement may leave early
    with w.block():
        w.line("pass")
        w.declare(Variable(f"ct.int32({name})", int32, (), assignable=False))
        write_statements(w, w.random.randint(1, 2), depth + 1)
    w.unrolled -= 1
    return True


@statement(3)
def define_factory(w: Writer, depth: int) -> bool:
    """A function that gives a closure over its argument, and one that gives two values."""
    if w.in_function:
        return False
    (dtype, shape), (other, other_shape) = w.any_type(), w.any_type()
    name, inner, argument, captured = w.name("f"), w.name("f"), w.name("a"), w.name("a")
    with w.function(outside=False):
        w.declare(Variable(captured, other, other_shape, assignable=False))
        w.declare(Variable(argument, dtype, shape, assignable=False))
        body, second = w.value(dtype, shape, DEPTH), w.value(other, other_shape, 1)
    first = w.name("f")
    w.line(f"def {name}({captured}):")
    if w.chance(0.5):
        w.line(f"    def {inner}({argument}):")
        w.line(f"        return {body}")
        w.line(f"    return {inner}")
        w.line(f"{first} = {name}({w.value(other, other_shape, 1)})")
        w.declare(Function(first, ((dtype, shape),), dtype, shape))
    else:
        x, y = w.name("v"), w.name("v")
        w.line(f"    {argument} = {w.value(dtype, shape, 0)}")
        w.line(f"    return {body}, {second}")
        w.line(f"{x}, {y} = {name}({w.value(other, other_shape, 1)})")
        w.declare(Variable(x, dtype, shape))
        w.declare(Variable(y, other, other_shape))
    return True


@statement(2)
def variadic_function(w: Writer, depth: int) -> bool:
    """Over as many arguments as there are; what it gives depends on their order."""
    dtype, shape = w.number(), w.choose(w.shapes)
    name, result = w.name("f"), w.name("v")
    w.line(f"def {name}(first, *rest, last={w.literal(dtype)}):")
    w.line("    for item in ct.static_iter(rest):")
    w.line("        first = ct.maximum(first - item, item)")
    w.line("    return first + last")
    arguments = [w.value(dtype, shape, 1) for _ in range(w.random.randint(1, 4))]
    if w.chance(0.4):
        arguments.append(f"last={w.literal(dtype)}")
    if w.chance(0.3):
        arguments = [f"*({', '.join(arguments[:1])},)", *arguments[1:]]
    w.line(f"{result} = {name}({', '.join(arguments)})")
    w.declare(Variable(result, dtype, shape))
    return True


@statement(2)
def choose_function(w: Writer, depth: int) -> bool:
    """One of two functions of equal types, by what is known while compiling: a value has one type on every path."""
    functions = [f for f in w.functions() if not f.defaults]
    pairs = [(f, g) for f in functions for g in functions
             if f is not g and (f.parameters, f.dtype, f.shape) == (g.parameters, g.dtype, g.shape)]  # fmt: skip
    if not pairs or w.in_function:
        return False
    first, second = w.choose(pairs)
    result = w.name("v")
    arguments = ", ".join(w.value(*p, 1) for p in first.parameters)
    known = w.choose([*w.literals, "3", "len((1, 2))"])
    w.line(f"{result} = ({first.name} if {known} > {w.random.randint(1, 4)} else {second.name})({arguments})")
    w.declare(Variable(result, first.dtype, first.shape))
    return True


@statement(2)
def quotient_and_rest(w: Writer, depth: int) -> bool:
    integers = [t for t in w.dtypes if t.is_integral]
    dtype, shape = w.choose(integers), w.choose(w.shapes)
    x, y = w.name("v"), w.name("v")
    w.line(f"{x}, {y} = divmod({w.value(dtype, shape, 1)}, {w.choose(('3', '7', '16'))})")
    w.declare(Variable(x, dtype, shape))
    w.declare(Variable(y, dtype, shape))
    return True


@statement(3)
def exchange_names(w: Writer, depth: int) -> bool:
    variables = w.assignable()
    pairs = [(a, b) for a in variables for b in variables if a is not b and (a.dtype, a.shape) == (b.dtype, b.shape)]
    if not pairs:
        return False
    a, b = w.choose(pairs)
    w.line(f"{a.text}, {b.text} = {b.text}, {a.text}")
    return True


@statement(3)
def carry_a_tuple(w: Writer, depth: int) -> bool:
    """A loop changes a tuple of tiles as a whole."""
    if w.loops >= 2:
        return False
    (dtype, shape), (other, other_shape) = w.any_type(), w.any_type()
    name, counter = w.name("t"), w.name("i")
    w.line(f"{name} = ({w.value(dtype, shape, 1)}, ({w.value(other, other_shape, 1)}, {w.value(int32, (), 1)}))")
    first, second = Variable(f"{name}[0]", dtype, shape, False), Variable(f"{name}[1][0]", other, other_shape, False)
    third = Variable(f"{name}[1][1]", int32, (), False)
    w.line(f"for {counter} in range({w.plain(int32, (), 1)} % 5):")
    w.loops += 1
    with w.block():
        for variable in (first, second, third, Variable(counter, int32, (), False)):
            w.declare(variable)
        values = [w.value(v.dtype, v.shape, DEPTH) for v in (first, second, third)]
        if w.chance(0.4):
            w.line(f"if {condition(w, 1)}:")
            w.line(f"    {w.choose(('break', 'continue'))}")
        w.line(f"{name} = ({values[0]}, ({values[1]}, {values[2]}))")
    w.loops -= 1
    for variable in (first, second, third):
        w.declare(variable)
    return True


@statement(2)
def endless_loop(w: Writer, depth: int) -> bool:
    """Names that the body assigns are known after it, since it runs at least once."""
    if depth >= 2 or w.loops >= 2:
        return False
    counter, result = w.name("w"), w.name("v")
    dtype, shape = w.any_type()
    w.line(f"{counter} = {w.choose(('0', 'ct.int32(0)'))}")
    w.line("while True:")
    w.loops += 1
    with w.block():
        w.line(f"{counter} += 1")
        w.declare(Variable(f"ct.int32({counter})", int32, (), assignable=False))
        w.line(f"{result} = {w.value(dtype, shape, DEPTH)}")
        w.declare(Variable(result, dtype, shape))
        write_statements(w, w.random.randint(0, 2), depth + 1)
        w.line(f"if {counter} > {w.random.randint(0, 3)} or {condition(w, 1)}:")
        w.line("    break")
    w.loops -= 1
    w.declare(Variable(result, dtype, shape))
    return True


@statement(2)
def number_by_branch(w: Writer, depth: int) -> bool:
    """A Python number that control flow chooses becomes a value of the running kernel."""
    name = w.name("k")
    w.line(f"{name} = {w.random.randint(0, 9)}")
    w.line(f"if {condition(w, 1)}:")
    w.line(f"    {name} = {w.choose(('11', f'{name} + 2', f'{name} * {name}'))}")
    w.declare(Variable(f"ct.int32({name})", int32, (), assignable=False))
    return True
