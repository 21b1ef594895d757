# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contents of a wheel and of the archive of sources. `./dev wheel` and `./dev sdist` try them."""

import ast
import pathlib
import re
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import bill_of_materials as bom  # noqa: E402

VERSIONS = {name: "1.2" for name in ("tilewright", *bom.PARTS)}


def test_bill_of_materials():
    bill = bom.bill(VERSIONS)
    assert [part["purl"].split("@")[1].lstrip("v") for part in bill["components"][1:]] == ["1.2"] * (len(bom.PARTS) - 1)
    assert bill["dependencies"][0]["dependsOn"] == [part["bom-ref"] for part in bill["components"]]
    references = [part["bom-ref"] for part in bill["components"]]
    assert len(set(references)) == len(references)


@pytest.mark.parametrize("versions", [{**VERSIONS, "boost": "1"}, {"tilewright": "1"}])
def test_versions_of_other_parts(versions):
    with pytest.raises(ValueError, match="the versions are not those of the table"):
        bom.bill(versions)


def test_each_part_has_its_notices():
    assert {path.stem for path in (ROOT / "licenses").iterdir()} == set(bom.PARTS)


def test_the_licence_of_a_wheel_is_that_of_all_parts():
    declared = re.search(r'^license = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1].split(" AND ")
    parts = [bom.OWN_LICENCE, *(name for part in bom.PARTS.values() for name in part.licence.split(" AND "))]
    assert set(declared) == set(parts) and len(declared) == len(set(declared))


def test_sources_have_what_the_build_needs(tmp_path):
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, tmp_path], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    left_out = ("bench/", ".")
    missing = [name for name in tracked if name and not name.startswith(left_out) and name not in inside]
    assert not missing


def test_kernels_import_each_other_when_they_are_imported():
    """In an installation the name `kernels` is theirs only then."""
    for path in (ROOT / "kernels").glob("**/*.py"):
        parts = path.relative_to(ROOT / "kernels").parts
        if parts[0] in ("examples", "foreign") or path.name.startswith("test_"):
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                modules = [node.module or "" for node in ast.walk(function) if isinstance(node, ast.ImportFrom)]
                assert not any(name.split(".")[0] == "kernels" for name in modules), f"{path}: {function.name}"
