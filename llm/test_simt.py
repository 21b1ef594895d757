# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA C++ of simt: compiled for two GPUs, of which none need be here."""

import re

import pytest

nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="compiles with cuda-bindings, which is not installed")
launching = pytest.importorskip("llm.ops.simt.launch")
try:
    nvrtc.nvrtcVersion()
except RuntimeError:
    pytest.skip("compiles with NVRTC, which is not installed", allow_module_level=True)

FORMS = ("DENSE", "INT8", "INT4", "FP8")
ATTENTION = {"D": 128, "DV": 128, "PAGE": 64, "GROUP": 4}
LATENT = {"D": 576, "DV": 512, "PAGE": 64}
TILE = {"ROWS": 128, "COLUMNS": 128, "DOWN": 2, "ACROSS": 4, "DEPTH": 32, "STAGES": 4, "OUT": "bf16", "TURNED": 0}
FEW = {"COLUMNS": 1, "WARPS": 8, "OUT": "bf16"}
PLAIN = {"ELEMENT": "float", "WEIGHT": "bf16", "OUT": "float", "FORM": "DENSE", "EXPERTS": 0}
ROUTE = {"EXPERTS": 256, "GROUPS": 8, "TOP_GROUPS": 4, "CHOSEN": 8, "NORMALIZE": 1}
# Source: sets of constants that an operation takes, for each of which it has other code.
VARIANTS = {
    "embedding.cu": [{"ELEMENT": "bf16", "WIDTH": 8}],
    "rms_norm.cu": [{"ELEMENT": "bf16", "WIDTH": 8, "ITEMS": 1, "ADD": add} for add in (0, 1)],
    "rope.cu": [{"ELEMENT": "bf16", "WIDTH": 8, "HALF": 64, "INTERLEAVED": pairs} for pairs in (0, 1)],
    "silu_mul.cu": [{"ELEMENT": "float", "WIDTH": 1}],
    "append.cu": [{"ELEMENT": "bf16", "WIDTH": 8, "PAGE": 64}],
    "gemv.cu": [FEW | {"FORM": form, "COLUMNS": columns} for form in FORMS for columns in (1, 2)],
    "gemm.cu": [
        *(TILE | {"FORM": form, "SPLIT": 0} for form in FORMS),
        TILE | {"FORM": "DENSE", "SPLIT": 1, "OUT": "float", "ROWS": 64},
        TILE | {"FORM": "DENSE", "SPLIT": 0, "ROWS": 16, "DOWN": 1, "TURNED": 1, "DEPTH": 64, "STAGES": 3},
    ],
    "add_slices.cu": [{"OUT": "bf16"}],
    "product.cu": [
        PLAIN,
        PLAIN | {"FORM": "INT8", "WEIGHT": "signed char"},
        PLAIN | {"FORM": "INT4", "WEIGHT": "unsigned char"},
        PLAIN | {"EXPERTS": 1, "UP": 1, "CHOSEN": 8},
    ],
    "quantize.cu": [{"ELEMENT": "bf16"}],
    "attention.cu": [
        ATTENTION | {"WARPS": 4, "KEYS": 64, "SPLIT": 0},
        ATTENTION | {"WARPS": 1, "KEYS": 32, "SPLIT": 1},
        ATTENTION | {"WARPS": 4, "KEYS": 64, "SPLIT": 0, "D": 192, "GROUP": 1},
    ],
    "attention_combine.cu": [{"DV": 128}],
    "attention_of_any.cu": [LATENT | {"ELEMENT": "float"}],
    "latent_attention.cu": [LATENT | {"WARPS": 8, "SPLIT": split} for split in (0, 1)],
    "routing.cu": [ROUTE | {"SIGMOID": sigmoid} for sigmoid in (0, 1)],
    "sort_experts.cu": [{"EXPERTS": 257, "CHOSEN": 9, "SIZE": 8}],
    "experts_gemv.cu": [FEW | {"FORM": form, "UP": up, "CHOSEN": 8} for form in ("DENSE", "FP8") for up in (0, 1)],
    "experts_gemm.cu": [TILE | {"FORM": form, "UP": up, "CHOSEN": 8} for form in ("DENSE", "FP8") for up in (0, 1)],
    "add_experts.cu": [{"ELEMENT": "bf16", "WIDTH": 8, "CHOSEN": 8}],
    "sampling.cu": [{}],
}


def test_every_source_is_compiled():
    assert set(VARIANTS) == {path.name for path in launching.FOLDER.glob("*.cu")}


def entry_of(file):
    """The name of the kernel in a source."""
    return re.search(r"^KERNEL (\w+)\(", (launching.FOLDER / file).read_text(), re.MULTILINE)[1]


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize(("file", "constants"), [(file, each) for file, sets in VARIANTS.items() for each in sets])
def test_compiles(file, constants, architecture):
    cubin = launching.compile_source(file, architecture, constants)
    assert cubin.startswith(b"\x7fELF") and f".text.{entry_of(file)}".encode() in cubin


def test_an_error_names_source_and_constants():
    with pytest.raises(launching.CompileError, match=r"NVRTC cannot compile embedding\.cu with {'WIDTH': 8}"):
        launching.compile_source("embedding.cu", "sm_80", {"WIDTH": 8})
