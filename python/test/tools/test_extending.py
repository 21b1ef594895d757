# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The worked examples of docs/extending.md: each patch applies to this tree, keeps the house rules, TableGen reads its
records, and its tests name passes and targets that exist. TILEWRIGHT_ALL_TESTS=1 compiles its C++ to object files too;
a build with it is too slow for an everyday run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LLVM = Path("/usr/lib/llvm-22")
EXAMPLES = sorted((ROOT / "docs/examples").glob("*.patch"))
each_example = pytest.mark.parametrize("patch", EXAMPLES, ids=lambda path: path.stem)


def touched(patch):
    return re.findall(r"^\+\+\+ b/(.*)$", patch.read_text(), re.MULTILINE)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def patched(patch, tmp_path):
    """The files that the patch touches, after it."""
    for name in touched(patch):
        if (ROOT / name).exists():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    outside = os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    run("git", "apply", patch, cwd=tmp_path, env=outside)
    return tmp_path


def generated(name, patched):
    """The headers that CMake has TableGen make of a file of records: path -> text."""
    folder, source, made = Path(name).parent, "", {}
    for call, words in re.findall(
        r"^(set|mlir_tablegen)\(([^)]*)\)", (ROOT / folder / "CMakeLists.txt").read_text(), re.M
    ):
        words = words.split()
        if words[0] == "LLVM_TARGET_DEFINITIONS":
            source = words[1]
        elif call == "mlir_tablegen" and source == Path(name).name:
            paths = [f"-I{path}" for path in (patched / "src", ROOT / "src", LLVM / "include")]
            made[folder.relative_to("src") / words[0]] = run(
                LLVM / "bin/mlir-tblgen", *words[1:], *paths, patched / name
            )
    return made


def test_each_kind_of_extension_has_an_example():
    assert [patch.stem for patch in EXAMPLES] == ["operation", "pass", "target"]
    page = (ROOT / "docs/extending.md").read_text()
    for patch in EXAMPLES:
        assert f"(examples/{patch.name})" in page
        for name in touched(patch):
            said = name if (ROOT / name).exists() else Path(name).name
            assert f"`{said}`" in page, f"docs/extending.md does not say what happens to {name}"


@each_example
def test_it_applies_and_keeps_the_rules(patch, patched):
    files = [patched / name for name in touched(patch)]
    assert all(path.exists() for path in files)
    shutil.copytree(ROOT / "scripts", patched / "scripts")
    (patched / "docs").mkdir(exist_ok=True)
    shutil.copy(ROOT / "docs/glossary.md", patched / "docs")  # of the terms that the rules look for
    run(sys.executable, patched / "scripts/check_tree.py", *touched(patch), cwd=patched)


@each_example
def test_its_records_are_read(patch, patched):
    for name in touched(patch):
        if name.endswith(".td"):
            headers = generated(name, patched)
            assert headers and all(headers.values())


@each_example
def test_its_tests_name_passes_and_targets(patch, patched):
    """The flags of tilewright-opt in RUN lines are of this tree or of a pass in the patch; targets are in a table."""
    passes = set(re.findall(r"--([\w-]+)", run(ROOT / "build/bin/tilewright-opt", "--help")))
    added = re.findall(r'^\+def \w+ : Pass<"([\w-]+)"', patch.read_text(), re.MULTILINE)
    rows = "".join((ROOT / f"src/machine/{name}.cpp").read_text() for name in ("Architecture", "Machine"))
    runs = [
        line
        for name in touched(patch)
        if name.endswith(".mlir") and not (ROOT / name).exists()
        for line in re.findall(r"^// RUN: (.*)$", (patched / name).read_text(), re.MULTILINE)
    ]
    for flag in (flag for line in runs if "tilewright-opt" in line for flag in re.findall(r"--([\w-]+)", line)):
        assert flag in passes.union(added, ["check-prefix"]), f"there is no pass {flag}"
    for target in (target for line in runs for target in re.findall(r"--target=\w+:([\w-]+)", line)):
        assert f'"{target}' in rows, f"there is no target {target}"
    assert runs or patch.stem == "target"


@each_example
@pytest.mark.skipif(not os.environ.get("TILEWRIGHT_ALL_TESTS"), reason="compiles C++ for a minute")
def test_its_code_compiles(patch, patched):
    for name in touched(patch):
        for path, text in generated(name, patched).items() if name.endswith(".td") else ():
            (patched / "generated" / path).parent.mkdir(parents=True, exist_ok=True)
            (patched / "generated" / path).write_text(text)
    database = json.loads((ROOT / "build/compile_commands.json").read_text())
    known = {entry["file"].removeprefix(f"{ROOT}/"): entry for entry in database}
    for name in touched(patch):
        if name.endswith(".cpp"):
            entry = known.get(name) or next(e for n, e in known.items() if Path(n).parent == Path(name).parent)
            command = entry["command"].split(" -o ")[0].replace("ccache ", "")
            command = command.replace(" -I", f" -I{patched}/generated -I{patched}/src -I", 1)
            made = patched / "objects" / f"{Path(name).stem}.o"
            made.parent.mkdir(exist_ok=True)
            run("bash", "-c", f"{command} -c -o {made} {patched / name}", cwd=entry["directory"])
            assert made.stat().st_size > 0
