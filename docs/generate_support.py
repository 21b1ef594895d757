#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/support.md from the results of `./dev fuzz --support`.

docs/generate_support.py RESULTS             writes the page, unless a count falls
docs/generate_support.py --check RESULTS     prints differences between the page and results of some cells or all
"""

import collections
import json
import pathlib
import re
import sys

from generate_tile_ir import GROUPS, Records

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "support.md"
NO_TYPE = "no type"
COLUMNS = [NO_TYPE, "i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2",
           "f8E8M0FNU", "fnv8E5M3FNU", "f4E2M1FN", "ptr"]  # fmt: skip
SHORT = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "f8E8M0FNU": "e8m0", "fnv8E5M3FNU": "e5m3", "f4E2M1FN": "e2m1"}

HEAD = """# Support of operations by type and target

This page has every operation of Tile IR with every element type, in every mode: rounding, flags, orders and scopes,
padding, optional operands. `./dev fuzz --support` generates a module for each
([python/test/support](../python/test/support)) and verifies it. Legal modules run in the interpreter, compiled for
this CPU without and with LLVM's optimizer (`-O0`, `-O3`), and [simulated](gpu_simulator.md) for GPUs of four
generations. The contents of memory afterwards are compared with those of the
interpreter. The page is generated from the results (`docs/generate_support.py`), which takes some minutes, and is not
written if a count falls; `./dev test` repeats one in sixty cells.

The simulator executes the last form of a kernel before it is lowered to the instructions of a thread. With
`TILEWRIGHT_TEST_GPU=1`, `python -m support` (started in `python/test`) runs the same modules on GPU 0 instead, and
compares with the interpreter; `./dev test --gpu` does that for a sample. [nvidia.md](nvidia.md) has the instructions
of each architecture.

