# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work that can be done here, and why other work cannot."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

from tilewright._runtime import environment
from tilewright._tools.doctor.answer import Answer, no, yes
from tilewright._tools.doctor.surroundings import version_of

_SECONDS = 120  # for compiling and running a small kernel
_LINKERS = ("ld.lld-22", "ld.lld", "ld")
# A trial is about one target, and compiles.
_FOR_TRIAL = {"TILEWRIGHT_TARGET": "", "TILEWRIGHT_INTERPRET": "", "TILEWRIGHT_CHECK": "", "TILEWRIGHT_PROFILE": "",
              "TILEWRIGHT_SEARCH": "", "TILEWRIGHT_LOCKS": "", "TILEWRIGHT_CACHE_DIR": "0"}  # fmt: skip


def judge(found: dict[str, Any]) -> dict[str, Any]:
    invalid = _invalid_variables(found["environment"])
    on_cpu = no(invalid) if invalid else _try_kernel(TILEWRIGHT_TARGET="cpu")
    interpreted = no(invalid) if invalid else _try_kernel(TILEWRIGHT_INTERPRET="1")
    on_gpu = no(invalid) if invalid else _gpu(found["GPU"])
    return {
        "kernels on the CPU": on_cpu,
        "kernels on a GPU": on_gpu,
        "launches": no(invalid) if invalid else yes(_where_launches_run()),
        "code of GPUs in files": _cubins(found["GPU"]["assemblers"]),
        "shared libraries": _shared_libraries(),
        "interpreter, checks": interpreted,
        "debugger": interpreted,
        "profile (TILEWRIGHT_PROFILE)": on_cpu if on_cpu["works"] else on_gpu,
        "PyTorch tensors, operators": _framework("PyTorch", on_cpu, on_gpu),
        "JAX operators": _framework("JAX", on_cpu, on_gpu),
        "language server": _language_server(),
    }


def _invalid_variables(variables: dict[str, Any]) -> str:
    """Those that stop every compilation."""
    known = {option.variable for option in environment.variables()}
    bad = [name for name, row in variables.items() if name in known and not row["valid"]["works"]]
    return ", ".join(f"{name}: {variables[name]['valid']['because']}" for name in bad)


def _try_kernel(**target: str) -> Answer:
    """Compiles and runs one in a process of its own, which an instruction that is not there may end."""
    command = [sys.executable, "-m", "tilewright._tools.doctor.trial"]
    python_path = os.pathsep.join(folder for folder in sys.path if folder)
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS,
                              env=os.environ | _FOR_TRIAL | {"PYTHONPATH": python_path} | target)  # fmt: skip
    except subprocess.TimeoutExpired:
        return no(f"a small kernel takes more than {_SECONDS} s")
    if made.returncode < 0:
        return no(f"a small kernel ended with {signal.Signals(-made.returncode).name}")
    try:
        return json.loads(made.stdout)
    except ValueError:
        return no((made.stderr.strip().splitlines() or ["a small kernel printed nothing"])[-1])


def _gpu(gpu: dict[str, Any]) -> Answer:
    if not gpu["driver"]["works"]:
        return gpu["driver"]
    if not gpu["GPUs"]:
        return no("the driver finds no GPU")
    usable = [each["name"] for each in gpu["GPUs"] if each["supported"]["works"]]
    if not usable:
        return no("; ".join(each["supported"]["because"] for each in gpu["GPUs"]))
    tried = _try_kernel(TILEWRIGHT_TARGET="nvidia")
    return yes(", ".join(usable)) if tried["works"] else tried


def _where_launches_run() -> str:
    if environment.value("TILEWRIGHT_INTERPRET") or environment.value("TILEWRIGHT_CHECK"):
        return "in the interpreter"
    target = environment.value("TILEWRIGHT_TARGET")
    return f"on {target}" if target else "on the GPU that the arrays are on, else on the CPU"


def _cubins(assemblers: list[dict[str, str]]) -> Answer:
    kinds = [each["kind"] for each in assemblers if each["kind"] != "driver"]
    return yes(f"cubin with {kinds[0]}") if kinds else no("PTX only: neither nvJitLink nor ptxas was found, see"
                                                          " docs/nvidia.md")  # fmt: skip


def _shared_libraries() -> Answer:
    linker = next((name for name in _LINKERS if shutil.which(name)), None)
    return yes(f"linked by {linker}") if linker else no("no linker in PATH, expected ld.lld or ld")


def _language_server() -> Answer:
    return yes() if find_spec("pygls") else no("pygls is not installed: pip install 'tilewright[editor]'")


def _framework(name: str, on_cpu: Answer, on_gpu: Answer) -> Answer:
    version = version_of(name)
    if version is None:
        return no(f"{name} is not installed")
    if not (on_cpu["works"] or on_gpu["works"]):
        return no("kernels run nowhere")
    return yes(f"{name} {version}")
