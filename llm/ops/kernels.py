# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The folder of kernels: a package beside this one in the tree, `tilewright.kernels` in an installation.

Its modules import each other as `kernels`. In an installation that name is theirs only while they are imported, so that
a package of the user's own by that name stays what it is.
"""

import importlib
import sys
from contextlib import contextmanager

PACKAGE = "kernels"
INSTALLED = __name__.startswith("tilewright.")
_modules = {}  # of this package, by their names in it


@contextmanager
def named_kernels():
    """`import kernels` is the installed package."""
    others = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == PACKAGE}
    sys.modules.update(_modules)
    sys.modules[PACKAGE] = importlib.import_module("tilewright.kernels")
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            _modules[name] = sys.modules.pop(name)
        sys.modules.update(others)


def kernel(name):
    """A module of the folder, as kernel("rms_norm.kernel")."""
    if not INSTALLED:
        return importlib.import_module(f"{PACKAGE}.{name}")
    with named_kernels():
        return importlib.import_module(f"{PACKAGE}.{name}")
