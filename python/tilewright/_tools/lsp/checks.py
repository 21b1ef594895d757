# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Documents that change while someone types: each is checked when it is opened, and when it has been still for a
moment, the latest text only, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tilewright._tools.check.diagnostics import Report
from tilewright._tools.check.process import Worker, WorkerEnded

STILL = 0.03  # seconds


@dataclass(frozen=True)
class Document:
    uri: str
    path: str
    text: str
    version: int | None


@dataclass(frozen=True)
class Checked:
    document: Document
    report: Report


class Checks:
    """`publish` gets each result of a text that is still the latest."""

    def __init__(self, worker: Worker, publish: Callable[[Checked], None]):
        self.publish = publish
        self.worker = worker
        self.thread = ThreadPoolExecutor(1)  # the only one that asks the worker
        self.latest: dict[str, Document] = {}
        self.tasks: dict[str, asyncio.Task] = {}
        self.done: dict[str, Checked] = {}

    def warm_up(self) -> None:
        """Starts the worker, which takes longer than a check."""
        self.thread.submit(self.worker.check, "", "")

    def change(self, document: Document, still: float = STILL) -> None:
        self.latest[document.uri] = document
        self.tasks[document.uri] = asyncio.ensure_future(self._check(document, still))

    def close(self, uri: str) -> None:
        for table in (self.latest, self.tasks, self.done):
            table.pop(uri, None)

    def stop(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)
        self.worker.stop()

    async def wait(self, uri: str, seconds: float) -> Checked | None:
        """The latest result, after a check that is due within so many seconds."""
        task = self.tasks.get(uri)
        if task is not None:
            await asyncio.wait([task], timeout=seconds)
        return self.done.get(uri)

    async def code(self, uri: str, line: int, seconds: float) -> list[str]:
        """The Tile IR of a line; none if it cannot be had in time."""
        checked = await self.wait(uri, seconds)
        if checked is None:
            return []
        ask = asyncio.get_running_loop().run_in_executor(self.thread, self._code, checked.document.path, line)
        try:
            return await asyncio.wait_for(ask, seconds)
        except asyncio.TimeoutError:
            return []

    def _code(self, path: str, line: int) -> list[str]:
        try:
            return self.worker.ask({"path": path, "line": line})
        except WorkerEnded:
            return []

    async def _check(self, document: Document, still: float) -> None:
        await asyncio.sleep(still)
        if self.latest.get(document.uri) is not document:
            return
        report = await asyncio.get_running_loop().run_in_executor(self.thread, self._report, document)
        if report is not None and self.latest.get(document.uri) is document:
            self.done[document.uri] = Checked(document, report)
            self.publish(self.done[document.uri])

    def _report(self, document: Document) -> Report | None:
        """None if the text has changed before its turn came."""
        if self.latest.get(document.uri) is not document:
            return None
        return self.worker.check(document.text, document.path)
