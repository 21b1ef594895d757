# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements of a slice, executed: the kernel as an object."""

from __future__ import annotations

import ast
import itertools
import linecache
import sys
import traceback
import warnings
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from tilewright._tools.check.diagnostics import Diagnostic, Place, of_error
from tilewright._tools.check.slices import Slice
from tilewright.errors import TileError

_numbers = itertools.count()


def show_text(path: str, text: str) -> None:
    """The front end reads this in the place of the file, which may be older, or not be there."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def add_import_paths(path: str) -> None:
    """Modules are found from the folder of the file, from that of its package, and from the working folder."""
    for folder in (str(Path(path).absolute().parent), str(_package(path)[0]), str(Path.cwd())):
        if folder not in sys.path:
            sys.path.insert(0, folder)


def _package(path: str) -> tuple[Path, str]:
    """The folder that the package of a file is in, and the package's name."""
    folder, names = Path(path).absolute().parent, []
    while (folder / "__init__.py").exists():
        names.append(folder.name)
        folder = folder.parent
    return folder, ".".join(reversed(names))


def execute(part: Slice, path: str) -> Any:
    """The object that the slice calls by the kernel's name, or a Diagnostic."""
    module = ModuleType(f"_checked_{next(_numbers)}")  # no name that an import may ask for
    module.__file__, module.__package__ = path, _package(path)[1] or None
    sys.modules[module.__name__] = module  # where dataclasses look
    try:
        exec(_compile(part, path), vars(module))
    except TileError as error:
        return of_error(error, part.kernel, _place_of(error, part, path))
    except SyntaxError as error:  # such as a return outside of a function, which a tree may have
        if error.filename == path:
            place = Place(path, error.lineno or part.definition.first, max(error.offset or 1, 1))
            return Diagnostic("error", place, error.msg, "SyntaxError")
        return _of_exception(error, part, path)
    except (Exception, SystemExit) as error:
        return _of_exception(error, part, path)
    finally:
        del sys.modules[module.__name__]
    return getattr(module, part.kernel, None)


def _compile(part: Slice, path: str) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(ast.Module([each.node for each in part.statements], []), path, "exec", dont_inherit=True)


def _of_exception(error: BaseException, part: Slice, path: str) -> Diagnostic:
    """It names the kernel only where that raised it: several may need the statement."""
    place = _place_of(error, part, path)
    is_own = part.definition.first <= place.line <= part.definition.last
    name = type(error).__name__
    return Diagnostic("error", place, f"{name}: {error}", name, part.kernel if is_own else "")


def _place_of(error: BaseException, part: Slice, path: str) -> Place:
    """The statement of the module that raised it."""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == path:
            return Place(path, line)
    return Place(path, part.definition.first)
