# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that fail: the page of `tilewright trace` has all levels up to the failure, and the message."""

import pytest
from pages import ROOT, SCALE, SIGNATURE, trace, trace_text


def titles(packed):
    return [stage["title"] for stage in packed["stages"]]


def test_an_error_of_the_front_end(tmp_path):
    made = trace_text(tmp_path, SCALE.replace("tile + tile", "tile + missing"))
    assert made.status == 1 and "undefined name 'missing'" in made.errors
    packed = made.packed()
    assert packed["stages"] == [] and packed["error"] in made.errors
    assert [line for _, line in packed["failed"]] == [4, 9]  # the place, and the call that leads to it
    assert packed["files"][0]["lines"] == SCALE.replace("tile + tile", "tile + missing").splitlines()


@pytest.mark.parametrize("target, place", [("cpu", "tileaa-to-linalg"), ("nvidia:sm_90", "tileas-plan-cta")])
def test_a_pass_that_crashes(tmp_path, target, place):
    whole = titles(trace_text(tmp_path, SCALE, target=target).packed())
    made = trace_text(tmp_path, SCALE, "scale", SIGNATURE, target, f"--fail-in=crash:{place}")
    assert made.status == 1 and f"(in {place}" in made.errors
    packed = made.packed()
    assert f"(in {place}" in packed["error"]
    assert titles(packed) == whole[: whole.index(place)]


def test_a_failure_behind_the_passes(tmp_path):
    made = trace_text(tmp_path, SCALE, "scale", SIGNATURE, "cpu", "--fail-in=crash:LLVM optimizer")
    assert made.status == 1 and "(in LLVM optimizer)" in made.packed()["error"]
    assert titles(made.packed())[-1] == "cse" and made.packed()["plans"] == []


def test_an_error_with_places(tmp_path):
    """Two rules that a module breaks, found after some passes."""
    path = ROOT / "src/pipeline/test/illegal_kernel.mlir"
    made = trace(tmp_path, str(path), None, "nvidia:sm_90")
    packed = made.packed()
    assert made.status == 1 and packed["error"].count("breaks the rule") == 2
    lines = [packed["files"][0]["lines"][line - 1] for _, line in packed["failed"]]
    assert [("tileaa.reduce" in line, "tileaa.permute" in line) for line in lines] == [(True, False), (False, True)]
    assert packed["stages"]


def test_text_that_is_no_module(tmp_path):
    path = tmp_path / "k.mlir"
    path.write_text("cuda_tile.module @m {\n  oops\n}\n")
    packed = trace(tmp_path, str(path)).packed()
    assert "custom op 'oops' is unknown" in packed["error"]
    assert packed["failed"] == [[str(path), 2]] and packed["files"][0]["lines"][1] == "  oops"


def test_bytes_that_are_no_module(tmp_path):
    path = tmp_path / "k.tilebc"
    path.write_bytes(b"\x7fTileIR\0" + bytes(range(200)))
    made = trace(tmp_path, str(path))
    packed = made.packed()
    assert made.status == 1 and packed["error"] and packed["files"] == []


@pytest.mark.parametrize("words, expected", [
    (("missing.mlir", None, "cpu"), "No such file"),
    ((str(ROOT / "kernels/softmax/kernel.py:softmax_kernel"), None, "cpu"), "a Python kernel needs --signature"),
    ((str(ROOT / "src/pipeline/test/illegal_kernel.mlir"), None, "nvidia:sm_1"), "unknown NVIDIA architecture"),
])  # fmt: skip
def test_wrong_words_make_no_page(tmp_path, words, expected):
    made = trace(tmp_path, *words)
    assert made.status == 1 and expected in made.errors
    assert not made.path.exists()


def test_a_module_without_entries(tmp_path):
    path = tmp_path / "k.mlir"
    path.write_text("module {}\n")
    made = trace(tmp_path, str(path))
    assert (made.status, made.errors) == (0, "") and made.packed()["plans"] == []
