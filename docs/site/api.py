# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of the Python package: a page for each part of it, with the docstrings of its public names."""

import importlib
import inspect
import types
from importlib.util import find_spec
from typing import Any

import tilewright
import tree_pages

# Title, the page's name, and the modules that define what it lists of the package `tilewright` itself.
PARTS = [
    ("Kernels and launches", "kernels", "kernel scheduling _runtime.explanation _runtime.threads limits"),
    ("Reading and writing arrays", "memory", "memory array"),
    ("Creating tiles", "factory", "factory"),
    ("Functions of elements", "elementwise", "elementwise"),
    ("Products of matrices", "matrix", "matrix"),
    ("Reductions and scans", "reduction", "reduction"),
    ("Shapes and conversions", "shape", "shape"),
    ("Compile-time Python", "meta", "meta annotations"),
    ("Tiles and their dtypes", "tiles", "tile dtypes modes"),
    ("Printing and asserting", "debug", "debug"),
    ("Modules of Tile IR and C++", "modules", "tile_module cpp_module"),
    ("Errors", "errors", "errors"),
]
# Modules of their own, with the packages that they import.
MODULES = [
    ("Tuning", "tune", ""),
    ("Compiling ahead of time", "compilation", ""),
    ("Operators of PyTorch", "torch", "torch"),
    ("Operators of JAX", "jax", "jax"),
    ("Ready operators", "ops", "torch"),
]
CONTENTS = tree_pages.contents(
    "Python reference", [f"api/{name}" for _, name, _ in PARTS] + [f"api/tilewright.{name}" for _, name, _ in MODULES]
)


def module_of(name: str) -> str:
    """Of the package, without its name; empty for values."""
    value = inspect.unwrap(getattr(tilewright, name))
    if isinstance(value, types.ModuleType):
        return ""
    if isinstance(value, tilewright.DType):
        return "dtypes"
    return getattr(value, "__module__", "").removeprefix("tilewright.")


def directive(module: str, name: str, value: Any) -> str:
    whole = f"{module}.{name}"
    if inspect.isclass(value) and issubclass(value, Exception):
        return f".. autoexception:: {whole}\n   :show-inheritance:\n"
    if inspect.isclass(value):
        return f".. autoclass:: {whole}\n   :members:\n   :undoc-members:\n"
    if callable(value):
        return f".. autofunction:: {whole}\n"
    return f".. autodata:: {whole}\n   :no-value:\n"


def heading(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n"


def table_of_dtypes() -> str:
    names = [name for name in tilewright.__all__ if isinstance(getattr(tilewright, name), tilewright.DType)]
    rows = "".join(f"   * - ``{name}``\n     - {getattr(tilewright, name).bitwidth}\n" for name in names)
    return f"Dtypes\n------\n\n.. list-table::\n   :header-rows: 1\n\n   * - dtype\n     - bits\n{rows}\n"


def part(title: str, modules: list[str]) -> str:
    names = [name for name in tilewright.__all__ if module_of(name) in modules]
    values = {name: getattr(tilewright, name) for name in names}
    text = heading(title)
    for module in modules:
        if not module.startswith("_"):
            says = inspect.getdoc(importlib.import_module(f"tilewright.{module}"))
            text += f"{says.removeprefix(f'{title}.')}\n\n"
    if "dtypes" in modules:
        text += table_of_dtypes()
        values = {name: value for name, value in values.items() if not isinstance(value, tilewright.DType)}
    return text + "\n".join(directive("tilewright", name, value) for name, value in values.items())


def module_page(title: str, name: str, package: str, described: set[str]) -> str:
    """Adds to the set of names that pages describe: a class that several modules export is a target of links once."""
    whole = f"tilewright.{name}"
    if package and find_spec(package) is None:
        return heading(title) + f"``{whole}``: this site was made without its package ``{package}``.\n"
    text = heading(title) + f".. automodule:: {whole}\n\n"
    for public in importlib.import_module(whole).__all__:
        kind = "autoclass" if public[0].isupper() else "autofunction"
        text += f".. {kind}:: {whole}.{public}\n" + "   :members:\n" * (kind == "autoclass")
        text += "   :no-index:\n\n" if kind == "autoclass" and public in described else "\n"
        described.add(public)
    return text


def make() -> dict[str, str]:
    """The texts of the pages, by name."""
    texts = {f"api/{name}.rst": part(title, modules.split()) for title, name, modules in PARTS}
    described: set[str] = set()
    for title, name, package in MODULES:
        texts[f"api/tilewright.{name}.rst"] = module_page(title, name, package, described)
    return texts
