# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of small formats on the host of a program in C++: as ml_dtypes has them, and as kernels convert them."""

import pathlib
import subprocess

import numpy as np
import pytest
import test_cpp_kernels

ml_dtypes = pytest.importorskip("ml_dtypes")
pytestmark = test_cpp_kernels.pytestmark

SOURCE = pathlib.Path(__file__).parent / "programs/numbers.cpp"
COUNT = 4096
TYPES = [np.float16, ml_dtypes.bfloat16, "tf32", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
TYPES.append(ml_dtypes.float4_e2m1fn)


def inputs():
    """All magnitudes, ties of every type, neighbours of these, infinities and a NaN."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**32, COUNT, np.uint32)
    bits[1024:] &= rng.choice(np.array([0xFFFFF000, 0xFFFF8000, 0xFFF00000, 0xFFFFE000], np.uint32), COUNT - 1024)
    bits[2048:] += rng.integers(-1, 2, COUNT - 2048).astype(np.uint32)
    x = bits.view(np.float32).copy()
    x[3072:] = np.ldexp(rng.integers(-64, 65, COUNT - 3072) / np.float32(64), rng.integers(-20, 20, COUNT - 3072))
    x[:4] = np.inf, -np.inf, np.nan, -0.0
    return x


def codes_of(x, dtype):
    if dtype == "tf32":
        bits = x.view(np.uint32).astype(np.uint64)
        return ((bits + 0xFFF + (bits >> 13 & 1)) >> 13 << 13).astype(np.uint32)
    if np.dtype(dtype).itemsize == 1:
        most = float(ml_dtypes.finfo(dtype).max)
        x = np.clip(x, -most, most)
    with np.errstate(over="ignore", invalid="ignore"):
        made = x.astype(dtype)
    return made.view(np.uint16 if made.itemsize == 2 else np.uint8)


def test_as_kernels_and_ml_dtypes(tmp_path):
    program = tmp_path / "numbers"
    subprocess.run([test_cpp_kernels.COMPILER, "--tile-targets=cpu", SOURCE, "-o", program], check=True)
    x = inputs()
    out = subprocess.run([program], input=x.tobytes(), capture_output=True)
    assert out.returncode == 0, out.stderr.decode()
    data, isnan = out.stdout, np.isnan(x)
    for dtype in TYPES:
        expected = codes_of(x, dtype)
        size = expected.itemsize
        found, data = np.frombuffer(data[: COUNT * size], expected.dtype), data[COUNT * size :]
        np.testing.assert_array_equal(found[~isnan], expected[~isnan], err_msg=str(dtype))
        codes = np.arange(256 if size == 1 else 65536).astype(expected.dtype) << (16 if size == 4 else 0)
        values, data = np.frombuffer(data[: codes.size * 4], np.float32), data[codes.size * 4 :]
        if dtype == ml_dtypes.float4_e2m1fn:
            codes, values = codes[:16], values[:16]
        np.testing.assert_array_equal(values, codes.view(np.float32 if size == 4 else dtype).astype(np.float32))
    assert not data
