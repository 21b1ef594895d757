# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of NVIDIA's front end, and one of every operation, type and option, compile for NVIDIA GPUs of every kind.

To a cubin where an assembler of NVIDIA's is found, else to PTX; no GPU is needed. A sample of them; all with
TILEWRIGHT_ALL_TESTS=1, which takes an hour and prints how many modules each thing keeps back."""

import os
import random
import re
import sys
from collections import Counter

import nvidia_tools
import pytest
from tilewright import _native
from tilewright.errors import TileError

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
ALL = bool(os.environ.get("TILEWRIGHT_ALL_TESTS"))
SAMPLE = 12
LEVEL = "cubin" if _native.find_assemblers(sys.path) else "ptx"

NAMES = r"the entry '.*' cannot have that name on a GPU"
ASSEMBLER = r"refused the PTX .*\(C7907\) Internal compiler error"
"""ptxas 13.5 and nvJitLink fail at atomic additions of f16 and bf16 to an address that is a constant, as some generated
modules have; no kernel of the front end does."""

FOREIGN = "preview$call"
"""Calls foreign code, of a library that is not there."""


def reason(error):
    """A diagnostic's first line without its place."""
    line = re.sub(r"; the module is in .*", "", str(error))
    return line.partition("error: ")[2].partition("\n")[0] if ": error: " in line else line.partition("\n")[0]


def compile_all(modules, architecture):
    """How many compile, and what keeps the others back."""
    done, kept = 0, Counter()
    for name, data in modules:
        try:
            made = _native.compile_to(
                data, name, f"nvidia:{architecture}", LEVEL, packages=sys.path, verify=not ALL, time_limit=300
            )
            assert made.output
            done += 1
        except TileError as error:
            if FOREIGN not in str(error):
                kept[reason(error)] += 1
    return done, kept


def check(modules, architecture, what):
    if not ALL:
        modules = random.Random(architecture).sample(modules, SAMPLE)
    done, kept = compile_all(modules, architecture)
    if ALL:
        print(f"{architecture}: {done} of {len(modules)} {what} become {LEVEL}")
        for message, count in kept.most_common():
            print(f"{count:6} {message}")
    assert [message for message in kept if not re.search(f"{NAMES}|{ASSEMBLER}", message)] == []
    assert done


@pytest.fixture(autouse=True)
def no_reproducers(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_REPRODUCER_DIR", os.fspath(tmp_path / "none"))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_corpus(architecture):
    modules = nvidia_tools.corpus()
    if modules is None:
        pytest.skip("no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")
    check(modules, architecture, "modules of NVIDIA's front end")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_operation_type_and_option(architecture):
    nvidia_tools.require("cuda-tile")
    import tile_ir_generator

    check([(module.name, module.data) for module in tile_ir_generator.modules()], architecture, "generated modules")
