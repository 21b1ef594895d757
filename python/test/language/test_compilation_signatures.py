# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints and signatures: accepted values, and their effect on Tile IR."""

import re
from typing import Annotated

import numpy as np
import pytest
import tilewright as ct
from tilewright._frontend.compile import compile_entries
from tilewright.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ListConstraint,
    ScalarConstraint,
    TupleConstraint,
)
from tilewright.compilation.specs import signature_of_constraints

V1, V2 = CallingConvention.cutile_python_v1(), CallingConvention.cutile_python_v2()


def array(ndim=2, dtype=ct.float32, **facts):
    facts = {
        "index_dtype": ct.int32,
        "stride_lower_bound_incl": 0,
        "alias_groups": (),
        "may_alias_internally": False,
    } | facts
    return ArrayConstraint(dtype, ndim, **facts)


def text_of(kernel, *parameters, convention=V2):
    specs = signature_of_constraints(kernel, KernelSignature(parameters, convention))
    return compile_entries(kernel, {"entry": specs}, {})[0].text()


@ct.kernel
def copy_twice(a, b):
    for i in ct.static_iter((0, 1)):
        ct.store(b, (i, 0), ct.load(a, (i, 0), (16, 16)))


# ---- constraints

MISTAKES = {
    "dtype is 'f32', expected a dtype such as tilewright.float32": lambda: array(dtype="f32"),
    "ndim is 1.0, expected an integer": lambda: array(1.0),
    "ndim is True, expected an integer": lambda: array(True),
    "ndim is -1, expected no negative number of axes": lambda: array(-1),
    "index_dtype is int16, expected int32 or int64": lambda: array(index_dtype=ct.int16),
    "stride_constant has 1 entries, expected one per axis: 2": lambda: array(stride_constant=(1,)),
    "stride_constant[1] is 'x', expected an integer or None": lambda: array(stride_constant=(1, "x")),
    "shape_constant[0] is -1, expected no negative extent": lambda: array(shape_constant=(-1, None)),
    "shape_constant[0] is True, expected an integer or None": lambda: array(shape_constant=(True, None)),
    "stride_divisible_by[0] is 0, expected at least 1": lambda: array(stride_divisible_by=0),
    "shape_divisible_by[1] is 'x', expected an integer": lambda: array(shape_divisible_by=(1, "x")),
    "base_addr_divisible_by is 0, expected at least 1": lambda: array(base_addr_divisible_by=0),
    "base_addr_divisible_by is 1.5, expected an integer": lambda: array(base_addr_divisible_by=1.5),
    "alias_groups is the string 'abc', expected a sequence of names": lambda: array(alias_groups="abc"),
    "alias_groups[0] is 1, expected a string": lambda: array(alias_groups=(1,)),
    "alias_groups has 'a' twice, expected each name once": lambda: array(alias_groups=("a", "a")),
    "stride_constant[0] is 3, which is less than stride_lower_bound_incl[0], 4": lambda: array(
        stride_constant=(3, None), stride_lower_bound_incl=4
    ),
    "stride_constant[0] is 3, which is not divisible by stride_divisible_by[0], 2": lambda: array(
        stride_constant=(3, None), stride_divisible_by=2
    ),
    "shape_constant[1] is 3, which is not divisible by shape_divisible_by[1], 2": lambda: array(
        shape_constant=(None, 3), shape_divisible_by=2
    ),
    "dtype is 'x', expected a dtype": lambda: ScalarConstraint("x"),
    "the element of a list is ScalarConstraint(dtype=<DType 'int32'>), expected an Array": lambda: ListConstraint(
        ScalarConstraint(ct.int32), alias_groups=(), elements_may_alias=False
    ),
    "a constant is 'abc', expected a bool, int or float": lambda: ConstantConstraint("abc"),
    "a constant is None, expected a bool, int or float": lambda: ConstantConstraint(None),
    "'abc' is no constraint, expected one of tilewright.compilation, a number or a tuple": lambda: KernelSignature(
        ["abc"], V1
    ),
    "[1] is no constraint": lambda: TupleConstraint([[1]]),
    "symbol is 4, expected a string or None": lambda: KernelSignature([], V1).with_symbol(4),
    "calling_convention is 'v1', expected one such as CallingConvention.cutile_python_v1()": lambda: KernelSignature(
        [], "v1"
    ),
    "unknown calling convention code 'cutile_python_v1', expected t1 or t2": lambda: CallingConvention.from_code(
        "cutile_python_v1"
    ),
    "the code of a calling convention is 1, expected a string": lambda: CallingConvention.from_code(1),
    "alias group 'a' has one member, expected two or more": lambda: KernelSignature([array(alias_groups=("a",))], V1),
    "alias group 'a' has arrays and lists in it, expected one kind": lambda: KernelSignature(
        [
            array(alias_groups=("a",)),
            ListConstraint(array(), alias_groups=("a",), elements_may_alias=False),
        ],
        V1,
    ),
    "a tuple cannot be passed by cutile_python_v1, expected cutile_python_v2 or later": lambda: KernelSignature(
        [(1,)], V1
    ),
    "an extent known at compile time cannot be passed by cutile_python_v1": lambda: KernelSignature(
        [array(shape_constant=(1, None))], V1
    ),
}


