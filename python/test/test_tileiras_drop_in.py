# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our `tileiras` in the place of NVIDIA's, as far as it writes cubins: needs an assembler of NVIDIA's, no GPU."""

import os
import subprocess
import sys
from pathlib import Path

import nvidia_tools
import pytest
from tilewright import _native

ROOT = Path(__file__).resolve().parents[2]
TILEIRAS = ROOT / "build/bin/tileiras"
EMPTY = _native.assemble(b"cuda_tile.module @empty {}", "empty", "")


def run(*words, **variables):
    return subprocess.run(
        [TILEIRAS, *words], capture_output=True, text=True, env={**os.environ, **variables}, check=False
    )


@pytest.fixture(scope="module")
def assembler():
    """The variables that have the tool find what this environment has."""
    found = _native.find_assemblers(sys.path)
    if not found:
        pytest.skip("no assembler of PTX found: pip install nvidia-nvjitlink, or TILEWRIGHT_ASSEMBLER")
    return {"TILEWRIGHT_ASSEMBLER": found[0]}


@pytest.fixture
def empty(tmp_path):
    file = tmp_path / "module.of_any_suffix"
    file.write_bytes(EMPTY)
    return file


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_an_empty_module_assembles(assembler, empty, architecture, tmp_path):
    """Which is how callers find out about the versions of bytecode that the tool reads."""
    made = run(empty, "-o", tmp_path / "empty.cubin", "--gpu-name", architecture, "-O3", "--lineinfo", **assembler)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert (tmp_path / "empty.cubin").read_bytes()[:4] == b"\x7fELF"


def test_the_output_is_elf_o_where_none_is_named(assembler, empty, tmp_path):
    made = subprocess.run([TILEIRAS, empty, "--arch=sm_90"], cwd=tmp_path, env={**os.environ, **assembler}, check=True)
    assert made.returncode == 0
    assert (tmp_path / "elf.o").read_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    "options",
    [["--host-arch=aarch64", "--host-os=linux"], ["--host-os=windows"], ["-g", "-O0"], ["--preview=simt"]],
    ids=" ".join,
)
def test_options_of_the_reference_are_taken(assembler, empty, options, tmp_path):
    made = run(empty, "-o", tmp_path / "a.cubin", "--gpu-name=sm_90", *options, **assembler)
    assert made.returncode == 0, made.stderr


def test_no_cache_is_used(assembler, empty, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    made = run(empty, "-o", tmp_path / "a.cubin", "--gpu-name=sm_90", TILEWRIGHT_CACHE_DIR=str(cache), **assembler)
    assert made.returncode == 0
    assert not list(cache.iterdir())


def test_what_cannot_be_written(assembler, empty):
    made = run(empty, "-o", "/nowhere/a.cubin", "--gpu-name=sm_90", **assembler)
    assert (made.returncode, made.stderr) == (2, "error: cannot write '/nowhere/a.cubin': No such file or directory\n")
    made = run(
        empty,
        *("-o", os.devnull, "--gpu-name=sm_90", "--remarks=all", "--remark-format=yaml"),
        "--remarks-output-file=/nowhere/r.yaml",
        **assembler,
    )
    assert made.returncode == 3
    assert "cannot open the remark output file '/nowhere/r.yaml': No such file" in made.stderr


def test_a_missing_assembler_says_so(empty):
    made = run(empty, "-o", os.devnull, "--gpu-name=sm_90", TILEWRIGHT_ASSEMBLER="/nowhere/ptxas")
    assert made.returncode == 5
    assert made.stderr.startswith("error: ptxas /nowhere/ptxas cannot be used: ")


FRONT_END = """
import sys
from pathlib import Path

import cuda.tile as ct
from cuda.tile import _compile

_compile._find_pip_tileiras = lambda: None  # NVIDIA's own, which would come first
found = _compile._find_compiler_bin().path
assert found == sys.argv[1], found
print(_compile._get_max_supported_bytecode_version(sys.argv[2]).as_string())
"""


def test_nvidias_front_end_takes_it_for_its_own(assembler, tmp_path):
    """It looks in PATH, and asks what versions are read with empty modules."""
    nvidia_tools.require("cuda-tile")
    path = os.pathsep.join([os.fspath(TILEIRAS.parent), os.environ["PATH"]])
    made = subprocess.run(
        [sys.executable, "-c", FRONT_END, TILEIRAS, tmp_path],
        capture_output=True,
        text=True,
        env={**os.environ, **assembler, "PATH": path},
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout == "13.4\n"
