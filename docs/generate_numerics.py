#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/numerics.md from the results of `./dev fuzz --numerics`.

docs/generate_numerics.py build/numerics.jsonl      writes the page
docs/generate_numerics.py --check                   says where the page and the tests no longer fit
"""

import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "numerics.md"
sys.path[:0] = [str(ROOT / "python/test/numerics"), str(ROOT / "python")]

FLOATS = ["f16", "bf16", "f32", "f64"]
ORDER = ["i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU",
         "fnv8E5M3FNU", "f4E2M1FN"]  # fmt: skip

HEAD = """# Accuracy of results

[semantics.md](semantics.md) defines the result of each operation. This page has the measured errors of the CPU target,
from tests that compare every operation for every type with an exact reference. `./dev fuzz --numerics` runs all of
them, which takes some minutes, and writes this page (`docs/generate_numerics.py`); `./dev test` runs every fifth case
on smaller samples. The interpreter passes the same tests; its functions are within 0.501 ulp.
"""

EXACT = """## Correctly rounded operations

The results of these have the bits of the exact result rounded once (all NaN are equal): {inputs:,} results compared.
For up to 16 bits all inputs are tested (all pairs of i8), for wider types random bits and the special numbers, for
conversions also every number of the result's type, the points halfway between two, and their neighbours.

| operation | types | results compared |
|---|---|---|
"""

FUNCTIONS_HEAD = """
## Functions

Errors are in units in the last place of the exact result (ulp): 0.5 is the error of a correctly rounded result. Each
cell has the bound that the tests assert and, in parentheses, the largest measured error. The functions are accurate for
every argument: huge, tiny, subnormal, infinite, NaN, signed zeros. The bounds are tested, not proved: with every f16
and bf16 (functions of one argument), 10^6 f32 and 2·10^5 f64 at equal distances in their bits, a fine grid up to 100,
pairs of all magnitudes, and the special numbers, with vectors of 512 and of 128 bits. The reference is the C library's
long double, which is checked with mpmath to 61 bits at random arguments and at those of the largest errors.

| function | f16 | bf16 | f32 | f64 |
|---|---|---|---|---|
"""

LIBDEVICE = """
## Functions with the bits of libdevice