@pytest.mark.parametrize("message, make", MISTAKES.items(), ids=range(len(MISTAKES)))
def test_mistakes(message, make):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert message in str(error.value)


def test_one_value_stands_for_all_axes_and_redundant_facts_go():
    facts = array(
        stride_constant=(None, 1), stride_divisible_by=4 // 4, shape_divisible_by=16, shape_constant=(64, None)
    )
    assert facts.stride_lower_bound_incl == (0, None)
    assert facts.shape_divisible_by == (1, 16)
    assert facts.stride_divisible_by == (1, 1)
    assert facts == array(
        stride_constant=(None, 1),
        stride_lower_bound_incl=(0, None),
        shape_divisible_by=(1, 16),
        shape_constant=(64, None),
    )
    assert hash(facts) == hash(facts)
    assert array(dtype=np.float32).dtype is ct.float32


def test_constants_are_told_apart_by_type_and_bits():
    nan = float("nan")
    values = [1, True, 1.0, 0.0, -0.0, nan]
    constants = [ConstantConstraint(value) for value in values]
    assert len(set(constants)) == 6
    assert constants[-1] == ConstantConstraint(nan)
    assert type(ConstantConstraint(np.float64(2)).value) is float


def test_plain_values_are_constraints():
    signature = KernelSignature([1, (2.0, array())], V2, "name")
    assert signature.parameters == (ConstantConstraint(1), TupleConstraint([ConstantConstraint(2.0), array()]))
    assert signature.symbol == "name" and signature.with_symbol(None).symbol is None
    assert signature.with_mangled_symbol("f").symbol == "f_Kt2_I1_T2F4000000000000000A2f32_3l0"


def test_calling_conventions():
    assert (V1.name, V1.code, V1.version) == ("cutile_python_v1", "t1", 1)
    assert CallingConvention.from_code("t2") == V2 != V1
    assert repr(V2) == "CallingConvention('cutile_python_v2', 't2')"


# ---- what reaches Tile IR


def test_divisors_become_assumptions():
    text = text_of(
        copy_twice,
        array(
            stride_divisible_by=(12, 1),
            shape_divisible_by=(16, 1),
            base_addr_divisible_by=48,
            stride_constant=(None, 1),
        ),
        array(base_addr_divisible_by=1 << 20),
    )
    # Powers of two, at most 1024; extents and strides are not negative.
    assert "%assume = assume div_by<16>, %arg0 : tile<ptr<f32>>" in text
    assert re.search(r"assume bounded<0, \?>, %arg1 .*\n.*assume div_by<16>, %assume", text)
    assert re.search(r"assume bounded<0, \?>, %arg3 .*\n.*assume div_by<4>, %assume", text)
    assert "assume div_by<1024>, %arg5" in text
    assert text.count("div_by") == 4


def test_known_extents_and_strides_are_in_the_view_and_stay_parameters():
    text = text_of(copy_twice, array(stride_constant=(64, 1), shape_constant=(None, 64)), array())
    assert "tensor_view<?x64xf32, strides=[64,1]>" in text
    assert text.count("%arg9: tile<i32>") == 1 and "%arg10" not in text
    for unread in ("%arg2", "%arg3", "%arg4"):
        assert text.count(f"{unread}:") == text.count(unread) == 1


def test_index_dtypes():
    text = text_of(copy_twice, array(index_dtype=ct.int64), array())
    assert "%arg1: tile<i64>, %arg2: tile<i64>, %arg3: tile<i64>, %arg4: tile<i64>, %arg5: tile<ptr<f32>>" in text


def tokens_of_loads(text):
    """The token of each load, and the results of the stores."""
    return re.findall(r"load_view_tko.*token = (%\w+)", text), re.findall(r"(%\w+) = store_view_tko", text)


