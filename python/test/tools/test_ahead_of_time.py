# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in C around kernels that were compiled ahead of time, with the runtime of the generated header."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest
import tilewright as ct
from tilewright.__main__ import main

ROOT = pathlib.Path(__file__).parents[3]
ATTENTION = (
    "float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32, 2, True, 64, 64, 64"
)
COMPILERS = [name for name in ("gcc", "clang-22") if shutil.which(name)]

KERNELS = """
import tilewright as ct

@ct.kernel
def show(a, b):
    i = ct.bid(0)
    x, y = ct.load(a, (i,), (4,)), ct.load(b, (i,), (4,))
    ct.printf("block %d: %d %5.2f|%x %e\\n", i, x, y, x, y)

@ct.kernel
def checked(a, out):
    i = ct.bid(0)
    x = ct.load(a, (i,), (4,))
    ct.assert_(x > 0, "not positive")
    ct.store(out, (i,), x * 2)
"""

SHOW = """
#define TILEWRIGHT_RUNTIME_IMPLEMENTATION
#include "show.h"
int main(void) {
  int16_t a[8] = {1, -2, 3, 4, 5, 6, 7, 32767};
  uint16_t b[8] = {0x3c00, 0xbc00, 0x3555, 0x7c00, 0xfc00, 0x0001, 0x8000, 0x7bff};
  return show_launch(a, 8, 1, b, 8, 1, 2, 1, 1, /*threads=*/1, NULL);
}
"""

CHECKED = """
#define TILEWRIGHT_RUNTIME_IMPLEMENTATION
#include "checked.h"
#include "show.h" /* two kernels in one file have one runtime */
enum { N = 4000 };
int main(void) {
  static float a[N], out[N];
  struct tilewright_failure failure;
  for (int i = 0; i < N; ++i)
    a[i] = (float)(i + 1);
  for (int threads = 0; threads < 8; ++threads) {
    memset(out, 0, sizeof(out));
    if (checked_launch(a, N, 1, out, N, 1, N / 4, 1, 1, threads, &failure))
      return 1;
    for (int i = 0; i < N; ++i)
      if (out[i] != 2 * a[i])
        return 2;
  }
  a[2001] = -1;
  for (int threads = 1; threads < 8; ++threads)
    if (checked_launch(a, N, 1, out, N, 1, N / 4, 1, 1, threads, &failure) != 1 || failure.block[0] != 500)
      return 3;
  const char *file = strrchr(failure.file, '/');
  printf("%s at %s:%d, block %d, position %s\\n", failure.message, file ? file + 1 : "?", (int)failure.line,
         (int)failure.block[0], failure.position);
  fflush(stdout);
  int16_t nothing[8] = {0};
  uint16_t halves[8] = {0};
  show_launch(nothing, 8, 1, halves, 8, 1, 1, 1, 1, 1, NULL);
  a[0] = 0;
  _Alignas(64) static char scratch[CHECKED_SCRATCH_BYTES];
  checked_run(a, N, 1, out, N, 1, 1, 1, 1, scratch, NULL); /* no launch to fail: the program ends */
  return 4;
}
"""

