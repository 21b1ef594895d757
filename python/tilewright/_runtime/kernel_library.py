# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The folder of kernels: inside of the package `tilewright` in an installation, two above it in the tree.

Its modules import each other as `kernels`. Where that name finds another package, or none, it is theirs only while they
are imported, so that a package of the user's own by that name stays what it is.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

PACKAGE = "kernels"
_HERE = Path(__file__).parents[1]
_FOLDER = _HERE / PACKAGE if (_HERE / PACKAGE).is_dir() else _HERE.parents[1] / PACKAGE
_modules: dict[str, ModuleType] = {}  # of the folder, by their names in it, where the name is not theirs


def kernel(name: str) -> ModuleType:
    """A module of the folder, as kernel("rms_norm.kernel")."""
    if _is_theirs():
        return importlib.import_module(f"{PACKAGE}.{name}")
    with _named_kernels():
        return importlib.import_module(f"{PACKAGE}.{name}")


def _is_theirs() -> bool:
    if _modules:
        return False
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except ValueError:  # a module without a spec
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).parent.resolve() == _FOLDER.resolve()


@contextmanager
def _named_kernels() -> Iterator[None]:
    """`import kernels` finds the folder."""
    others = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == PACKAGE}
    sys.modules.update(_modules)
    if PACKAGE not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            PACKAGE, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
        )
        if spec is None or spec.loader is None:
            raise ImportError(f"the folder of kernels is not there: {_FOLDER}")
        sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[PACKAGE])
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            _modules[name] = sys.modules.pop(name)
        sys.modules.update(others)
