# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs and their messages, whatever bytes the names of files are made of."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np, tilewright as ct
@ct.kernel
def works(x):
    tile = ct.load(x, (0,), (4,))
    ct.assert_(tile > 0, "not positive")
    ct.store(x, (0,), tile + 1)
@ct.kernel
def does_not(x):
    ct.load(x, (0,), (3,))
x = np.ones(4, np.float32)
ct.launch(None, 1, works, (x,))
print(x.sum())
for kernel, bad in ((works, -x), (does_not, x)):
    try:
        ct.launch(None, 1, kernel, (bad,))
    except ct.TileError as error:
        print(ascii(str(error)))
"""


@pytest.mark.parametrize(
    "folder, variables",
    [
        ("größe".encode(), {}),
        ("größe".encode(), {"LC_ALL": "C"}),
        ("größe".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0"}),
        (b"gr\xf6\xdfe", {}),
        (b"gr\xf6\xdfe", {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    ],
    ids=["UTF-8", "C", "C without UTF-8", "Latin-1", "Latin-1 in C"],
)
def test_a_kernel_in_a_folder_of_any_name(folder, variables, tmp_path):
    place = os.path.join(os.fsencode(tmp_path), folder)
    os.mkdir(place)
    program = os.path.join(place, b"program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    environment = {**os.environ, **variables, "TILEWRIGHT_CACHE_DIR": os.fspath(tmp_path / "cache")}
    made = subprocess.run([sys.executable, program], capture_output=True, env=environment)
    assert (made.returncode, made.stderr) == (0, b"")
    lines = made.stdout.decode().splitlines()
    assert lines[0] == "8.0"
    assert len(lines) == 3
    assert "assert failed" in lines[1] and "program.py" in lines[1] and ", line 6" in lines[1]
    assert "program.py" in lines[2]
