# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes modules of Tile IR with NVIDIA's own writer, the Python package cuda-tile.

Every operation, in every version that has it, with every optional operand and attribute and every legal
element type; what else a module has; and random programs of all that. `modules()` gives them, always the
same ones; `python -m tile_ir_generator DIRECTORY` writes them out.

The tables say what is legal. That they are right is checked, not assumed: NVIDIA's disassembler must read
what they call legal, and refuse it in the versions that they say lack it.
"""

from collections import defaultdict
from itertools import chain

from . import arithmetic, entries, memory, nest, regions
from .modules import BytecodeVersion, Description, Function

# Functions in a module of the table: few enough to see which one a difference is in.
FUNCTIONS_PER_MODULE = 12
RANDOM_PROGRAMS = 80


def cases():
    for row in chain(arithmetic.rows(), memory.rows()):
        yield from row.cases()


def table_descriptions():
    groups = defaultdict(list)
    for case in chain(cases(), regions.cases(), entries.constants()):
        groups[case.op, case.since, case.until].append(case)
    for (op, since, until), group in groups.items():
        for at in range(0, len(group), FUNCTIONS_PER_MODULE):
            part = group[at : at + FUNCTIONS_PER_MODULE]
            functions = tuple(Function(f"f{n}", case.fill) for n, case in enumerate(part))
            yield Description(f"{op} {at // FUNCTIONS_PER_MODULE} since {since.as_string()}", functions, since, until)


def random_descriptions():
    every = list(cases())
    for version in BytecodeVersion:
        known = nest.known_in(every, version)
        for seed in range(RANDOM_PROGRAMS):
            yield nest.description(f"random {seed}", known, version, seed)


def descriptions():
    return chain(table_descriptions(), entries.descriptions(), random_descriptions())


def modules():
    for description in descriptions():
        for version in BytecodeVersion:
            if description.since <= version <= description.until:
                yield description.write(version)
