# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a kernel and its arguments to a running grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright import _native
from tilewright._runtime import cache, environment, marks, profile
from tilewright.errors import TileInternalError
from tilewright.limits import time_limit

if TYPE_CHECKING:
    from tilewright._runtime.plans import Launch

INTERPRETER = "interpreter"
"""The target that compiles nothing: the reference interpreter executes the module itself."""


def default_target(device: int | None = None) -> str:
    """The backend that runs kernels: the interpreter with TILEWRIGHT_INTERPRET=1 or TILEWRIGHT_CHECK=1, else
    TILEWRIGHT_TARGET, or the GPU of that number, which the arrays are on, or this machine's CPU. Arrays that are
    elsewhere are copied."""
    if environment.value("TILEWRIGHT_INTERPRET") or environment.value("TILEWRIGHT_CHECK"):
        return INTERPRETER
    return environment.value("TILEWRIGHT_TARGET") or ("cpu" if device is None else "nvidia")


def compile_kernel(
    kernel: Any,
    specs: tuple,
    target: str | None = None,
    names: bool = False,
    device: int | None = None,
    launch: Launch | None = None,
    records: bool = False,
) -> tuple[_native.Executable, tuple]:
    """The code of one specialization, and how its entry parameters come from the arguments. With `names`, values are
    called as the variables in Python, for the debugger. `device` is the GPU that the arrays are on. For a launch it has
    the plan that is locked or searched. With `records`, code of a GPU notes what its agents do."""
    from tilewright._frontend.compile import compile_to_module
    from tilewright._frontend.dumps import keep_failure
    from tilewright._frontend.signature import Signature

    environment.check()
    compiled = compile_to_module(kernel, Signature(specs), names)
    debug = environment.value("EXPERIMENTAL_CUDA_TILE_DEBUG_BUILD")
    target = target or default_target(device)

    def compile_with(plan: dict[str, str]) -> _native.Executable:
        return _native.compile(
            compiled.module,
            target=target,
            device=device or 0,
            entry=compiled.entry,
            opt_level=0 if debug else codegen_level(kernel.hints["opt_level"]),
            verify=environment.value("TILEWRIGHT_VERIFY"),
            cache=cache.current(),
            time_limit=time_limit(),
            g=debug,
            records=records,
            **plan,
        )

    decided = plan_of(kernel, compiled.entry)
    try:
        if launch is None or not _depends_on_bucket(kernel, target):
            executable = compile_with({"plan_text": decided} if decided else {})
        else:
            from tilewright._runtime.plans import Planner

            executable = Planner(kernel, compiled, specs, target, device or 0, launch, decided).make(compile_with)
    except TileInternalError as error:
        keep_failure(compiled.entry, compiled.module, str(error))
        raise
    return executable, compiled.parameters


def plan_of(kernel: Any, entry: str) -> str:
    """The text of a plan file with the decisions of a schedule; empty if the kernel has none."""
    decisions = getattr(kernel, "decisions", None)
    if not decisions:
        return ""
    from tilewright.scheduling import plan_text

    return plan_text(entry, decisions)


def _depends_on_bucket(kernel: Any, target: str) -> bool:
    """Whether launches of another shape bucket may have another plan."""
    if not (environment.value("TILEWRIGHT_LOCKS") or environment.value("TILEWRIGHT_SEARCH")):
        return False
    from tilewright._runtime import plans

    return plans.depends_on_bucket(kernel, target)


def codegen_level(hint: Any) -> int:
    """The code generator's level for the hint `opt_level`. The tile passes do at level 1 what a hint of 3 asks for."""
    return 0 if getattr(hint, "default", hint) == 0 else 1


def make_launcher(kernel: Any, records: bool = False) -> _native.Launcher:
    def specialize(specs: tuple, device: int | None, bucket: tuple, grid: tuple | None, arguments: Any) -> tuple:
        made = compile_kernel(kernel, specs, device=device, launch=(bucket, grid, arguments), records=records)
        target = default_target(device)
        kernel._compiled[specs] = target
        return *made, _depends_on_bucket(kernel, target)

    return _native.Launcher(kernel.__name__, kernel.parameters, specialize, takes_launch=True)


def launcher_of(kernel: Any) -> _native.Launcher:
    """The launcher that the kernel has."""
    return getattr(kernel, "_launcher", None) or give_launcher(kernel)


def _debug_launcher(kernel: Any) -> _native.Launcher:
    launcher = getattr(kernel, "_debug_launcher", None)
    if launcher is None:
        if hasattr(kernel, "_make_debug_launcher"):
            launcher = kernel._make_debug_launcher()
        else:

            def specialize(specs: tuple, device: int | None) -> tuple:
                return compile_kernel(kernel, specs, INTERPRETER, names=True)

            launcher = _native.Launcher(kernel.__name__, kernel.parameters, specialize)
        kernel._debug_launcher = launcher
    return launcher


def launch_debugged(kernel: Any, grid: Any, args: Any, stream: Any, dependent: bool) -> None:
    """Replaces `launch` while launches stop for a debugger: they go to the interpreter, whatever
    was compiled before."""
    _debug_launcher(kernel)(grid, args, stream)


launch = marks.launch_of(profile.launch_of(_native.launch))
"""Runs `kernel` over `grid` with the tuple `args`: (kernel, grid, args, stream, dependent). Returns when the work is
done; with arrays on a GPU, when it is begun on the stream. `dependent` lets a GPU begin before the kernel ahead of it
has ended."""


def give_launcher(kernel: Any) -> _native.Launcher:
    """The launcher that the kernel has from now on."""
    if not hasattr(kernel, "_make_launcher"):
        raise TypeError(f"launch() takes a kernel, found {kernel!r}; mark the function with @tilewright.kernel")
    kernel._launcher = kernel._make_launcher()
    return kernel._launcher
