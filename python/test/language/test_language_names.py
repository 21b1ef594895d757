# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public names: those of cuda.tile that kernels use, each documented, and dtypes in full."""

import inspect
import struct

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from tilewright._frontend.ir.numbers import float_bits
from tilewright._frontend.ir.text import element_text
from tilewright._frontend.ops.registry import IMPLEMENTATIONS
from tilewright._intrinsic import get_intrinsic
from tilewright.dtypes import ALL, find_dtype

NAMES = """
launch kernel function ByTarget MemoryOrder MemoryScope PaddingMode RoundingMode DType
bfloat16 bool_ float4_e2m1fn float8_e4m3fn float8_e5m2 float8_e8m0fnu float8_e5m3fnu float16 float32 float64
int8 int16 int32 int64 tfloat32 uint8 uint16 uint32 uint64
TileCompilerExecutionError TileCompilerTimeoutError TileError TileInternalError TileRecursionError
TileStaticAssertionError TileStaticEvalError TileSyntaxError TileTypeError TileUnsupportedFeatureError TileValueError
StaticException Array ArrayAnnotation Constant ConstantAnnotation IndexedWithInt64 ListAnnotation Scalar ScalarInt64
Slice Tile TiledView
abs add arange argmax argmin assert_ assume_divisible_by astile astype atan2 atomic_add atomic_and atomic_cas atomic_max
atomic_min atomic_or atomic_xchg atomic_xor bitwise_and bitwise_lshift bitwise_not bitwise_or bitwise_rshift bitwise_xor
bid bitcast broadcast_to cat cdiv ceil cos cosh cumprod cumsum divmod ensure_constant equal exp exp2 expand_dims extract
floor floordiv full gather greater greater_equal insert less less_equal load load_advanced_indexing log log2 matmul max
maximum min minimum mma mma_scaled mod mul negative isnan not_equal num_blocks num_tiles ones pack_to_bytes permute pow
printf print prod reduce reshape rsqrt scan scatter sin sinh sqrt static_assert static_eval static_exception static_iter
store store_advanced_indexing sub sum tan tanh transpose truediv unpack_from_bytes where zeros
grid_dependency_control_wait grid_dependency_control_launch_dependents compiler_timeout
""".split()
# Evaluated by the tracer itself, because their argument is not evaluated like others.
SPECIAL_FORMS = {"static_assert", "static_eval", "static_exception", "static_iter"}


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_documented_and_implemented(name):
    value = getattr(ct, name)
    assert name in ct.__all__
    if inspect.isfunction(inspect.unwrap(value)) or inspect.isclass(value):
        assert inspect.getdoc(value)
    intrinsic = get_intrinsic(value)
    if intrinsic is not None:
        assert intrinsic.name == name
        assert name in IMPLEMENTATIONS or name in SPECIAL_FORMS


@pytest.mark.parametrize("cls", [ct.Array, ct.TiledView, ct.RawArrayMemory])
def test_methods_are_implemented(cls):
    for name, member in vars(cls).items():
        intrinsic = get_intrinsic(member)
        assert intrinsic is None or intrinsic.name in IMPLEMENTATIONS, name
        assert name.startswith("_") or not callable(member) or inspect.getdoc(member)


def test_dtypes_of_numpy_and_ml_dtypes():
    for dtype in ALL:
        assert getattr(ct, dtype.name) is dtype
    assert find_dtype(np.float32) is find_dtype(np.dtype("float32")) is ct.float32
    assert find_dtype(np.bool_) is find_dtype(np.dtype(bool)) is ct.bool_
    assert find_dtype(ml_dtypes.bfloat16) is find_dtype(np.dtype(ml_dtypes.bfloat16)) is ct.bfloat16
    assert find_dtype(ml_dtypes.float8_e4m3fn) is ct.float8_e4m3fn
    assert find_dtype(int) is None and find_dtype("float32") is None


FORMATS = {
    ct.float16: (np.float16, "<H"),
    ct.bfloat16: (ml_dtypes.bfloat16, "<H"),
    ct.float8_e4m3fn: (ml_dtypes.float8_e4m3fn, "<B"),
    ct.float8_e5m2: (ml_dtypes.float8_e5m2, "<B"),
    ct.float4_e2m1fn: (ml_dtypes.float4_e2m1fn, "<B"),
}
VALUES = [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 3.0e-8, 6.1e-5, 5.96e-8, 1e-3, 2.5, 3.5, 5.0, 6.0, 65504.0, 448.0, 57344.0,
          float("inf"), float("-inf"), 1.0625, 1.1875]  # fmt: skip


@pytest.mark.parametrize("dtype", FORMATS)
def test_constants_are_rounded_to_nearest_even(dtype):
    numpy_dtype, code = FORMATS[dtype]
    for value in VALUES:
        if dtype is ct.float4_e2m1fn and abs(value) > 6:
            continue
        expected = struct.unpack(code, np.array(value, numpy_dtype).tobytes())[0]
        assert float_bits(value, dtype) == expected, value
    if dtype is ct.float4_e2m1fn:
        with pytest.raises(ct.TileValueError, match="NaN has no value as float4_e2m1fn"):
            float_bits(float("nan"), dtype)
        return
    nan = np.frombuffer(struct.pack(code, float_bits(float("nan"), dtype)), numpy_dtype)[0]
    assert np.isnan(nan.astype(float))


def test_integers_wrap():
    assert element_text(300, ct.uint8) == element_text(44, ct.int8) == "44"
    assert element_text(200, ct.uint8) == element_text(200, ct.int8) == "-56"
    assert element_text(2.9, ct.int32) == "2"
    assert element_text(5, ct.bool_) == "true"
