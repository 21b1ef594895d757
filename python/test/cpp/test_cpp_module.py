# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources in C++ that are compiled where they are launched."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tilewright as ct

ROOT = pathlib.Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(
    not (ROOT / "build/lib/libtilewright-cpp.so").exists(), reason="the front end for C++ was not built"
)

SOURCE = """
#include <cuda_tile.h>
namespace ct = cuda::tiles;
namespace kernels {
template <class T, int N> __tile_global__ void add(const T *a, const T *b, T *c, int n) {
  auto i = ct::iota<ct::tile<int, ct::shape<N>>>() + int(ct::bid().x) * N;
  auto mask = i < n;
  ct::store_masked(c + i, ct::load_masked(a + i, mask) + ct::load_masked(b + i, mask), mask);
}
}
#ifdef VALUE
extern "C" __tile_global__ void value(int *p) { *p = VALUE; }
#endif
"""


@pytest.mark.parametrize("key", ["kernels::add<float, 128>", ("kernels::add", ct.float32, 128)])
def test_a_kernel_by_its_expression(key):
    module = ct.cpp_module(SOURCE)
    assert isinstance(module, ct.CppModule)
    a, b = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    c = np.zeros_like(a)
    module[key][8](a, b, c, 1000)
    np.testing.assert_array_equal(c, a + b)
    assert module[key] is module["kernels::add<float, 128>"]


def test_a_file_with_headers_and_options(tmp_path):
    (tmp_path / "inner.h").write_text(SOURCE)
    (tmp_path / "kernels.cpp").write_text('#include "inner.h"\n')
    module = ct.cpp_module(tmp_path / "kernels.cpp", options=["-DVALUE=7"])
    out = np.zeros(1, np.int32)
    module["value"][1](out)
    assert out[0] == 7


def test_diagnostics_have_the_name_of_the_source(tmp_path):
    with pytest.raises(ValueError, match=r"module.cpp:2:\d+: error: no member named 'nothing'"):
        ct.cpp_module("#include <cuda_tile.h>\n__tile_global__ void k(int *p) { *p = cuda::nothing; }\n")["k"]
    with pytest.raises(ValueError, match=r"<kernels>:1:.*error: use of undeclared identifier 'sub'"):
        ct.cpp_module(SOURCE)["sub<float>"]
    with pytest.raises(TypeError, match=r"template argument 1\.5, expected a dtype"):
        ct.cpp_module(SOURCE)["kernels::add", 1.5]
    with pytest.raises(FileNotFoundError):
        ct.cpp_module(tmp_path / "missing.cpp")


SHIFTED = """#include <cuda_tile.h>
namespace ct = cuda::tiles;
__tile_global__ void shift(const float *a, float *b) {
  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();
  auto x = ct::load(a + i + 4);
  ct::store(b + i, x);
}
"""


@pytest.fixture
def script(tmp_path):
    (tmp_path / "shift.cpp").write_text(SHIFTED)
    (tmp_path / "script.py").write_text(
        "import numpy as np\nimport tilewright as ct\n"
        f"module = ct.cpp_module({str(tmp_path / 'shift.cpp')!r})\n"
        "module['shift'][1](np.ones(8, np.float32), np.zeros(8, np.float32))\n"
    )
    return tmp_path / "script.py"


def run(script, *command, commands="", **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILEWRIGHT_")}
    return subprocess.run(
        [sys.executable, *command, script], capture_output=True, text=True, input=commands, env=environment | variables
    )


def test_checked_mode_has_the_lines_of_cpp(script):
    done = run(script, TILEWRIGHT_CHECK="1")
    assert "shift.cpp:5:12: error: this load reads %arg0[8], but %arg0 has 8 elements" in done.stderr


def test_the_debugger_stops_at_lines_of_cpp(script):
    done = run(script, "-m", "tilewright", "debug", commands="b shift.cpp:6\nc\nc\n")
    assert "shift.cpp(6)shift(), block (0, 0, 0)\n-> ct::store(b + i, x);" in done.stdout
