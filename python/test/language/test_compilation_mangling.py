# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbols of compiled kernels, which every tool of cuTile reads alike."""

import sys

import pytest
import tilewright as ct
from tilewright.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ListConstraint,
    ScalarConstraint,
    TupleConstraint,
    demangle_kernel_name,
    mangle_kernel_name,
)

V1, V2 = CallingConvention.cutile_python_v1(), CallingConvention.cutile_python_v2()
ALIKE = """bool_:b8 int8:i8 int16:i16 int32:i32 int64:i64 uint8:u8 uint16:u16 uint32:u32 uint64:u64 float16:f16
    bfloat16:bf16 tfloat32:tf32 float32:f32 float64:f64 float8_e4m3fn:f8m3fn float8_e5m2:f8m2 float8_e8m0fnu:f8m0fnu"""


def array(dtype=ct.float32, ndim=1, least=0, **facts):
    facts = {"index_dtype": ct.int32, "alias_groups": (), "may_alias_internally": False} | facts
    return ArrayConstraint(dtype, ndim, stride_lower_bound_incl=least, **facts)


def fresh(dtype=ct.float32, ndim=1):
    """The signature that a launch derives from a new contiguous array whose extents are multiples of 16."""
    vector = max(1, 128 // dtype.bitwidth)
    return array(
        dtype,
        ndim,
        stride_constant=(None,) * (ndim - 1) + (1,),
        stride_divisible_by=(vector,) * (ndim - 1) + (1,),
        shape_divisible_by=16,
        base_addr_divisible_by=16,
    )


# Each expected symbol is what cuda.tile 1.7.0 makes of the same signature.
CASES = {
    "nothing": (V2, [], "f_Kt2"),
    "nothing, version 1": (V1, [], "f_Kt1"),
    "softmax": (
        V1,
        [fresh(ndim=2), fresh(ndim=2), 1024],
        "f_Kt1_A2f32_1v4l0_2t1_3i16_p16_A2f32_1v4l0_2t1_3i16_p16_I1024",
    ),
    "halves": (V1, [fresh(ct.bfloat16, 3)], "f_Kt1_A3bf16_3v8l0_4t1_7i16_p16"),
    "a matrix of which little is known": (V1, [array(ndim=2)], "f_Kt1_A2f32_3l0"),
    "no axes": (V2, [array(ndim=0)], "f_Kt2_A0f32"),
    "no axes, facts": (V2, [array(ndim=0, index_dtype=ct.int64, base_addr_divisible_by=8)], "f_Kt2_A0f32_p8w"),
    "all facts": (
        V2,
        [
            array(
                ndim=3,
                least=(5, None, None),
                stride_constant=(None, -4, 1),
                shape_constant=(1, None, 0),
                shape_divisible_by=(1, 32, 1),
                stride_divisible_by=(8, 2, 1),
                base_addr_divisible_by=12,
                may_alias_internally=True,
                index_dtype=ct.int64,
            )
        ],
        "f_Kt2_A3f32_1s1v8l5_2i32t_4_4s0t1_p12iw",
    ),
    "masks in hexadecimal": (
        V2,
        [array(ndim=5, least=-3, stride_divisible_by=(8, 8, 4, 4, 8), shape_divisible_by=16)],
        "f_Kt2_A5f32_cv4_13v8_1fi16l_3",
    ),
    "twelve axes": (V2, [array(ndim=12, stride_divisible_by=(8,) * 12)], "f_Kt2_A12f32_fffv8l0"),
    "aliases": (
        V2,
        [array(alias_groups=("y",)), array(alias_groups=("y", "x")), array(alias_groups=("x",))],
        "f_Kt2_A1f32_1l0_g0_A1f32_1l0_g0g1_A1f32_1l0_g1",
    ),
    "two arrays that may overlap": (
        V2,
        [
            array(ndim=2, stride_constant=(None, 1), alias_groups=("x",)),
            array(
                ndim=2,
                stride_constant=(64, 1),
                shape_constant=(None, 64),
                alias_groups=("x",),
                may_alias_internally=True,
            ),
            ScalarConstraint(ct.float32),
            16,
        ],
        "f_Kt2_A2f32_1l0_2t1_g0_A2f32_1t64_2s64t1_g0i_Sf32_I16",
    ),
    "a list": (V2, [ListConstraint(array(), alias_groups=(), elements_may_alias=False)], "f_Kt2_LA1f32_1l0"),
    "lists that may overlap": (
        V2,
        [ListConstraint(array(alias_groups=("q",)), alias_groups=("l",), elements_may_alias=True)] * 2,
        "f_Kt2_Lg0iA1f32_1l0_g1_Lg0iA1f32_1l0_g1",
    ),
    "tuples": (
        V2,
        [(1, 2.0, (True, ScalarConstraint(ct.int64))), TupleConstraint([]), array()],
        "f_Kt2_T3I1F4000000000000000T2B1Si64_T0_A1f32_1l0",
    ),
    "a tuple of arrays": (
        V2,
        [(array(ndim=2, base_addr_divisible_by=16), array(), 7)],
        "f_Kt2_T3A2f32_3l0_p16A1f32_1l0I7",
    ),
    "constants": (
        V1,
        [-5, 0, True, False, 2.5, float("nan"), float("-inf"), 1 << 80],
        "f_Kt1_I_5_I0_B1_B0_F4004000000000000_F7ff8000000000000_Ffff0000000000000_I1208925819614629174706176",
    ),
    **{
        name: (V2, [ScalarConstraint(getattr(ct, name)), array(getattr(ct, name))], f"f_Kt2_S{code}_A1{code}_1l0")
        for name, code in (pair.split(":") for pair in ALIKE.split())
    },
}


@pytest.mark.parametrize("convention, parameters, expected", CASES.values(), ids=CASES)
def test_symbols(convention, parameters, expected):
    assert mangle_kernel_name("f", KernelSignature(parameters, convention)) == expected


@pytest.mark.parametrize("convention, parameters, expected", CASES.values(), ids=CASES)
def test_symbols_say_everything(convention, parameters, expected):
    name, signature = demangle_kernel_name(expected)
    assert (name, signature.calling_convention, signature.symbol) == ("f", convention, expected)
    # Names of alias groups are not in a symbol.
    assert mangle_kernel_name("f", signature) == expected
    if "_g" not in expected and "Lg" not in expected:
        assert signature.parameters == KernelSignature(parameters, convention).parameters


def test_alias_groups_may_be_mentioned_in_any_order():
    members = [array(alias_groups=names) for names in (("b", "a"), ("a", "c"), ("c", "b"))]
    symbol = mangle_kernel_name("f", KernelSignature(members, V1))
    assert symbol == "f_Kt1_A1f32_1l0_g0g1_A1f32_1l0_g1g2_A1f32_1l0_g0g2"
    parameters = demangle_kernel_name(symbol)[1].parameters
    assert [p.alias_groups for p in parameters] == [("group0", "group1"), ("group1", "group2"), ("group0", "group2")]


def test_any_function_name_comes_back():
    for name in ("a_Kb", "größe", "_K", "f"):
        symbol = mangle_kernel_name(name, KernelSignature([1], V1))
        assert demangle_kernel_name(symbol)[0] == name


def test_a_dtype_without_code():
    with pytest.raises(ValueError, match=r"dtype float4_e2m1fn has no place in a symbol, expected one of bool_, "):
        mangle_kernel_name("f", KernelSignature([ScalarConstraint(ct.float4_e2m1fn)], V1))


BROKEN = {
    "foo": "'foo' is no mangled kernel name, expected _K and a signature in it",
    "f_K": "unknown calling convention code '', expected t1 or t2",
    "f_Kt3": "unknown calling convention code 't3', expected t1 or t2",
    "f_Kt1x": "unknown calling convention code 't1x'",
    "f_Kt1_": "has its end at offset 6, expected a parameter: one of S, A, L, T, B, I and F",
    "f_Kt1_Q": "has 'Q' at offset 6, expected a parameter",
    "f_Kt1_A": "has its end at offset 7, expected a number of axes",
    "f_Kt1_A1": "has its end at offset 8, expected a dtype",
    "f_Kt1_A1q": "has 'q' at offset 8, expected a dtype: one of b8, ",
    "f_Kt1_Sx_I1": "has 'x_I1' at offset 7, expected a dtype",
    "f_Kt1_A65f32": "has '65f32' at offset 7, expected at most 64 axes",
    "f_Kt1_A99999999999f32": "at offset 7, expected at most 64 axes",
    "f_Kt1_A1f32_0l0": "has '_0l0' at offset 11, expected a mask of the 1 axes",
    "f_Kt1_A1f32_2l0": "has '_2l0' at offset 11, expected a mask of the 1 axes",
    "f_Kt1_A1f32_1v1": "has '1' at offset 14, expected a divisor above 1",
    "f_Kt1_A1f32_1i_4": "has '_4' at offset 14, expected a divisor above 1",
    "f_Kt1_A1f32_1t1_1t1": "has 't1' at offset 17, expected each fact of axis 0 once",
    "f_Kt1_A1f32_1t2v2": "has 'v2' at offset 15, expected each fact of axis 0 once, and none that a constant implies",
    "f_Kt1_A1f32_g1": "has '1' at offset 13, expected alias groups in rising order, numbered by first mention",
    "f_Kt1_A1f32_g01": "has '1' at offset 14, expected an underscore",
    "f_Kt1_A1f32_g0": "alias group 'group0' has one member",
    "f_Kt1_B2": "has '2' at offset 7, expected 0 or 1",
    "f_Kt1_F12": "has '12' at offset 7, expected 16 hexadecimal digits",
    "f_Kt1_I-3": "has '-3' at offset 7, expected a decimal integer",
    "f_Kt1_I1x": "has 'x' at offset 8, expected an underscore",
    "f_Kt2_LSf32": "has 'Sf32' at offset 7, expected an array",
    "f_Kt2_T2I1": "has its end at offset 10, expected a parameter",
    "f_Kt1_T1I1": "a tuple cannot be passed by cutile_python_v1, expected cutile_python_v2 or later",
    "f_Kt1_A1f32_1s4": "an extent known at compile time cannot be passed by cutile_python_v1",
}


@pytest.mark.parametrize("symbol, message", BROKEN.items())
def test_broken_symbols(symbol, message):
    with pytest.raises(ValueError) as error:
        demangle_kernel_name(symbol)
    assert message in str(error.value)


def test_a_deep_symbol_is_an_error():
    with pytest.raises(ValueError, match="at most 100 tuples in one another"):
        demangle_kernel_name("f_Kt2_" + "T1" * 100_000 + "I1")


def test_deep_tuples_have_symbols():
    symbol = "f_Kt2_" + "T1" * 50 + "I1"
    parameter = demangle_kernel_name(symbol)[1].parameters[0]
    depth = 0
    while isinstance(parameter, TupleConstraint):
        parameter, depth = parameter.items[0], depth + 1
    assert depth == 50 and parameter == ConstantConstraint(1)


def test_the_symbols_are_those_of_cuda_tile():
    """The table above, from the reference itself."""
    reference = pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile (./dev test --peer)")
    compilation = sys.modules["cuda.tile"].compilation

    def translate(constraint):
        if isinstance(constraint, ScalarConstraint):
            return compilation.ScalarConstraint(getattr(reference, constraint.dtype.name))
        if isinstance(constraint, TupleConstraint):
            return compilation.TupleConstraint([translate(item) for item in constraint.items])
        if isinstance(constraint, ConstantConstraint):
            return compilation.ConstantConstraint(constraint.value)
        if isinstance(constraint, ListConstraint):
            return compilation.ListConstraint(
                translate(constraint.element),
                alias_groups=constraint.alias_groups,
                elements_may_alias=constraint.elements_may_alias,
            )
        facts = {name: getattr(constraint, name) for name in constraint.__dataclass_fields__}
        facts["dtype"] = getattr(reference, constraint.dtype.name)
        facts["index_dtype"] = getattr(reference, constraint.index_dtype.name)
        return compilation.ArrayConstraint(facts.pop("dtype"), facts.pop("ndim"), **facts)

    for convention, parameters, expected in CASES.values():
        ours = KernelSignature(parameters, convention)
        theirs = compilation.KernelSignature(
            [translate(constraint) for constraint in ours.parameters],
            compilation.CallingConvention.from_code(convention.code),
        )
        assert compilation.mangle_kernel_name("f", theirs) == expected