The functions above are implemented by this compiler, and the same on CPUs and GPUs except for exponentials and `tanh`
of f32, for which GPUs have instructions (their `tanh` is within 2.5). Most
programs for NVIDIA's GPUs use those of its library libdevice: PyTorch, JAX, and the output of NVIDIA's compilers.
Results of f32 differ from them by one or two ulp. With `TILEWRIGHT_MATH=libdevice-bits`, kernels use the precise `sin`,
`cos`, `tan`, `sinh`, `cosh`, `tanh`, `log`, `log2`, `exp`, `exp2`, `pow`, `atan2` and `rsqrt` of f32 of that library,
and those of f16 and bf16 are rounded from them; `own` is the default. The variable is read when a kernel is compiled,
also by `tileiras`, and is part of the cache's key. The library is not part of this compiler: its bitcode,
`libdevice.10.bc`, is linked from CUDA toolkits (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`) or from the Python
packages `nvidia-nvvm`, `nvidia-cuda-nvcc` and `triton`.

GPUs execute these functions unchanged. CPUs execute the functions in the table, which consist of correctly rounded
operations; the others use approximate instructions of GPUs (`ex2.approx`, `rcp.approx`, `rsqrt.approx`), so CPUs keep
the functions of this compiler, with a remark. Functions of f64, approximate and flushing ones, `fpowi`, and the
interpreter are not affected. A function of constants may be evaluated at compile time, by neither library.

The table compares f32 functions of this compiler with those of libdevice on CPUs for 2^24 arguments, half of them at
equal distances in their bits and half between -100 and 100; the largest distance is in ulp. With `libdevice-bits` no
result differs from the bitcode as compiled by another compiler; on an H200 all thirteen functions have the bits of
PyTorch's for as many arguments (`python/test/gpu/test_gpu_libdevice.py`).

| function | different results | arguments | largest distance |
|---|---|---|---|
"""

PRODUCTS = """
## Matrix products

`mmai` is exact. For floats |error| ≤ (K + 2)·ε·Σ|a||b| + the smallest normal number, where the accumulator is one of
the terms and ε the distance from 1 to the next number of its type; the last term accounts for subnormal numbers, which
may be flushed. The cells are the largest measured error as a fraction of that bound, relative to exact sums of
fractions, over several shapes: numbers of one magnitude; numbers of all magnitudes with sums that cancel; subnormal
left operands.

| operands to accumulator | of one magnitude | cancelling | subnormal |
|---|---|---|---|
"""

TAIL = """
## Sums, scans and atomics

`reduce` and `scan` may associate their operands in any order, and atomic additions of several tile blocks execute in
any order. In every order a sum of n floats is within (n - 1)·ε/2·Σ|x| of the exact one to first order. Integers, minima
and maxima do not depend on the order. CPUs compute sums and products of f16 and bf16 in f32 and round them once, GPUs
those of scans; reductions on GPUs and in the interpreter are trees, so that an element is rounded log2(n) times.

Products of bf16 by `vdpbf16ps` (AVX512-BF16) and by the matrix unit (AMX) are rounded to nearest even, but these
instructions take subnormal numbers as zero and return zero for subnormal sums.
"""


def joined(types):
    return " ".join(element for element in ORDER if element in types)


def exact_rows(results):
    rows = collections.defaultdict(lambda: [set(), set(), 0])
    for fact in results:
        if fact["section"] == "exact" and fact["target"] == "cpu":
            row = rows[fact["name"]]
            row[0].add(fact["types"][0]), row[1].add(fact["types"][1])
            row[2] += fact["inputs"]
    conversions = {"ftof", "ftoi", "itof", "exti", "trunci", "bitcast"}
    lines = []
    for name, (sources, to, inputs) in sorted(rows.items(), key=lambda row: (row[0] in conversions, row[0])):
        types = f"{joined(sources)} to {joined(to)}" if name in conversions else joined(sources)
        lines.append(f"| `{name}` | {types} | {inputs:,} |")
    return lines, sum(row[2] for row in rows.values())


def function_rows(results):
    from test_numerics_functions import BOUNDS, FUNCTIONS

    found = collections.defaultdict(float)
    for fact in results:
        if fact["section"] == "functions" and fact["target"].startswith("cpu"):
            key = fact["name"], fact["type"]
            found[key] = max(found[key], fact["error"])
    return [f"| `{name}` | " + " | ".join(
        f"{BOUNDS[name, element]} ({found[name, element]:.3f})" if (name, element) in BOUNDS else ""
        for element in FLOATS) + " |" for name in FUNCTIONS]  # fmt: skip


def libdevice_rows(results):
    facts = {fact["name"]: fact for fact in results if fact["section"] == "libdevice" and fact["target"] == "cpu"}
    return [f"| `{name}` | {fact['differs'] / fact['compared']:.2%} | {fact['compared']:,} | {fact['places']} |"
            for name, fact in sorted(facts.items())]  # fmt: skip


def product_rows(results):
    from test_numerics_mma import FLOAT_PRODUCTS, KINDS

    worst = collections.defaultdict(float)
    for fact in results:
        if fact["section"] == "products" and fact["target"] == "cpu":
            key = fact["element"], fact["accumulator"], fact["kind"]
            worst[key] = max(worst[key], fact["part"])
    rows = []
    for element, accumulator in FLOAT_PRODUCTS:
        parts = [worst[element, accumulator, kind] for kind in KINDS]
        cells = " | ".join(f"{part:.3f}" if part >= 0.001 else "< 0.001" for part in parts)
        rows.append(f"| {element} to {accumulator} | {cells} |")
    return rows


def page(results):
    exact, inputs = exact_rows(results)
    parts = [HEAD, EXACT.format(inputs=inputs) + "\n".join(exact) + "\n", FUNCTIONS_HEAD.strip("\n") + "\n"
             + "\n".join(function_rows(results)) + "\n", LIBDEVICE.strip("\n") + "\n"
             + "\n".join(libdevice_rows(results)) + "\n", PRODUCTS.strip("\n") + "\n" + "\n".join(product_rows(results))
             + "\n", TAIL.strip("\n") + "\n"]  # fmt: skip
    return "\n".join(parts)


def stale():
    """Differences between the tests and the page."""
    from test_numerics_functions import BOUNDS, FUNCTIONS
    from test_numerics_libdevice import FUNCTIONS as LIBDEVICE_FUNCTIONS
    from test_numerics_mma import FLOAT_PRODUCTS

    text = PAGE.read_text()
    wrong = [f"a part of the page differs from its template: {part.strip().splitlines()[0]}"
             for part in (HEAD, FUNCTIONS_HEAD, LIBDEVICE, PRODUCTS, TAIL) if part.strip() not in text]  # fmt: skip
    for name in FUNCTIONS:
        row = next((line for line in text.splitlines() if line.startswith(f"| `{name}` |")), "")
        cells = [cell.split("(")[0].strip() for cell in row.split("|")[2:-1]]
        expected = [str(BOUNDS.get((name, element), "")) for element in FLOATS]
        if cells != expected:
            wrong.append(f"function {name}: the page has {cells}, the tests {expected}")
    for element, accumulator in FLOAT_PRODUCTS:
        if f"| {element} to {accumulator} |" not in text:
            wrong.append(f"the page lacks the product {element} to {accumulator}")
    wrong += [f"the page lacks {name} of libdevice" for name in LIBDEVICE_FUNCTIONS
              if not re.search(rf"^\| `{name}` \| [\d.]+% ", text, re.M)]  # fmt: skip
    return wrong


def main():
    if sys.argv[1:] == ["--check"]:
        wrong = stale()
        print("\n".join(wrong) or "docs/numerics.md fits the tests")
        return 1 if wrong else 0
    with open(sys.argv[1]) as file:
        results = [json.loads(line) for line in file]
    PAGE.write_text(page(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
