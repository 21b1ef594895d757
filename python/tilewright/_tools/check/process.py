# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parent's side of a worker: a crash or an endless loop there is an answer here."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Any

from tilewright._tools.check.diagnostics import Diagnostic, Place, Report

_MOST_CRASHES = 20  # of a file
_DEFINITION_SECONDS = 60.0  # for the definitions of a kernel, which may import much, and for the worker to start


class WorkerEnded(Exception):
    """`kernel` is the key of the one that it worked on; empty if it had not begun with one."""

    def __init__(self, reason: str, kernel: str):
        super().__init__(reason)
        self.kernel = kernel


class Worker:
    """Started with the first request, if not before, and again after it has ended. One thread at a time may ask."""

    def __init__(self, patience: float | None, *, quiet: bool = False):
        """`patience`: seconds for a kernel; None is for ever. `quiet` drops the output of programs."""
        self.patience = patience
        self.quiet = quiet
        self.process: subprocess.Popen | None = None
        self.events: queue.Queue[str | None] = queue.Queue()
        self.fatal: dict[str, str] = {}  # by the keys of kernels, how the worker ended

    def check(self, text: str, path: str, **options: Any) -> Report:
        """A kernel that ends the worker is an error there, and the others are checked nevertheless."""
        for _ in range(_MOST_CRASHES):
            try:
                return Report.from_json(self.ask({"text": text, "path": path, "fatal": self.fatal} | options))
            except WorkerEnded as end:
                reason = str(end)
                if not end.kernel:
                    break
                self.fatal[end.kernel] = reason
        return Report([Diagnostic("error", Place(path, 1), f"checking this file {reason}", "crash")])

    def ask(self, request: dict[str, Any]) -> Any:
        if self.process is None or self.process.poll() is not None:
            self.start()
        kernel, seconds = "", None if self.patience is None else _DEFINITION_SECONDS
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, which the next event says
        while True:
            try:
                text = self.events.get(timeout=seconds)
            except queue.Empty:
                self.stop()
                raise WorkerEnded(f"took more than {seconds:g} s", kernel) from None
            if text is None:
                status = self.process.wait()
                self.stop()
                raise WorkerEnded(_reason(status), kernel)
            event = json.loads(text)
            if "answer" in event:
                return event["answer"]
            kernel = event["kernel"]
            if seconds is not None:
                seconds = self.patience if event["stage"] == "kernel" else _DEFINITION_SECONDS

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process = None

    def start(self) -> None:
        self.stop()
        path = os.pathsep.join(folder for folder in sys.path if folder)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tilewright._tools.check.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if self.quiet else None,
            text=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": path},
        )
        self.events = queue.Queue()
        threading.Thread(target=_read, args=(self.process.stdout, self.events), daemon=True).start()


def _read(stream: Any, events: queue.Queue[str | None]) -> None:
    with stream:
        for line in stream:
            events.put(line)
    events.put(None)


def _reason(status: int) -> str:
    return f"ended with {signal.Signals(-status).name}" if status < 0 else f"ended with exit status {status}"
