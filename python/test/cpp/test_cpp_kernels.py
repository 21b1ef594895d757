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


def test_softmax_and_product_by_views(compile_cpp):
    text = """
    extern "C" __tile_global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int rows) {
      ct::partition_view in{ct::tensor_span{x, ct::extents{rows, 64_ic}}, ct::shape{4_ic, 64_ic}};
      ct::partition_view out{ct::tensor_span{y, ct::extents{rows, 64_ic}}, ct::shape{4_ic, 64_ic}};
      int i = ct::bid().x;
      auto t = in.load_masked(i, 0);
      auto e = ct::exp(t - ct::reduce_max<1>(t));
      out.store_masked(e / ct::sum<1>(e), i, 0);
    }
    extern "C" __tile_global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
      ct::partition_view va{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<16, 8>{}};
      ct::partition_view vb{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<8, 32>{}};
      ct::partition_view vc{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<16, 32>{}};
      auto [x, y, z] = ct::bid();
      auto sum = ct::zeros<ct::tile<float, ct::shape<16, 32>>>();
      for (auto i : ct::irange(0, ct::ceildiv(k, 8)))
        sum = ct::mma(va.load_masked(x, i), vb.load_masked(i, y), sum);
      vc.store_masked(sum, x, y);
    }
    """
    module = compile_cpp(text)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((13, 64), dtype=np.float32)
    y = np.zeros_like(x)
    module["softmax"][4](x, y, 13)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)

    m, n, k = 40, 70, 30
    a, b = rng.standard_normal((m, k), dtype=np.float32), rng.standard_normal((k, n), dtype=np.float32)
    c = np.zeros((m, n), np.float32)
    module["product"][3, 3](a, b, c, m, n, k)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)


INTEGERS = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a & b": lambda a, b: a & b,
    "a ^ b | 3": lambda a, b: a ^ b | 3,
    "~a": lambda a, b: ~a,
    "-a": lambda a, b: -a,
    "a << (b & 7)": lambda a, b: a << (b & 7),
    "a >> (b & 7)": lambda a, b: a >> (b & 7),
    "ct::max(a, b)": np.maximum,
    "ct::min(a, b)": np.minimum,
    "ct::abs(a)": lambda a, b: abs(a),
    "ct::floordiv(a, b)": lambda a, b: a // b,
    "ct::ceildiv(a, b)": lambda a, b: -(-a // b),
    "a / b": lambda a, b: (np.abs(a) // np.abs(b)) * np.sign(a) * np.sign(b),
    "a % b": np.fmod,
    "ct::mulhi(a * 1000003, b * 998244353)": lambda a, b: (
        ((a * 1000003).astype(np.int64) * (b * 998244353).astype(np.int64)) >> 32
    ),
    "ct::select(a < b, a, b * 2)": lambda a, b: np.where(a < b, a, b * 2),
    "ct::element_cast<int>(!(a > b) && a != 4)": lambda a, b: ~(a > b) & (a != 4),
    "ct::element_cast<int>(ct::element_cast<signed char>(a * 50))": lambda a, b: (a * 50).astype(np.int8),
    "ct::partial_sum<0>(a)": lambda a, b: np.cumsum(a),
    "a + ct::sum<0>(b)": lambda a, b: a + b.sum(),
    "a + ct::reduce_bitxor<0>(b)": lambda a, b: a + np.bitwise_xor.reduce(b),
    "a + ct::element_cast<int>(ct::max_element<0>(b))": lambda a, b: a + b.argmax(),
    "ct::reshape<ct::shape<32>>(ct::transpose(ct::reshape<ct::shape<4, 8>>(a)))": lambda a, b: a.reshape(
        4, 8
    ).T.ravel(),
    "ct::cat<0>(ct::extract(a, ct::shape<16>{}, 1), ct::extract(b, ct::shape<16>{}, 0))": lambda a, b: np.concatenate(
        [a[16:], b[:16]]
    ),
    "ct::insert(a, ct::extract(b, ct::shape<8>{}, 2), 1)": lambda a, b: np.concatenate([a[:8], b[16:24], a[16:]]),
}

FLOATS = {
    "a / b": lambda a, b: a / b,
    "ct::fma(a, b, a)": lambda a, b: a * b + a,
    "ct::exp(a) + ct::exp2(b)": lambda a, b: np.exp(a) + np.exp2(b),
    "ct::log(ct::abs(a)) - ct::log2(ct::abs(b))": lambda a, b: np.log(abs(a)) - np.log2(abs(b)),
    "ct::sin(a) * ct::cos(b)": lambda a, b: np.sin(a) * np.cos(b),
    "ct::tanh(a) + ct::sinh(b) + ct::cosh(b)": lambda a, b: np.tanh(a) + np.sinh(b) + np.cosh(b),
    "ct::sqrt(a * a) + ct::rsqrt(b * b)": lambda a, b: abs(a) + 1 / abs(b),
    "ct::floor(a) + ct::ceil(b)": lambda a, b: np.floor(a) + np.ceil(b),
    "ct::pow(ct::abs(a), b)": lambda a, b: abs(a) ** b,
    "ct::atan2(a, b)": np.arctan2,
    "ct::remainder(a, b)": np.fmod,
    "ct::select(ct::isnan(a), b, a)": lambda a, b: a,
    "ct::element_cast<float>(ct::element_cast<__half>(a))": lambda a, b: a.astype(np.float16).astype(np.float32),
    "ct::element_bitcast<float>(ct::element_bitcast<int>(a) & 0x7fffffff)": lambda a, b: abs(a),
    "ct::add(a, b, ct::round_toward_zero_t{}) + 0.0f * b": lambda a, b: a + b,
    "a * 2 + ct::full<decltype(a)>(0.5f)": lambda a, b: a * 2 + 0.5,
}


@pytest.mark.parametrize(
    ("table", "name", "dtype"), [(INTEGERS, "int", np.int32), (FLOATS, "float", np.float32)], ids=["int", "float"]
)
def test_functions_as_numpy_has_them(compile_cpp, table, name, dtype):
    lines = [f"ct::store(pr + {32 * i} + at, {expression});" for i, expression in enumerate(table)]
    module = compile_cpp(
        f"""extern "C" __tile_global__ void all(const {name} *pa, const {name} *pb, {name} *pr) {{
              auto at = ct::iota<ct::tile<int, ct::shape<32>>>();
              auto a = ct::load(pa + at);
              auto b = ct::load(pb + at);
              {" ".join(lines)}
            }}"""
    )
    rng = np.random.default_rng(1)
    a = rng.integers(-20, 20, 32) if dtype == np.int32 else rng.uniform(-3, 3, 32)
    b = rng.integers(1, 9, 32) * rng.choice([-1, 1], 32) if dtype == np.int32 else rng.uniform(0.5, 3, 32)
    a, b = a.astype(dtype), b.astype(dtype)
    results = np.zeros((len(table), 32), dtype)
    module["all"][1](a, b, results)
    for (expression, function), result in zip(table.items(), results, strict=True):
        expected = np.asarray(function(a, b)).astype(dtype)
        np.testing.assert_allclose(
            result, expected, rtol=0 if dtype == np.int32 else 2e-5, atol=1e-6, err_msg=expression
        )
