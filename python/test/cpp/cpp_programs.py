# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels in CUDA Tile C++ over every function, type and rule, and programs that no compiler takes."""

import pathlib
import re

FOLDER = pathlib.Path(__file__).parent / "programs"
SIZE = 64  # of the arrays a, b and p
HEAD = "#include <cuda_tile.h>\nnamespace ct = cuda::tiles;\nusing namespace ct::literals;\n"

LOAD = "auto i = indices<16>(); auto x = ct::load(b + i); auto k = ct::load(p + i);"


def on_tiles(expression):
    return f"{LOAD} ct::store(a + i, ct::element_cast<float>({expression}));"


def on_rows(expression):
    return (
        "auto i = indices<4, 8>(); auto x = ct::load(b + i); auto k = ct::load(p + i);"
        f"auto r = ct::element_cast<float>({expression}); ct::store(a + i, ct::broadcast<ct::shape<4, 8>>(r));"
    )


FLOAT_EXPRESSIONS = [
    *("-x", "x + x", "x - 1.5f", "2.0f * x", "x / 3.0f", "x * x + x", "x * x - x", "x - x * x", "x + 1", "2 * x"),
    *(f"ct::{name}(x)" for name in ("abs", "ceil", "floor", "isnan", "isinf", "exp2", "tanh", "sin", "cos", "cosh")),
    *(f"ct::{name}(ct::abs(x) + 0.5f)" for name in ("log", "log2", "sqrt", "rsqrt")),
    *(f"x {operator} 0.5f" for operator in ("<", "<=", ">", ">=", "==", "!=")),
    *("ct::max(x, 0.0f)", "ct::min(x, 1.0f, ct::propagate_nan_t{})", "ct::fma(x, x, x)", "ct::pow(ct::abs(x), 2)"),
    *("ct::add(x, x, ct::round_toward_zero_t{})", "ct::sub(x, 1.0f)", "ct::mul(x, x, ct::round_toward_positive_t{})"),
    *("ct::div(x, 3.0f, ct::round_toward_negative_t{})", "ct::remainder(x, 0.75f)", "ct::atan2(x, x + 2.0f)"),
    *("ct::sqrt(ct::abs(x), ct::round_toward_zero_t{})", "ct::powi(x, 3)", "ct::exp(x)", "ct::select(x > 0, x, -x)"),
    *("x && k", "!(x < 0) || k == 1", "x > 0.0f && x < 1.0f", "clamp_to(x, x * 0 - 0.5f, x * 0 + 0.5f)"),
    *("ct::element_bitcast<int>(x) >> 23", "ct::element_bitcast<float>(ct::element_bitcast<int>(x) & 0x7fffffff)"),
    *("apply([](auto v) { return v * v; }, x)", "sum_of(x, x, 1.0f)", "Boxed<tile<float, 16>>{x}.value", "+x"),
]
INTEGER_EXPRESSIONS = [
    *("-k", "~k", "!k", "k + 3", "k - k", "k * 7", "k / 3", "k % 5", "k & 6", "k | 8", "k ^ 5", "k << 2", "k >> 1"),
    *("ct::ceildiv(k, 3)", "ct::floordiv(k, -3)", "ct::mulhi(k * 1000003, k * 998244353)", "ct::abs(k - 5)"),
    *("ct::max(k, 3)", "ct::min(k, i)", "ct::remainder(k, 4)", "k < i", "k == 3", "i != k", "k + true", "k > 2.5f"),
    *("ct::element_cast<unsigned>(k) / 3u", "ct::element_cast<unsigned char>(k) * ct::element_cast<unsigned char>(k)"),
    *("ct::element_cast<short>(k) - ct::element_cast<short>(i)", "ct::element_cast<long>(k) << 33 >> 32"),
    *("ct::element_cast<bool>(k)", "ct::element_cast<signed char>(k * 50)", "ct::select(k > 3, i, k)"),
]
CASTS = [
    f"ct::element_cast<float>(ct::element_cast<{kind}>(x))"
    for kind in ["double", "__half", "__nv_bfloat16", "__nv_tf32", "__nv_fp8_e4m3", "__nv_fp8_e5m2", "int", "long"]
]
ROW_EXPRESSIONS = [
    *(f"ct::{name}<{dim}>(x)" for name in ("sum", "reduce_max", "max_element", "partial_sum") for dim in (0, 1)),
    *("ct::prod(x, 1_ic)", "ct::reduce_min(x, 0_ic, ct::propagate_nan_t{})", "ct::min_element<1>(x)", "ct::sum<1>(k)"),
    *("ct::all_of<1>(x > -1.0f)", "ct::any_of(x > 1.0f, 0_ic)", "ct::reduce_bitand<1>(k)", "ct::reduce_bitor<0>(k)"),
    *("ct::reduce_bitxor<1>(k)", "ct::partial_prod(x, 1_ic, ct::scan_backward_t{})", "ct::reduce_max<1>(k)"),
    *("ct::sum(x, 1_ic, ct::round_toward_zero_t{})", "x - ct::reduce_max<1>(x)", "ct::exp(x) / ct::sum<1>(ct::exp(x))"),
    *("ct::reshape<ct::shape<4, 8>>(ct::transpose(x))", "ct::permute<ct::dimension_map<1, 0>>(ct::transpose(x))"),
    *("ct::cat<0>(ct::extract(x, ct::shape<2, 8>{}, 1, 0), ct::extract(x, ct::shape<2, 8>{}, 0, 0))",),
    *("ct::insert(x, ct::zeros<tile<float, 2, 4>>(), 1, n & 1)", "ct::reshape(k, ct::shape{4_ic, 8_ic})"),
    *("ct::matmul(x, ct::transpose(x)) * 0.1f * ct::ones<tile<float, 4, 4>>()",),
]
ROW_EXPRESSIONS.pop()  # its result is square

BODIES = {
    **{f"floats{number}": on_tiles(text) for number, text in enumerate(FLOAT_EXPRESSIONS + CASTS)},
    **{f"integers{number}": on_tiles(text) for number, text in enumerate(INTEGER_EXPRESSIONS)},
    **{f"rows{number}": on_rows(text) for number, text in enumerate(ROW_EXPRESSIONS)},
}


def kernels():
    """The whole program."""
    return (FOLDER / "kernels.cpp").read_text() + "".join(
        f"KERNEL({name}) {{ {body} }}\n" for name, body in BODIES.items()
    )


def names():
    return re.findall(r"^KERNEL\((\w+)\)", kernels(), re.MULTILINE)


def refused():
    """Programs that are refused, by name: the text, and where and why. Without a place (`-`) the error is in a header,
    and a note says where it comes from."""
    for section in (FOLDER / "refused.txt").read_text().split("//--- ")[1:]:
        name, reason, text = section.split("\n", 2)
        place, _, reason = reason.removeprefix("// ").partition(" ")
        yield name, text, place, reason