# Each block adds a number to a global, by way of memory of its own.
MEMORY = """
global @total alignment = 64 <i32: [10, 20]> : tile<2xi32>
entry @gather_up(%value: tile<i32>, %out: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %mine = alloca num_elem = 2, alignment = 64 : tile<ptr<i32>>
  %one = constant <i32: 1> : tile<i32>
  %second = offset %mine, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %number = addi %value, %x : tile<i32>
  %t0 = store_ptr_tko weak %mine, %value : tile<ptr<i32>>, tile<i32> -> token
  %t1 = store_ptr_tko weak %second, %number token=%t0 : tile<ptr<i32>>, tile<i32> -> token
  %kept, %t2 = load_ptr_tko weak %second token=%t1 : tile<ptr<i32>> -> tile<i32>, token
  %total = get_global @total : tile<ptr<i32>>
  %before, %t3 = atomic_rmw_tko relaxed device %total, add, %kept : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %factor_at = offset %total, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %factor, %t4 = load_ptr_tko weak %factor_at : tile<ptr<i32>> -> tile<i32>, token
  %product = muli %kept, %factor : tile<i32>
  %at = offset %out, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t5 = store_ptr_tko weak %at, %product : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""

WITH_GLOBALS = """
#define TILEWRIGHT_RUNTIME_IMPLEMENTATION
#include "memory.h"
extern int32_t total[2];
enum { N = 1000 };
int main(void) {
  static int32_t out[N];
  int32_t expected = 10;
  if (total[0] != 10 || total[1] != 20)
    return 1;
  for (int threads = 1; threads < 5; ++threads) {
    total[1] = threads;
    if (gather_up_launch(100, out, N, 1, 1, threads, NULL))
      return 2;
    for (int i = 0; i < N; ++i) {
      expected += 100 + i;
      if (out[i] != threads * (100 + i))
        return 3;
    }
    if (total[0] != expected)
      return 4;
  }
  return 0;
}
"""


def compile_kernel(source, kernel, signature, output, emit):
    assert main(["compile", f"{source}:{kernel}", "--signature", signature, "--emit", emit, "-o", str(output)]) == 0


def build(compiler, source, *kernels, language="-std=c11"):
    folder = kernels[0].parent
    program = folder / f"{source.stem}-{compiler}"
    options = [language, "-O1", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"-Wl,-rpath,{folder}"]
    subprocess.run([compiler, *options, source, "-x", "none", *kernels, "-lm", "-pthread", "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not COMPILERS:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("aot")
    (folder / "compiled.py").write_text(KERNELS)
    compile_kernel(folder / "compiled.py", "show", "int16[::1], float16[::1]", folder / "show.o", "obj")
    compile_kernel(folder / "compiled.py", "checked", "float32[::1], float32[::1]", folder / "checked.o", "obj")
    return folder


@pytest.mark.parametrize("emit", ["obj", "so"])
def test_the_example_runs_attention_without_python(folder, emit):
    kernel = folder / f"attention_kernel.{'o' if emit == 'obj' else 'so'}"
    compile_kernel(ROOT / "kernels/attention/kernel.py", "attention_kernel", ATTENTION, kernel, emit)
    for compiler in COMPILERS:
        program = build(compiler, ROOT / "examples/attention.c", kernel)
        done = subprocess.run([program], capture_output=True, text=True, env={})
        assert done.returncode == 0 and "4 heads, 300 positions" in done.stdout, done.stdout + done.stderr
        if emit == "obj":
            needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            assert "tilewright" not in needed and "LLVM" not in needed


def test_a_program_prints_what_python_prints(folder, capfd):
    source = folder / "show.c"
    source.write_text(SHOW)
    program = build(COMPILERS[0], source, folder / "show.o")
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout

    scope = {"__name__": "kernels"}
    exec(compile(KERNELS, str(folder / "compiled.py"), "exec"), scope)
    a = np.array([1, -2, 3, 4, 5, 6, 7, 32767], np.int16)
    b = np.array([0x3C00, 0xBC00, 0x3555, 0x7C00, 0xFC00, 1, 0x8000, 0x7BFF], np.uint16).view(np.float16)
    capfd.readouterr()
    ct.launch(None, (2,), scope["show"], (a, b))
    assert printed == capfd.readouterr().out
    assert printed.startswith("block 0: [1, -2, 3, 4] [ 1.00, -1.00,  0.33,   inf]|[1, fff")


@pytest.mark.parametrize("language", ["-std=c11", "-xc++"])
def test_a_failed_assert_is_told_to_who_launched(folder, language):
    source = folder / "checked.c"
    text = CHECKED if language == "-std=c11" else CHECKED.replace("_Alignas", "alignas")
    source.write_text(text)
    program = build(COMPILERS[0], source, folder / "checked.o", folder / "show.o", language=language)
    done = subprocess.run([program], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "not positive at compiled.py:14, block 500, position [1]"
    assert lines[1].startswith("block 0: [0, 0, 0, 0]")
    assert done.returncode == -6 and done.stderr.endswith(":14: tile block: [0, 0, 0], position: [0]: not positive\n")


@pytest.mark.parametrize("emit", ["obj", "so"])
def test_globals_are_variables_of_the_program(folder, emit):
    (folder / "memory.mlir").write_text(MEMORY)
    kernel = folder / f"memory.{'o' if emit == 'obj' else 'so'}"
    assert main(["compile", str(folder / "memory.mlir"), "--emit", emit, "-o", str(kernel)]) == 0
    source = folder / "with_globals.c"
    source.write_text(WITH_GLOBALS)
    for compiler in COMPILERS:
        assert subprocess.run([build(compiler, source, kernel)]).returncode == 0
