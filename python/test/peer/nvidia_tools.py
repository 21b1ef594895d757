# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's tools as this environment has them (`./dev test --peer` installs them), and its modules."""

import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import subprocess
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest

NVCC = ["nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-nvvm", "nvidia-cuda-cccl"]
PACKAGES = {
    "nvidia-cuda-tileiras": "tileiras and tileirdisasm",
    "cuda-tile": "NVIDIA's writer of Tile IR",
    **dict.fromkeys(NVCC, "NVIDIA's compiler of C++"),
}
ROOT = pathlib.Path(__file__).resolve().parents[3]


def require(*packages):
    """Skips what asks for packages that are not here; at the top of a file, all of it."""
    for package in packages:
        if importlib.util.find_spec("cuda" if package == "cuda-tile" else "nvidia") is None or not is_installed(
            package
        ):
            pytest.skip(
                f"no {PACKAGES[package]}: ./dev test --peer installs {package} from PyPI", allow_module_level=True
            )


def is_installed(package):
    try:
        return bool(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False


@functools.cache
def tool(name):
    """The path of `tileiras` or `tileirdisasm`."""
    files = importlib.metadata.files("nvidia-cuda-tileiras")
    return os.fspath(next(file for file in files if file.name == name).locate())


def run_each(datas, name, *options):
    """Runs a tool on each of these files' contents; (status, standard output, standard error) of each."""
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(os.cpu_count()) as pool:

        def run(numbered):
            number, data = numbered
            path = pathlib.Path(directory, f"{number}.tilebc")
            path.write_bytes(data)
            result = subprocess.run([tool(name), *options, path], capture_output=True)
            path.unlink()
            return result.returncode, result.stdout, result.stderr.decode()

        return list(pool.map(run, enumerate(datas)))


def corpus():
    """(name, bytes) of the modules of NVIDIA's front end, from TILEWRIGHT_CORPUS or beside this tree; or None."""
    path = pathlib.Path(os.environ.get("TILEWRIGHT_CORPUS", ROOT.parent / "shared/corpus/tile-ir-modules.tar.xz"))
    if path.is_dir():
        return [(file.name, file.read_bytes()) for file in sorted(path.glob("*.tilebc"))]
    if not path.is_file():
        return None
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(".tilebc")]
        return [(member.name, archive.extractfile(member).read()) for member in members]
