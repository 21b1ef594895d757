#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/moe.md: a kernel of a mixture of experts at every level, for a CPU and for four GPUs, in numbers.

usage: generate_moe.py [--check]

--check writes nothing and fails if the page is not current: an operation has come or gone, or a count is a quarter off;
of plans and code half and more.
Smaller differences are those of the day: the page says what the kernel becomes, not which instruction was saved last.
"""

import argparse
import pathlib
import re
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
OUTPUT = ROOT / "docs" / "moe.md"

TARGETS = ["cpu:x86-64-v3", "nvidia:sm_80", "nvidia:sm_90a", "nvidia:sm_100a", "nvidia:sm_120a"]
SIGNATURE = (
    "bfloat16[:,::1]@16, bfloat16[:,:,::1]@16, bfloat16[:,::1]@16, float32[::1]@16, int32[::1]@16, int32[::1]@16, "
    "6, False, 128, 128, 64, 8"
)

# What a trace of NVIDIA's compiler for sm_120 shows of its sample with this name (tiles 128 x 128 x 64, bf16), by our
# names for the operations. Where it shows a level in part, only what it says of the whole.
TRACE = {
    "cuda_tile": {
        "assume": 40, "reshape": 22, "broadcast": 20, "exti": 12, "cmpi": 11, "addi": 8, "constant": 7, "muli": 7,
        "divi": 6, "andi": 4, "iota": 3, "offset": 3, "make_tensor_view": 2, "remi": 2, "xori": 2, "select": 2,
        "load_ptr_tko": 2, "make_partition_view": 2, "load_view_tko": 2, "make_token": 1, "get_tile_block_id": 1,
        "subi": 1, "mini": 1, "for": 1, "mmaf": 1, "continue": 1, "ftof": 1, "store_ptr_tko": 1, "return": 1,
    },
    "tileaa": {
        "assume_div_by": 31, "iota": 3, "make_view": 2, "load_ptr": 2, "load_view": 2, "make_token": 1, "block_id": 1,
        "mma": 1, "store_ptr": 1, "broadcast": 23,
    },
    "tileas": {"convert_layout": 6, "create_pipeline": 3, "agents": 1, "make_tiled_tma_desc": 1, "mma": 1},
    "ptx": {"mma.sync": 512, "ldmatrix": 512, "cp.async": 136},
}  # fmt: skip

INSTRUCTIONS = {
    "mma.sync": r"\bmma\.sync",
    "wgmma": r"\bwgmma\.mma_async",
    "tcgen05.mma": r"\btcgen05\.mma\b",
    "ldmatrix": r"\bldmatrix\.sync",
    "stmatrix": r"\bstmatrix\.sync",
    "cp.async": r"\bcp\.async\.c[ag]\.",
    "cp.async.bulk.tensor": r"\bcp\.async\.bulk\.tensor",
    "mbarrier": r"\bmbarrier\.(?:init|try_wait|arrive)",
    "bar.sync": r"\bbar(?:rier)?(?:\.cta)?\.sync",
    "setmaxnreg": r"\bsetmaxnreg",
    "ld.global": r"\bld\.global",
    "st.global": r"\bst\.global",
    "ld.shared": r"\bld\.shared",
    "st.shared": r"\bst\.shared",
}
CPU_INSTRUCTIONS = {
    "fused products": r"\bvfm\w+ps\b",
    "conversions of bf16": r"\bvpslld\b",
    "loads and stores of 32 bytes": r"\bvmov[au]ps\b[^\n]*ymm",
    "branches": r"^\s+j(?!mp)\w+\s",
    "calls": r"^\s+call",
}

INTRODUCTION = """\
<!-- written by docs/generate_moe.py -->

# A mixture of experts, level by level

`fused_moe_rows_kernel` of [kernels/fused_moe](../kernels/fused_moe/kernel.py) is the product in a layer of experts: a
block takes {m} slots that share an expert, gathers their tokens, multiplies with the expert's weights and scatters the
rows. Here it is in bf16 with tiles of {m} x {n} x {k}, at each level on its way to five machines. Beside it is what a
trace of NVIDIA's compiler shows for sm_120 of the sample with the same name, where it says how many: that kernel also
finds its rows by itself and its gather is padded, so the two are alike, not equal.

