# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/support.md says what is so: of one in sixty cells in an everyday run, of all with TILEWRIGHT_ALL_TESTS=1.

`./dev fuzz --support` asks all, and writes the page."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import support

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "docs"))
import generate_support  # noqa: E402
from generate_tile_ir import Records, is_a, unwrap  # noqa: E402

EVERY = 1 if os.environ.get("TILEWRIGHT_ALL_TESTS") else 60


@pytest.fixture(scope="module")
def records():
    return Records()


@pytest.fixture(scope="module")
def texts():
    """Operation -> all that is asked of it, as text."""
    found = {}
    for (row, _), questions in support.cells().items():
        texts = found.setdefault(row.split()[0], [])
        texts += [f"{question.globals}\n{question.body}" for question in questions]
    return {operation: "\n".join(all_of_it) for operation, all_of_it in found.items()}


def test_every_operation_is_asked(records, texts):
    assert {operation["opName"] for operation in records.of("CudaTile_Op")} == set(texts)


# Written by leaving it out, or by another word.
UNNAMED = {"none", "nearest_even", "full", "nearest_int_to_zero", "unicast", "public", "unsignedCmp"}


def test_every_mode_is_asked(records, texts):
    """Each value of each attribute of a record, and each flag, stands in a question of the operation."""
    missing = []
    for operation in records.of("CudaTile_Op"):
        for reference, name in operation["arguments"]["args"]:
            record, _ = unwrap(records, reference)
            while not is_a(record, "EnumAttr") and (is_a(record, "OptionalAttr") or is_a(record, "DefaultValuedAttr")):
                record = records.follow(record["baseAttr"])
            words = []
            if is_a(record, "EnumAttr"):
                words = [case["str"] for case in map(records.follow, records.follow(record["enum"])["enumerants"])]
            elif record.get("!name") == "UnitAttr":
                words = [name]
            text = texts[operation["opName"]]
            missing += [f"{operation['opName']} {name} {word}" for word in words
                        if not re.search(rf"\b{word}\b", text) and word not in UNNAMED]  # fmt: skip
    assert not missing, missing


def test_the_page_has_no_cell_that_is_not_asked():
    said = generate_support.cells_of(generate_support.PAGE.read_text())
    assert said and set(said) <= set(support.cells())


def test_the_page_is_true():
    command = [sys.executable, "-m", "support", f"--every={EVERY}"]
    asked = subprocess.run(
        command, cwd=pathlib.Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True
    )
    results = [json.loads(line) for line in asked.stdout.splitlines()]
    assert len(results) > 40 and not generate_support.unread(results)
    wrong = generate_support.differences(results, generate_support.PAGE.read_text())
    assert not [[text, *generate_support.told(result)] for text, _, result in wrong]
