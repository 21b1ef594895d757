# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation, element type and mode in the verifier, the interpreter, code for CPUs and the simulator of GPUs.

python -m support [--every N] [ROW...]       started in python/test: a line of JSON for each cell of docs/support.md
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "numerics"))


def cells() -> dict[tuple[str, str], list]:
    """(row, element type) -> questions."""
    from . import arithmetic, control, memory, shapes

    table = defaultdict(list)
    for family in (control, memory, arithmetic, shapes):
        for question in family.questions():
            table[question.row, question.column].append(question)
    return dict(table)
