# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan that a kernel is compiled with for a GPU: that of a schedule of the program, of a locked file, or of a
search for the launch that needs the code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._runtime import environment, locks
from tilewright.errors import TileError
from tilewright.limits import time_limit

_warned: set[str] = set()


Launch = tuple[locks.Bucket, "tuple[int, int, int] | None", Any]
"""The bucket, grid and arguments of the launch that needs the code; no grid if it is not known yet."""


@dataclass
class Plan:
    """A plan, and what is due once the kernel is compiled with it."""

    text: str = ""
    path: str = ""  # of a locked file that is there
    is_found: bool = False  # by a search now
    locked: tuple[Path, str] | None = None  # a file that is due, and its head
    warning: str = ""

    @property
    def options(self) -> dict[str, str]:
        """Those of the compiler."""
        return {"plan": self.path} if self.path else {"plan_text": self.text} if self.text else {}

    def keep(self) -> None:
        if self.locked:
            path, head = self.locked
            locks.write(path, head + self.text)
        if self.warning and self.warning not in _warned:
            _warned.add(self.warning)
            warnings.warn(self.warning, RuntimeWarning, stacklevel=2)


def architecture_of(target: str, device: int) -> str | None:
    """As in ``sm_90a``; None for targets that are no GPU."""
    if target == "nvidia":
        return _native.describe_gpu(device)[1]
    kind, _, architecture = target.partition(":")
    if target.startswith("sm_"):
        return target
    return architecture if kind in ("nvidia", "tileas") else None


def depends_on_bucket(kernel: Any, target: str) -> bool:
    """Whether that is so where one of the variables is set. Kernels with a schedule are searched, and not locked."""
    if not environment.value("TILEWRIGHT_SEARCH") and getattr(kernel, "decisions", None):
        return False
    return target == "nvidia" or architecture_of(target, 0) is not None


@dataclass(frozen=True)
class Planner:
    """Chooses the plan of one compilation. `decided` is the text with the decisions of a schedule."""

    kernel: Any
    compiled: Any
    specs: tuple
    target: str
    device: int
    launch: Launch
    decided: str
    folder: str = field(default_factory=lambda: environment.value("TILEWRIGHT_LOCKS"))
    most: int = field(default_factory=lambda: environment.value("TILEWRIGHT_SEARCH"))

    def choose(self) -> Plan:
        architecture = architecture_of(self.target, self.device)
        if not architecture:
            return Plan(self.decided)
        if self.decided or not self.folder:
            return self._search(architecture)
        key = (self.compiled.entry, self.specs, architecture, self.launch[0])
        path, is_there = locks.find(self.folder, *key)
        if is_there:
            return Plan(path=str(path))
        plan = self._search(architecture)
        # A file is kept for good, and later launches shall be searched that could not be now.
        if self.most and not plan.is_found:
            return plan
        plan.text = plan.text or self._own(architecture)
        plan.locked = path, locks.file_text(*key, "")
        return plan

    def make(self, compile_with: Callable[[dict[str, str]], Any]) -> Any:
        """The code with that plan; with the compiler's, if one that a search found cannot be compiled."""
        plan = self.choose()
        try:
            made = compile_with(plan.options)
        except TileError as error:
            if not plan.is_found:
                raise
            plan = self._after(error)
            made = compile_with(plan.options)
        plan.keep()
        return made

    def _own(self, architecture: str) -> str:
        """The text of the compiler's plan."""
        made = _native.compile_to(self.compiled.module, self.compiled.entry, f"nvidia:{architecture}", "plan",
                                  time_limit=time_limit())  # fmt: skip
        return made.output.decode()

    def _search(self, architecture: str) -> Plan:
        if not self.most or self.launch[1] is None:
            return Plan(self.decided)
        try:
            return Plan(self._fastest(architecture), is_found=True)
        except (TileError, ValueError) as error:
            return self._after(error)

    def _after(self, error: Exception) -> Plan:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        text = f"{self.compiled.entry}: TILEWRIGHT_SEARCH found no plan, and the compiler's is used: {reason}"
        return Plan(self.decided, warning=text)

    def _fastest(self, architecture: str) -> str:
        product = _native.describe_gpu(self.device)[0] if self.target == "nvidia" else ""
        try:
            return self._fastest_on(architecture, product)
        except (TileError, ValueError) as error:
            if "there is no product" not in str(error):
                raise
            return self._fastest_on(architecture, "")  # the one that stands for the architecture

    def _fastest_on(self, architecture: str, product: str) -> str:
        from tilewright._runtime.dispatch import launcher_of

        _, grid, arguments = self.launch
        values = launcher_of(self.kernel).values(arguments, self.compiled.parameters)
        search = _native.search_plans(
            self.compiled.module,
            self.compiled.entry,
            f"nvidia:{architecture}",
            grid,
            values,
            product,
            self.most,
            packages=sys.path,
            time_limit=time_limit(),
            plan_text=self.decided,
        )
        return search.fastest()
