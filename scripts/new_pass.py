#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the skeleton of a pass: its record, its file, its test, its line in CMakeLists.txt.

usage: ./dev new-pass STAGE Name

STAGE is a folder under src, e.g. `tileas/async`, `cpu/place` or `lower/tileaa_to_linalg`; Name is verb and object, e.g.
`PlaceLoads`. The pass is called Name after its dialect or target: `cpu-place-loads`, class CpuPlaceLoads; a folder
under lower/ adds nothing. Its record and its test go to the folder that has the Passes.td: STAGE, or one above it.
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


def names_of(stage, group, name):
    prefix = "" if stage.startswith("lower/") else stage.split("/")[0]
    prefix = "".join(part.capitalize() for part in prefix.split("_"))
    parts = [part.lower() for part in words(prefix + name)]
    return {
        "CLASS": prefix + name,
        "CLASS_UPPER": (prefix + name).upper(),
        "FLAG": "-".join(parts),
        "WORDS": " ".join(part.lower() for part in words(name)),
        "FOLDER": group,
        "GUARD": "TILEWRIGHT_" + re.sub(r"\W", "_", group).upper() + "_PASSES",
    }


def add_record(folder, names):
    """Appends to Passes.td, which is made where the folder has none."""
    path = folder / "Passes.td"
    text = path.read_text() if path.exists() else fill("Passes.td.in", names)
    body, end = text.rsplit("#endif", 1)
    path.write_text(body + fill("Pass.td.in", names) + "#endif" + end)
    return path


def add_source(folder, file):
    """Adds the file to the folder's list, behind the others of its own folder that come before it in the alphabet."""
    path = folder / "CMakeLists.txt"
    text = path.read_text()
    call = re.search(r"tilewright_sources\([^)]*\)", text)
    if not call:
        raise SystemExit(f"new-pass: error: {path} has no tilewright_sources(...) to add {file} to")
    listed = re.findall(r"\s[\w/]+\.cpp", call[0])
    place = pathlib.PurePosixPath(file).parent
    earlier = [other for other in listed if pathlib.PurePosixPath(other.strip()).parent == place and other[1:] < file]
    after = earlier[-1] if earlier else re.match(r"tilewright_sources\(\w+", call[0])[0]
    space = "\n  " if "\n" in call[0] else " "
    path.write_text(text.replace(call[0], call[0].replace(after, f"{after}{space}{file}", 1)))
    return path


def group_of(folder):
    """The folder whose sources are built together: this one, or one above it."""
    while folder != ROOT / "src":
        if (folder / "CMakeLists.txt").exists() and "tilewright_sources" in (folder / "CMakeLists.txt").read_text():
            return folder
        folder = folder.parent
    raise SystemExit("new-pass: error: found no CMakeLists.txt with tilewright_sources(...) there or above")


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def main(stage=None, name=None):
    if not stage or not name or not re.fullmatch(r"[A-Z]\w+", name):
        raise SystemExit(__doc__.strip())
    stage = stage.strip("/").removeprefix("src/")
    folder = ROOT / "src" / stage
    if not folder.is_dir():
        raise SystemExit(f"new-pass: error: no folder src/{stage}; make it first")
    if (folder / f"{name}.cpp").exists():
        raise SystemExit(f"new-pass: error: src/{stage}/{name}.cpp exists")
    group = group_of(folder)
    names = names_of(stage, group.relative_to(ROOT / "src").as_posix(), name)
    written = [
        add_source(group, (folder / f"{name}.cpp").relative_to(group).as_posix()),
        add_record(group, names),
        write(folder / f"{name}.cpp", fill("Pass.cpp.in", names)),
        write(group / "test" / f"{names['FLAG']}.mlir", fill("pass.mlir.in", names)),
    ]
    for path in written:
        print(path.relative_to(ROOT))
    if "Passes.td" not in (group / "CMakeLists.txt").read_text():
        print(f"next: generate Passes.h.inc in {group.relative_to(ROOT)}/CMakeLists.txt, as src/cpu does")
    print("next: write record, pass and test; call the pass in src/pipeline/passes; see docs/extending.md")


if __name__ == "__main__":
    main(*sys.argv[1:])
