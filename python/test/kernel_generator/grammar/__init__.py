# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs from seeds. Types direct the writing: an expression is asked for by element type and shape, so that what is
written is legal, defined, and has one result:

| construct | rule |
|---|---|
| division, shifts, conversions to integers | operands are clamped to the valid range first |
| tile indices | are taken modulo the number of tiles; those of gather may be outside |
| a product of floats | is an operand of a sum only where it is written inside of it: there it is fused |
| sums and products over elements, and of matrices | are of integers, or of floats that are small integers |
| the least and the largest of floats | are of elements without -0, since it is free which zero is the larger |
| functions that do not round correctly | go to results of their own, which may be some numbers apart |
| bits of floats | are read after NaN is replaced |
| results | have a part for each block; memory of all blocks is changed by one atomic function that commutes |
| a Python number that control flow changes | is used as an index, a bound, or the argument of a constructor only |
"""

from kernel_generator.grammar import accesses, expressions, folds, matrices, objects, statements  # noqa: F401  (they fill the tables)
from kernel_generator.grammar.statements import write_kernel
from kernel_generator.grammar.writer import Writer
from kernel_generator.programs import Program


def program(seed: int) -> Program:
    """The program of a seed."""
    writer = Writer(seed, accesses.load)
    write_kernel(writer)
    return Program(f"kernel-{seed}", writer.text(seed))
