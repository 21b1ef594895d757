# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_MARKS: launches in the timelines of other profilers."""

import os
import subprocess
import sys

import pytest
from tilewright._runtime import marks

SCRIPT = """
import numpy as np
import tilewright as ct

@ct.kernel
def fill(y):
    ct.store(y, (ct.bid(0),), ct.zeros((256,), ct.float32))

y = np.ones(1024, np.float32)
"""
TORCH = """
import torch
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    fill[4](y)
assert (y == 0).all()
print([event.key for event in profile.key_averages() if "tilewright" in event.key])
"""


def run(script, **environment):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | environment
    made = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, env=environment)
    assert made.returncode == 0, made.stderr
    return made.stdout


@pytest.fixture
def script(tmp_path):
    """A kernel's source has to be a file."""

    def write(more):
        (tmp_path / "program.py").write_text(SCRIPT + more)
        return f"import runpy; runpy.run_path({str(tmp_path / 'program.py')!r})"

    return write


@pytest.mark.parametrize("value, shown", [("torch", "['tilewright: fill']"), ("", "[]")])
def test_pytorch(script, value, shown):
    pytest.importorskip("torch")
    assert run(script(TORCH), TILEWRIGHT_MARKS=value).strip() == shown


def test_frameworks_that_are_not_there_are_not_imported(script):
    more = "import sys\nfill[4](y)\nassert (y == 0).all()\nprint('torch' in sys.modules or 'jax' in sys.modules)"
    assert run(script(more), TILEWRIGHT_MARKS="torch,jax,nvtx").strip() == "False"


def test_nvtx_ranges_enclose_launches(monkeypatch):
    calls = []

    class Library:
        def nvtxRangePushA(self, name):
            calls.append(name)

        def nvtxRangePop(self):
            calls.append("pop")

    def plain(*arguments):
        calls.append("launch")
        raise ValueError

    monkeypatch.setenv("TILEWRIGHT_MARKS", "nvtx")
    monkeypatch.setattr(marks, "_load_nvtx", Library)
    with pytest.raises(ValueError):
        marks.launch_of(plain)(test_pytorch, (1,), (), None, False)
    assert calls == [b"tilewright: test_pytorch", "launch", "pop"]


def test_nothing_is_marked_without_it(monkeypatch):
    plain = object()
    monkeypatch.delenv("TILEWRIGHT_MARKS", raising=False)
    assert marks.launch_of(plain) is plain
    monkeypatch.setenv("TILEWRIGHT_MARKS", "nvtx")
    monkeypatch.setattr(marks, "_load_nvtx", lambda: None)
    assert marks.launch_of(plain) is plain
