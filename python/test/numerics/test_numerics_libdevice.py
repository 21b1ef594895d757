# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_MATH=libdevice-bits on a CPU: functions give what NVIDIA's bitcode gives when it is run as it stands."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tilewright as ct
from numerics import FULL, record

LLVM = pathlib.Path("/usr/lib/llvm-22/bin")
FUNCTIONS = ("sin", "cos", "log", "log2", "atan2")
COUNT = 1 << (24 if FULL else 18)
# Functions that the bitcode calls, from the C library and by the rules of the PTX ISA.
OPERATIONS = """
#include <math.h>
#include <stdint.h>
int32_t reflect(const char *text) __asm__("__nvvm_reflect");
int32_t reflect(const char *text) { return 0; }
float fma_rn(float a, float b, float c) __asm__("nvvm.fma.rn.f");
float fma_rn(float a, float b, float c) { return fmaf(a, b, c); }
float mul_rn(float a, float b) __asm__("nvvm.mul.rn.f");
float mul_rn(float a, float b) { return a * b; }
float div_rn(float a, float b) __asm__("nvvm.div.rn.f");
float div_rn(float a, float b) { return a / b; }
float abs_of(float a) __asm__("nvvm.fabs.f32");
float abs_of(float a) { return fabsf(a); }
int32_t nearest(float a) __asm__("nvvm.f2i.rn");
int32_t nearest(float a) {
  double whole = nearbyint(a);
  return isnan(a) ? 0 : whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : (int32_t)whole;
}
uint64_t wide(uint32_t a, uint32_t b, uint32_t c) { return (uint64_t)a * b + c; }
#define EACH(name, arguments, ...) \\
  float __nv_##name##f arguments; \\
  void name##s(const float *x, const float *y, float *z, int64_t n) { \\
    for (int64_t i = 0; i != n; ++i) \\
      z[i] = __nv_##name##f(__VA_ARGS__); \\
  }
EACH(sin, (float), x[i])
EACH(cos, (float), x[i])
EACH(log, (float), x[i])
EACH(log2, (float), x[i])
EACH(atan2, (float, float), x[i], y[i])
"""
WIDE = """
declare i64 @wide(i32, i32, i32)
define {i32, i32} @both(i32 %a, i32 %b, i32 %c) {
  %w = call i64 @wide(i32 %a, i32 %b, i32 %c)
  %l = trunc i64 %w to i32
  %s = lshr i64 %w, 32
  %h = trunc i64 %s to i32
  %p = insertvalue {i32, i32} poison, i32 %l, 0
  %r = insertvalue {i32, i32} %p, i32 %h, 1
  ret {i32, i32} %r
}
"""


def libdevice():
    """The bitcode of a Python package or a toolkit, or None."""
    folders = [os.path.join(folder, "nvidia/cu13/nvvm") for folder in sys.path] + ["/usr/local/cuda/nvvm"]
    files = (pathlib.Path(folder, "libdevice/libdevice.10.bc") for folder in folders)
    return next((file for file in files if file.exists()), None)


@pytest.fixture(scope="module")
def bitcode(tmp_path_factory):
    """The bitcode's functions over arrays, by a compiler that is not ours, with the GPU's operations given in C."""
    file = libdevice()
    if file is None or not (LLVM / "llvm-extract").exists() or shutil.which("clang-22") is None:
        pytest.skip("no libdevice.10.bc (pip install nvidia-nvvm) or no LLVM 22 beside it")
    folder = tmp_path_factory.mktemp("libdevice")
    names = [f"--func=__nv_{name}f" for name in FUNCTIONS]
    parts = [*names, "--rglob=__cudart_.*", r"--rglob=\.str.*", "--recursive"]
    subprocess.run([LLVM / "llvm-extract", file, *parts, "-S", "-o", folder / "functions.ll"], check=True)
    text = (folder / "functions.ll").read_text()
    # The branches that flush are not taken; they need not know how.
    text = re.sub(r"^(target|declare .*\.ftz).*\n", "", text, flags=re.M)
    text = re.sub(r"@llvm\.nvvm\.([\w.]*?)(\.ftz)?((?:\.\w+)?\()", r"@nvvm.\1\3", text)
    text = re.sub(r'asm "\{[^"]*mad\.lo\.cc[^"]*", "[^"]*"', "@both", text) + WIDE
    (folder / "plain.ll").write_text(re.sub(r"addrspace\(1\) ", "", text))
    (folder / "operations.c").write_text(OPERATIONS)
    options = ["-O1", "-ffp-contract=off", "-fno-builtin", "-fPIC", "-shared", "-w", "-o", folder / "functions.so"]
    subprocess.run(["clang-22", *options, folder / "plain.ll", folder / "operations.c", "-lm"], check=True)
    return ctypes.CDLL(folder / "functions.so")


