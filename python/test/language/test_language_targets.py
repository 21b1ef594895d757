# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytecode is written for a GPU and in a version; what these lack is refused, at the place that asks for it."""

import importlib.util
import io
import pathlib

import numpy as np
import pytest
import tilewright as ct
from tilewright.compilation import ArrayConstraint, CallingConvention, KernelSignature, export_kernel

RZ, RP = ct.RoundingMode.RZ, ct.RoundingMode.RP


def convert(dtype, rounding_mode=None):
    def kernel(x):
        ct.store(x, 0, ct.astype(ct.load(x, 0, (16,)), dtype, rounding_mode=rounding_mode).astype(ct.float32))

    return ct.kernel(kernel)


@ct.kernel
def power(x):
    ct.store(x, 0, ct.load(x, 0, (16,)) ** 3)


@ct.kernel
def hinted(x):
    ct.store(x, 0, ct.load(x, 0, (16,), latency=3, allow_tma=False))


@ct.kernel
def sum_of_bfloat16(x):
    ct.atomic_add(x, ct.arange(16, dtype=ct.int32), ct.zeros((16,), ct.bfloat16))


SINCE = [
    # kernel, GPU and version from which it is legal, what the message says of an older one
    (convert(ct.float8_e4m3fn), 90, 1, "float8_e4m3fn"),
    (convert(ct.float8_e5m2), 90, 1, "float8_e5m2"),
    (convert(ct.float8_e8m0fnu, RZ), 100, 3, ""),  # of the dtype or of the rounding mode
    (convert(ct.float4_e2m1fn), 100, 3, "float4_e2m1fn"),
    (convert(ct.float8_e5m3fnu), 107, 4, "float8_e5m3fnu"),
    (convert(ct.float16, RZ), 80, 4, "rounding mode zero of this conversion"),
    (convert(ct.float64, RP), 80, 4, "rounding mode positive_inf of this conversion"),
    (power, 80, 1, ""),
    (hinted, 80, 1, ""),
    (sum_of_bfloat16, 90, 3, "an atomic sum of bfloat16"),
]
TARGETS = [(gpu, minor) for gpu in (80, 90, 100, 120) for minor in (1, 2, 3, 4)]
IDS = ["e4m3", "e5m2", "e8m0", "e2m1", "e5m3", "f16-rz", "f64-rp", "power", "hinted", "bf16-sum"]


def constraint(kernel):
    return ArrayConstraint(
        ct.bfloat16 if kernel is sum_of_bfloat16 else ct.float32,
        1,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(1,),
    )


def signature_of(kernel, symbol):
    return KernelSignature([constraint(kernel)], CallingConvention.cutile_python_v2(), symbol)


def bytecode(kernel, gpu, minor):
    file = io.BytesIO()
    export_kernel(
        kernel,
        [signature_of(kernel, "k")],
        file,
        gpu_code=f"sm_{gpu}",
        output_format="tileir_bytecode",
        bytecode_version=f"13.{minor}",
    )
    return file.getvalue()


@pytest.mark.parametrize("kernel, capability, since, what", SINCE, ids=IDS)
def test_target(kernel, capability, since, what):
    for gpu, minor in TARGETS:
        if gpu >= capability and minor >= since:
            assert bytecode(kernel, gpu, minor)
            continue
        with pytest.raises(ct.TileUnsupportedFeatureError) as caught:
            bytecode(kernel, gpu, minor)
        found = f"sm_{gpu}; expected sm_{capability}" if gpu < capability else f"bytecode version 13.{minor}; expected"
        assert f"{what} is not available for {found}" in caught.value.message
        assert caught.value.location.filename == __file__


def test_powers_of_integers_are_powers_of_floats_before_they_are_in_bytecode():
    x = np.linspace(-2, 2, 16, dtype=np.float32)
    expected = x**3
    for minor in (1, 4):
        loaded = ct.load_module(bytecode(power, 80, minor)).k
        out = x.copy()
        loaded.compile("interpreter").run((1, 1, 1), [out.ctypes.data, 16, 1])
        np.testing.assert_allclose(out, expected, rtol=1e-6)


def test_hints_of_old_bytecode_name_the_gpu():
    assert "sm_80 = {allow_tma = false, latency = 3}" in ct.disassemble(bytecode(hinted, 80, 2))


def test_nvidias_front_end_refuses_the_same(tmp_path):
    pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile (./dev test --peer)")
    from cuda.tile import TileUnsupportedFeatureError, compilation

    path = tmp_path / "peer_targets.py"
    path.write_text(pathlib.Path(__file__).read_text().replace("import tilewright as ct", "import cuda.tile as ct"))
    spec = importlib.util.spec_from_file_location("peer_targets", path)
    peer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peer)
    for (kernel, capability, since, _), (theirs, *_) in zip(SINCE, peer.SINCE, strict=True):
        symbol = signature_of(kernel, None).with_mangled_symbol("k").symbol
        signature = compilation.demangle_kernel_name(symbol)[1].with_symbol("k")
        for gpu, minor in TARGETS:
            options = {"gpu_code": f"sm_{gpu}", "bytecode_version": f"13.{minor}", "output_format": "tileir_bytecode"}
            if gpu >= capability and minor >= since:
                compilation.export_kernel(theirs, [signature], io.BytesIO(), **options)
                continue
            with pytest.raises(TileUnsupportedFeatureError):
                compilation.export_kernel(theirs, [signature], io.BytesIO(), **options)
