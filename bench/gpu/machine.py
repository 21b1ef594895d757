# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine and software on which the figures were measured."""

import importlib.metadata
import subprocess

from tilewright import _native

CLOCKS = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit,temperature.gpu"
PACKAGES = ("tilewright", "torch", "triton", "nvidia-cublas", "nvidia-cudnn-cu13", "cuda-tile", "nvidia-cuda-tileiras")


def gpu() -> str:
    """Its name; TileDeviceError where there is none."""
    return _native.describe_gpu(0)[0]


def architecture() -> str:
    return _native.describe_gpu(0)[1]


def describe() -> dict:
    name, architecture, multiprocessors, shared = _native.describe_gpu(0)
    return {
        "gpu": name,
        "architecture": architecture,
        "multiprocessors": multiprocessors,
        "shared_memory": shared,
        "versions": versions(),
        "clocks": clocks(),
    }


def versions() -> dict:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


def clocks() -> dict:
    """As nvidia-smi has them at this moment."""
    command = ["nvidia-smi", "--id=0", f"--query-gpu={CLOCKS}", "--format=csv,noheader"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(CLOCKS.split(","), (value.strip() for value in said.split(",")), strict=True))
