# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's programs, which tests compare with where they are installed (./dev test --peer)."""

import os
import pathlib
import shutil
import sysconfig

import pytest


def find_tool(name):
    """The path of `tileiras` or `tileirdisasm`: from the variable of that name in capitals, this Python's packages, or
    PATH."""
    chosen = os.environ.get(name.upper())
    if chosen:
        return chosen
    # Not the first one in PATH: that may be ours.
    packaged = pathlib.Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "bin", name)
    return str(packaged) if packaged.exists() else shutil.which(name)


def require_tool(name):
    path = find_tool(name)
    if path is None:
        pytest.skip(f"needs NVIDIA's {name} (./dev test --peer)")
    return path
