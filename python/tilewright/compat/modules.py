# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which module an import finds: names of others that are modules of ours, and work to do once a module is there."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType

_CUDA_TILE = "cuda.tile"
_EXPERIMENTAL = "cuda.tile_experimental"
# Private, but published programs take names from them that are public elsewhere.
_PRIVATE = {
    "cuda.tile._datatype": "tilewright.dtypes",
    "cuda.tile._exception": "tilewright.errors",
    "cuda.tile._memory_model": "tilewright.modes",
    "cuda.tile._numeric_semantics": "tilewright.modes",
}


def is_available(name: str) -> bool:
    """Whether a module that is not ours can be imported under the name."""
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _Alias(importlib.abc.Loader):
    """Loads a module of ours under another's name: it stays one module, with the name and spec that it has."""

    def __init__(self, ours: str):
        self.ours = ours

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.ours)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has put its own


class _Aliases(importlib.abc.MetaPathFinder):
    """Finds ours under the names that `ours` gives; None leaves a name to others."""

    def __init__(self, ours: Callable[[str], str | None]):
        self.ours = ours

    def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
        ours = self.ours(fullname)
        return None if ours is None else ModuleSpec(fullname, _Alias(ours), is_package=True)


def _module_of(fullname: str) -> str | None:
    if fullname in _PRIVATE:
        return _PRIVATE[fullname]
    for theirs, own in ((_CUDA_TILE, "tilewright"), (_EXPERIMENTAL, "tilewright.experimental")):
        if fullname != theirs and not fullname.startswith(theirs + "."):
            continue
        ours = own + fullname.removeprefix(theirs)
        if any(part.startswith("_") for part in ours.split(".")):
            raise ModuleNotFoundError(
                f"{fullname} is private to NVIDIA's front end; a program under tilewright.compat has its public names",
                name=fullname,
            )
        if not is_available(ours):
            raise ModuleNotFoundError(f"Tilewright has no {fullname}", name=fullname)
        return ours
    return None


class _EmptyNamespace(importlib.abc.MetaPathFinder):
    """The package `cuda` where no other distribution has a part of it."""

    def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
        if fullname != "cuda":
            return None
        spec = ModuleSpec("cuda", None, is_package=True)
        spec.submodule_search_locations = []
        return spec


def refuse_others() -> None:
    """RuntimeError if another cuda.tile is loaded: programs would use both."""
    loaded = sys.modules.get(_CUDA_TILE)
    if loaded is not None and loaded.__name__ != "tilewright":
        raise RuntimeError(
            f"cuda.tile is already imported from {loaded.__file__}; call tilewright.compat.install() before"
        )


def provide_cuda_tile() -> None:
    sys.meta_path.insert(0, _Aliases(_module_of))
    sys.meta_path.append(_EmptyNamespace())


def provide(name: str, ours: str) -> None:
    """`import name` gives our module, also for the names below it that it has."""

    def find(fullname: str) -> str | None:
        return ours + fullname.removeprefix(name) if fullname == name or fullname.startswith(name + ".") else None

    sys.meta_path.append(_Aliases(find))


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds a module as the others do, and calls a function once it is executed."""

    def __init__(self, name: str, then: Callable[[], None]):
        self.name, self.then = name, then

    def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self.then()

            spec.loader.exec_module = exec_module
        return spec


def after_import(name: str, ours: str, function: str) -> None:
    """Calls `function` of our module once `name` is imported, or now if it is."""

    def then() -> None:
        getattr(importlib.import_module(ours), function)()

    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _AfterImport(name, then))
