# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""State while a program is written: names and their types, parameters, lines."""

from __future__ import annotations

import contextlib
import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kernel_generator import dtypes
from kernel_generator.dtypes import DType, bool_, int32

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Variable:
    """A text that reads a tile. `assignable`: it is a name that statements may give another value of its type."""

    text: str
    dtype: DType
    shape: Shape
    assignable: bool = True


@dataclass(frozen=True)
class Function:
    """The types of its parameters, of which the last `defaults` may be left out. A helper is one of the module; others
    are of the kernel."""

    name: str
    parameters: tuple[tuple[DType, Shape], ...]
    dtype: DType
    shape: Shape
    defaults: int = 0
    is_helper: bool = False


Alternative = Callable[["Writer", DType, Shape, int], "str | None"]
EXPRESSIONS: list[tuple[int, Alternative]] = []
"""(weight, writer of an expression of a type, or None where it has none)."""
Statement = Callable[["Writer", int], bool]
STATEMENTS: list[tuple[int, Statement]] = []
"""(weight, writer of a statement at a depth of nesting; False where there was nothing to write)."""


def expression(weight: int) -> Callable[[Alternative], Alternative]:
    return lambda function: EXPRESSIONS.append((weight, function)) or function


def statement(weight: int) -> Callable[[Statement], Statement]:
    return lambda function: STATEMENTS.append((weight, function)) or function