```sh
tilewright compile kernels/fused_moe/kernel.py:fused_moe_rows_kernel --target=nvidia:sm_90a --emit=tileas \\
    --signature '{signature}'
tilewright explain kernels/fused_moe/kernel.py:fused_moe_rows_kernel --target=nvidia:sm_90a --signature ...
```

Numbers are operations as they stand in the text, loops once.
"""

OFTEN = {"## tileas, for GPUs", "## The whole plan", "## Instructions"}

SENTENCES = {
    "cuda_tile": "What the front end writes, and any other front end may: tiles without a place, memory through views "
    "and tiles of pointers, order by tokens. It is the same for every machine.",
    "tileaa": "Memory is explicit: `gather` has become one `load_ptr` of computed addresses with a mask, `load` a "
    "`load_view` with the corner of its box; arithmetic is `arith` on tensors, control flow `scf`.",
    "linalg": "For a CPU elementwise work becomes `linalg` on tensors, which then get places in memory; loads, "
    "stores and the product become loops over vectors: its operands are packed into the cache, its body "
    "is a micro-kernel in registers.",
    "tileas": "For a GPU every tile gets a layout, which says what thread holds which element. The product decides "
    "them; what is loaded in another one changes it through shared memory. Where copies can run ahead, "
    "operands go to a ring of stages (`create_pipeline`): `async_load` by the threads themselves, or by a producer "
    "in `agents`, which gathers the rows (`async_load_ptr`) and has the hardware bring the weights (`tma_load`), "
    "for one block after another.",
    "plan": "The whole plan: functions are arithmetic, conversions between warps are buffers (`alloc`, `write`, "
    "`read`), buffers have places, and `barrier` stands where threads wait for each other. This is what "
    "[runs on the host](plans.md).",
    "code": "One scalar for each register of a thread, instructions for each operation.",
}  # fmt: skip


def compile_to(module, target, emit, dump=""):
    from tilewright import _native

    made = _native.compile_to(module, name="moe", target=target, emit=emit, dump_after=[dump] if dump else [])
    return made.dumps if dump else made.output.decode()


def operations(text, dialects):
    """How often each operation of the dialects stands in a text."""
    found = Counter()
    for line in text.splitlines():
        match = re.match(rf"\s*(?:[%\w:#, ]+ = )?\"?({'|'.join(dialects)})\.([a-z_0-9.]+)", line)
        if match:
            found[f"{match[1]}.{match[2]}"] += 1
    return found


def tile_operations(text):
    """Of cuda_tile, whose operations stand without their dialect."""
    names = re.findall(r"^\s+(?:[%\w:#, ]+ = )?([a-z]\w+)\b", text, re.MULTILINE)
    return Counter(name for name in names if name not in ("entry", "cuda_tile", "module"))


def instructions(text, table):
    return Counter({name: len(re.findall(pattern, text, re.MULTILINE)) for name, pattern in table.items()})


def table(columns, least=1, only=None):
    """Rows by operation, the most frequent first."""
    names = [name for name in only or set().union(*columns.values()) if any(c.get(name) for c in columns.values())]
    names.sort(key=lambda name: (-max(c.get(name, 0) for c in columns.values()), name))
    names = [name for name in names if max(c.get(name, 0) for c in columns.values()) >= least]
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name in names:
        lines.append(f"| `{name}` | " + " | ".join(str(c.get(name) or "") for c in columns.values()) + " |")
    return "\n".join(lines) + "\n"


def short(target):
    return target.removeprefix("nvidia:").split(":")[0]


def explanation(module, target):
    """What `tilewright explain` says, but for each tile's layout, and what depends on which assembler is there."""
    from tilewright import _native

    lines = _native.explain(module, name="moe", target=target).replace(f"{ROOT}/", "").splitlines()
    kept, skipping = [], False
    for line in lines:
        skipping = bool(re.match(r"  (registers|occupancy|code|assembler|tiles)\b", line)) or (
            skipping and line.startswith(" " * 10)
        )
        if not skipping:
            kept.append(line.rstrip())
    return "\n".join(kept).rstrip()


