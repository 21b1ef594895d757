#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/moe.md: a kernel of a mixture of experts, statement by statement, at every level, beside a trace of it.

usage: generate_moe.py [--check]

--check writes nothing and fails if the page is not current: the prose differs, more than two passes or an operation
were added or removed, a count differs by a quarter (of tileas and code by half), or half of an excerpt's operations do.
Smaller differences are allowed, so that not every change of the compiler requires a new page. SASS needs ptxas and
nvdisasm; without them --check reports that, and does not compare that section.
"""

import argparse
import inspect
import pathlib
import re
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python"), str(ROOT / "docs")]
OUTPUT = ROOT / "docs" / "moe.md"

import kernel_levels as levels  # noqa: E402
from moe_trace import CORRECTIONS, COUNTS, PASSES, REASONS, TOTALS, WHY  # noqa: E402

CPU, TRACED, HOPPER = "cpu:x86-64-v3", "nvidia:sm_120a", "nvidia:sm_90a"
GPUS = ["nvidia:sm_80", HOPPER, "nvidia:sm_100a", TRACED]
FILE = "kernels/fused_moe/gathered.py"
SIGNATURE = (
    "bfloat16[:,::1]@16, bfloat16[:,:,::1]@16, bfloat16[:,::1]@16, float32[::1]@16, int32[::1]@16, int32[::1]@16, "
    "int32, False, 128, 128, 64"
)
SECTIONS = {
    "cuda_tile": "The front end's operations, and those of any other front end: tiles without a location, memory "
    "through views and tiles of pointers, memory order by tokens. The gather is arithmetic on a tile of pointers and "
    "`load_ptr_tko`, the load goes through a partition view by `load_view_tko`.",
    "tileaa": "Memory is explicit: the gather is one `load_ptr` of computed addresses with a mask, the load a "
    "`load_view` with the corner of its box; arithmetic is `arith` on tensors, control flow `scf`.",
    "tileas": "Every tile has a layout, which maps its elements to threads (`#tileas`, omitted here), and "
    "the loop is pipelined. On sm_120, as on sm_80, the threads that multiply also prefetch (`async_load_ptr`, "
    "`async_load`).",
    "agents": "On sm_90a a producer of four warps copies, for one block of the grid after another: it gathers rows by "
    "its own threads, and the tensor memory accelerator copies the weights. `wgmma` reads both from the stage.",
    "passes": "All passes in order, with the operations, and in braces the attributes of functions and their "
    "parameters, that each added or removed. Passes without changes do not apply to this kernel.",
    "nvvm": "Below `tileas` a tile is the registers of one thread, and a statement is many instructions. The last one "
    "of each is shown, without operations that only pack and unpack vectors of registers. Copies with a predicate and "
    "products of bf16 are inline assembly, since the dialect `nvvm` of LLVM 22 has no operation for them.",
    "llvm": "LLVM IR after the optimizer. Each instruction has the line of its source, by which it is assigned to a "
    "statement.",
    "ptx": "The same as PTX.",
    "sass": "The instructions that the GPU executes, by `ptxas` and `nvdisasm`.",
    "statements": "Instructions of one thread by statement. Loop-invariant addresses are computed before the loop, "
    "but count for their statement.",
}
OFTEN = {"## tileas", "## tileas with agents", "## All passes", "## NVVM", "## LLVM IR", "## PTX", "## SASS",
         "## Totals", "## Instructions by statement", "## Every GPU"}  # fmt: skip


def make_module():
    from tilewright._frontend.compile import compile_to_module
    from tilewright._frontend.signature import Signature
    from tilewright._runtime.signature_text import parse_signature

    from kernels.fused_moe.gathered import gathered_moe_kernel as kernel

    return compile_to_module(kernel, Signature(parse_signature(SIGNATURE, kernel.parameters))).module


def statements():
    """(name, line, text) of the three statements of the loop, where they stand in the source."""
    lines = (ROOT / FILE).read_text().splitlines()
    found = {}
    for name, pattern in (
        ("gather", r"tile_a = ct\.gather"),
        ("load", r"tile_b = ct\.load"),
        ("mma", r"acc = ct\.mma"),
    ):
        [number] = [i for i, line in enumerate(lines, 1) if re.search(pattern, line)]
        found[name] = (number, lines[number - 1].strip())
    return found


# The operation that a statement is at a level; of code, the instruction.
ANCHORS = {
    "cuda_tile": {"gather": "load_ptr_tko", "load": "load_view_tko", "mma": "mmaf"},
    "tileaa": {"gather": r"tileaa\.load_ptr", "load": r"tileaa\.load_view", "mma": r"tileaa\.mma"},
    "tileas": {"gather": r"tileas\.async_load_ptr", "load": r"tileas\.async_load", "mma": r"tileas\.mma"},
    "agents": {"gather": r"tileas\.async_load_ptr", "load": r"tileas\.tma_load", "mma": r"tileas\.mma"},
    "nvvm": {"gather": r"cp\.async\.c", "load": r"cp\.async\.c", "mma": r"mma\.sync"},
    "llvm": {"gather": r"cp\.async\.c", "load": r"cp\.async\.c", "mma": r"mma\."},
    "ptx": {"gather": r"cp\.async\.c", "load": r"cp\.async\.c", "mma": r"mma\.sync"},
    "sass": {"gather": r"LDGSTS", "load": r"LDGSTS", "mma": r"HMMA"},
}


def in_mlir(level, text, has_lines=False):
    parts = []
    for name, (number, source) in statements().items():
        excerpt = levels.statement_in_mlir(text, ANCHORS[level][name], number if has_lines else None)
        parts.append(f"{name}, line {number}: `{source}`\n\n```\n{excerpt}\n```\n")
    return "\n".join(parts)


def in_code(level, instructions):
    parts = []
    for name, (number, _) in statements().items():
        excerpt = levels.statement_in_code(instructions, number, ANCHORS[level][name])
        parts.append(f"{name}, line {number}\n\n```\n{excerpt}\n```\n")
    return "\n".join(parts)


def table(columns, names=None, why=None):
    """Rows by operation, the most frequent first; `why` has reasons for some, in a last column."""
    names = names or set().union(*columns.values())
    most = {name: max(c.get(name, 0) for c in columns.values()) for name in names}
    titles = [*columns] + ["reason" for _ in [why] if why]
    lines = ["| | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    for name in sorted(names, key=lambda name: (-most[name], name)):
        cells = [str(c.get(name) or "") for c in columns.values()] + [why.get(name, "") for _ in [why] if why]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def passes_table(module):
    steps = levels.passes(module, TRACED)
    lines = ["| | scope | pass | changed |", "|---|---|---|---|"]
    for i, step in enumerate(steps, 1):
        rest = step.count - len(step.changes)
        changed = ", ".join(f"`{change}`" for change in step.changes) + (f", {rest} more" if rest > 0 else "")
        lines.append(f"| {i} | {step.scope} | `{step.name}` | {changed} |")
    optimizer = levels.llvm_passes(module, TRACED)
    scopes = {"trace": Counter(PASSES), "here": Counter(step.scope for step in steps)}
    for column, count in (("trace", 27), ("here", len(optimizer))):
        scopes[column]["LLVM"] = count
    names = ", ".join(f"`{name}`" for name in optimizer)
    return (
        "\n".join(lines)
        + "\n\nPasses by scope; each pass of LLVM's optimizer counts once:\n\n"
        + table(scopes)
        + "\n[passes.md](passes.md) lists NVIDIA's passes, each with ours for the same job. LLVM's optimizer comes "
        + f"last; its passes, in the order in which they first run: {names}.\n"
    )


INSTRUCTIONS = {
    "mma.sync": r"\bmma\.sync", "wgmma": r"\bwgmma\.mma_async", "tcgen05.mma": r"\btcgen05\.mma\b",
    "ldmatrix": r"\bldmatrix\.sync", "stmatrix": r"\bstmatrix\.sync", "cp.async": r"\bcp\.async\.c[ag]\.",
    "cp.async.bulk.tensor": r"\bcp\.async\.bulk\.tensor", "mbarrier": r"\bmbarrier\.(?:init|try_wait|arrive)",
    "packs": r"\bcvt\.rn\.bf16x2|\bmov\.b32\s+%r\d+, \{%rs\d+, %rs\d+\}",
    "bar.sync": r"\bbar(?:rier)?(?:\.cta)?\.sync", "setmaxnreg": r"\bsetmaxnreg",
    "ld.global": r"\bld\.global", "st.global": r"\bst\.global", "ld.shared": r"\bld\.shared",
    "st.shared": r"\bst\.shared",
}  # fmt: skip


def count(text, pattern):
    return len(re.findall(pattern, text))


def totals(module, target):
    """The numbers of the trace, for a target: name -> number."""
    ptx = levels.compile_to(module, target, "ptx").output.decode()
    tileas = levels.compile_to(module, target, "tileas").output.decode()
    whole = levels.compile_to(module, target, "llvm", dump_after=["tileas-insert-barriers"]).dumps
    found = Counter({name: count(ptx, pattern) for name, pattern in INSTRUCTIONS.items()})
    nvvm = levels.compile_to(module, target, "ptx", dump_after=["nvidia-kernel-entry"]).dumps
    agents = re.search(r"tileas\.agents warps = \[([^\]]*)\]", tileas)
    found["threads"] = int(re.search(r"\.reqntid (\d+)", ptx)[1])
    found["bytes of shared memory"] = int(re.search(r"\bshared_bytes = (\d+)", whole)[1])
    found["pipelines"] = count(tileas, r"tileas\.create_pipeline")
    found["regions of agents"] = len(agents[1].split(",")) if agents else 0
    found["parameters"] = count(ptx, r"^\t\.param") or count(ptx, r"\.param \.(?:u|b|s|align)")
    found["products"] = count(tileas, r"tileas\.(?:tmem_)?mma ")
    found["conversions to bf16"] = count(tileas, r"arith\.truncf")
    found["registers of 32 bits"] = int(re.search(r"\.reg \.b32\s+%r<(\d+)>", ptx)[1])
    found["registers of 64 bits"] = int(re.search(r"\.reg \.b64\s+%rd<(\d+)>", ptx)[1])
    found["predicates"] = int(re.search(r"\.reg \.pred\s+%p<(\d+)>", ptx)[1])
    found["lines of NVVM"] = nvvm.count("\n")
    found["lines of PTX"] = ptx.count("\n")
    return found


def nvvm_table(module):
    """The operations of the dialect, and the instructions in inline assembly."""
    columns = {}
    for target in (TRACED, HOPPER):
        text = levels.compile_to(module, target, "ptx", dump_after=["nvidia-kernel-entry"]).dumps
        assembly = re.findall(r'llvm\.inline_asm.*?"[^"]*?((?:cp|mma|wgmma|cvt|mbarrier)[\w.]*)', text)
        columns[levels.short(target)] = levels.operations(text, {"nvvm"}) + Counter(assembly)
    return table(columns)


def totals_table(module):
    columns = {levels.short(target): totals(module, target) for target in (TRACED, HOPPER)}
    lines = ["| | trace, sm_120 | sm_120a | sm_90a | reason |", "|---|---|---|---|---|"]
    for name, traced in TOTALS.items():
        ours = " | ".join(str(column.get(name, 0)) for column in columns.values())
        lines.append(f"| {name} | {traced} | {ours} | {REASONS[name]} |")
    return "\n".join(lines) + "\n"


def by_statement(codes):
    """The number of instructions of each statement; `codes` has the instructions by level."""
    names = {number: name for name, (number, _) in statements().items()}
    columns = {
        level: Counter(names.get(instruction.line, "all other lines") for instruction in instructions)
        for level, instructions in codes.items()
    }
    return table(columns, [*names.values(), "all other lines"])


def source_of_kernel():
    from kernels.fused_moe.gathered import gathered_moe_kernel as kernel

    text = inspect.getsource(kernel.function)
    return re.sub(r'    """.*?"""\n', "", text, flags=re.DOTALL).rstrip()


INTRODUCTION = """\
<!-- written by docs/generate_moe.py -->

