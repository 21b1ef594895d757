# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of the llvm dialect become cubins for every architecture, where an assembler of NVIDIA's is found.

`./dev test --peer` installs one; else ptxas of PATH or of /usr/local/cuda is taken.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest
from tilewright import _native
from tilewright.__main__ import main
from tilewright.errors import TileCompilerExecutionError

ROOT = Path(__file__).resolve().parents[3]
LIST = _native.list_nvidia_architectures()
NAMES = [line.split()[0] for line in LIST.splitlines()[1:]]
KERNELS = ROOT / "src/target/nvidia/test"
SCALE = (KERNELS / "special_registers.mlir").read_bytes()


def assemble(module, name, **options):
    """(bytes, remarks, resources, assembler), or a skip where no assembler is here or the one here is too old."""
    try:
        made = _native.compile_to(module, "test", f"nvidia:{name}", "cubin", packages=sys.path, **options)
        return made.output, made.remarks, made.resources, made.assembler
    except TileCompilerExecutionError as error:
        if "no assembler of PTX found" in str(error) or " is too old: " in str(error):
            pytest.skip(str(error))
        raise


def part(file, name):
    """A module of a file that split-file takes apart."""
    text = (KERNELS / file).read_text()
    return text.split(f"//--- {name}\n")[1].split("//---")[0].encode()


def test_all_architectures_of_the_reference_are_known():
    numbers = [int(name.removeprefix("sm_").rstrip("a")) for name in NAMES]
    assert numbers == [80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121]


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_is_assembled(name):
    cubin, _, resources, assembler = assemble(SCALE, name)
    assert cubin[:4] == b"\x7fELF"
    assert assembler
    (line,) = resources.splitlines()
    assert line.startswith("scale: ") and " 0 bytes spilled" in line
    assert int(line.split()[1]) > 0


@pytest.mark.parametrize(
    ("name", "file"),
    [("sm_80", "warp.mlir"), ("sm_90", "warpgroup.mlir"), ("sm_86", "copy.mlir"), ("sm_103", "tensor_memory.mlir")],
)
def test_instructions_of_a_generation_are_assembled(name, file):
    cubin, _, resources, _ = assemble(part("matrices.mlir", file), name)
    assert cubin and " 0 bytes spilled" in resources


@pytest.mark.parametrize(("name", "file"), [("sm_100", "tcgen05"), ("sm_110", "tcgen05"), ("sm_120", "mma_scaled")])
def test_products_of_blackwell_are_assembled(name, file):
    """Sums in tensor memory, and block scales: nothing is spilled."""
    module = (ROOT / f"src/lower/tileas_to_nvvm/test/{file}.mlir").read_bytes()
    cubin, _, resources, _ = assemble(module, name)
    assert cubin[:4] == b"\x7fELF"
    assert all(" 0 bytes spilled" in line for line in resources.splitlines())


@pytest.mark.parametrize("instruction", ["setmaxregister decrease 24", "wgmma.fence.aligned"])
def test_code_of_warpgroups_goes_to_ptxas(instruction):
    """nvJitLink would wait for wgmma and ignore setmaxnreg, and does so, with a warning, where there is no ptxas."""
    attributes = "nvvm.kernel, nvvm.reqntid = array<i32: 256>, nvvm.minctasm = 1 : i32"
    module = f"""llvm.func @kernel() attributes {{{attributes}}} {{
      nvvm.{instruction}
      llvm.return
    }}"""
    _, remarks, _, assembler = assemble(module.encode(), "sm_90")
    if "setmaxregister" in instruction:
        assert ("setmaxnreg' ignored" in remarks) == ("libnvJitLink" in assembler)
    if shutil.which("ptxas") and "TILEWRIGHT_ASSEMBLER" not in os.environ:
        assert "libnvJitLink" not in assembler


