# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks the questions of a cell: the verifier each, the targets all that are legal, as entries of one module."""

from __future__ import annotations

import json
import os
import re
import signal
import tempfile
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numerics import decode, storage, unpack_nibbles
from tilewright import _native

from . import cells
from .emulated import emulated_entries
from .operands import bits_for
from .question import ALL_FLOATS, Give, Question, in_memory, module_text

EMULATED = ("aarch64", "aarch64+sve2+bf16+dotprod")
# The interpreter comes first: the others are compared with it. GPUs are simulated.
TARGETS = {"interpreter": ("interpreter", 1), "cpu -O0": ("cpu", 0), "cpu -O3": ("cpu", 3)}
TARGETS |= {name: (f"tileas:{name}", 3) for name in ("sm_80", "sm_90a", "sm_100a", "sm_120a")}
if os.environ.get("TILEWRIGHT_TEST_GPU"):
    TARGETS = {"interpreter": ("interpreter", 1), "gpu": ("nvidia", 3)}
if os.environ.get("TILEWRIGHT_TEST_EMULATOR"):
    TARGETS = {"interpreter": ("interpreter", 1)} | {name: (name, 1) for name in EMULATED}
SECONDS = 300
"""For one cell."""
UNWRITTEN = 0xA5


@dataclass
class Answer:
    """The record of a question: its mode, the verifier's reason against it, or what is wrong per target."""

    mode: tuple
    illegal: str = ""
    wrong: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    arrays: list[np.ndarray]
    said: str
    """What was printed, and the error that ended the launch."""


# ---- the verifier -----------------------------------------------------------------------------


