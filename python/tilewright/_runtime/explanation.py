# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report on a launch: the compiler's decisions, and the predicted time (docs/planning.md). Since 0.1."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import Any

from tilewright._runtime.tracebacks import boundary
from tilewright.limits import time_limit


@dataclass(frozen=True)
class Explanation:
    """The report of `explain` on a kernel."""

    text: str
    """The page that ``tilewright explain`` prints."""
    data: dict[str, Any] = field(repr=False)
    """The same as ``tilewright explain --json`` has it, of the one kernel: its keys are in docs/planning.md."""

    @property
    def seconds(self) -> float | None:
        """The predicted time of the launch in seconds; None if no block fits on the device."""
        prediction = self.data["prediction"]
        return prediction["seconds"] if prediction["is_launchable"] else None

    @property
    def bound(self) -> str | None:
        """The longest of the bounds, as in ``"DRAM"`` or ``"tensor cores"``; None if no block fits on the device."""
        return self.data["prediction"]["bound"]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from tilewright._tools.display.plans import of_explanation

        return of_explanation(self)


@dataclass(frozen=True)
class DescribedLaunch:
    """A launch before anything is compiled for a target."""

    name: str
    module: Any
    values: list[int | None]  # of the entry's parameters
    plan: str


def describe_launch(kernel: Any, arguments: tuple) -> DescribedLaunch:
    """The module of a launch with these arguments, and what the launch passes to it."""
    from tilewright._runtime.dispatch import launcher_of, plan_of
    from tilewright._runtime.launch_facts import compile_facts
    from tilewright.tile_module import ModuleKernel

    launcher = launcher_of(kernel)
    name = kernel.__name__
    if isinstance(kernel, ModuleKernel):
        module, parameters = kernel.extracted(), kernel.parameters
        return DescribedLaunch(name, module, launcher.values(arguments, parameters), "")
    compiled = compile_facts(kernel, launcher.specs(arguments))
    values = launcher.values(arguments, compiled.parameters)
    return DescribedLaunch(name, compiled.module, values, plan_of(kernel, compiled.entry))


def explain_launch(launch: DescribedLaunch, grid: tuple[int, int, int], target: str, product: str) -> Explanation:
    """With the predicted time; ValueError if there is no such product."""
    from tilewright import _native

    made = _native.explain(launch.module, launch.name, target, packages=sys.path, time_limit=time_limit(),
                           plan_text=launch.plan)  # fmt: skip
    made.predict_values(grid, launch.values, product, _native.get_num_threads())
    return Explanation(made.text(), json.loads(made.json())[0])


@boundary
def explain(
    kernel: Any, grid: Any, arguments: Any, *, target: str | None = None, product: str | None = None
) -> Explanation:
    """Report the compiler's decisions for a launch of ``kernel`` over ``grid`` with the tuple ``arguments``, and the
    time that it is predicted to take. Nothing is launched, no element is read or written, and no GPU is needed.

    ``kernel``, ``grid`` and ``arguments`` are those of `launch`: a kernel or the kernel of a `TileModule`, one to three
    positive extents or an int, and arrays of any supported framework, numbers and constants. Arrays give their dtypes,
    shapes and strides. ``target`` is a target of the command ``tilewright``, as in ``"sm_90"`` or ``"cpu"``; without it
    that of launches: TILEWRIGHT_TARGET, or the GPU that the arrays are on, or this machine's CPU. ``product`` names the
    GPU whose time is predicted, as in ``"H200"``; without it one stands for the architecture. A CPU has as many threads
    as launches (`set_num_threads`).

    The result has the page as ``text``, the same as a dictionary in ``data``, and the predicted time of one launch in
    ``seconds``, from the start of the launch to the end of its last block.

    Raises TypeError and ValueError for a grid or arguments that `launch` refuses, ValueError for a target or product
    that there is not, and `TileError` where the kernel cannot be compiled."""
    from tilewright import _native
    from tilewright._runtime.dispatch import launcher_of

    name = kernel.__name__
    extents = _native.read_grid(name, grid)
    launch = describe_launch(kernel, tuple(arguments))
    device = launcher_of(kernel).device(tuple(arguments))
    return explain_launch(launch, extents, target or target_of(device), product or "")


def target_of(device: int | None) -> str:
    """The target of launches with arrays on the GPU of that number, or in host memory, for the compiler alone."""
    from tilewright import _native
    from tilewright._runtime import environment

    target = environment.value("TILEWRIGHT_TARGET") or ("cpu" if device is None else "nvidia")
    if target != "nvidia":
        return target
    return _native.describe_gpu(device or 0)[1]
