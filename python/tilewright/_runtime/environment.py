# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment variables: a table of what each may be, is without being set, means, and is read by.

A value that a variable cannot have is an error at the first compilation. docs/environment.md is written from the table.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """The legal values of a variable: `read` gives one, or ValueError."""

    expected: str
    read: Callable[[str], Any]


def _flag(text: str) -> bool:
    return {"0": False, "off": False, "no": False, "false": False, "1": True, "on": True, "yes": True, "true": True}[
        text.lower()
    ]


def _within(read: Callable[[str], Any], least: float) -> Callable[[str], Any]:
    def checked(text: str) -> Any:
        value = read(text)
        if not least <= value < math.inf:
            raise ValueError
        return value

    return checked


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError
    return value


def _folder_or_none(text: str) -> str | None:
    return None if text.strip().lower() in ("", "0", "off", "none") else text


def _capability(text: str) -> str:
    major, minor = map(int, text.split("."))
    return f"{major}.{minor}"


def choice(*words: str) -> Kind:
    return Kind(" or ".join(words), {word: word for word in words}.__getitem__)


def words(*known: str) -> Kind:
    def read(text: str) -> tuple[str, ...]:
        found = tuple(word.strip().upper() for word in text.split(",") if word.strip())
        if not set(found) <= set(known):
            raise ValueError
        return found

    return Kind(f"{' or '.join(known)}, or several with commas between", read)


FLAG = Kind("0 or 1", _flag)
COUNT = Kind("a number from 1", _within(int, 1))
NUMBER = Kind("a number from 0", _within(int, 0))
SECONDS = Kind("seconds from 0", _within(float, 0))
POSITIVE_SECONDS = Kind("seconds above 0", _positive)
TEXT = Kind("text", str)
CAPABILITY = Kind("two numbers with a point between, as in 10.0", _capability)
FILE = Kind("a file", str)
FOLDER = Kind("a folder", str)
CACHE_FOLDER = Kind("a folder; 0, off, none or nothing for no cache", _folder_or_none)


@dataclass(frozen=True)
class Variable:
    name: str
    kind: Kind
    default: Any  # what it is without being set
    shown_default: str
    meaning: str
    reader: str  # the module or file that reads it
    takes_empty: bool = False  # set to nothing is a value, else it is as if it were not set

    @property
    def is_reference(self) -> bool:
        """Of cuda.tile; one of ours that says the same goes first."""
        return "CUDA_TILE_" in self.name


_DISPATCH, _CACHE = "python/tilewright/_runtime/dispatch.py", "python/tilewright/_runtime/cache.py"
_LIMITS, _DUMPS = "python/tilewright/limits.py", "python/tilewright/_frontend/dumps.py"
_COMPILE, _VIEWS = "python/tilewright/_frontend/compile.py", "python/tilewright/_frontend/ops/views.py"
_BINDING = "python/native/Runtime.cpp"

