# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`./dev new-pass` in a copy of the tree: everything that is written is listed, recorded and named alike."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Folders with passes of their own, and one whose passes are recorded above it.
STAGES = [p.parent.relative_to(ROOT / "src").as_posix() for p in sorted((ROOT / "src").rglob("Passes.td"))]


@pytest.fixture
def tree(tmp_path):
    """The files that the script reads: itself, its templates, lists of sources and records."""
    kept = [*(ROOT / "scripts").rglob("*.*"), ROOT / "src/cpu/place/PlaceLoads.cpp"]
    for path in [*kept, *(ROOT / "src").rglob("CMakeLists.txt"), *(ROOT / "src").rglob("Passes.td")]:
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (tmp_path / "src/tileaa/transforms/legalize").mkdir(exist_ok=True)
    return tmp_path


def new_pass(tree, *arguments):
    return subprocess.run([sys.executable, tree / "scripts/new_pass.py", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("stage", [*STAGES, "cpu/place", "tileaa/transforms/legalize"])
def test_a_pass_of_every_folder(tree, stage):
    made = new_pass(tree, stage, "MoveNothing")
    assert made.returncode == 0, made.stderr
    folder = tree / "src" / stage
    group = next(g for g in (folder, *folder.parents) if (g / "Passes.td").exists())
    file = (folder / "MoveNothing.cpp").relative_to(group).as_posix()
    listed = re.search(r"tilewright_sources\(([^)]*)\)", (group / "CMakeLists.txt").read_text())[1].split()
    assert file in listed
    [record] = re.findall(r'^def (\w*MoveNothing) : Pass<"([\w-]+)"', (group / "Passes.td").read_text(), re.MULTILINE)
    source = (folder / "MoveNothing.cpp").read_text()
    assert f"GEN_PASS_DEF_{record[0].upper()}\n" in source and f"struct {record[0]} :" in source
    assert f'"{group.relative_to(tree / "src").as_posix()}/Passes.h.inc"' in source
    assert f"--{record[1]} " in (group / "test" / f"{record[1]}.mlir").read_text()


def test_mistakes(tree):
    assert "usage: ./dev new-pass" in new_pass(tree).stderr
    assert "no folder src/nowhere; make it first" in new_pass(tree, "nowhere", "MoveNothing").stderr
    assert "src/cpu/place/PlaceLoads.cpp exists" in new_pass(tree, "cpu/place", "PlaceLoads").stderr
