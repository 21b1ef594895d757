# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in docstrings say what they print."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest
import tilewright as ct

PACKAGE = Path(ct.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text()
)
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module, extraglobs={"ct": ct, "np": np}, optionflags=FLAGS)
    assert failed == 0 and tried > 0