def samples():
    """f32 at equal distances in their bits, and a grid of what programs compute with; twice, in different orders."""
    bits = np.linspace(0, 2**32 - 1, COUNT // 2).astype(np.uint64).astype(np.uint32)
    x = np.concatenate([bits.view(np.float32), np.linspace(-100, 100, COUNT // 2).astype(np.float32)])
    return x, np.random.default_rng(5).permutation(x)


def compiled(name):
    function = getattr(ct, name)

    @ct.kernel
    def one(x, y, out):
        at = ct.bid(0)
        ct.store(out, at, function(ct.load(x, at, 1024)))

    @ct.kernel
    def two(x, y, out):
        at = ct.bid(0)
        ct.store(out, at, function(ct.load(x, at, 1024), ct.load(y, at, 1024)))

    kernel = two if name == "atan2" else one
    x, y = samples()
    out = np.zeros_like(x)
    ct.launch(None, (len(x) // 1024,), kernel, (x, y, out))
    return out


def differing(found, expected):
    return (found.view(np.uint32) != expected.view(np.uint32)) & ~(np.isnan(found) & np.isnan(expected))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_bits_of_the_bitcode(name, bitcode, monkeypatch):
    x, y = samples()
    expected = np.zeros_like(x)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, expected)]
    getattr(bitcode, name + "s")(*pointers, ctypes.c_int64(len(x)))
    own = compiled(name)
    monkeypatch.setenv("TILEWRIGHT_MATH", "libdevice-bits")
    monkeypatch.setenv("CUDA_HOME", str(libdevice().parents[2]))
    found = compiled(name)
    wrong = np.flatnonzero(differing(found, expected))
    assert not len(wrong), (
        f"{name} of {x[wrong[:4]]} {y[wrong[:4]]}: {found[wrong[:4]]}, expected {expected[wrong[:4]]}"
    )
    differs = differing(own, expected)
    assert differs.any()  # a test that compares one with itself shows nothing
    places = np.abs(own.view(np.int32).astype(np.int64) - expected.view(np.int32))
    record(
        "libdevice",
        name=name,
        compared=len(x),
        differs=int(differs.sum()),
        places=int(places[differs].max()),
        target="cpu",
    )


def test_rough_functions_keep_their_bits(monkeypatch):
    if libdevice() is None:
        pytest.skip("no libdevice.10.bc (pip install nvidia-nvvm)")
    own = compiled("tanh")
    monkeypatch.setenv("TILEWRIGHT_MATH", "libdevice-bits")
    monkeypatch.setenv("CUDA_HOME", str(libdevice().parents[2]))
    assert not differing(compiled("tanh"), own).any()


def test_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_MATH", "libdevice-bits")
    monkeypatch.setenv("CUDA_HOME", "/nowhere")
    monkeypatch.setattr(sys, "path", ["/empty"])
    if os.path.exists("/usr/local/cuda/nvvm/libdevice"):
        pytest.skip("a CUDA toolkit is in /usr/local/cuda")
    with pytest.raises(
        ValueError, match=r"wants libdevice.10.bc, which is not in /nowhere/nvvm/libdevice/, .*/empty/nv"
    ):
        compiled("sin")
