# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters that are no array of their own: numbers, constants, tuples, lists of arrays."""

from __future__ import annotations

from kernel_generator.dtypes import bool_, float32, int32
from kernel_generator.grammar.writer import Variable, Writer


def declare_parameters(w: Writer) -> None:
    numbers = (
        ("n", w.random.randint(-3, 9), int32),
        ("n", w.chance(0.5), bool_),
        ("n", w.choose((0.1, -2.5, 1e-3, 7.0)), float32),
    )
    for stem, value, dtype in numbers:
        if w.chance(0.4):
            name = w.parameter(stem, ("scalar", value))
            w.declare(Variable(name, dtype, (), assignable=False))
    if w.chance(0.4):
        value = w.random.randint(0, 9)
        name = w.parameter("c", ("constant", value), ": ct.Constant[int]")
        w.literals += [name, f"({name} * 2 + 1)", f"ct.static_eval({name} ** 2)", f"max({name}, 3)"]
    if w.chance(0.3):
        _declare_tuple(w)
    if w.chance(0.3):
        _declare_list(w)


def _declare_tuple(w: Writer) -> None:
    """(a number, (an array, a number))"""
    dtype = w.number()
    name = w.parameter("p", ("tuple", [("scalar", 5), ("tuple", [("array", dtype.name, (8,), "any"), ("scalar", 2)])]))
    w.declare(Variable(f"{name}[0]", int32, (), assignable=False))
    w.declare(Variable(f"{name}[1][1]", int32, (), assignable=False))
    w.declare(Variable(f"ct.load({name}[1][0], (1,), (4,))", dtype, (4,), assignable=False))


def _declare_list(w: Writer) -> None:
    """Of arrays of one type and rank, chosen by a number of the running kernel."""
    dtype, count = w.number(), w.random.randint(1, 3)
    name = w.parameter("l", ("list", [("array", dtype.name, (4 * (i + 1),), "any") for i in range(count)]))
    w.declare(Variable(f"ct.load({name}[ct.bid(0) % {count}], (0,), (4,))", dtype, (4,), assignable=False))
    w.declare(Variable(f"ct.gather({name}[{w.random.randrange(count)}], ct.bid(0) + 2)", dtype, (), assignable=False))