On request ([testing.md](testing.md#aarch64)) they run as code for aarch64 under QEMU. With `aarch64` and with
`aarch64+sve2+bf16+dotprod` all 4,628 modes that the interpreter has agreed with it.

- **A number** is the number of modes that are legal for that type. All targets support all of them with equal results:
  equal bits (arithmetic may return any NaN), functions within the bounds of [numerics.md](numerics.md).
- **k/n**: of n legal modes, targets refuse n - k or have other results, as a footnote says.
- **Empty**: not Tile IR. The verifier refuses every mode ([verification.md](verification.md)).

Elementwise operations and conversions are tested on scalars and on tiles, with all pairs of special numbers and with
random bits. If the order of a sum is unspecified, the operands are small integers, so that nothing is rounded.
"""

TARGETS_HEAD = """
## All targets

| | legal | {targets} |
|---|---|{rules}
"""

MODES_HEAD = """
## Modes

The tested modes, with their element types if these are not all types of the operation. A flag's default is a mode
without a name.

| operation | modes |
|---|---|
"""


def group_of():
    return {operation["opName"]: GROUPS[operation["group"]] for operation in Records().of("CudaTile_Op")}


def count(result):
    """(modes that every target supports, legal modes)."""
    wrong = {tuple(mode) for answers in result["wrong"].values() for mode, _ in answers}
    return len(result["modes"]) - len(wrong), len(result["modes"])


def column_of(result):
    return result["column"] or NO_TYPE


def label(row):
    operation, *rest = row.split()
    return " ".join([f"`{operation}`", *rest])


def by_family(results):
    groups, families = group_of(), collections.defaultdict(list)
    for result in results:
        if result["modes"]:
            families[groups[result["row"].split()[0]]].append(result)
    return {title: families[title] for title in GROUPS.values() if families[title]}


def targets_table(families):
    first = next(iter(families.values()))[0]
    targets = list(first["right"])
    lines, totals = [], collections.Counter()
    for title, results in families.items():
        counts = collections.Counter()
        for result in results:
            counts["legal"] += len(result["modes"])
            counts.update(result["right"])
        totals += counts
        lines.append(f"| {title} | {counts['legal']:,} | " + " | ".join(f"{counts[t]:,}" for t in targets) + " |")
    lines.append(f"| **all** | **{totals['legal']:,}** | " + " | ".join(f"**{totals[t]:,}**" for t in targets) + " |")
    return TARGETS_HEAD.format(targets=" | ".join(targets), rules="---|" * len(targets)).lstrip("\n") + "\n".join(lines)


def family_table(title, results, notes):
    columns = [column for column in COLUMNS if any(column_of(result) == column for result in results)]
    rows = collections.defaultdict(dict)
    for result in results:
        right, legal = count(result)
        cell = str(legal)
        if right < legal:
            said = {f"`{target}`: {text}" for target, answers in result["wrong"].items() for _, text in answers}
            note = f"{label(result['row'])} {result['column']}".strip() + ": " + "; ".join(sorted(said))
            notes.setdefault(note, len(notes) + 1)
            cell = f"{right}/{legal} [{notes[note]}](#refused-and-wrong)"
        rows[result["row"]][column_of(result)] = cell
    lines = [f"## {title}", "", "| | " + " | ".join(SHORT.get(column, column) for column in columns) + " |"]
    lines += ["|---|" + ":-:|" * len(columns)]
    for row, cells in rows.items():
        lines.append(f"| {label(row)} | " + " | ".join(cells.get(column, "") for column in columns) + " |")
    return "\n".join(lines)


def quoted(word):
    return f"`{word}`" if "<" in word else word


def modes_table(results):
    """Operation -> words of modes, with the element types that have them."""
    words, types = collections.defaultdict(dict), collections.defaultdict(dict)
    for result in results:
        operation = result["row"].split()[0]
        types[operation][result["column"]] = True
        for word in (quoted(word) for mode in result["modes"] for word in mode):
            words[operation].setdefault(word, {})[result["column"]] = True
    lines = []
    for operation, found in sorted(words.items()):
        shared = [word for word, columns in found.items() if len(columns) == len(types[operation])]
        few = collections.defaultdict(list)
        for word, columns in found.items():
            if word not in shared:
                few[" ".join(SHORT.get(c, c) for c in COLUMNS if c in columns)].append(word)
        parts = [", ".join(shared)] * bool(shared) + [f"{', '.join(some)}: {columns}" for columns, some in few.items()]
        lines.append(f"| `{operation}` | {'; '.join(parts)} |")
    return MODES_HEAD.strip("\n") + "\n" + "\n".join(lines)


def page(results):
    results = [result for result in results if result["modes"]]
    families, notes = by_family(results), {}
    tables = [family_table(title, members, notes) for title, members in families.items()]
    refused = [f"{number}. {note}" for note, number in notes.items()]
    parts = [HEAD.strip("\n"), targets_table(families), *tables, modes_table(results)]
    if refused:
        parts.append("## Refused and wrong\n\n" + "\n".join(refused))
    return "\n\n".join(parts) + "\n"


def cells_of(text):
    """(row, element type) -> (supported modes, legal modes), as the page has them."""
    long = {short: element for element, short in SHORT.items()}
    found, columns = {}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if line.startswith("## "):
            columns = []
        elif cells and not cells[0] and cells[1:] and cells[1] != "legal":
            columns = ["" if cell == NO_TYPE else long.get(cell, cell) for cell in cells[1:]]
        elif columns and line.startswith("| `"):
            for column, cell in zip(columns, cells[1:], strict=True):
                if number := re.match(r"(\d+)(?:/(\d+))?", cell):
                    found[cells[0].replace("`", ""), column] = int(number[1]), int(number[2] or number[1])
    return found


def differences(results, text):
    """For each difference: a text, whether the count is smaller, the result."""
    said = cells_of(text)
    for result in results:
        key = result["row"], result["column"]
        before, now = said.get(key, (0, 0)), count(result)
        if before != now:
            yield (
                f"{' '.join(key)}: the page has {before[0]}/{before[1]}, found {now[0]}/{now[1]}",
                now[0] < before[0],
                result,
            )


def unread(results):
    """Questions without an answer: the parser failed before an operation, or a type or value of it."""
    return [f"{result['row']} {result['column']}: {reason}" for result in results for reason in result["illegal"]
            if not re.match(r"('cuda_tile\.\S+' op|custom op 'cuda_tile\.\S+') ", reason)]  # fmt: skip


def told(result):
    return [f"    {target}: {' '.join(mode)}: {text}" for target, answers in result["wrong"].items()
            for mode, text in answers]  # fmt: skip


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    with open(arguments[0]) as file:
        results = [json.loads(line) for line in file]
    if bad := unread(results):
        print("\n".join(bad) + "\nthese are no questions")
        return 1
    before = PAGE.read_text() if PAGE.exists() else ""
    found = list(differences(results, before))
    if "--check" in sys.argv:
        print(
            "\n".join("\n".join([text, *told(result)]) for text, _, result in found)
            or "docs/support.md has the results"
        )
        return 1 if found else 0
    asked = {(result["row"], result["column"]) for result in results}
    fallen = [text for text, is_less, _ in found if is_less]
    fallen += [f"{' '.join(key)}: on the page, not asked any more" for key in cells_of(before) if key not in asked]
    if fallen:
        print("\n".join(fallen) + "\ndocs/support.md is left as it is: counts fall")
        return 1
    PAGE.write_text(page(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