def first_error(error: Exception) -> str:
    """The message without its place."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    line = next((line for line in lines if "error: " in line), lines[0])
    return re.sub(r"^.*?error: ", "", line).replace("!cuda_tile.", "")


def read(questions):
    return _native.Module.read(module_text(questions).encode(), "<question>")


def reason_against(question: Question) -> str:
    try:
        read([question])
    except ValueError as error:
        return first_error(error)
    return ""


# ---- one launch -------------------------------------------------------------------------------


def arrays_of(question: Question) -> tuple[list[int], list, list[np.ndarray]]:
    """The bits of the parameters; the parts to be compared after the run, and their memory; what else is kept alive."""
    values, compared, kept = [], [], []
    for position, part in enumerate(question.takes):
        count = in_memory(part.element, part.shape)[1] * (2 if part.element == "f4E2M1FN" else 1)
        kept.append(bits_for(part.values, part.element, count, position))
        values.append(kept[-1].ctypes.data)
    for part in question.memories:
        bits = bits_for(part.values, part.element, part.count, 2)
        compared.append((part, bits))
        values.append(bits.ctypes.data)
    values += [part.bits for part in question.numbers]
    for part in question.gives:
        memory, count = in_memory(part.element, part.shape)
        size = storage(memory).itemsize if memory != "i64" else 8
        compared.append((part, np.full(count * size, UNWRITTEN, np.uint8)))
        values.append(compared[-1][1].ctypes.data)
    return values, compared, kept


@contextmanager
def listening(enabled: bool):
    """The output printed meanwhile, by the runtime as well."""
    heard = []
    if not enabled:
        yield heard
        return
    with tempfile.TemporaryFile() as file:
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield heard
        finally:
            os.dup2(before, 1)
            os.close(before)
            file.seek(0)
            heard.append(file.read().decode(errors="replace"))


def launch(executable, question: Question) -> Outcome:
    values, compared, kept = arrays_of(question)
    arrays = [*kept, *(array for _, array in compared)]
    memory = [(f"array {i}", array.ctypes.data, 1, [array.nbytes], [1], True) for i, array in enumerate(arrays)]
    failure = ""
    with listening(question.prints) as heard:
        try:
            executable.run((question.blocks, 1, 1), values, arrays=memory)
        except Exception as error:
            failure = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return Outcome([array for _, array in compared], "".join(heard) + failure)


def steps_apart(element: str, found: np.ndarray, expected: np.ndarray) -> int:
    """How many numbers of the type lie between, at most; a NaN is one number."""
    kind = storage(element)
    sign = np.uint64(1 << (8 * kind.itemsize - 1))
    nan = [np.isnan(decode(element, bits)) for bits in (found, expected)]
    if (nan[0] != nan[1]).any():
        return 1 << 62

    def place(bits):
        bits = bits.astype(np.uint64)
        return np.where(bits & sign, -((bits & ~sign).astype(np.int64)), bits.astype(np.int64))

    distance = np.abs(place(found).astype(np.float64) - place(expected).astype(np.float64))
    return int(np.where(nan[0], 0, distance).max())


def difference(part, found: np.ndarray, expected: np.ndarray) -> str:
    """The disagreement of two targets in one array, or nothing."""
    if found.tobytes() == expected.tobytes():
        return ""
    element = part.element
    if part.within != "bits" and element in ALL_FLOATS:
        if element == "f4E2M1FN":
            found, expected = unpack_nibbles(found.view(np.uint8)), unpack_nibbles(expected.view(np.uint8))
        found, expected = found.view(storage(element)), expected.view(storage(element))
        if getattr(part, "flushes", False):
            found, expected = (np.where(np.abs(decode(element, x)) < 2.0**-126, 0, x) for x in (found, expected))
        nan = np.isnan(decode(element, found)) & np.isnan(decode(element, expected))
        wrong = (found != expected) & ~nan
        if part.within != "number" and steps_apart(element, found, expected) <= part.within:
            return ""
    else:
        found, expected = (bits.view(np.uint8) for bits in (found, expected))
        wrong = found != expected
    if not wrong.any():
        return ""
    at = int(np.flatnonzero(wrong)[0])
    what = "bytes" if found.dtype == np.uint8 else "elements"
    return f"computes otherwise: {wrong.sum()} of {wrong.size} {what} of %{part.name}, first {found[at]:#x} at {at}, " \
           f"in the interpreter {expected[at]:#x}"  # fmt: skip


def compare(question: Question, found: Outcome, expected: Outcome) -> str:
    if found.said != expected.said:
        return f"says otherwise: {found.said!r}, in the interpreter {expected.said!r}"
    parts = [*question.memories, *question.gives]
    texts = map(difference, parts, found.arrays, expected.arrays)
    return next(filter(None, texts), "")


def unwritten(question: Question, outcome: Outcome) -> str:
    """A question that changes nothing asks nothing."""
    if outcome.said:
        return ""
    for part, array in zip([*question.memories, *question.gives], outcome.arrays, strict=True):
        if isinstance(part, Give) and (array == UNWRITTEN).all():
            return f"%{part.name} was not written"
    if not question.gives:
        _, before, _ = arrays_of(question)
        if all(array.tobytes() == bits.tobytes() for (_, bits), array in zip(before, outcome.arrays, strict=True)):
            return "memory was not written"
    return ""


# ---- a cell -----------------------------------------------------------------------------------


def executables(questions, target: str, level: int) -> list:
    """For each question the code, or the error. A question that does not compile with the others is compiled alone."""
    try:
        module = read(questions)
        if target in EMULATED:
            return emulated_entries(module, target, level, [f"q{i}" for i in range(len(questions))])
        return [
            _native.compile(module, target=target, entry=f"q{i}", opt_level=level, verify=False)
            for i in range(len(questions))
        ]
    except Exception as error:
        if len(questions) == 1:
            return [error]
        return [executables([question], target, level)[0] for question in questions]


def ask(questions: list[Question]) -> list[Answer]:
    answers = [Answer(question.mode, reason_against(question)) for question in questions]
    legal = [(question, answer) for question, answer in zip(questions, answers, strict=True) if not answer.illegal]
    by_globals: dict[str, list] = {}
    for question, answer in legal:
        by_globals.setdefault(question.globals, []).append((question, answer))
    for group in by_globals.values():
        ask_targets(*zip(*group, strict=True))
    return answers


def ask_targets(questions, answers) -> None:
    expected: list[Outcome | None] = [None] * len(questions)
    for name, (target, level) in TARGETS.items():
        codes = executables(questions, target, level)
        for i, (question, answer, code) in enumerate(zip(questions, answers, codes, strict=True)):
            if isinstance(code, Exception):
                answer.wrong[name] = f"refuses: {first_error(code)}"
                continue
            outcome = launch(code, question)
            if name == "interpreter":
                expected[i], text = outcome, unwritten(question, outcome)
            else:
                text = compare(question, outcome, expected[i]) if expected[i] else "has nothing to be compared with"
            if not text and outcome.said.startswith(("TileUnsupported", "TileInterpreterError", "TileRuntime")):
                text = f"refuses: {re.sub(r'^.*?error: ', '', outcome.said)}"
            if text:
                answer.wrong[name] = text


def summary(row: str, column: str, answers: list[Answer]) -> dict:
    """A mode counts if it is legal in some shape, and for a target if it is right in all of these."""
    modes = dict.fromkeys(answer.mode for answer in answers if not answer.illegal)
    right, wrong = {}, {}
    for target in TARGETS:
        failing = {answer.mode: answer.wrong[target] for answer in answers if target in answer.wrong}
        right[target] = len(modes) - len(failing)
        if failing:
            wrong[target] = [[list(mode), text] for mode, text in failing.items()]
    reasons = sorted({answer.illegal for answer in answers if answer.illegal})
    return {"row": row, "column": column, "modes": [list(mode) for mode in modes], "right": right, "wrong": wrong,
            "illegal": reasons}  # fmt: skip


def died(row: str, column: str, questions: list[Question], status: int) -> dict:
    ended = signal.Signals(status & 0x7F).name if status & 0x7F else f"status {status >> 8}"
    wrong = dict.fromkeys(TARGETS, f"the process ends by {ended}")
    return summary(row, column, [Answer(question.mode, "", wrong) for question in questions])


def answer_all(cells_to_ask, to: int) -> NoReturn:
    """Writes a line for each cell, and ends the process whatever happens."""
    status = 1
    try:
        with os.fdopen(to, "w") as out:
            for row, column, questions in cells_to_ask:
                signal.alarm(SECONDS)
                out.write(json.dumps(summary(row, column, ask(questions))) + "\n")
                out.flush()
        status = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def in_children(cells_to_ask: list[tuple[str, str, list[Question]]]) -> list[dict]:
    """One process after the other, since a process may die of a cell; the next one goes on behind it."""
    found: list[dict] = []
    while len(found) < len(cells_to_ask):
        end, start = os.pipe()
        child = os.fork()
        if child == 0:
            answer_all(cells_to_ask[len(found) :], start)
        os.close(start)
        with os.fdopen(end) as lines:
            found += [json.loads(line) for line in lines if line.endswith("\n")]
        status = os.waitpid(child, 0)[1]
        if len(found) < len(cells_to_ask):
            found.append(died(*cells_to_ask[len(found)], status))
    return found


def results(chosen: list[tuple[str, str]], jobs: int = 0) -> Iterator[dict]:
    table = cells()
    work = [(row, column, table[row, column]) for row, column in chosen]
    batches = [work[i : i + 24] for i in range(0, len(work), 24)]
    with ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
        for found in pool.map(in_children, batches):
            yield from found