class Writer:
    def __init__(self, seed: int, load: Alternative):
        """`load` writes what is read from an array of its own."""
        self.load = load
        self.random = random.Random(seed)
        self.lines: list[str] = []  # of the kernel's body
        self.helpers: list[str] = []  # lines of functions before the kernel
        self.indent = "    "
        self.parameters: list[tuple[str, tuple]] = []  # (declaration, description)
        self.scopes: list[list[Variable | Function]] = [[]]
        self.read_only = 0  # scopes before this one belong to functions around the one that is written
        self.count = 0
        self.loops = self.unrolled = 0  # loops around the statement that is written
        self.in_function = False
        self.returning: tuple[DType, Shape] | None = None  # of the function that is written
        self.literals: list[str] = []  # names of integers that are known while compiling, and expressions of them
        self.hints = self.random.choice(("", "", "(occupancy=2)", "(opt_level=0)", "(num_ctas=1, opt_level=2)"))
        self.grid = tuple(self.random.choice(((1,), (2,), (3,), (2, 2), (1, 3), (2, 1, 2))))
        self.blocks = math.prod(self.grid)
        numbers = self.random.sample([*dtypes.INTEGERS, *dtypes.FLOATS], 3)
        self.dtypes = [*numbers, int32, bool_]
        self.shapes = self._shapes()
        # A statement or an expression that a program has not got leaves room for others.
        self.expressions = [a for a in EXPRESSIONS if self.random.random() < 0.8]
        self.statements = [s for s in STATEMENTS if self.random.random() < 0.8]

    def _shapes(self) -> list[Shape]:
        shapes: list[Shape] = [()]
        for _ in range(2):
            rank = self.random.choice((1, 1, 2, 2, 3))
            extents = {1: (1, 4, 16, 32, 128), 2: (1, 2, 4, 8, 16), 3: (1, 2, 4, 8)}[rank]
            shapes.append(tuple(self.random.choice(extents) for _ in range(rank)))
        return shapes

    # ---- choices ----

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choose(self, items):
        return self.random.choice(list(items))

    def number(self) -> DType:
        return self.choose(t for t in self.dtypes if t is not bool_)

    def any_type(self) -> tuple[DType, Shape]:
        return self.choose(self.dtypes), self.choose(self.shapes)

    # ---- names ----

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def visible(self) -> list[Variable]:
        return [v for scope in self.scopes for v in scope if isinstance(v, Variable)]

    def functions(self) -> list[Function]:
        return [f for scope in self.scopes for f in scope if isinstance(f, Function)]

    def assignable(self) -> list[Variable]:
        return [v for s in self.scopes[self.read_only :] for v in s if isinstance(v, Variable) and v.assignable]

    def declare(self, item: Variable | Function) -> None:
        self.scopes[-1].append(item)

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Lines meanwhile are one level deeper; names are gone afterwards."""
        indent = self.indent
        self.indent += "    "
        self.scopes.append([])
        yield
        self.scopes.pop()
        self.indent = indent

    @contextlib.contextmanager
    def function(self, outside: bool) -> Iterator[None]:
        """Lines meanwhile are the body of a function: nested, or a helper before the kernel."""
        kept = self.lines, self.indent, self.scopes, self.read_only, self.loops, self.in_function
        literals, unrolled, returning = self.literals, self.unrolled, self.returning
        self.loops, self.unrolled, self.in_function = 0, 0, True
        if outside:
            self.literals = []
            self.lines, self.indent, self.scopes = (
                [],
                "",
                [[f for f in self.scopes[0] if isinstance(f, Function) and f.is_helper]],
            )
        self.read_only = len(self.scopes)
        with self.block():
            yield
        written = self.lines
        self.lines, self.indent, self.scopes, self.read_only, self.loops, self.in_function = kept
        self.literals, self.unrolled, self.returning = literals, unrolled, returning
        if outside:
            self.helpers += [*written, "", ""]

    def reads_literal(self, text: str) -> bool:
        """Whether an expression has the name of a compile-time integer of the kernel in it."""
        return any(re.search(rf"\b{re.escape(literal)}\b", text) for literal in self.literals)

    # ---- text ----

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def parameter(self, stem: str, description: tuple, annotation: str = "") -> str:
        name = self.name(stem)
        self.parameters.append((name + annotation, description))
        return name

    def expression(self, dtype: DType, shape: Shape, depth: int) -> str:
        """An expression of a type. Products of floats are marked by a star at their beginning, see `plain`."""
        for _ in range(8 if depth > 0 else 0):
            [(_, write)] = self.random.choices(self.expressions, [weight for weight, _ in self.expressions])
            text = write(self, dtype, shape, depth - 1)
            if text is not None and not (dtype.is_float and not shape and is_constant(text)):
                return text
        return self.leaf(dtype, shape)

    def value(self, dtype: DType, shape: Shape, depth: int) -> str:
        """Expressions that may be given a name: no product, and no compile-time constant, since the language folds
        that and refuses a division by zero in it."""
        text = self.plain(dtype, shape, depth)
        return self.opaque_constant(dtype) if not shape and is_constant(text) else text

    def opaque_constant(self, dtype: DType) -> str:
        literal = self.choose(("True", "False")) if dtype is bool_ else self.literal(dtype)
        return f"ct.full((1,), {literal}, ct.{dtype}).item()"

    def plain(self, dtype: DType, shape: Shape, depth: int) -> str:
        """An expression that is no product of floats at its top."""
        return without_product(self.expression(dtype, shape, depth))

    def leaf(self, dtype: DType, shape: Shape) -> str:
        same = [v for v in self.visible() if v.dtype is dtype and v.shape == shape]
        if same and self.chance(0.8):
            return self.choose(same[-6:]).text
        others = [v for v in self.visible() if v.dtype is dtype and broadcasts(v.shape, shape)]
        if others and self.chance(0.5):
            return f"ct.broadcast_to({self.choose(others).text}, {shape})"
        if not self.in_function and self.chance(0.6):
            return self.load(self, dtype, shape, 0)
        converted = [v for v in self.visible() if v.shape == shape and (dtype.is_float or not v.dtype.is_float)]
        if converted and self.chance(0.6):
            return f"{self.choose(converted[-6:]).text}.astype(ct.{dtype})"
        return self.constant(dtype, shape)

    def constant(self, dtype: DType, shape: Shape) -> str:
        if dtype is bool_:
            literal = self.choose(("True", "False"))
        else:
            literal = self.literal(dtype)
        if not shape:
            return self.opaque_constant(dtype) if dtype.is_float else f"ct.{dtype}({literal})"
        counts = dtype is not bool_ and not dtype.is_float and len(shape) == 1 and shape[0] <= 1 << dtype.bitwidth
        if counts and self.chance(0.5):
            return f"ct.arange({shape[0]}, dtype=ct.{dtype})"
        return f"ct.full({shape}, {literal}, ct.{dtype})"

    def literal(self, dtype: DType) -> str:
        """A Python number that is within the range of a type."""
        if dtype.is_float:
            return self.choose(("0.0", "1.0", "0.5", "-2.0", "3.0", "0.1", "-0.75", "1e-3", "2", "-1"))
        if self.literals and self.chance(0.3):
            return self.choose(self.literals)
        low = 0 if not dtype.is_signed else -9
        return str(self.random.randint(low, 19))

    def text(self, seed: int) -> str:
        declarations = ", ".join(declaration for declaration, _ in self.parameters)
        descriptions = [description for _, description in self.parameters]
        return "\n".join([
            f"# program {seed}", "import contextlib", "import dataclasses", "", "import tilewright as ct", "",
            f"GRID = {self.grid}", f"ARGUMENTS = {descriptions}",
            "", "", *self.helpers, f"@ct.kernel{self.hints}", f"def kernel({declarations}):", *self.lines, "",
        ])  # fmt: skip


def broadcasts(shape: Shape, to: Shape) -> bool:
    return len(shape) <= len(to) and all(a in (1, b) for a, b in zip(shape[::-1], to[::-1], strict=False))


def without_product(text: str) -> str:
    """The same value as what no sum fuses with."""
    return f"(-{text[1:]})" if text.startswith("*") else text


_VARIES = re.compile(r"(?<![\w.])(?![cs]\d)([a-z]+\d+|block)\b|bid\(|full\(|arange\(")


def is_constant(text: str) -> bool:
    """Whether it consists of numbers, names of constants and of static loops (c1, s2), and constructors of scalars."""
    return not _VARIES.search(text)


def as_written(text: str) -> str:
    """An expression as it stands in the program, where a product may be fused."""
    return text.removeprefix("*")
