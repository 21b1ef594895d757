# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation with the types and options it may have.

A row gives the arguments of one of the writer's functions: types for results and operands, lists of the
legal values for the rest. Values that depend on the types are functions of them. The first value of a list is
the one that every version has.
"""

import inspect
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from random import Random

from cuda.tile._bytecode import RoundingMode as Rounding

from .body import SIGNATURES
from .types import NUMBERS, V1, V5, Tile, Type, show

# A row's options are all combined up to this many combinations; beyond it each is varied alone and
# as many combinations are drawn.
MOST_COMBINATIONS = 24


@dataclass(frozen=True)
class Case:
    """One operation with its arguments, in a function of its own."""

    op: str
    arguments: dict = field(hash=False)
    since: int
    until: int = V5

    def fill(self, body):
        body.op(self.op, **self.arguments)

    @property
    def label(self):
        return f"{self.op} " + " ".join(f"{name}={show(value)}" for name, value in self.arguments.items())


@dataclass(frozen=True)
class Built:
    """A case that takes more than one operation to say; `build` gets the body."""

    op: str
    name: str
    build: Callable
    since: int = V1
    until: int = V5

    def fill(self, body):
        self.build(body)

    @property
    def label(self):
        return f"{self.op} {self.name}"


@dataclass(frozen=True)
class Row:
    op: str
    # The legal operands and results: dictionaries from the writer's parameter names to types.
    signatures: list
    options: dict = field(default_factory=dict)
    since: int = V1
    until: int = V5
    # (parameter, value) -> first version that has it, where that is later than the operation's.
    option_since: Callable = lambda name, value: V1

    def cases(self):
        for signature in self.signatures:
            for chosen in self.combinations(signature):
                arguments = signature | chosen
                yield Case(self.op, arguments, self.case_since(arguments), self.until)

    def case_since(self, arguments):
        versions = [self.since] + [self.option_since(*item) for item in arguments.items()]
        return max(versions + [type.since for type in types_in(arguments.values())])

    def combinations(self, signature):
        values = {name: legal(signature) if callable(legal) else legal for name, legal in self.options.items()}
        every = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
        if len(every) <= MOST_COMBINATIONS:
            return every
        base = every[0]
        alone = [base | {name: value} for name in values for value in values[name][1:]]
        drawn = Random(zlib.crc32(f"{self.op}{signature}".encode())).sample(every, MOST_COMBINATIONS)
        return [base, *alone, *(one for one in drawn if one != base and one not in alone)]

    def neighbours(self):
        """Cases that are illegal by one thing: an element type, or the value of an option."""
        legal = {frozenset(signature.items()) for signature in map(hashable, self.signatures)}
        seen = set(legal)
        for signature in self.signatures:
            for found in {type.element for type in types_in(signature.values()) if isinstance(type, Tile)}:
                for element in NUMBERS:
                    other = {name: with_element(type, found, element) for name, type in signature.items()}
                    key = frozenset(hashable(other).items())
                    if key in seen or element == found:
                        continue
                    seen.add(key)
                    arguments = other | self.combinations(signature)[0]
                    yield Case(self.op, arguments, self.case_since(arguments))
        for signature in self.signatures:
            base = self.combinations(signature)[0]
            for name, values in self.options.items():
                values = values(signature) if callable(values) else values
                for value in every_value(*SIGNATURES[self.op][name]):
                    if value not in values:
                        arguments = signature | base | {name: value}
                        yield Case(self.op, arguments, self.case_since(arguments))


def hashable(signature):
    return {name: tuple(value) if isinstance(value, list) else value for name, value in signature.items()}


def with_element(type, found, element):
    return Tile(element, type.shape) if isinstance(type, Tile) and type.element == found else type


def every_value(kind, many, _):
    if many or kind is bool:
        return [] if many else FLAG
    return list(kind) if inspect.isclass(kind) and issubclass(kind, Enum) else []


def types_in(values):
    for value in values:
        if isinstance(value, Type):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from types_in(value)


IEEE = [Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF]
FLAG = [False, True]
