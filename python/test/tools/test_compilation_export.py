# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""export_kernel: the files that it writes, and its errors."""

import io
import pathlib
import re
import struct
import sys

import numpy as np
import pytest
import tilewright as ct
from kernel_library import call_library
from tilewright import _native
from tilewright.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    ListConstraint,
    ScalarConstraint,
    export_kernel,
)

V1, V2 = CallingConvention.cutile_python_v1(), CallingConvention.cutile_python_v2()


@ct.kernel
def scale(a, factor, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) * factor)


def vector(**facts):
    facts = {"alias_groups": (), "stride_constant": (1,)} | facts
    return ArrayConstraint(
        ct.float32, 1, index_dtype=ct.int32, stride_lower_bound_incl=0, may_alias_internally=False, **facts
    )


def signature(tile=16, symbol=None, **facts):
    return KernelSignature([vector(**facts), ScalarConstraint(ct.float32), vector(**facts), tile], V1, symbol)


def exported(kernel=scale, signatures=None, **options):
    file = io.BytesIO()
    export_kernel(kernel, signatures or [signature()], file, **{"output_format": "tileir_bytecode"} | options)
    return file.getvalue()


def test_bytecode_of_several_signatures():
    data = exported(signatures=[signature(16), signature(32, symbol="wide")])
    assert data[:8] == b"\x7fTileIR\0"
    text = ct.disassemble(data)
    assert "entry @scale_Kt1_A1f32_1t1_Sf32_A1f32_1t1_I16(" in text and "entry @wide(" in text
    assert "tile<16xf32>" in text and "tile<32xf32>" in text


@pytest.mark.parametrize("make", [str, pathlib.Path, lambda path: str(path).encode()])
def test_files(tmp_path, make):
    path = tmp_path / "scale.tilebc"
    export_kernel(scale, [signature()], make(path), output_format="tileir_bytecode")
    assert path.read_bytes() == exported()


def test_exported_kernels_run_here():
    module = ct.load_module(exported(signatures=[signature(symbol="scale")]))
    a, out = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
    module.scale[3](a, 40, 1, 2.5, out, 40, 1)
    np.testing.assert_array_equal(out, a * np.float32(2.5))


def test_lists_are_tables():
    @ct.kernel
    def total(arrays, out):
        acc = ct.zeros((8,), ct.float32)
        for i in range(len(arrays)):
            acc += ct.load(arrays[i], 0, (8,))
        ct.store(out, 0, acc)

    arrays, out = [np.full(8, i, np.float32) for i in (1, 2, 4)], np.zeros(8, np.float32)
    constraint = ListConstraint(vector(), alias_groups=(), elements_may_alias=False)
    data = exported(total, [KernelSignature([constraint, vector()], V1)])
    module = ct.load_module(data)
    (entry,) = module.values()
    assert entry.__name__ == "total_Kt1_LA1f32_1t1_A1f32_1t1"
    table = np.array([(a.ctypes.data, 8, 1) for a in arrays], np.int64)
    entry[1](table, len(table), out, 8, 1)
    np.testing.assert_array_equal(out, np.full(8, 7, np.float32))
    assert KernelSignature.from_kernel_args(total, (arrays, out), V2).symbol.startswith("total_Kt2_LiA1f32")


def test_versions():
    for version in ("13.1", "13.2", "13.3", "13.4"):
        data = exported(bytecode_version=version, gpu_code="sm_100")
        assert (data[8], data[9]) == tuple(map(int, version.split(".")))
    assert exported()[9] == 4
    with pytest.raises(ValueError, match=r"bytecode_version is '12\.9', expected one of 13\.1, 13\.2, 13\.3, 13\.4"):
        exported(bytecode_version="12.9")

    @ct.kernel
    def angle(a):
        ct.store(a, (0,), ct.atan2(ct.load(a, (0,), (16,)), 1.0))

    facts = [KernelSignature([vector()], V1)]
    exported(angle, facts, bytecode_version="13.2", gpu_code="sm_90")
    with pytest.raises(ct.TileUnsupportedFeatureError, match=r"atan2.*13\.1"):
        exported(angle, facts, bytecode_version="13.1", gpu_code="sm_90")


def test_prints_of_version_13_1_have_no_tokens():
    @ct.kernel
    def shown(a):
        print("before")
        for i in range(ct.num_tiles(a, 0, (16,))):
            tile = ct.load(a, (i,), (16,))
            if i == 1:
                ct.printf("%f\n", tile)
            ct.store(a, (i,), tile + 1)
            print(i)

    facts = [KernelSignature([vector()], V1)]
    new = ct.disassemble(exported(shown, facts, bytecode_version="13.2", gpu_code="sm_90"))
    assert len(re.findall(r"print_tko [^\n]* token=%", new)) == 3
    old = ct.disassemble(exported(shown, facts, bytecode_version="13.1", gpu_code="sm_90"))
    prints = re.findall(r"print_tko [^\n]*", old)
    assert len(prints) == 3 and not any("token=" in line for line in prints), prints


