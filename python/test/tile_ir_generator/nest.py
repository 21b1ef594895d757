# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random legal programs: operations on each other's results, in loops, conditions, reductions and scans."""

from collections import defaultdict
from contextlib import contextmanager
from random import Random

from cuda.tile._bytecode import MISSING_DEBUG_ATTR_ID, EntryHints, TypeId

from . import arithmetic
from .body import SIGNATURES
from .entries import ARCHITECTURES, LOCATIONS, at
from .modules import Description, Function
from .regions import identity
from .table import FLAG
from .types import BOOL, FLOATS, I32, INTS, TOKEN, V2, E, Ptr, Tile

DEEPEST = 3
PARAMETERS = (I32, Tile(E.I64), Tile(E.F32), BOOL, Tile(Ptr(E.F32)), Tile(Ptr(E.I8)), Tile(E.F16))


class Program:
    """Fills one body. `values` holds what is in scope, by type."""

    def __init__(self, body, known, random, version, places):
        self.body, self.random, self.version, self.places = body, random, version, places
        self.cases, self.pure = known
        self.values = defaultdict(list)

    def pick(self, type):
        """A value in scope if there is one, sometimes a fresh one."""
        if self.values[type] and self.random.random() < 0.85:
            return self.random.choice(self.values[type])
        return self.keep(type, self.body.value(type, self.random.choice((0, 1, 1, 2, 5))))

    def keep(self, type, value):
        self.values[type].append(value)
        return value

    @contextmanager
    def block(self, nested, types=()):
        outside = {type: list(values) for type, values in self.values.items()}
        with self.body.block(nested, types) as arguments:
            for type, value in zip(types, arguments, strict=True):
                self.keep(type, value)
            yield arguments
        self.values = defaultdict(list, outside)

    def fill(self, depth=0, in_loop=None):
        for _ in range(self.random.randint(2, 7 if depth else 12)):
            with self.somewhere():
                if depth < DEEPEST and self.random.random() < 0.3:
                    self.random.choice((self.condition, self.counted, self.endless, self.fold))(depth, in_loop)
                else:
                    self.operation(self.cases)

    @contextmanager
    def somewhere(self):
        place = self.random.choice(list(LOCATIONS.values())) if self.places and self.random.random() < 0.7 else None
        found = place(self.body.debug, self.body.function) if place else MISSING_DEBUG_ATTR_ID
        with self.body.builder.debug_attr(found):
            yield

    def operation(self, cases):
        case = self.random.choice(cases[self.random.choice(list(cases))])
        arguments, result_types = {}, []
        for name, (kind, many, _) in SIGNATURES[case.op].items():
            argument = case.arguments[name]
            if kind is TypeId:
                result_types += argument if many else [argument] if argument else []
            elif kind.__name__ == "Value":
                argument = [self.pick(a) for a in argument] if many else argument and self.pick(argument)
            arguments[name] = argument
        results = self.body.op(case.op, **arguments)
        results = results if isinstance(results, (tuple, list)) else [results] if results else []
        for type, value in zip(result_types, results, strict=True):
            self.keep(type, value)

    def some_types(self, most=3):
        """Types to carry through a region: of what is there, no views."""
        known = [type for type, values in self.values.items() if values and (isinstance(type, Tile) or type == TOKEN)]
        return tuple(self.random.choice(known or [I32]) for _ in range(self.random.randint(0, most)))

    def finish(self, op, types):
        self.body.op(op, operands=[self.pick(type) for type in types])

    def done(self, nested, types):
        for type, value in zip(types, nested.done(), strict=True):
            self.keep(type, value)

    def condition(self, depth, in_loop):
        types = self.some_types()
        nested = self.body.op("If", result_types=types, condition=self.pick(BOOL))
        for is_else in FLAG:
            with self.block(nested):
                self.fill(depth + 1, in_loop)
                if is_else and in_loop and self.random.random() < 0.3:
                    self.finish(*self.random.choice(in_loop))
                else:
                    self.finish("Yield", types)
        self.done(nested, types)

    def counted(self, depth, _):
        carried = self.some_types()
        index = Tile(self.random.choice(INTS[1:]))
        nested = self.body.op(
            "For",
            result_types=carried,
            initValues=[self.pick(type) for type in carried],
            unsignedCmp=self.version >= V2 and self.random.random() < 0.5,
            **{bound: self.pick(index) for bound in ("lowerBound", "upperBound", "step")},
        )
        with self.block(nested, (index, *carried)):
            self.fill(depth + 1, [("Continue", carried)])
            self.finish("Continue", carried)
        self.done(nested, carried)

    def endless(self, depth, _):
        carried, results = self.some_types(), self.some_types()
        nested = self.body.op("Loop", result_types=results, initValues=[self.pick(type) for type in carried])
        with self.block(nested, carried):
            self.fill(depth + 1, [("Continue", carried), ("Break", results)])
            leave = self.body.op("If", result_types=(), condition=self.pick(BOOL))
            for op, types in ("Break", results), ("Yield", ()):
                with self.block(leave):
                    self.finish(op, types)
            leave.done()
            self.finish("Continue", carried)
        self.done(nested, results)

    def fold(self, *_):
        op, element = self.random.choice(("Reduce", "Scan")), self.random.choice((*INTS, *FLOATS))
        shape, dim = self.random.choice((((4, 2), 0), ((4, 2), 1)))
        result = Tile(element, shape if op == "Scan" else shape[:dim] + shape[dim + 1 :])
        nested = self.body.op(
            op,
            result_types=[result],
            operands=[self.pick(Tile(element, shape))],
            dim=dim,
            identities=[identity(self.body, element, 0)],
            **({"reverse": self.random.random() < 0.5} if op == "Scan" else {}),
        )
        with self.block(nested, (Tile(element), Tile(element))):
            for _ in range(self.random.randint(1, 4)):
                self.operation(self.pure)
            self.finish("Yield", (Tile(element),))
        self.done(nested, (result,))


PURE = {row.op for row in arithmetic.elementwise()}


def is_scalar(case):
    return all(argument.shape == () for argument in case.arguments.values() if isinstance(argument, Tile))


def known_in(cases, version):
    """The cases of a version by operation, and those that a reduction's function may hold: pure and of scalars."""
    every, pure = defaultdict(list), defaultdict(list)
    for case in cases:
        if case.since <= version <= case.until:
            every[case.op].append(case)
            if case.op in PURE and is_scalar(case):
                pure[case.op].append(case)
    return every, pure


def description(name, known, version, seed):
    """A module of some functions with all that they may have."""

    def function(number):
        random = Random(f"{seed} {version} {number}")
        places = random.random() < 0.6
        parameters = tuple(random.choices(PARAMETERS, k=random.randint(0, 6)))

        def fill(body):
            program = Program(body, known, random, version, places)
            for type, value in zip(parameters, body.parameters, strict=True):
                program.keep(type, value)
            program.fill()

        hints = {random.choice(ARCHITECTURES): EntryHints(occupancy=random.randint(1, 32))}
        location = {"location": at(number)} if places else {}
        return Function(f"f{number}", fill, parameters, hints if random.random() < 0.5 else {}, **location)

    return Description(name, tuple(function(n) for n in range(1 + seed % 3)), version, version)
