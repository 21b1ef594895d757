# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many programs, in processes that may die or hang of one: that is a finding of its seed, and the next one goes on."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from kernel_generator import grammar, outcome
from kernel_generator.outcome import BROKEN, FAILED, REFUSED, Outcome
from kernel_generator.programs import Program

TIME_LIMIT = 60.0
"""Seconds for a program."""
_PROGRAMS_OF_A_PROCESS = 400  # limits the memory that a process keeps for each


def serve(launch: Callable[[Program, list], None]) -> None:
    """The main loop of a process of a campaign: seeds and paths from standard input, a line of JSON for each."""
    warnings.simplefilter("ignore")
    # Kernels print to the standard output of the process, past Python's.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        try:
            result = outcome.run(program_of(line.strip()), launch)
        except Exception:  # of the generator: outcome.run has none
            result = Outcome(BROKEN, traceback.format_exc())
        print(json.dumps([result.kind, result.message]), file=replies, flush=True)


def program_of(name: str) -> Program:
    """That of a seed, or of a file."""
    return grammar.program(int(name)) if name.isdigit() else Program(Path(name).stem, Path(name).read_text())


class Process:
    """Runs programs one after the other; restarts after one that crashed it."""

    def __init__(self, options: tuple[str, ...] = (), time_limit: float = TIME_LIMIT):
        """`options` are those of `python -m kernel_generator` that say how a program is launched."""
        self.options = options
        self.time_limit = time_limit
        self._child: subprocess.Popen | None = None
        self._left = 0

    def run(self, name: str) -> Outcome:
        if self._child is None or not self._left:
            self.close()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "kernel_generator", "--serve", *self.options],
                cwd=Path(__file__).parents[1],
                env={**os.environ, "TILEWRIGHT_CACHE_DIR": "off"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self._left = _PROGRAMS_OF_A_PROCESS
        self._left -= 1
        child = self._child
        child.stdin.write(f"{name}\n")
        child.stdin.flush()
        ready, _, _ = select.select([child.stdout], [], [], self.time_limit)
        reply = child.stdout.readline() if ready else ""
        if reply:
            return Outcome(*json.loads(reply))
        if not ready:
            child.kill()
        _, text = child.communicate()
        self._child = None
        if not ready:
            return Outcome(FAILED, f"not done in {self.time_limit:.0f} s")
        return Outcome(FAILED, f"the process ended with status {child.returncode}\n{text[-2000:]}")

    def close(self) -> None:
        if self._child is not None:
            self._child.stdin.close()
            self._child.wait()
            self._child.stdout.close()
            self._child.stderr.close()
            self._child = None


def run_all(names: Iterator[str], jobs: int, options: tuple[str, ...], report: Callable[[str, Outcome], None]) -> None:
    """Each program in one of `jobs` processes; `report` is called from one thread at a time."""
    lock = threading.Lock()

    def work() -> None:
        process = Process(options)
        try:
            while True:
                with lock:
                    name = next(names, None)
                if name is None:
                    return
                result = process.run(name)
                with lock:
                    report(name, result)
        finally:
            process.close()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def campaign(names: list[str], jobs: int, options: tuple[str, ...], found: Path, progress: bool) -> Counter[str]:
    """Run programs; those that do not agree are written to `found` and printed. How many ended in which way."""
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    begin = time.monotonic()

    def report(name: str, result: Outcome) -> None:
        kinds[result.kind] += 1
        if result.kind == REFUSED:
            reasons[result.message.splitlines()[0].split(": ", 2)[-1]] += 1
        if result.kind not in (outcome.AGREES, outcome.LEFT_OUT):
            show(name, result, found)
        done = sum(kinds.values())
        if progress:
            seconds = time.monotonic() - begin
            bar = "#" * (40 * done // len(names))
            counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
            print(f"\r[{bar:40}] {done}/{len(names)}  {counts}  {done / seconds:.1f}/s ", end="", file=sys.stderr)

    run_all(iter(names), jobs, options, report)
    if progress:
        print(file=sys.stderr)
    for reason, count in reasons.most_common():
        print(f"refused {count} x {reason}")
    return kinds


def show(name: str, result: Outcome, found: Path) -> None:
    try:
        program = program_of(name)
    except Exception:
        program = Program(f"kernel-{name}", "")
    found.mkdir(parents=True, exist_ok=True)
    path = found / f"{program.name}.py"
    comments = "".join(f"# {line}\n" for line in result.message.splitlines())
    path.write_text(f"# {result.kind}\n{comments}{program.source}")
    last = result.message.strip().splitlines()[:12]
    print(f"\n==== {program.name}: {result.kind} ({path})\n" + "\n".join(last), flush=True)
