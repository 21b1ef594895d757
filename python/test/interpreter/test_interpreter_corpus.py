# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of NVIDIA's front end in the interpreter; `interpreter_corpus.py` runs all of them, this every 50th."""

import interpreter_corpus
import nvidia_tools
import pytest


def test_modules_of_the_corpus_run():
    modules = nvidia_tools.corpus()
    if modules is None:
        pytest.skip("no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")
    failed = [row[:3] for row in interpreter_corpus.examine_all(modules[::50], targets=[]) if row[1] != "ran"]
    assert not failed