# A mixture of experts, level by level

[`gathered_moe_kernel`](../{file}) is the matrix product of a mixture-of-experts layer, with the operations of NVIDIA's
sample of that name: a block gathers its slots, computes their tokens by a division whose divisor is known at run time
only, gathers the tokens, multiplies them by the expert's weights and scatters the rows. A published trace shows
NVIDIA's compiler on that sample, for sm_120, with bf16 and tiles of 128 x 128 x 64. This page shows this compiler, for
the same GPU and tiles: it follows the three statements of the loop through every level, with all counts of the trace.

```python
{source}
```

```sh
tilewright compile {file}:gathered_moe_kernel --target=nvidia:sm_120a --emit=tileas \\
    --signature '{signature}'
tilewright explain {file}:gathered_moe_kernel --target=nvidia:sm_120a \\
    --signature '{signature}'
```

`<--` marks the operation or instruction that implements the statement; around it are the operations that define its
operands, lines cut at the right. Counts are of the text: the body of a loop counts once.
"""


def write():
    module = make_module()
    parts = [INTRODUCTION.format(file=FILE, signature=SIGNATURE, source=source_of_kernel())]

    def section(title, key, *bodies):
        parts.append(f"## {title}\n\n{SECTIONS[key]}\n\n" + "\n".join(bodies))

    traced = {level: Counter(counts) for level, counts in COUNTS.items()}
    text = levels.compile_to(module, TRACED, "cuda_tile").output.decode()
    section("cuda_tile", "cuda_tile", in_mlir("cuda_tile", text),
            table({"trace": traced["cuda_tile"], "here": levels.tile_operations(text)},
                  why=WHY["cuda_tile"]))  # fmt: skip
    text = levels.compile_to(module, TRACED, "tileaa").output.decode()
    section("tileaa", "tileaa", in_mlir("tileaa", text),
            table({"trace": traced["tileaa"],
                   "here": levels.operations(text, {"tileaa", "arith", "scf"})}, why=WHY["tileaa"]))  # fmt: skip
    section("tileas", "tileas", in_mlir("tileas", levels.compile_to(module, TRACED, "tileas").output.decode()))
    text = levels.compile_to(module, HOPPER, "tileas").output.decode()
    section("tileas with agents", "agents", in_mlir("agents", text))
    section("All passes", "passes", passes_table(module))

    text = levels.compile_to(module, TRACED, "ptx", lineinfo=True, dump_after=["nvidia-kernel-entry"]).dumps
    section("NVVM", "nvvm", in_mlir("nvvm", text, has_lines=True), nvvm_table(module))
    llvm = levels.compile_to(module, TRACED, "llvm", lineinfo=True).output.decode()
    ptx = levels.compile_to(module, TRACED, "ptx", lineinfo=True).output.decode()
    codes = {"LLVM IR": levels.llvm_instructions(llvm, FILE), "PTX": levels.ptx_instructions(ptx, FILE)}
    disassembly = levels.sass(module, TRACED)
    if disassembly:
        codes["SASS"] = levels.sass_instructions(disassembly, FILE)
    for title, instructions in codes.items():
        key = title.split()[0].lower()
        section(title, key, in_code(key, instructions))
    section("Instructions by statement", "statements", by_statement(codes))
    parts.append(f"## Totals\n\n{totals_table(module)}")
    parts.append("## Every GPU\n\n" + table({levels.short(t): totals(module, t) for t in GPUS}))
    parts.append("## Differences from the trace's page\n\n" + "\n".join(f"- {text}" for text in CORRECTIONS))
    return "\n".join(parts) + "\n"


# ---- whether the page is current -------------------------------------------------------------------------------------


def sections_of(page):
    return dict(re.findall(r"^(## .*)\n((?:(?!^## ).*\n)*)", page, re.MULTILINE))


def numbers_of(page):
    """The counts of the tables, by section, operation and column."""
    found = {}
    for title, text in sections_of(page).items():
        columns = []
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
            if cells and not cells[0]:
                columns = cells
            for column, cell in zip(columns[1:], cells[1:], strict=False):
                if re.fullmatch(r"[\d,]*", cell) and cells[0]:
                    found[title, cells[0], column] = int(cell.replace(",", "") or 0)
    return found


def excerpts_of(page):
    """The first words of the lines of each excerpt, by section."""
    return {
        title: [
            {word for word in re.findall(r"^(?:%.*? = )?\W*([\w.]{3,})", block, re.MULTILINE)}
            for block in re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        ]
        for title, text in sections_of(page).items()
    }


def passes_of(page):
    return set(re.findall(r"^\| \d+ \| [\w.]+ \| `([\w-]+)` \|", page, re.MULTILINE))


def prose_of(page):
    return re.sub(
        r"^(\|.*|\[passes.md\]\(passes.md\) lists.*|```\n[\s\S]*?^```)$", "", page, flags=re.MULTILINE
    ).split()


def difference(page, current):
    """Where the page is not current, or nothing."""
    was, now = numbers_of(page), numbers_of(current)
    for key in sorted(was.keys() | now.keys()):
        before, after = was.get(key, 0), now.get(key, 0)
        # tileas and code change with every improvement, unlike the levels above them.
        slack = max(16, max(before, after) / 2) if key[0] in OFTEN else max(3, max(before, after) / 4)
        if abs(before - after) > slack or (key[0] not in OFTEN and bool(before) != bool(after)):
            return f"{' '.join(key)}: {before} in docs/moe.md, {after} now"
    changed = passes_of(page) ^ passes_of(current)
    if len(changed) > 2:
        return f"the list of passes differs: {', '.join(sorted(changed))}"
    was, now = excerpts_of(page), excerpts_of(current)
    for title in now:
        for before, after in zip(was.get(title, []), now[title], strict=False):
            if after and len(before & after) * 2 < len(after):
                return f"{title}: the excerpt has {', '.join(sorted(after - before))} now"
    return "" if prose_of(page) == prose_of(current) else "the text of docs/moe.md is another one"


def without_sass(page):
    """The page without the parts that need NVIDIA's tools."""
    page = re.sub(r"^## SASS\n(?:(?!^## ).*\n)*", "", page, flags=re.MULTILINE)
    rows = page.splitlines(keepends=True)
    at = rows.index("## Instructions by statement\n")
    for i in range(at, len(rows)):
        if rows[i].startswith("|") and rows[i].count("|") == 5:
            rows[i] = "|".join(rows[i].split("|")[:-2]) + "|\n"
        if i > at and rows[i].startswith("## "):
            break
    return "".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    current = write()
    has_sass = "\n## SASS\n" in current
    if not options.check:
        if not has_sass:
            print("SASS needs ptxas and nvdisasm: install nvidia-cuda-nvcc and nvidia-cuda-nvdisasm", file=sys.stderr)
            return 1
        OUTPUT.write_text(current)
        return 0
    page = OUTPUT.read_text()
    if not has_sass:
        print("SASS is not compared: no ptxas or no nvdisasm is found")
        page = without_sass(page)
    found = difference(page, current)
    if found:
        print(f"docs/moe.md is not current, run docs/generate_moe.py: {found}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
