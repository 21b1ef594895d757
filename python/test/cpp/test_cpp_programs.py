# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of cpp_programs.py give on the CPU what they give in the interpreter."""

import subprocess

import cpp_programs
import numpy as np
import pytest
import test_cpp_kernels
import tilewright as ct

pytestmark = test_cpp_kernels.pytestmark


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """The kernels for each target: variables keep their values between launches."""
    folder = tmp_path_factory.mktemp("cpp")
    source, output = folder / "programs.cpp", folder / "programs.tilebc"
    source.write_text(cpp_programs.kernels())
    subprocess.run([test_cpp_kernels.COMPILER, "--emit=tilebc", source, "-o", output], check=True)
    return {target: ct.load_module(output) for target in ("cpu", "interpreter")}


def arguments():
    rng = np.random.default_rng(0)
    size = cpp_programs.SIZE
    numbers = rng.integers(-12, 13, size).astype(np.float32) / 8
    return [np.zeros(size, np.float32), numbers, rng.integers(0, 10, size).astype(np.int32)]


def run(kernel, arrays, n):
    kernel.run((1, 1, 1), [*(array.ctypes.data for array in arrays), n])
    return arrays


@pytest.mark.parametrize("name", cpp_programs.names())
def test_as_in_the_interpreter(modules, name):
    results = {}
    for target, module in modules.items():
        kernel = module[name].compile(target)
        results[target] = [np.copy(array) for n in (3, 6) for array in run(kernel, arguments(), n)]
    # The CPU's functions of floats, and the order of its sums, differ in the last bits.
    for ours, expected in zip(results["cpu"], results["interpreter"], strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-6 if ours.dtype == np.float32 else 0)


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_compiles_for_gpus(target, tmp_path):
    source = tmp_path / "programs.cpp"
    source.write_text(cpp_programs.kernels())
    command = [test_cpp_kernels.COMPILER, "--emit=ptx", f"--target=nvidia:{target}", source, "-o", tmp_path / "ptx"]
    subprocess.run(command, check=True)
    assert (tmp_path / "ptx").read_text().count(".entry") == len(cpp_programs.names())


@pytest.mark.parametrize(("name", "text", "place", "reason"), list(cpp_programs.refused()))
def test_refuses(name, text, place, reason, tmp_path):
    source = tmp_path / "program.cpp"
    source.write_text(cpp_programs.HEAD + text)
    command = [test_cpp_kernels.COMPILER, "--emit=tilebc", "-fno-color-diagnostics", source, "-o", tmp_path / "out"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert reason in result.stderr
    assert "program.cpp:" in result.stderr
    if place != "-":
        assert f"program.cpp:{place}: error: " in result.stderr
        _, shown = result.stderr.split(f"program.cpp:{place}: error: ", 1)
        carets = [line.split("|", 1)[1] for line in shown.splitlines() if "^" in line]
        assert carets[0].index("^") == int(place.split(":")[1])