def test_a_kernel_that_needs_too_many_registers_says_so():
    """300 values are loaded, and stored only when all are there."""
    loads = "".join(
        f"""
      %p{i} = llvm.getelementptr %in[{i}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
      %x{i} = llvm.load volatile %p{i} : !llvm.ptr<1> -> f32"""
        for i in range(300)
    )
    stores = "".join(f"\n      llvm.store volatile %x{i}, %p{i} : f32, !llvm.ptr<1>" for i in range(300))
    attributes = "nvvm.kernel, nvvm.reqntid = array<i32: 128>"
    module = f"llvm.func @many(%in: !llvm.ptr<1>) attributes {{{attributes}}} {{{loads}{stores}\n llvm.return }}"
    _, remarks, _, _ = assemble(module.encode(), "sm_90")
    assert "remark: kernel 'many' spills registers, " in remarks
    assert "smaller tiles need fewer, and so does a larger num_worker_warps_per_cta\n" in remarks


@pytest.mark.parametrize("option", ["lineinfo", "g"])
def test_code_with_locations_is_assembled(option):
    plain = assemble(SCALE, "sm_90")[0]
    located = assemble(SCALE, "sm_90", **{option: True})[0]
    assert b".debug_line" in located and b".debug_line" not in plain


def test_what_another_architecture_has_is_refused():
    """By LLVM where it has an operation for it, else by the assembler, with the line."""
    with pytest.raises(TileCompilerExecutionError, match=r"^sm_80 has no instruction for llvm\.nvvm\.wgmma"):
        assemble(part("matrices.mlir", "warpgroup.mlir"), "sm_80")
    module = b"""llvm.func @kernel() attributes {nvvm.kernel} {
      llvm.inline_asm has_side_effects "griddepcontrol.wait;", "" : () -> ()
      llvm.return
    }"""
    with pytest.raises(
        TileCompilerExecutionError, match=r"refused the PTX for sm_80 at line \d+, 'griddepcontrol.wait;': "
    ):
        assemble(module, "sm_80")


def test_an_assembler_that_is_missing(monkeypatch, tmp_path):
    with pytest.raises(TileCompilerExecutionError, match="ptxas /nowhere/ptxas cannot be used: cannot start"):
        assemble(SCALE, "sm_80", assembler="/nowhere/ptxas")
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", "/nowhere/libnvJitLink.so")
    with pytest.raises(TileCompilerExecutionError, match=r"nvJitLink /nowhere/libnvJitLink\.so cannot be used: "):
        assemble(SCALE, "sm_80")


def test_packages_of_python_are_searched(monkeypatch, tmp_path):
    """One that is too old, so that it does not come to running: no other assembler may hide it."""
    folder = tmp_path / "nvidia/cu13/bin"
    folder.mkdir(parents=True)
    program = folder / "ptxas"
    program.write_text(
        "#!/bin/sh\necho \"x, line 1; fatal : Unsupported .version 7.8; current version is '6.0'\" >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.delenv("TILEWRIGHT_ASSEMBLER", raising=False)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    try:
        assembler = _native.compile_to(SCALE, "test", "sm_80", packages=[os.fspath(tmp_path)]).assembler
    except TileCompilerExecutionError as error:
        assert f"ptxas {program} is too old: it reads PTX up to 6.0, the code for sm_80 is PTX 7.8" in str(error)
    else:
        assert assembler != os.fspath(program)  # this machine has one in a place that is always looked at


def test_the_command(tmp_path, capsys):
    output = tmp_path / "scale.ptx"
    source = os.fspath(KERNELS / "special_registers.mlir")
    assert not main(["compile", source, "--target=nvidia:sm_90", "--emit=ptx", "-o", os.fspath(output)])
    assert ".target sm_90a" in output.read_text()
    for arguments, message in (
        (["--target=nvidia:sm_91"], "unknown NVIDIA architecture 'nvidia:sm_91', expected one of sm_80, "),
        (["--target=sm_90", "--emit=obj"], "target nvidia:sm_90a has no level 'obj', expected one of cuda_tile, "),
        (["--emit=ptx"], "target cpu:host has no level 'ptx', expected one of cuda_tile, "),
    ):
        assert main(["compile", source, *arguments]) == 1
        assert message in capsys.readouterr().err


def test_the_page_has_the_table_of_the_code():
    assert f"```\n{LIST}```" in (ROOT / "docs/nvidia.md").read_text()
