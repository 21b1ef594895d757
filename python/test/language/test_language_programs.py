# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of language_programs.py give what that table says of them, or are refused with its class and text."""

import io
import linecache
import re

import language_programs
import numpy as np
import pytest
import tilewright as ct
from tilewright.compilation import CallingConvention, KernelSignature, export_kernel

from interpreter import bits_of


def arguments_of(kernel):
    return [language_programs.ARGUMENTS[parameter.name]() for parameter in kernel.parameters]


def signature_of(kernel, args):
    return KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2())


def run_bytecode(data, kernel, args):
    """One block of the only kernel of a module, in the interpreter; `out` or `fout` afterwards."""
    values = []
    for parameter, value in zip(kernel.parameters, args, strict=True):
        if isinstance(value, np.ndarray):
            values += [value, *value.shape, *(stride // value.itemsize for stride in value.strides)]
        elif not parameter.constant:
            values.append(np.float32(value) if isinstance(value, float) else value)
    [loaded] = ct.load_module(data).values()
    loaded.compile("interpreter").run((1, 1, 1), [bits_of(value) for value in values])
    return next(arg for parameter, arg in zip(kernel.parameters, args, strict=True) if parameter.name.endswith("out"))


def formats_of(data):
    """The formats of the prints of a module, in order."""
    texts = re.findall(r'print_tko "((?:[^"\\]|\\.)*)"', ct.disassemble(data))
    return [re.sub(r"\\([0-9A-F]{2}|\\)", lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)), t) for t in texts]


def expect(data, kernel, args, expected, text):
    """That the module prints these formats, or that `out` or `fout` begins with these numbers."""
    if text == "prints":
        assert formats_of(data) == list(expected)
        return
    out = run_bytecode(data, kernel, args)
    np.testing.assert_array_equal(out[: len(expected)], np.array(expected, out.dtype))


PROGRAMS = [pytest.param(*program, id=program[0].__name__) for program in language_programs.PROGRAMS]


@pytest.mark.parametrize("kernel, expected, text", PROGRAMS)
def test_program(kernel, expected, text):
    args, file = arguments_of(kernel), io.BytesIO()

    def export():
        export_kernel(kernel, [signature_of(kernel, args)], file, output_format="tileir_bytecode")

    if isinstance(expected, str):
        with pytest.raises(ct.TileError) as caught:
            export()
        assert type(caught.value).__name__ == expected
        place, excerpt, marks, *_ = str(caught.value).split("\n")
        assert text in caught.value.message
        assert place.startswith(f"{language_programs.__file__}:{caught.value.location.line}:")
        assert excerpt.strip() == linecache.getline(language_programs.__file__, caught.value.location.line).strip()
        assert set(marks.strip()) == {"^"}
        return
    export()
    expect(file.getvalue(), kernel, args, expected, text)
