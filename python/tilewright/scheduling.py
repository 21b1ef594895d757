# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules by people: decisions on a kernel for a GPU in the words of a plan file (docs/planning.md). Since 0.1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilewright.kernel import kernel


def plan_text(name: str, decisions: Mapping[str, Any]) -> str:
    """A plan file of one kernel: ``{"loop.0.stages": 4}`` becomes ``[name.loop.0]`` and ``stages = 4``."""
    tables: dict[str, list[str]] = {}
    for key, value in decisions.items():
        part, _, word = key.rpartition(".")
        shown = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else value
        tables.setdefault(f'"{name}".{part}'.rstrip("."), []).append(f"{word} = {shown}")
    return "".join("\n".join([f"[{table}]", *lines, ""]) for table, lines in tables.items())


class schedule:
    """Decisions on a kernel, one for each call: ``ct.schedule(matmul).warps(8).stages(0, 4).way("load.0", "tma")``.

    Each call returns a new schedule. ``.kernel`` is a kernel with these decisions; it compiles on its own, for GPUs,
    and refuses what is impossible with the reason. Parts are counted as ``tilewright plan`` prints them.
    """

    def __init__(self, kernel: kernel, decisions: Mapping[str, Any] | None = None):
        self._kernel = kernel
        self.decisions: dict[str, Any] = dict(decisions or {})

    def _with(self, key: str, value: Any) -> schedule:
        return schedule(self._kernel, self.decisions | {key: value})

    def warps(self, count: int) -> schedule:
        """The number of warps of a CTA, a power of two of at most 32."""
        return self._with("warps", count)

    def persistent(self, value: bool = True) -> schedule:
        """Whether as many CTAs as multiprocessors loop over the grid."""
        return self._with("persistent", bool(value))

    def producer(self, word: str) -> schedule:
        """``"agent"``: a warpgroup of its own loads operands of products; ``"threads"``: those that multiply do."""
        return self._with("producer", word)

    def atom(self, product: int, word: str) -> schedule:
        """The instruction of a product: ``"fma"``, ``"mma_sync"``, ``"wgmma"`` or ``"tcgen05"``."""
        return self._with(f"product.{product}.atom", word)

    def stages(self, loop: int, count: int) -> schedule:
        """The stages of the pipeline of a loop's loads; 1 prefetches nothing."""
        return self._with(f"loop.{loop}.stages", count)

    def order(self, loop: int, text: str) -> schedule:
        """The order of the operations of a loop with several products, or ``"serial"``."""
        return self._with(f"loop.{loop}.schedule", text)

    def way(self, part: str, word: str) -> schedule:
        """The way of ``"load.0"`` or ``"store.0"``: ``"tma"``, ``"cp_async"`` or ``"threads"``."""
        return self._with(f"{part}.way", word)

    def text(self, name: str | None = None) -> str:
        """The plan file, for the kernel's name or that of an exported one."""
        return plan_text(name or self._kernel.__name__, self.decisions)

    def write(self, path: Any) -> None:
        """Writes the plan file."""
        Path(path).write_text(self.text())

    @property
    def kernel(self) -> kernel:
        """A kernel of the same function and hints with these decisions."""
        made = self._kernel.replace_hints()
        made.decisions = dict(self.decisions)
        return made

    def __repr__(self) -> str:
        words = "".join(f" {key}={value}" for key, value in self.decisions.items())
        return f"<schedule of {self._kernel.__qualname__}{words}>"
