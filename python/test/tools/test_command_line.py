# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright compile` of kernels in Python files."""

import numpy as np
import pytest
import tilewright as ct
from kernel_library import call_library
from tilewright.__main__ import main
from tilewright._frontend.signature import ArraySpec, ConstantSpec, ListSpec, Parameter, ScalarSpec
from tilewright._runtime.dispatch import make_launcher
from tilewright._runtime.signature_text import parse_signature

SOURCE = """
import tilewright as ct

@ct.kernel
def scale(a, factor, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) * factor)

not_a_kernel = 1
"""
SIGNATURE = "float32[::1]@16, float32, float32[::1]@16, 16"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scaling.py"
    path.write_text(SOURCE)
    return path


def run(capsysbinary, *arguments):
    status = main(["compile", *map(str, arguments)])
    captured = capsysbinary.readouterr()
    return status, captured.out.decode(), captured.err.decode()


def test_signatures_with_lists():
    parameters = [Parameter(name, False, None) for name in ("arrays", "n")]
    specs = parse_signature("list[float32[:,::1]@16], int32", parameters)
    (array,) = parse_signature("float32[:,::1]@16", parameters[:1])
    assert specs == (ListSpec(array), ScalarSpec(ct.int32))
    with pytest.raises(ValueError, match="unknown dtype"):
        parse_signature("list[int32], int32", parameters)


@pytest.mark.parametrize(
    "level, expected",
    [
        ("cuda_tile", "entry @scale"),
        ("tileaa", "func.func @scale"),
        ("linalg", "linalg.generic"),
        ("plan", "[scale]"),
        ("llvm", "define void @scale"),
        ("asm", "scale:"),
    ],
)
def test_levels(file, capsysbinary, level, expected):
    status, out, err = run(capsysbinary, f"{file}:scale", "--signature", SIGNATURE, "--emit", level)
    assert (status, err) == (0, "") and expected in out


def test_a_shared_library_runs_without_the_compiler(file, tmp_path, capsysbinary):
    library = tmp_path / "scale.so"
    assert run(capsysbinary, f"{file}:scale", "--signature", SIGNATURE, "--emit=so", "-o", library)[0] == 0
    a, out = np.arange(48, dtype=np.float32), np.zeros(48, np.float32)
    call_library(library, "scale", (3, 1, 1), a, 2.5, out)
    np.testing.assert_array_equal(out, a * np.float32(2.5))


def test_mistakes(file, tmp_path, capsysbinary):
    def fails(*arguments):
        status, _, err = run(capsysbinary, *arguments)
        assert status == 1
        return err

    assert "unknown target 'gpu'" in fails(f"{file}:scale", "--signature", SIGNATURE, "--target", "gpu")
    assert "has 1 entries, expected 4 (a, factor, out, TILE)" in fails(f"{file}:scale", "--signature", "int32")
    assert "unknown dtype 'f32'" in fails(f"{file}:scale", "--signature", "f32[:], float32, float32[:], 16")
    assert "axis '3' in the signature, expected : or ::1" in fails(
        f"{file}:scale", "--signature", "float32[3], float32, float32[:], 16"
    )
    assert "is a constant, expected a Python literal, found 'x'" in fails(
        f"{file}:scale", "--signature", "float32[:], float32, float32[:], x"
    )
    assert "No such file" in fails(tmp_path / "missing.mlir")
    for arguments, message in [
        ((f"{file}:other",), "has no kernel 'other', expected one of scale"),
        ((f"{file}:not_a_kernel",), "has no kernel 'not_a_kernel'"),
        ((f"{file}:scale",), "a Python kernel needs --signature"),
        ((f"{tmp_path}/missing.py:scale",), "cannot read"),
        ((f"{file}:scale", "--signature", SIGNATURE, "--emit=so"), "give -o FILE"),
    ]:
        with pytest.raises(SystemExit, match=message):
            main(["compile", *arguments])


def test_a_compiler_error_shows_the_source_line(tmp_path, capsysbinary):
    broken = tmp_path / "broken.py"
    broken.write_text(SOURCE.replace("* factor", "* missing"))
    status, _, err = run(capsysbinary, f"{broken}:scale", "--signature", SIGNATURE)
    assert status == 1 and "missing" in err and "^" in err


def test_a_signature_says_what_a_launch_would(file):
    scope = {"__name__": "scaling"}
    exec(compile(SOURCE, str(file), "exec"), scope)
    # The source must be where the front end looks for it.
    kernel = scope["scale"]
    a = np.zeros(48, np.float32)
    launched = make_launcher(kernel).specs((a, 2.0, a, 16))
    assert parse_signature(SIGNATURE, kernel.parameters) == launched
    strided, number, _, constant = parse_signature("float16[:, ::1], int64, bfloat16[], 'a,b'", kernel.parameters)
    assert isinstance(strided, ArraySpec) and strided.static_strides == (None, 1) and strided.base_divisible_by == 1
    assert number == ScalarSpec(number.dtype) and number.dtype.name == "int64"
    assert constant == ConstantSpec("a,b")
