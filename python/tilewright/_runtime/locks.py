# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locked plans: a folder with a plan file for each kernel that was compiled for a GPU, by specialization and target.

A kernel that has a file there is compiled with its decisions, by later versions of the compiler too, or is refused with
the line that cannot be kept; one that has none gets one with the decisions of this compilation.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._runtime import environment
from tilewright.limits import time_limit

_DIGITS = 12


def _architecture(target: str, device: int) -> str | None:
    """As in ``sm_90``; None for targets that are no GPU."""
    if target == "nvidia":
        return _native.describe_gpu(device)[1]
    kind, _, architecture = target.partition(":")
    if target.startswith("sm_"):
        return target
    return architecture if kind in ("nvidia", "tileas") else None


def write(path: Path, text: str) -> None:
    """At once: other processes see all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(name, path)


def file_name(entry: str, specs: tuple, architecture: str) -> str:
    """That of a specialization: dtypes, ranks, divisibility and constants of the arguments."""
    digest = hashlib.sha256(repr(specs).encode()).hexdigest()[:_DIGITS]
    return f"{entry}-{architecture}-{digest}.plan.toml"


def plan_options(entry: str, module: Any, specs: tuple, target: str, device: int) -> dict[str, str]:
    """The compiler's options that make the locked decisions; empty where TILEWRIGHT_LOCKS is not set."""
    folder = environment.value("TILEWRIGHT_LOCKS")
    architecture = _architecture(target, device) if folder else None
    if not architecture:
        return {}
    path = Path(folder) / file_name(entry, specs, architecture)
    if not path.exists():
        made = _native.compile_to(module, entry, f"nvidia:{architecture}", "plan", time_limit=time_limit())
        arguments = "".join(f"#   {spec!r}\n" for spec in specs)
        write(path, f"# {entry} for {architecture}, with arguments\n{arguments}\n{made.output.decode()}")
    return {"plan": str(path)}