def test_arrays_are_ordered_only_where_they_may_alias():
    apart, _ = tokens_of_loads(text_of(copy_twice, array(), array()))
    assert len(set(apart)) == 1  # the second load does not wait for the first store
    shared = {"alias_groups": ("x",)}
    loads, stores = tokens_of_loads(text_of(copy_twice, array(**shared), array(**shared)))
    assert loads[1] == stores[0]
    groups = [array(alias_groups=("x", "y")), array(alias_groups=("y", "z")), array(alias_groups=("x", "z"))]

    @ct.kernel
    def in_turn(a, b, c):
        ct.store(b, (0, 0), ct.zeros((16, 16), ct.float32))
        ct.store(c, (0, 0), ct.load(a, (0, 0), (16, 16)))

    loads, stores = tokens_of_loads(text_of(in_turn, *groups))
    assert loads == [stores[0]]
    loads, stores = tokens_of_loads(text_of(in_turn, groups[0], array(), array(alias_groups=("x", "y"))))
    assert loads != [stores[0]]


def test_chains_of_groups_pass_through_loops_and_branches():
    @ct.kernel
    def kernel(a, b, n: int):
        for i in range(n):
            ct.store(b, (i, 0), ct.zeros((16, 16), ct.float32))
            if i > 3:
                ct.store(a, (0, 0), ct.load(a, (i, 0), (16, 16)))

    shared = {"alias_groups": ("x",)}
    text = text_of(kernel, array(**shared), array(**shared), ScalarConstraint(ct.int32))
    loads, stores = tokens_of_loads(text)
    assert loads == [stores[0]]


def test_annotations_and_constraints_must_agree():
    @ct.kernel
    def kernel(
        a: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(-1,), static_stride_dims=(0,))],
        n: ct.ScalarInt64,
        T: ct.Constant[int],
        pair: tuple[ct.Constant[int], float],
    ):
        pass

    good = (
        array(shape_constant=(None, 8), stride_constant=(8, None)),
        ScalarConstraint(ct.int64),
        16,
        (1, ScalarConstraint(ct.float32)),
    )
    text_of(kernel, *good)

    def fails(position, constraint, message):
        parameters = [*good[:position], constraint, *good[position + 1 :]]
        with pytest.raises(TypeError) as error:
            text_of(kernel, *parameters)
        assert str(error.value) == message

    fails(
        0,
        array(stride_constant=(8, None)),
        "parameter 'a' is annotated with axis -1 in static_shape_dims, expected its value in shape_constant",
    )
    fails(
        0,
        array(shape_constant=(None, 8)),
        "parameter 'a' is annotated with axis 0 in static_stride_dims, expected its value in stride_constant",
    )
    fails(0, array(0), "static_shape_dims of parameter 'a' has axis -1, found an array of 0 axes")
    fails(
        0,
        array(stride_lower_bound_incl=(None, 0)),
        "stride 0 of parameter 'a' may be negative, which is not supported; say stride_lower_bound_incl=0",
    )
    fails(1, ScalarConstraint(ct.int32), "parameter 'n' is annotated int64, found a scalar of int32")
    fails(1, array(), "parameter 'n' is annotated as a scalar, found ArrayConstraint")
    fails(
        2,
        ScalarConstraint(ct.int32),
        "parameter 'T' is annotated Constant, found ScalarConstraint, expected a ConstantConstraint",
    )
    fails(3, (1,), "parameter 'pair' has 1 items, expected 2 as annotated")
    fails(3, 1, "parameter 'pair' is annotated as a tuple, found ConstantConstraint")
    fails(
        3,
        (ScalarConstraint(ct.int32), 1.0),
        "item 0 of parameter 'pair' is annotated Constant, found ScalarConstraint, expected a ConstantConstraint",
    )
    with pytest.raises(TypeError, match=r"the signature has 1 parameters, expected 4: a, n, T, pair"):
        text_of(kernel, 1)


# ---- from arguments


def test_a_signature_from_arguments():
    @ct.kernel
    def kernel(a, b: ct.IndexedWithInt64, n: int, x: float, T: ct.Constant[int], pair):
        pass

    memory = np.zeros(64 * 48 + 4, np.float32)
    start = -memory.ctypes.data % 16 // 4
    a, b = memory[start : start + 64 * 48].reshape(64, 48), np.zeros((3, 7), np.float16)[:, ::2]
    signature = KernelSignature.from_kernel_args(kernel, (a, b, 3, 2.5, 16, (True, a)), V2)
    first, second, n, x, constant, pair = signature.parameters
    assert first == array(
        stride_constant=(None, 1), stride_divisible_by=(4, 1), shape_divisible_by=16, base_addr_divisible_by=16
    )
    assert (second.index_dtype, second.stride_constant, second.shape_divisible_by) == (ct.int64, (None, None), (1, 1))
    assert (n, x, constant) == (ScalarConstraint(ct.int32), ScalarConstraint(ct.float32), ConstantConstraint(16))
    assert pair == TupleConstraint([ScalarConstraint(ct.bool_), first])
    assert signature.symbol.startswith("kernel_Kt2_A2f32_1v4l0_2t1_3i16_p16_A2f16_")
    named = KernelSignature.from_kernel_args(kernel, (a, b, 3, 2.5, 16, 1), V1, symbol="mine")
    assert named.symbol == "mine"
    with pytest.raises(TypeError, match="parameter 'pair': a constant is 'text', expected a bool, int or float"):
        KernelSignature.from_kernel_args(kernel, (a, b, 3, 2.5, 16, "text"), V2)


