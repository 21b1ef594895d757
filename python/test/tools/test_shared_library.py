# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--emit=so`: the library and its C header, used without the compiler."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from kernel_library import call_library
from tilewright.__main__ import main

KERNELS = """
import tilewright as ct

@ct.kernel
def scale(a, factor, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) * factor)

@ct.kernel
def checked(a):
    x = ct.load(a, (0,), (4,))
    ct.assert_(x > 0, "not positive")
    ct.print("all positive")

@ct.kernel
def product(a, b, out):
    acc = ct.zeros((64, 64), ct.float32)
    for k in range(ct.num_tiles(a, 1, (64, 32))):
        acc = ct.mma(ct.load(a, (ct.bid(0), k), (64, 32), padding_mode=ct.PaddingMode.ZERO),
                     ct.load(b, (k, ct.bid(1)), (32, 64), padding_mode=ct.PaddingMode.ZERO), acc)
    ct.store(out, (ct.bid(0), ct.bid(1)), acc)
"""

PROGRAM = """
#include "scale.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  float a[100], out[100];
  for (int i = 0; i < 100; ++i)
    a[i] = (float)i;
  char *scratch = aligned_alloc(64, (SCALE_SCRATCH_BYTES + 127) / 64 * 64);
  scale_run(a, 100, 1, 2.5f, out, 100, 1, (100 + 15) / 16, 1, 1, scratch, NULL);
  for (int i = 0; i < 100; ++i)
    if (out[i] != a[i] * 2.5f)
      return 1;
  printf("%d arguments\\n", SCALE_NUM_ARGS);
  free(scratch);
  return 0;
}
"""

ASSERTING = """
#include "checked.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf failed;

void tilewright_assert_fail(void *context, const char *message, const char *file, int64_t line, int64_t x, int64_t y,
                            int64_t z, const int64_t *position, int64_t rank) {
  printf("%s: %s, block %d %d %d, position %d of %d\\n", (const char *)context, message, (int)x, (int)y, (int)z,
         (int)position[0], (int)rank);
  (void)file, (void)line;
  longjmp(failed, 1);
}
void tilewright_print(void *context, const char *format, int64_t count, const struct tilewright_print_arg *args) {
  (void)context, (void)count, (void)args;
  fputs(format, stdout);
}

int main(void) {
  _Alignas(64) static char scratch[CHECKED_SCRATCH_BYTES + 64];
  float good[4] = {1, 2, 3, 4}, bad[4] = {1, 2, -3, 4};
  char context[] = "context";
  checked_run(good, 4, 1, 1, 1, 1, scratch, context);
  if (!setjmp(failed))
    checked_run(bad, 4, 1, 1, 1, 1, scratch, context);
  return 0;
}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "of_a_library.py"
    path.write_text(KERNELS)
    return path


def library(file, kernel, signature, *options):
    output = file.parent / f"{kernel}.so"
    assert (
        main(["compile", f"{file}:{kernel}", "--signature", signature, "--emit=so", "-o", str(output), *options]) == 0
    )
    return output


def run_program(folder, text, library, *, cxx=False):
    compiler = shutil.which("clang-22") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, program = folder / "main.c", folder / "main"
    source.write_text(text)
    options = ["-x", "c++", "-std=c++17"] if cxx else ["-std=c11"]
    options += ["-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-rdynamic", "-I", folder]
    subprocess.run(
        [compiler, *options, source, "-x", "none", library, f"-Wl,-rpath,{folder}", "-o", program], check=True
    )
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def test_a_c_program_runs_a_kernel(file):
    so = library(file, "scale", "float32[::1]@16, float32, float32[::1]@16, 16")
    header = (file.parent / "scale.h").read_text()
    assert "const float *a /* f32 */,\n" in header and "int32_t a_shape0" in header
    assert "float factor /* f32 */,\n" in header and "    float *out /* f32 */,\n" in header
    assert run_program(file.parent, PROGRAM, so) == "7 arguments\n"


def test_the_header_is_c_and_cxx(file):
    so = library(file, "scale", "float32[::1]@16, float32, float32[::1]@16, 16")
    text = PROGRAM.replace("char *scratch = ", "char *scratch = (char *)")
    assert run_program(file.parent, text, so, cxx=True) == "7 arguments\n"


def test_the_program_defines_what_print_and_assert_do(file):
    so = library(file, "checked", "float32[::1]")
    assert (
        run_program(file.parent, ASSERTING, so) == "all positive\ncontext: not positive, block 0 0 0, position 2 of 1\n"
    )


def test_a_module_of_a_lower_level_has_declarations_only(file, tmp_path):
    module, so = tmp_path / "scale.mlir", tmp_path / "low.so"
    signature = "float32[::1]@16, float32, float32[::1]@16, 16"
    assert main(["compile", f"{file}:scale", "--signature", signature, "--emit=linalg", "-o", str(module)]) == 0
    assert main(["compile", str(module), "--emit=so", "-o", str(so)]) == 0
    header = (tmp_path / "low.h").read_text()
    assert "void scale(void **args" in header and "scale_run" not in header


def has_avx512_bf16():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    return " avx512_bf16" in info


def to_bfloat16(values):
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(values):
    return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


@pytest.mark.skipif(not has_avx512_bf16(), reason="the processor has no avx512_bf16")
@pytest.mark.parametrize("shape", [(128, 64, 96), (100, 130, 70)])
def test_pairs_of_bf16_are_multiplied_at_once(file, shape, capsysbinary):
    """The planner takes vdpbf16ps where it is fast; the plan can ask for it wherever it is."""
    plan = file.parent / "pairs.plan"
    plan.write_text('[product]\nmma_unit = "vector"\npair_dot = true\n')
    signature = "bfloat16[:, ::1], bfloat16[:, ::1], float32[:, ::1]"
    arguments = ["compile", f"{file}:product", "--signature", signature, "--plan", str(plan), "--emit=asm"]
    assert main(arguments) == 0
    assert "vdpbf16ps" in capsysbinary.readouterr().out.decode()

    so = library(file, "product", signature, "--plan", str(plan))
    rows, columns, depth = shape
    rng = np.random.default_rng(5)
    a, b = (to_bfloat16(rng.standard_normal(s)) for s in ((rows, depth), (depth, columns)))
    out = np.full((rows, columns), np.nan, np.float32)
    grid = (-(-rows // 64), -(-columns // 64), 1)
    call_library(so, "product", grid, a, b, out)

    a, b = from_bfloat16(a), from_bfloat16(b)
    # Rounded once per pair and step: 2^-24 for each of the sums, relative to the sum of magnitudes.
    bound = 2.0**-24 * depth * (abs(a) @ abs(b))
    assert np.all(abs(out - a @ b) <= bound)
