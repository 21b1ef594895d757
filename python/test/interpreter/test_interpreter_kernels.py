# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo kernels with TILEWRIGHT_INTERPRET=1: a sample of their own tests, which say what is right."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLE = "(test_matches_reference and (100-True- or shape0- or shape3-float)) or test_large_values or test_prefix"


def test_kernels_in_the_interpreter():
    pytest.importorskip("ml_dtypes")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "kernels", "-k", SAMPLE]
    result = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"TILEWRIGHT_INTERPRET": "1"}, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr
    assert int(result.stdout.splitlines()[-1].split(" passed")[0].split()[-1]) >= 20


PROGRAM = """
import numpy as np
import tilewright as ct
from tilewright._runtime import dispatch

@ct.kernel
def double(a, out):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (16,)) * 2)

a, out = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
double[3](a, out)
assert (out == 2 * a).all()
code, _ = dispatch.compile_kernel(double, dispatch.make_launcher(double).specs((a, out)))
print(code.origin)
"""


@pytest.mark.parametrize("value, origin", [("1", "interpreted"), ("0", "memory"), ("", "memory")])
def test_the_environment_sends_programs_there(tmp_path, value, origin):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = os.environ | {"TILEWRIGHT_INTERPRET": value, "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    result = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, origin + "\n"), result.stderr
