#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the skeleton of a pass: its record, its file, its test, its line in CMakeLists.txt.

usage: ./dev new-pass STAGE Name

STAGE is a folder under src, e.g. `cpu` or `lower/tileaa_to_linalg`; Name is verb and object, e.g.
`PlaceLoads`. The pass is called Name after its dialect or target: `cpu-place-loads`, class
CpuPlaceLoads; a folder under lower/ adds nothing.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "scripts" / "templates"


def fill(template, names):
    text = (TEMPLATES / template).read_text()
    return re.sub(r"@(\w+)@", lambda match: names[match[1]], text)


def words(name):
    return re.findall(r"[A-Z][a-z0-9]*|[a-z0-9]+", name)


def names_of(stage, name):
    prefix = "" if stage.startswith("lower/") else stage.split("/")[0]
    prefix = "".join(part.capitalize() for part in prefix.split("_"))
    parts = [part.lower() for part in words(prefix + name)]
    return {
        "CLASS": prefix + name,
        "CLASS_UPPER": (prefix + name).upper(),
        "FLAG": "-".join(parts),
        "WORDS": " ".join(part.lower() for part in words(name)),
        "FOLDER": stage,
        "GUARD": "TILEWRIGHT_" + re.sub(r"\W", "_", stage).upper() + "_PASSES",
    }


def add_record(folder, names):
    """Appends to Passes.td, which is made where the folder has none."""
    path = folder / "Passes.td"
    text = path.read_text() if path.exists() else fill("Passes.td.in", names)
    body, end = text.rsplit("#endif", 1)
    path.write_text(body + fill("Pass.td.in", names) + "#endif" + end)
    return path


def add_source(folder, name):
    """Adds the file to the folder's list, in the order of the alphabet."""
    path = folder / "CMakeLists.txt"
    text = path.read_text()
    call = re.search(r"tilewright_sources\([^)]*\)", text)
    if not call:
        raise SystemExit(f"new-pass: error: {path} has no tilewright_sources(...) to add {name}.cpp to")
    old = call[0]
    end = "TABLEGEN" if "TABLEGEN" in old else ")"
    later = [file for file in re.findall(r"\w+\.cpp", old) if file > f"{name}.cpp"]
    before = later[0] if later else end
    space = re.search(rf"(\s*){re.escape(before)}", old)[1] or " "
    new = old.replace(space + before, f"{space}{name}.cpp{'' if before == ')' else space}{before}", 1)
    path.write_text(text.replace(old, new))
    return path


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def main(stage=None, name=None):
    if not stage or not name or not re.fullmatch(r"[A-Z]\w+", name):
        raise SystemExit(__doc__.strip())
    stage = stage.strip("/").removeprefix("src/")
    folder = ROOT / "src" / stage
    if not (folder / "CMakeLists.txt").exists():
        raise SystemExit(f"new-pass: error: no folder src/{stage} with a CMakeLists.txt; make it first")
    if (folder / f"{name}.cpp").exists():
        raise SystemExit(f"new-pass: error: src/{stage}/{name}.cpp exists")
    names = names_of(stage, name)
    written = [
        add_source(folder, name),
        add_record(folder, names),
        write(folder / f"{name}.cpp", fill("Pass.cpp.in", names)),
        write(folder / "test" / f"{names['FLAG']}.mlir", fill("pass.mlir.in", names)),
    ]
    for path in written:
        print(path.relative_to(ROOT))
    if "Passes.td" not in (folder / "CMakeLists.txt").read_text():
        print(f"next: generate Passes.h.inc in src/{stage}/CMakeLists.txt, as src/cpu does, and register the passes")


if __name__ == "__main__":
    main(*sys.argv[1:])