VARIABLES: tuple[Variable, ...] = (
    Variable("TILEWRIGHT_TARGET", TEXT, None, "the GPU that the arrays are on, else this machine's CPU",
             "What launches compile for: `cpu`, `cpu:x86-64-v3`, `nvidia` and the like.", _DISPATCH),
    Variable("TILEWRIGHT_INTERPRET", FLAG, False, "0", "Launches run in the reference interpreter.", _DISPATCH),
    Variable("TILEWRIGHT_CHECK", FLAG, False, "0",
             "Launches run in the interpreter, which reports what the program may not do.", _DISPATCH),
    Variable("TILEWRIGHT_STEP_LIMIT", NUMBER, 0, "0, no limit", "Operations that the interpreter executes in a launch.",
             "python/native/Interpreted.cpp"),
    Variable("TILEWRIGHT_SCHEDULES", COUNT, 1, "1", "Orders of its pipelines' steps that a plan runs under.",
             "python/native/Plans.cpp"),
    Variable("TILEWRIGHT_VERIFY", FLAG, False, "0", "The module is verified after each pass.", _DISPATCH),
    Variable("TILEWRIGHT_NUM_THREADS", COUNT, None, "the cores that the process may use", "Threads that run a grid.",
             "src/runtime/Scheduler.cpp"),
    Variable("TILEWRIGHT_TIME_LIMIT", SECONDS, 60.0, "60", "What compiling a kernel may take; 0 is no limit.", _LIMITS),
    Variable("TILEWRIGHT_CACHE_DIR", CACHE_FOLDER, None, "`tilewright` in `$XDG_CACHE_HOME`, else in `~/.cache`",
             "Where compiled kernels are kept.", _CACHE, takes_empty=True),
    Variable("TILEWRIGHT_CACHE_SIZE", COUNT, 1 << 30, "1 GiB", "Bytes that the cache may have; the least recently used"
             " go first.", _CACHE),
    Variable("TILEWRIGHT_ISOLATE", choice("never", "large", "always"), "large", "large",
             "Which kernels are compiled in a process of their own.", "src/session/LoadEntry.cpp"),
    Variable("TILEWRIGHT_REPRODUCER_DIR", FOLDER, None, "the system's folder for temporary files",
             "Where the module goes on which the compiler failed.", "src/pipeline/Reproducer.cpp"),
    Variable("TILEWRIGHT_ASSEMBLER", TEXT, None, "the newest that is found",
             "A `ptxas` or `libnvJitLink`, or `driver`: what makes a cubin.", "src/target/nvidia/Assembler.cpp"),
    Variable("TILEWRIGHT_MATH", choice("own", "libdevice-bits"), "own", "own",
             "`libdevice-bits`: kernels get NVIDIA's functions of f32, as [numerics.md](numerics.md) says.",
             "src/target/nvidia/Libdevice.cpp"),
    Variable("TILEWRIGHT_LAUNCH_ABI", choice("tilewright", "portable"), "tilewright", "tilewright",
             "`portable`: kernels do without the tensor maps that our launcher encodes.",
             "src/target/nvidia/Switches.cpp"),
    Variable("TILEWRIGHT_CUDA_DRIVER", FILE, "libcuda.so.1", "`libcuda.so.1`", "The driver's library.",
             "src/runtime/cuda/Driver.cpp"),
    Variable("TILEWRIGHT_COMPAT_CAPABILITY", CAPABILITY, "10.0", "10.0", "The compute capability that PyTorch's devices"
             " say they have under `tilewright.compat` on the CPU.", "python/tilewright/compat/pretended_gpu.py"),
    Variable("CUDA_TILE_CACHE_DIR", CACHE_FOLDER, None, "as `TILEWRIGHT_CACHE_DIR`", "The same, if that is not set.",
             _CACHE, takes_empty=True),
    Variable("CUDA_TILE_CACHE_SIZE", COUNT, None, "as `TILEWRIGHT_CACHE_SIZE`", "The same, if that is not set.",
             _CACHE),
    Variable("CUDA_TILE_COMPILER_TIMEOUT_SEC", POSITIVE_SECONDS, None, "as `TILEWRIGHT_TIME_LIMIT`",
             "The same, if that is not set.", _LIMITS),
    Variable("CUDA_TILE_TEMP_DIR", FOLDER, None, "the system's folder", "Where temporary files go, and reproducers if"
             " `TILEWRIGHT_REPRODUCER_DIR` is not set.", "src/pipeline/Reproducer.cpp"),
    Variable("CUDA_TILE_LOGS", words("CUTILEIR", "TILEIR"), (), "nothing", "Each compilation writes to stderr:"
             " `CUTILEIR` the operations of the front end, `TILEIR` the module.", _DUMPS),
    Variable("CUDA_TILE_DUMP_TILEIR", FOLDER, None, "nothing", "Each compilation leaves the text of its module there.",
             _DUMPS),
    Variable("CUDA_TILE_DUMP_BYTECODE", FOLDER, None, "nothing", "Each compilation leaves its bytecode there.",
             _DUMPS),
    Variable("CUDA_TILE_ENABLE_CRASH_DUMP", FLAG, False, "0", "A compiler that fails leaves `crash_dump_*.zip` in the"
             " working folder: the module without names of files, and what was said.", _DUMPS),
    Variable("CUDA_TILE_TESTING_DISABLE_DIV", FLAG, False, "0",
             "The code relies on no divisibility of addresses, extents and strides.", _VIEWS),
    Variable("CUDA_TILE_TESTING_DISABLE_TOKEN_ORDER", FLAG, False, "0",
             "Accesses of one block to one array are not ordered: what that costs. Results may be wrong.", _COMPILE),
    Variable("EXPERIMENTAL_CUDA_TILE_DEBUG_BUILD", FLAG, False, "0",
             "Nothing is optimized; code for GPUs has what a debugger needs.", _DISPATCH),
)  # fmt: skip
_BY_NAME = {variable.name: variable for variable in VARIABLES}


def is_set(name: str, environment: Mapping[str, str] = os.environ) -> bool:
    text = environment.get(name)
    return text is not None and (text != "" or _BY_NAME[name].takes_empty)


def value(name: str, environment: Mapping[str, str] = os.environ) -> Any:
    """The value of a variable of the table, or its default. ValueError if it cannot have it."""
    variable = _BY_NAME[name]
    if not is_set(name, environment):
        return variable.default
    text = environment[name]
    try:
        return variable.kind.read(text)
    except (ValueError, KeyError):
        raise ValueError(f"environment variable {name} is {text!r}, expected {variable.kind.expected}") from None


def first_set(*names: str) -> Any:
    """The value of the first that is set, else the default of the first."""
    return value(next((name for name in names if is_set(name)), names[0]))


def check() -> None:
    """Raises ValueError for a variable that has a value which it cannot have, whoever reads it."""
    for variable in VARIABLES:
        value(variable.name)
