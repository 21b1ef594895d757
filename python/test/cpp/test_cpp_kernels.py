# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in CUDA Tile C++, compiled by tilewright-c++ and launched here, against NumPy."""

import pathlib
import subprocess

import numpy as np
import pytest
import tilewright as ct

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMPILER = ROOT / "build" / "bin" / "tilewright-c++"

pytestmark = pytest.mark.skipif(not COMPILER.exists(), reason="the front end for C++ was not built")


@pytest.fixture
def compile_cpp(tmp_path):
    def compile_text(text, *options):
        source, module = tmp_path / "kernels.cpp", tmp_path / "kernels.tilebc"
        source.write_text("#include <cuda_tile.h>\nnamespace ct = cuda::tiles;\nusing namespace ct::literals;\n" + text)
        subprocess.run([COMPILER, "--emit=tilebc", *options, source, "-o", module], check=True)
        return ct.load_module(module.read_bytes())

    return compile_text


ADD = """
template <class T, int N> __tile_global__ void add(const T *__restrict__ a, const T *__restrict__ b, T *c, int n) {
  auto i = ct::iota<ct::tile<int, ct::shape<N>>>() + int(ct::bid().x) * N;
  auto mask = i < n;
  ct::store_masked(c + i, ct::load_masked(a + i, mask) + ct::load_masked(b + i, mask, T(0)), mask);
}
"""


@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64), ("short", np.int16)])
def test_adds_an_instance_that_is_asked_for(compile_cpp, name, dtype):
    module = compile_cpp(ADD, f"--kernel=add<{name}, 128>")
    (kernel,) = module.values()
    a, b = (np.arange(1000, dtype=dtype) * step for step in (1, 3))
    c = np.zeros_like(a)
    kernel[8](a, b, c, 1000)
    np.testing.assert_array_equal(c, a + b)


def test_control_flow_as_on_the_host(compile_cpp):
    text = """
    __tile__ int steps(int n) {
      int count = 0;
      while (n != 1) {
        if (count > 100) return -1;
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++count;
      }
      return count;
    }
    extern "C" __tile_global__ void collatz(int *p) {
      int i = ct::bid().x;
      int sum = 0;
      for (int j = 0; j <= i; ++j) {
        if (j % 3 == 1) continue;
        for (int k = 0;; ++k) {
          if (k > j) break;
          sum += k;
        }
      }
      switch (i % 4) {
      case 0: sum += 1000;
      case 1: sum += 2000; break;
      case 2: if (i > 5) break; sum += 4000;
      default: sum += 8000;
      }
      p[i] = steps(i + 1) + sum;
    }
    """

    def steps(n):
        count = 0
        while n != 1:
            if count > 100:
                return -1
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        return count

    def expected(i):
        total = sum(sum(range(j + 1)) for j in range(i + 1) if j % 3 != 1)
        more = {0: 3000, 1: 2000, 2: 0 if i > 5 else 12000, 3: 8000}[i % 4]
        return steps(i + 1) + total + more

    result = np.zeros(40, np.int32)
    compile_cpp(text)["collatz"][40](result)
    np.testing.assert_array_equal(result, [expected(i) for i in range(40)])
