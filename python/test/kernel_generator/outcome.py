# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program: evaluated with NumPy, compiled and run, compared."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass

import tilewright
from tilewright.errors import TileError

from kernel_generator.programs import Program, difference

AGREES, DIFFERS, REFUSED, BROKEN, FAILED, LEFT_OUT = "agrees", "differs", "refused", "broken", "failed", "left out"
"""LEFT_OUT: the way to launch has no word about this program. FAILED: compiling or running ended in something else than
an error of the language. BROKEN: NumPy does not evaluate the program, which is a fault of the generator or of the
evaluation."""


class LeftOut(Exception):
    """Raised by a way to launch that cannot judge a program; says why."""


@dataclass(frozen=True)
class Outcome:
    kind: str
    message: str = ""
    """One line or a difference for each result."""


def launch(program: Program, arguments: list) -> None:
    tilewright.launch(None, program.grid, program.compiled(), tuple(arguments))


def run(program: Program, launch: Callable[[Program, list], None] = launch) -> Outcome:
    """On the target that the environment names (TILEWRIGHT_TARGET, TILEWRIGHT_INTERPRET), by default this CPU."""
    expected, found = program.arguments(), program.arguments()
    try:
        program.evaluate(expected)
    except Exception:
        return Outcome(BROKEN, traceback.format_exc())
    try:
        launch(program, found)
    except LeftOut as error:
        return Outcome(LEFT_OUT, str(error))
    except tilewright.TileInternalError as error:
        return Outcome(FAILED, str(error))
    except TileError as error:
        return Outcome(REFUSED, f"{type(error).__name__}: {error}")
    except Exception:
        return Outcome(FAILED, traceback.format_exc())
    messages = [
        message
        for (name, of_numpy, apart), (_, compiled, _) in zip(
            program.results(expected), program.results(found), strict=True
        )
        if (message := difference(name, of_numpy, compiled, apart)) is not None
    ]
    return Outcome(DIFFERS, "\n".join(messages)) if messages else Outcome(AGREES)