def test_static_annotations_fix_extents_and_strides_of_launches():
    @ct.kernel
    def kernel(a: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(-1,), static_stride_dims=(0,))]):
        ct.static_assert(a.shape[1] == 8 and a.strides[0] in (8, 16))
        ct.store(a, (0, 0), ct.full((1, 8), a.strides[0], ct.float32))

    small, padded = np.zeros((3, 8), np.float32), np.zeros((3, 16), np.float32)[:, :8]
    for memory in (small, padded):
        ct.launch(None, (1,), kernel, (memory,))
        np.testing.assert_array_equal(memory[0], np.full(8, memory.strides[0] / 4))
    signature = KernelSignature.from_kernel_args(kernel, (padded,), V2)
    assert signature.parameters[0].shape_constant == (None, 8)
    assert signature.parameters[0].stride_constant == (16, 1)
    with pytest.raises(TypeError, match="argument 'a' has 0 axes, but its annotation fixes axis -1"):
        ct.launch(None, (1,), kernel, (np.zeros((), np.float32)[...],))


def test_extents_of_one_are_known_in_version_2():
    def kernel(a):
        pass

    memory = np.zeros((8, 1, 16), np.float32)
    for convention, shape in ((V1, (None, None, None)), (V2, (None, 1, None))):
        [constraint] = KernelSignature.from_kernel_args(ct.kernel(kernel), (memory,), convention).parameters
        assert constraint.shape_constant == shape


# The answers of cuda.tile 1.7.0 for arrays with these extents and strides.
INTERNAL_ALIASES = {
    ((16, 32), (32, 1)): False,
    ((16, 32), (0, 1)): True,
    ((16, 32), (1, 0)): True,
    ((1, 32), (0, 1)): True,
    ((3,), (0,)): True,
    ((4, 3), (1, 1)): True,
    ((4, 3), (2, 1)): True,
    ((4, 2), (2, 1)): False,
    ((2, 2), (3, 2)): True,
    ((1, 32), (5, 1)): True,
    ((32, 1), (1, 1)): False,
    ((2, 3, 4), (1, 2, 6)): False,
    ((2, 3, 4), (1, 2, 5)): True,
    ((2, 1, 4), (4, 1, 1)): False,
    ((3, 1, 4), (1, 2, 3)): True,
    ((0, 4), (1, 1)): False,
    ((4, 0), (0, 0)): True,
    ((), ()): False,
}


@pytest.mark.parametrize("shape, strides", INTERNAL_ALIASES)
def test_arrays_that_may_overlap_themselves(shape, strides):
    def kernel(a):
        pass

    memory = np.lib.stride_tricks.as_strided(np.zeros(1024, np.float32), shape, [4 * stride for stride in strides])
    expected = INTERNAL_ALIASES[shape, strides]
    signature = KernelSignature.from_kernel_args(ct.kernel(kernel), (memory,), V2)
    assert signature.parameters[0].may_alias_internally == expected
    assert signature.symbol.endswith("i") == expected
    if memory.size and memory.ndim:
        plain = np.zeros_like(memory)
        for arrays in ([plain, memory], [memory, plain]):
            [constraint] = KernelSignature.from_kernel_args(ct.kernel(kernel), (arrays,), V2).parameters
            assert constraint.element.may_alias_internally == expected
            assert constraint.elements_may_alias


def test_extents_of_one_are_specializations():
    @ct.kernel
    def kernel(a, out):
        ct.store(out, (0,), a.shape[0] * 10 + a.shape[1])

    def launch(*shape):
        out = np.zeros(2, np.int32)
        ct.launch(None, (1,), kernel, (np.zeros(shape, np.float32), out))
        assert out[0] == shape[0] * 10 + shape[1]
        return kernel._launcher.num_specializations

    assert launch(3, 5) == launch(5, 3) == launch(2, 7) == 1
    assert launch(1, 5) == launch(1, 7) == 2
    assert launch(5, 1) == launch(3, 1) == 3
    assert launch(1, 1) == 4
