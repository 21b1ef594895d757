# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which expressions of CUDA Tile C++ are valid for which types: a table of expressions times a table of types.

Each line of the program is a static assertion that the expression is valid, so that one run of a compiler says so of
thousands."""

import itertools

HEAD = "#include <cuda_tile.h>\nnamespace ct = cuda::tiles;\nusing namespace ct::literals;\n"
TOOLKIT = "".join(f"#include <cuda_{name}.h>\n" for name in ("fp16", "bf16", "fp8", "fp4", "tf32"))

INTEGERS = ["bool", "char", "unsigned char", "short", "int", "unsigned", "long", "unsigned long"]
FLOATS = ["float", "double", "__half", "__nv_bfloat16"]
RESTRICTED = [f"__nv_{name}" for name in ("tf32", "fp8_e4m3", "fp8_e5m2", "fp8_e8m0", "fp8_ue5m3", "fp4_e2m1")]
POINTERS = ["float *", "const int *", "void *"]
ELEMENTS = INTEGERS + FLOATS + RESTRICTED + POINTERS


def tile(element, extents="4"):
    return f"ct::tile<{element}, ct::shape<{extents}>>"


TILES = [tile(element) for element in ELEMENTS]
OF_ONE = TILES + ELEMENTS
LEFT = [*TILES, "bool", "int", "float", tile("float", "2, 4"), tile("float *", "2, 4"), tile("int", "1")]
RIGHT = [
    *TILES,
    "bool",
    "int",
    "unsigned",
    "float",
    "double",
    "__half",
    "__nv_fp8_e4m3",
    "float *",
    tile("float", "2, 4"),
    tile("float", "8"),
    tile("float *", ""),
    tile("float", ""),
]

DIRECTED = ["round_ties_to_even", "round_toward_zero", "round_toward_negative", "round_toward_positive"]
ROUNDINGS = [f"ct::{name}_t{{}}" for name in [*DIRECTED, "round_approximate", "round_full", "round_ties_to_away"]]
FLUSH, KEEP = "ct::round_subnormals_to_zero_t{}", "ct::preserve_subnormals_t{}"
NANS = ["ct::suppress_nan_t{}", "ct::propagate_nan_t{}"]
RELAXED, DEVICE = "ct::memory_order_relaxed_t{}", "ct::thread_scope_device_t{}"


def with_modifiers(call, modifiers):
    return [call.replace(")", f", {modifier})") for modifier in modifiers]


UNARY = [
    *("+a", "-a", "~a", "!a", "ct::abs(a)", "ct::isnan(a)", "ct::isinf(a)"),
    *(f"ct::{name}(a)" for name in "ceil floor sin cos tan sinh cosh log log2 exp tanh exp2 rsqrt sqrt".split()),
    *with_modifiers("ct::exp(a)", ROUNDINGS),
    *with_modifiers("ct::tanh(a)", ROUNDINGS),
    *with_modifiers("ct::sqrt(a)", [*ROUNDINGS, f"ct::round_ties_to_even_t{{}}, {FLUSH}"]),
    *(f"ct::{name}(a, {modifier})" for name in ("exp2", "rsqrt") for modifier in (FLUSH, KEEP)),
    "ct::exp<ct::rounding_mode::round_approximate>(a)",
    "ct::rsqrt<ct::subnormals_rounding_mode::round_subnormals_to_zero>(a)",
    *(f"ct::element_bitcast<{to}>(a)" for to in ("int", "__half", "double", "unsigned char", "bool")),
    *(f"ct::{name}<0>(a)" for name in "sum prod reduce_max reduce_min max_element min_element all_of any_of".split()),
    *(f"ct::reduce_bit{name}<0>(a)" for name in ("and", "or", "xor")),
    *(f"ct::{name}(a, 0_ic)" for name in ("sum", "min_element", "any_of", "reduce_bitor", "partial_sum")),
    *with_modifiers("ct::sum(a, 0_ic)", [*ROUNDINGS, f"ct::round_toward_zero_t{{}}, {FLUSH}"]),
    *with_modifiers("ct::reduce_max(a, 0_ic)", [*NANS, f"ct::propagate_nan_t{{}}, {FLUSH}"]),
    *("ct::sum<1>(a)", "ct::sum<0>(a, ct::round_toward_zero_t{})", "ct::partial_prod<0>(a)"),
    *("ct::partial_prod(a, 0_ic, ct::scan_backward_t{})", "ct::partial_sum<0, ct::scan_direction::backward>(a)"),
    "ct::partial_sum<0>(a, ct::scan_backward_t{})",
    "ct::partial_sum(a, 0_ic, ct::round_toward_zero_t{}, ct::scan_backward_t{})",
    f"ct::partial_sum(a, 0_ic, ct::round_toward_zero_t{{}}, {KEEP}, ct::scan_backward_t{{}})",
    *("ct::zeros<T>()", "ct::ones<T>()", "ct::iota<T>()"),
    *(f"ct::full<T>({value})" for value in ("1", "1.5", "nullptr", "true")),
    *("ct::load(a)", "*a", "ct::select(a, 1, 2)", "ct::select(true, a, a)", "ct::select(true, a, 1)"),
    *("ct::reshape<ct::shape<2, 2>>(a)", "ct::reshape(a, ct::shape<8>{})", "ct::broadcast<ct::shape<8, 4>>(a)"),
    *("ct::cat<0>(a, a)", "ct::cat<1>(a, a)", "ct::permute(a, ct::dimension_map<0>{})"),
    *("ct::extract(a, ct::shape<2>{}, 1)", "ct::extract(a, ct::shape<8>{}, 1)"),
    "ct::insert(a, ct::extract(a, ct::shape<2>{}, 1), 0)",
    *(f"ct::repack<{to}, 0>(a)" for to in ("unsigned char", "int", "double", "__nv_fp4_e2m1", "bool")),
    *("ct::assume_aligned<16>(a)", "ct::assume_aligned<12>(a)", "ct::assume_aligned(a, 16_ic)"),
    *("ct::assume_divisible<16>(a)", "ct::assume_divisible<12>(a)", "ct::assume_bounded<0, 5>(a)"),
    *("ct::assume_bounded<5, 0>(a)", "ct::assume_bounded_below<0>(a)", "ct::assume_bounded_above<5>(a)"),
    *("ct::assume_blocked<ct::shape<2>>(a)", "ct::assume_divisible_strided<8, 2, 0>(a)"),
    "ct::assume_aligned_strided<16, 2, 0>(a)",
    *(f"ct::atomic_load<ct::memory_order::{order}>(a)" for order in ("relaxed", "acquire", "release", "acq_rel")),
    *(f"ct::atomic_store<ct::memory_order::{order}>(a, ct::load(a))" for order in ("relaxed", "acquire", "release")),
    f"ct::atomic_load(a, {RELAXED}, {DEVICE})",
    "ct::atomic_load_masked<ct::memory_order::relaxed>(a, true)",
    f"ct::atomic_load_masked(a, true, ct::load(a), {RELAXED})",
    f"ct::atomic_store_masked(a, ct::load(a), true, {RELAXED}, {DEVICE})",
    *(f"ct::atomic_{name}(a, ct::load(a), {RELAXED})" for name in "add sub and or xor max min xchg".split()),
    f"ct::atomic_add(a, ct::load(a), {DEVICE})",
    *("ct::atomic_add(a, ct::load(a))", f"ct::atomic_add_masked(a, ct::load(a), true, {RELAXED})"),
    f"ct::atomic_compare_exchange(a, ct::load(a), ct::load(a), {RELAXED})",
    *(f"static_cast<{to}>(a)" for to in ("bool", "int", "float", "__half")),
]

OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", "&&", "||"]
BINARY = [
    *(f"a {operator} b" for operator in OPERATORS),
    *(f"ct::{name}(a, b)" for name in "add div max remainder ceildiv floordiv mulhi pow powi atan2".split()),
    *(f"ct::add(a, b, {rounding})" for rounding in ROUNDINGS[1:5:3]),
    *(f"ct::div(a, b, {rounding})" for rounding in ROUNDINGS[4:6]),
    f"ct::mul(a, b, ct::round_toward_zero_t{{}}, {FLUSH})",
    f"ct::min(a, b, ct::propagate_nan_t{{}}, {FLUSH})",
    *("ct::fma(a, b, b)", "ct::fma(a, a, b)", "ct::fma(b, a, b, ct::round_toward_zero_t{})"),
    *("ct::select(true, a, b)", "ct::select(a, b, b)", "T(b)", "a = b", "a += b", "ct::full<T>(b)"),
    "ct::element_cast<ct::tile_element_t<U>>(a)",
    *(f"ct::element_cast<ct::tile_element_t<U>>(a, {rounding})" for rounding in ROUNDINGS),
    "ct::element_cast<ct::tile_element_t<U>>(a, ct::saturate_finite_t{})",
    *("ct::store(a, b)", "ct::store_masked(a, b, true)", "ct::load_masked(a, true, b)", "ct::load_masked(a, b)"),
    "ct::insert(a, b, 0)",
]

VIEW_SPAN = "ct::tensor_span<{}, ct::extents<unsigned, ct::dynamic_extent>>"
VIEWS = [f"ct::partition_view<{VIEW_SPAN.format(element)}, ct::shape<8>>" for element in [*ELEMENTS, "const float"]]
TILE_OF_VIEW = "typename T::view_tile_type{}"
PADDINGS = ["zero", "negative_zero", "positive_inf", "negative_inf", "nan"]
OF_VIEWS = [
    *("a.load(0)", "a.load(0.5f)", "a.load(ct::tile<int, ct::shape<>>{})", "a.load(0, 0)", "a.load_masked(0)"),
    *(f"a.load_masked(ct::view_padding_{padding}_t{{}}, 0)" for padding in PADDINGS),
    "a.template load_masked<ct::view_padding::zero>(0)",
    *(f"a.{name}({TILE_OF_VIEW}, 0)" for name in ("store", "store_masked")),
    *("a.store(1.f, 0)", "a.store(ct::tile<short, ct::shape<8>>{}, 0)"),
    *(f"a.atomic_load({RELAXED}, 0)", f"a.atomic_load({RELAXED}, {DEVICE}, 0)"),
    "a.template atomic_load<ct::memory_order::acquire>(0)",
    "a.template atomic_load<ct::memory_order::release>(0)",
    f"a.atomic_load_masked({RELAXED}, 0)",
    f"a.atomic_load_masked(ct::view_padding_nan_t{{}}, {RELAXED}, {DEVICE}, 0)",
    "a.template atomic_load_masked<ct::view_padding::zero, ct::memory_order::relaxed>(0)",
    f"a.atomic_store({TILE_OF_VIEW}, {RELAXED}, 0)",
    f"a.template atomic_store_masked<ct::memory_order::release>({TILE_OF_VIEW}, 0)",
    *(f"a.atomic_{name}({TILE_OF_VIEW}, {RELAXED}, {DEVICE}, 0)" for name in "add sub and max_masked xchg".split()),
    f"a.atomic_add({TILE_OF_VIEW}, {RELAXED}, 0)",
    f"a.atomic_add({TILE_OF_VIEW}, {RELAXED}, ct::thread_scope_system_t{{}}, 0)",
    f"a.atomic_add({TILE_OF_VIEW}, ct::memory_order_acquire_t{{}}, {DEVICE}, 0)",
]


def same_of_plain_scalars(expression, *types):
    """Rules of the language and the toolkit, not of the library: conversions of classes, and pointers."""
    return not any(type.startswith("ct::") for type in types) and "ct::" not in expression


def rules():
    """(line, (expression, types)) of a program; the second is None for lines that assert nothing."""
    number = 0
    for parameters, expressions, choices in (
        ("T a", UNARY, [OF_ONE]),
        ("T a", OF_VIEWS, [VIEWS]),
        ("T a, U b", BINARY, [LEFT, RIGHT]),
    ):
        names = ", ".join(f"class {part.split()[0]}" for part in parameters.split(", "))
        for expression in expressions:
            number += 1
            yield f"template <{names}> concept c{number} = requires({parameters}) {{ {expression}; }};", None
            for types in itertools.product(*choices):
                if not same_of_plain_scalars(expression, *types):
                    yield f"static_assert(c{number}<{', '.join(types)}>);", (expression, types)
