# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that the tests of the language share: signatures by hand, the text of a module, and runs of one block."""

import numpy as np
import tilewright as ct
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import ArraySpec, ConstantSpec, ScalarSpec, Signature


def array(dtype=ct.float32, ndim=1, **facts):
    """A contiguous array of which nothing else is known."""
    return ArraySpec(dtype, ndim, static_strides=(None,) * (ndim - 1) + (1,), **facts)


def scalar(dtype=ct.int32):
    return ScalarSpec(dtype)


def constant(value):
    return ConstantSpec(value)


def compiled(kernel, *specs, **options):
    return compile_to_module(kernel, Signature(specs, **options))


def text_of(kernel, *specs, **options):
    """The verified module as text."""
    return compiled(kernel, *specs, **options).module.text()


def ops_of(kernel, *specs, **options):
    """Names of the operations of the kernel's body in order, without results and operands."""
    lines = [line.split(" = ", 1)[-1].split() for line in text_of(kernel, *specs, **options).splitlines()]
    return [words[0] for words in lines if words and words[0].isidentifier()]


def run_block(kernel, *args):
    """Run one block."""
    ct.launch(None, (1,), kernel, args)


def ints(count=8):
    return np.zeros(count, np.int32)
