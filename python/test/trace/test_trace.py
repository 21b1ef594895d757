# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright trace`: what its page has of a kernel, and which lines come from which."""

import itertools
import pathlib
import re
import subprocess

import pytest
from pages import MOE, SCALE, lines_of, rows, trace, trace_text
from tilewright import _native
from tilewright._tools.levels import disassembler

LOAD, STORE, HELPER = 8, 9, 4
CPP = pathlib.Path(__file__).resolve().parents[3] / "build" / "bin" / "tilewright-c++"


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    made = trace_text(tmp_path_factory.mktemp("cpu"), SCALE, target="cpu:x86-64-v3")
    assert (made.status, made.errors) == (0, "")
    return made.packed()


def test_levels_of_a_cpu(packed):
    titles = [stage["title"] for stage in packed["stages"]]
    assert titles[0] == "Tile IR" and titles[-2:] == ["LLVM IR", "assembly"]
    assert {"cuda-tile-to-tileaa", "tileaa-to-linalg", "cpu-plan", "cpu-kernel-entry"} <= set(titles)
    groups = [stage["group"] for stage in packed["stages"] if stage["group"]]
    assert list(dict.fromkeys(groups)) == ["cuda_tile to tileaa", "tileaa to linalg", "linalg to llvm"]
    assert packed["kernel"] == "scale" and packed["error"] == ""
    assert "verify-tileaa" in packed["unchanged"]["cuda_tile to tileaa"]


@pytest.mark.skipif(not CPP.exists(), reason="the front end for C++ was not built")
def test_lines_of_cpp(tmp_path):
    source, module = tmp_path / "k.cpp", tmp_path / "k.tilebc"
    source.write_text(
        "#include <cuda_tile.h>\nnamespace ct = cuda::tiles;\n"
        "__tile_global__ void twice(float *x) {\n"
        "  auto p = x + ct::iota<ct::tile<int, ct::shape<64>>>();\n"
        "  ct::store(p, ct::load(p) * 2.0f);\n}\n"
    )
    subprocess.run([CPP, "--emit=tilebc", source, "-o", module], check=True)
    made = trace(tmp_path, str(module), target="cpu:x86-64-v3")
    assert (made.status, made.errors) == (0, "")
    packed = made.packed()
    assert packed["files"][0]["name"] == str(source)
    assert any("store_ptr_tko" in text for text in lines_of(packed, "Tile IR", 5))
    assert any("vmulps" in text or "vaddps" in text for text in lines_of(packed, "assembly", 5))


def test_each_pass_changed_something(packed):
    texts = [[text for text, _ in rows({**packed, "stages": [stage]}, stage["title"])] for stage in packed["stages"]]
    assert all(before != after for before, after in itertools.pairwise(texts))
    assert not any(re.search(r"\bloc\(", text) for stage in texts for text in stage)


def test_descendants_of_a_line(packed):
    assert any("load_view_tko" in text for text in lines_of(packed, "Tile IR", LOAD))
    assert any("tileaa.load_view" in text for text in lines_of(packed, "cuda-tile-to-tileaa", LOAD))
    # The load itself is a part of the loop that computes, which is of the next line.
    assert any(" load <8 x float>" in text for text in lines_of(packed, "LLVM IR", STORE))
    assert any("llvm.smin" in text for text in lines_of(packed, "LLVM IR", LOAD))
    assert lines_of(packed, "assembly", LOAD)
    assert not any("store_view" in text for text in lines_of(packed, "Tile IR", LOAD))


def test_a_helper_is_of_its_line_and_of_its_call(packed):
    for line in (HELPER, STORE):
        assert any("addf" in text for text in lines_of(packed, "Tile IR", line))
        assert any(" fadd " in text for text in lines_of(packed, "LLVM IR", line))
    assert any("vaddps" in text for text in lines_of(packed, "assembly", HELPER))


def test_an_operation_with_a_region_has_a_place_at_both_ends(packed):
    lines = lines_of(packed, "tileaa-to-linalg", HELPER) + lines_of(packed, "tileaa-to-linalg", STORE)
    assert any("linalg.generic" in text for text in lines)


def test_attributes_have_one_name_in_all_passes(packed):
    definitions = {}
    for stage in packed["stages"]:
        for text, _ in rows({**packed, "stages": [stage]}, stage["title"]):
            if match := re.match(r"(#map\d*) = (.*)", text):
                assert definitions.setdefault(match[1], match[2]) == match[2]
    assert definitions


@pytest.mark.parametrize("target", ["nvidia:sm_80", "nvidia:sm_90a"])
def test_levels_of_a_gpu(tmp_path, target):
    packed = trace_text(tmp_path, SCALE, target=target).packed()
    titles = [stage["title"] for stage in packed["stages"]]
    assert titles[0] == "Tile IR" and "tileaa-to-tileas" in titles and "LLVM IR" in titles
    assert any("ld.global" in text for text in lines_of(packed, "PTX", LOAD))
    if disassembler.find() and _native.find_assemblers([]):
        assert any("LDG" in text for text in lines_of(packed, "SASS", LOAD))
    else:
        assert titles[-1] == "PTX" and packed["notes"][0].startswith("no SASS: ")


@pytest.mark.parametrize("form", ["mlir", "tilebc"])
def test_a_module(tmp_path, form):
    """Text is the source of its operations; so is that of bytecode that knows no places."""
    text = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %t = make_token : token
    %c = constant <f32: 2.0> : tile<f32>
    %s = store_ptr_tko weak %p, %c token = %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
    path = tmp_path / "k.mlir"
    path.write_text(text)
    if form == "tilebc":
        path = tmp_path / "k.tilebc"
        path.write_bytes(_native.assemble(text.encode(), "k.mlir"))
    made = trace(tmp_path, str(path))
    assert (made.status, made.errors) == (0, "")
    packed = made.packed()
    assert "store_ptr_tko" in "\n".join(packed["files"][0]["lines"])
    line = next(i for i, row in enumerate(packed["files"][0]["lines"], 1) if "store_ptr_tko" in row)
    assert any("store_ptr_tko" in row for row in lines_of(packed, "Tile IR", line))
    assert any("llvm.store" in row for row in lines_of(packed, "convert-func-to-llvm", line))


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_90a"])
def test_size_of_a_large_kernel(tmp_path, target):
    made = trace(tmp_path, *MOE, target)
    assert made.status == 0
    assert made.path.stat().st_size < 2_000_000


def test_a_page_needs_nothing_else(tmp_path):
    page = trace_text(tmp_path, SCALE).path.read_text()
    assert "default-src 'none'" in page
    page = re.sub(r'id="data">[^<]*<', "", page).replace("http://www.w3.org/2000/svg", "")  # a name, not a place
    assert not re.search(r"\b(src|href)=|https?://|@import|url\(", page)


HOSTILE = """</script><script>alert(1)</script><img src=x onerror=alert(2)>"""


def test_hostile_texts_are_not_markup(tmp_path):
    folder = tmp_path / "<b onload=alert(3)>'@trace@&quot;"
    folder.mkdir()
    text = SCALE.replace("    ct.store", f"    ct.printf({HOSTILE!r})\n    ct.store")
    made = trace_text(folder, text)
    page = made.path.read_text()
    assert HOSTILE in "\n".join(made.packed()["files"][0]["lines"])
    assert "alert" not in page and page.count("<script") == 2