def make_module():
    from tilewright._frontend.compile import compile_to_module
    from tilewright._frontend.signature import Signature
    from tilewright._runtime.signature_text import parse_signature

    from kernels.fused_moe.kernel import fused_moe_rows_kernel as kernel

    return compile_to_module(kernel, Signature(parse_signature(SIGNATURE, kernel.parameters))).module


def write():
    module = make_module()
    cpu, gpus = TARGETS[0], TARGETS[1:]
    m, n, k = SIGNATURE.split(", ")[-4:-1]
    parts = [INTRODUCTION.format(m=m, n=n, k=k, signature=SIGNATURE)]

    def section(title, key, *tables):
        parts.append(f"## {title}\n\n{SENTENCES[key]}\n\n" + "\n".join(tables))

    trace = {level: Counter(counts) for level, counts in TRACE.items()}
    source = tile_operations(compile_to(module, cpu, "cuda_tile"))
    section("cuda_tile", "cuda_tile", table({"trace": trace["cuda_tile"], "here": source}))

    above = operations(compile_to(module, cpu, "tileaa"), ["tileaa", "arith", "scf", "math"])
    tileaa = Counter({f"tileaa.{name}": count for name, count in trace["tileaa"].items()})
    section("tileaa", "tileaa", table({"trace": tileaa, "here": above}))

    section(
        "linalg, for a CPU",
        "linalg",
        table({"cpu": operations(compile_to(module, cpu, "linalg"), ["linalg", "tileaa", "scf", "tensor"])}),
    )

    dialects = ["tileas", "tileaa", "scf"]
    plans = {short(t): operations(compile_to(module, t, "tileas"), dialects) for t in gpus}
    tileas = Counter({f"tileas.{name}": count for name, count in trace["tileas"].items()})
    section("tileas, for GPUs", "tileas", table({"trace": tileas, **plans}))
    whole = {short(t): operations(compile_to(module, t, "llvm", "tileas-insert-barriers"), ["tileas"]) for t in gpus}
    section("The whole plan", "plan", table(whole))

    code = {short(t): instructions(compile_to(module, t, "ptx"), INSTRUCTIONS) for t in gpus}
    section(
        "Instructions",
        "code",
        table({"trace": trace["ptx"], **code}),
        table({"x86-64-v3": instructions(compile_to(module, cpu, "asm"), CPU_INSTRUCTIONS)}),
    )
    parts.append(
        "## What was decided\n\n`tilewright explain` says it in a page; with the layout of each tile, and where "
        "there is an assembler registers, spills and occupancy.\n\n"
        + "\n".join(f"```\n{explanation(module, t)}\n```\n" for t in gpus)
    )
    return "\n".join(parts)


def numbers_of(page):
    """The counts of the tables, by section, operation and column."""
    found, section, columns = {}, "", []
    for line in page.splitlines():
        if line.startswith("## "):
            section = line
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if cells and not cells[0]:
            columns = cells
        elif cells:
            for column, cell in zip(columns[1:], cells[1:], strict=True):
                found[section, cells[0], column] = int(cell or 0)
    return found


def difference(page, current):
    """Where the page is not current, or nothing."""
    was, now = numbers_of(page), numbers_of(current)
    for key in was.keys() | now.keys():
        before, after = was.get(key, 0), now.get(key, 0)
        # Plans and code change with every improvement; what stands above them does not.
        slack = max(16, max(before, after) / 2) if key[0] in OFTEN else max(3, max(before, after) / 4)
        if abs(before - after) > slack or (key[0] not in OFTEN and bool(before) != bool(after)):
            return f"{' '.join(key)}: {before} in docs/moe.md, {after} now"
    prose = [re.sub(r"^(\|.*|```[\s\S]*?^```)$", "", text, flags=re.MULTILINE).split() for text in (page, current)]
    return "" if prose[0] == prose[1] else "the text of docs/moe.md is another one"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    current = write()
    if not options.check:
        OUTPUT.write_text(current)
        return 0
    found = difference(OUTPUT.read_text(), current)
    if found:
        print(f"docs/moe.md is not current, run docs/generate_moe.py: {found}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
