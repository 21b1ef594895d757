# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for cuda.tile as they are. Each runs in a process of its own, since a process is mapped once."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[1] / "compat"
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


def run(*arguments, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env=os.environ | environment,
    )


def run_script(tmp_path, text, *arguments, options=("--device", "cpu"), **environment):
    script = tmp_path / "script.py"
    script.write_text(text)
    return run("-m", "tilewright.compat", *options, script, *arguments, **environment)


@needs_torch
def test_a_program_with_pytorch():
    done = run("-m", "tilewright.compat", "--device", "cpu", PROGRAMS / "torch_program.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all is as on a GPU\n"
    assert done.stderr.startswith("tilewright.compat: cuda.tile is Tilewright; 'cuda' is the CPU in PyTorch;")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_a_program_with_cupy():
    done = run("-m", "tilewright.compat", "--device", "cpu", PROGRAMS / "cupy_program.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all is as on a GPU\n"
    assert "cupy is a stand-in over NumPy" in done.stderr


KERNEL = """
import cuda.tile as ct
import numpy as np

@ct.kernel
def double(x):
    ct.store(x, (0,), ct.load(x, (0,), (WIDTH,)) * 2)

WIDTH = 16
"""

PRINTS = (
    KERNEL
    + """
import sys
if __name__ == "__main__":
    x = np.ones(16, np.float32)
    ct.launch(None, (1,), double, (x,))
    print(sys.argv[1:], x.sum(), __file__ == sys.argv[0])
"""
)


def test_arguments_and_status(tmp_path):
    done = run_script(tmp_path, PRINTS, "-v", "--device", "x")
    assert (done.returncode, done.stdout) == (0, "['-v', '--device', 'x'] 32.0 True\n"), done.stderr
    assert run_script(tmp_path, "raise SystemExit(3)").returncode == 3
    done = run_script(tmp_path, PRINTS, options=("--device", "cpu", "--quiet"))
    assert done.returncode == 0 and done.stderr == ""
    done = run("-m", "tilewright.compat", tmp_path / "none.py")
    assert done.returncode == 2 and done.stderr == (
        f"error: no file '{tmp_path / 'none.py'}'; expected the path of a Python script\n"
    )


def test_the_command_for_the_cache(tmp_path):
    cache = {"TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    assert run_script(tmp_path, PRINTS, **cache).returncode == 0
    done = run("-m", "tilewright.compat", "cutile-cache", "log", **cache)
    assert done.returncode == 0 and done.stdout.startswith("commit ") and "Duration:" in done.stdout, done.stderr
    done = run("-m", "tilewright.compat", "cutile-cache", **cache)
    assert done.returncode == 2 and "usage:" in done.stderr


def test_a_script_finds_its_own_modules(tmp_path):
    (tmp_path / "beside.py").write_text(PRINTS)
    assert run_script(tmp_path, "import beside\nprint(beside.WIDTH)").stdout == "16\n"
    done = run("-m", "tilewright.compat", "--device", "cpu", "-m", "beside", "a", cwd=tmp_path)
    assert done.stdout == "['a'] 32.0 True\n", done.stderr


def test_the_rest_of_the_namespace_stays(tmp_path):
    for name in ("core", "bindings"):
        (tmp_path / "parts" / "cuda" / name).mkdir(parents=True)
        (tmp_path / "parts" / "cuda" / name / "__init__.py").write_text(f"NAME = {name!r}")
    script = "import cuda.tile as ct, cuda.core\nfrom cuda import bindings, tile\n" + (
        "print(ct.__name__, cuda.core.NAME, bindings.NAME, tile is ct)"
    )
    path = os.pathsep.join([str(tmp_path / "parts"), os.environ.get("PYTHONPATH", "")])
    assert run_script(tmp_path, script, PYTHONPATH=path).stdout == "tilewright core bindings True\n"
    assert run_script(tmp_path, "import cuda.core").stderr.endswith("No module named 'cuda.core'\n")


def test_modules_that_are_not_there(tmp_path):
    done = run_script(tmp_path, "import cuda.tile._ir")
    assert "ModuleNotFoundError: cuda.tile._ir is private to NVIDIA's front end" in done.stderr
    done = run_script(tmp_path, "import cuda.tile.nonsense")
    assert done.stderr.endswith("ModuleNotFoundError: Tilewright has no cuda.tile.nonsense\n")
    script = (
        "import cuda.tile, tilewright, tilewright.errors\n"
        "print(cuda.tile.__spec__.name, tilewright.errors.TileError is cuda.tile.TileError)"
    )
    assert run_script(tmp_path, script).stdout == "tilewright True\n"


def test_modules_below_and_beside(tmp_path):
    script = (
        "import cuda.tile as ct, cuda.tile.tune, cuda.tile_experimental\n"
        "from cuda.tile_experimental import autotune_launch\n"
        "from cuda.tile._numeric_semantics import RoundingMode\n"
        "from cuda.tile._exception import TileTypeError\n"
        "print(ct.tune.__name__, cuda.tile_experimental.__name__, RoundingMode is ct.RoundingMode)"
    )
    assert run_script(tmp_path, script).stdout == "tilewright.tune tilewright.experimental True\n"


def test_an_error_shows_the_lines_of_the_script_alone(tmp_path):
    done = run_script(tmp_path, KERNEL.replace("WIDTH = 16", "WIDTH = 3") + (
        "def start(x):\n    ct.launch(None, (1,), double, (x,))\n\nstart(np.ones(16))\n"
    ))  # fmt: skip
    assert done.returncode == 1
    lines = done.stderr.splitlines()[1:]
    frames = [line.strip() for line in lines if line.startswith("  File ")]
    script = tmp_path / "script.py"
    assert frames == [f'File "{script}", line 13, in <module>', f'File "{script}", line 11, in start']
    message = lines.index(next(line for line in lines if "TileTypeError" in line))
    assert lines[message].startswith(f"tilewright.errors.TileTypeError: {script}:7:")
    assert lines[-1].strip().startswith("^")
    done = run_script(tmp_path, "def f():\n    return 1 / 0\n\nf()\n")
    assert done.stderr.count("  File ") == 2 and done.stderr.endswith("ZeroDivisionError: division by zero\n")


@needs_torch
def test_another_compute_capability(tmp_path):
    script = "import torch\nprint(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())"
    assert run_script(tmp_path, script, TILEWRIGHT_COMPAT_CAPABILITY="9.0").stdout == "(9, 0) ['sm_90']\n"
    done = run_script(tmp_path, script, TILEWRIGHT_COMPAT_CAPABILITY="hopper")
    assert done.stderr.endswith(
        "ValueError: environment variable TILEWRIGHT_COMPAT_CAPABILITY is 'hopper', expected two numbers with a point"
        " between, as in 10.0\n"
    )


def test_install_twice_and_too_late(tmp_path):
    script = "from tilewright.compat import install\nprint(install(), install('cpu'))\ninstall('cuda')\n"
    done = run_script(tmp_path, script)
    assert done.stdout == "cpu cpu\n"
    assert "ValueError: device 'cuda', but compat is installed for 'cpu'; a process has one" in done.stderr
    done = run("-c", "from tilewright.compat import install\ninstall('gpu')")
    assert "ValueError: device 'gpu', expected 'cpu' or 'cuda'" in done.stderr
    (tmp_path / "cuda" / "tile").mkdir(parents=True)
    (tmp_path / "cuda" / "tile" / "__init__.py").write_text("")
    program = "import sys\nsys.path.insert(0, sys.argv[1])\nimport cuda.tile\nfrom tilewright.compat import install\n"
    done = run("-c", program + "install('cpu')", tmp_path)
    assert "RuntimeError: cuda.tile is already imported from" in done.stderr


TEST = (
    KERNEL
    + """
def test_right():
    x = np.ones(16, np.float32)
    ct.launch(None, (1,), double, (x,))
    assert x.sum() == 32

def test_wrong():
    ct.launch(None, (1,), double, (np.ones((4, 4)),))
"""
)


def test_the_plugin(tmp_path):
    (tmp_path / "conftest.py").write_text("import cuda.tile as ct\nassert ct.__name__ == 'tilewright'\n")
    (tmp_path / "test_it.py").write_text(TEST)
    done = run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tilewright.compat.pytest_plugin",
        "--tilewright-device=cpu", tmp_path, cwd=tmp_path,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "kernel.py" not in done.stdout and "test_it.py:7:" in done.stdout
