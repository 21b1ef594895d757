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

HEAD = """# How exact the results are

Each operation is defined in [semantics.md](semantics.md). This page says how far the CPU target is from it, by
tests that run every operation for every type against an exact reference; `./dev fuzz --numerics` repeats them in full,
which takes some minutes, and writes this page (`docs/generate_numerics.py`). `./dev test` runs every fifth of the
cases on smaller samples. The interpreter passes all of the same tests; its functions are within 0.501 ulp.
"""

EXACT = """## Exact to the bit

These give the same bits as the exact result rounded once (a NaN is any NaN): {inputs:,} results compared. Inputs of 16
bits and less are all inputs (all pairs of i8); of wider types random bits with the special numbers, and for conversions
also every number of the result's type, the points halfway between two, and their neighbours.

| operation | types | results compared |
|---|---|---|
"""

FUNCTIONS_HEAD = """
## Functions

Errors are in units of the last place of the exact result (ulp): 0.5 is a result rounded once, the best there is. Each
cell has the bound that the tests assert and, in parentheses, the largest error found. The methods hold for every
argument: huge, tiny, subnormal, infinite, NaN, signed zeros. The bounds are tested, not proved: by every f16 and bf16
(functions of one argument), 10^6 f32 and 2·10^5 f64 at equal distances in their bits, a fine grid up to 100, pairs of
all sizes, and the special numbers, on vectors of 512 and of 128 bits. The reference is the C library's long double,
which mpmath confirms to 61 bits where the errors are largest and at random.

| function | f16 | bf16 | f32 | f64 |
|---|---|---|---|---|
"""

LIBDEVICE = """
## The bits of libdevice

The functions above are this compiler's, and the same on CPUs and GPUs but for exponentials. Programs for NVIDIA's
GPUs mostly have those of its library, libdevice: PyTorch's, JAX's, and what NVIDIA's compilers make. Results of f32
differ from it in the last place or two. `TILEWRIGHT_MATH=libdevice-bits` takes that library's precise `sin`, `cos`,
`tan`, `sinh`, `cosh`, `tanh`, `log`, `log2`, `exp`, `exp2`, `pow`, `atan2` and `rsqrt` of f32, and rounds those of
f16 and bf16 from them; `own` is the default. The variable is read when a kernel is compiled, also by `tileiras`, and
is part of the cache's key. The library is not part of this compiler: its bitcode, `libdevice.10.bc`, is looked for in
CUDA toolkits (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`) and in the Python packages `nvidia-nvvm`,
`nvidia-cuda-nvcc` and `triton`, and linked.

GPUs execute its functions as they stand. CPUs execute those that are made of operations which every processor rounds
alike, in the table; the others need a GPU's rough instructions (`ex2.approx`, `rcp.approx`, `rsqrt.approx`) and stay
this compiler's, which a remark says. f64, functions that may be rough, flushing ones and `fpowi` stay as they are,
and so does the interpreter. A function of constants may be computed as its kernel is compiled, by neither.

The table compares this compiler's f32 with libdevice's on CPUs, by 2^24 arguments, half of them at equal distances in
their bits and half between -100 and 100; the largest distance counts f32 numbers. With `libdevice-bits` none differs
from the bitcode, which another compiler translated; on an H200 all thirteen functions have the bits of PyTorch's,
by as many arguments (`python/test/gpu/test_gpu_libdevice.py`).

| function | differ | of arguments | largest distance |
|---|---|---|---|
"""

PRODUCTS = """
## Matrix products

`mmai` is exact. Of floats |error| ≤ (K + 2)·ε·Σ|a||b| + the smallest normal number, where the accumulator is one of the
terms and ε the distance from 1 to the next number of its type; the last term is for subnormal numbers, which may be
flushed. The cells are the largest error found as a part of that bound, from exact sums of fractions, over several
shapes: numbers of one size; numbers of all sizes with sums that cancel; subnormal left operands.

| operands to accumulator | of one size | cancelling | subnormal |
|---|---|---|---|
"""

TAIL = """
## Sums, scans and atomics

`reduce` and `scan` may associate their operands as they like, and so may atomic additions from several tile blocks by
the order in which they come. A sum of n floats is within (n - 1)·ε/2·Σ|x| of the exact one to first order, whatever the
order. Integers, minima and maxima do not depend on it. CPUs form sums and products of f16 and bf16 in f32 and round
them once, GPUs those of scans; reductions of GPUs and the interpreter halve the line again and again, so that an
element meets log2(n) roundings.
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