def test_hints():
    hinted = scale.replace_hints(num_ctas=ct.ByTarget(default=2, sm_100=4), occupancy=8)
    text = ct.disassemble(exported(hinted))
    assert "default = {num_cta_in_cga = 2, occupancy = 8}" in text and "sm_100 = {num_cta_in_cga = 4}" in text
    text = ct.disassemble(exported(hinted, gpu_code="sm_100"))
    assert "optimization_hints=<sm_100 = {num_cta_in_cga = 4, occupancy = 8}>" in text
    text = ct.disassemble(exported(hinted, gpu_code="sm_90", bytecode_version="13.1"))
    assert "optimization_hints=<sm_90 = {num_cta_in_cga = 2, occupancy = 8}>" in text
    message = (
        r"bytecode version 13\.2 has hints for one GPU only, found no gpu_code; name the GPU, or use version 13\.3"
    )
    with pytest.raises(ct.TileUnsupportedFeatureError, match=message):
        exported(hinted, bytecode_version="13.2")
    with pytest.warns(UserWarning, match=r"num_worker_warps is left out: bytecode version 13\.2 lacks it"):
        exported(scale.replace_hints(num_worker_warps=4), bytecode_version="13.2", gpu_code="sm_90")
    with pytest.raises(ct.TileUnsupportedFeatureError, match=r"num_worker_warps is 16, expected 4 or 8 in .* 13\.4"):
        exported(scale.replace_hints(num_worker_warps=16))


def test_mistakes():
    with pytest.raises(ValueError, match="gpu_code is None, expected the GPU that the cubin is for, as in 'sm_100'"):
        exported(output_format="cubin")
    with pytest.raises(ValueError, match=r"output_format is 'ptx': 'cubin' is code of a GPU; .*'object'"):
        exported(output_format="ptx")
    with pytest.raises(ValueError, match="gpu_code is 'ampere', expected sm_ and a number, as in 'sm_100'"):
        exported(gpu_code="ampere")
    with pytest.raises(ValueError, match="gpu_code is 'sm_90', expected None for 'object'"):
        exported(gpu_code="sm_90", output_format="object")
    with pytest.raises(ValueError, match="there are no signatures, expected one or more"):
        export_kernel(scale, [], io.BytesIO(), output_format="tileir_bytecode")
    with pytest.raises(ValueError, match=r"two signatures have the symbol 'scale_Kt1_.*', expected different ones"):
        exported(signatures=[signature(), signature()])
    with pytest.raises(TypeError, match="the signature has 1 parameters, expected 4: a, factor, out, TILE"):
        exported(signatures=[KernelSignature([1], V1)])
    with pytest.raises(TypeError, match="export_kernel takes a kernel, found <function"):
        exported(scale.function)
    shared = [signature(alias_groups=("x",))]
    exported(signatures=shared)
    with pytest.raises(ct.TileUnsupportedFeatureError, match="code for a CPU takes arrays for disjoint"):
        exported(signatures=shared, output_format="object")


def test_a_shared_library_for_a_cpu(tmp_path):
    path = tmp_path / "scale.so"
    export_kernel(scale, [signature(symbol="by_two_and_a_half")], path, output_format="shared_library")
    a, out = np.arange(48, dtype=np.float32), np.zeros(48, np.float32)
    call_library(path, "by_two_and_a_half", (3, 1, 1), a, 2.5, out)
    np.testing.assert_array_equal(out, a * np.float32(2.5))
    assert "by_two_and_a_half" in path.with_suffix(".h").read_text()


needs_assembler = pytest.mark.skipif(
    not _native.find_assemblers(sys.path), reason="no assembler of PTX here (./dev test --peer)"
)


@needs_assembler
def test_a_cubin_has_a_kernel_for_each_signature(tmp_path):
    path = tmp_path / "scale.cubin"
    signatures = [signature(16), signature(32, symbol="wide")]
    export_kernel(scale, signatures, path, output_format="cubin", gpu_code="sm_90")
    cubin = path.read_bytes()
    assert cubin[:4] == b"\x7fELF"
    for symbol in (b".text.scale_Kt1_A1f32_1t1_Sf32_A1f32_1t1_I16\0", b".text.wide\0"):
        assert symbol in cubin
    # The calling convention and nothing else: 8 + 4 + 4, the number at 16, 8 + 4 + 4 from 24. The attribute
    # EIATTR_CBANK_PARAM_SIZE has where that ends.
    assert struct.pack("<BBH", 3, 0x19, 40) in cubin
    assert cubin != exported(signatures=signatures, output_format="cubin", gpu_code="sm_80")


@needs_assembler
def test_hints_of_a_cubin_are_those_of_its_gpu():
    def made(**hints):
        kernel = scale.replace_hints(**hints)
        return exported(kernel, [signature(1024)], output_format="cubin", gpu_code="sm_90")

    assert made(opt_level=0) != made()
    assert made(num_worker_warps=ct.ByTarget(sm_90=4)) != made(num_worker_warps=ct.ByTarget(sm_90=8))
    assert made(num_worker_warps=ct.ByTarget(sm_80=4)) == made(num_worker_warps=ct.ByTarget(sm_80=8))


def test_a_cubin_has_what_its_version_of_bytecode_has():
    @ct.kernel
    def rows(x, i):
        ct.store(x, 0, ct.load_advanced_indexing(x, (ct.arange(4, dtype=ct.int32),)))

    signatures = [KernelSignature([vector(), ScalarConstraint(ct.int32)], V1)]
    with pytest.raises(ct.TileUnsupportedFeatureError, match=r"13\.2"):
        exported(rows, signatures, output_format="cubin", gpu_code="sm_90", bytecode_version="13.2")


def test_objects_for_other_cpus():
    old = exported(output_format="object", cpu_code="cpu:x86-64-v2")
    new = exported(output_format="object", cpu_code="cpu:x86-64-v4")
    assert old[:4] == new[:4] == b"\x7fELF" and old != new
    with pytest.raises(ValueError, match="unknown target 'cpu:z80'"):
        exported(output_format="object", cpu_code="cpu:z80")
