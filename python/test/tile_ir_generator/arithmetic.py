# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the operations that compute element by element, of conversions and of matrix products."""

from cuda.tile._bytecode import (
    ComparisonOrdering,
    ComparisonPredicate,
    IntegerOverflow,
    Signedness,
)
from cuda.tile._bytecode import RoundingMode as Rounding

from .table import FLAG, IEEE, Row
from .types import ANY_FLOAT, ANY_INT, BITS, FLOATS, FP8, INTS, NUMBERS, V1, V2, V3, V4, E, Ptr, Tile

OVERFLOW = list(IntegerOverflow)
SIGNEDNESS = list(Signedness)
SHAPES = ((), (4, 2))
CONSTANTS = [e for e in NUMBERS if e != E.I4]
STORED_BITS = {E.TF32: 32}
SELECTED = [e for e in NUMBERS if e != E.F4E2M1FN]


def same(elements, *parameters):
    """All parameters are of one type."""
    return [dict.fromkeys(parameters, Tile(e, shape)) for e in elements for shape in SHAPES]


def f32_only(*values):
    """Values that only f32 has, after the one that every type has."""
    first, *rest = values
    return lambda signature: [first, *rest] if signature["result_type"].element == E.F32 else [first]


def f32_more(values, *rest):
    return lambda signature: [*values, *rest] if signature["result_type"].element == E.F32 else values


FTZ = f32_only(False, True)


def unary(op, elements, since=V1, **options):
    return Row(op, same(elements, "result_type", "source"), options, since)


def binary(op, elements, since=V1, lhs="lhs", rhs="rhs", **options):
    return Row(op, same(elements, "result_type", lhs, rhs), options, since)


def since_unless(default, version, parameter):
    return lambda name, value: version if name == parameter and value != default else V1


def elementwise():
    for op in ("AbsF", "NegF", "Ceil", "Floor", "Cos", "CosH", "Sin", "SinH", "Tan", "Log", "Log2"):
        yield unary(op, FLOATS)
    for op in ("Exp2", "Rsqrt"):
        yield unary(op, FLOATS, flush_to_zero=FTZ)
    for op, version in ("Exp", V3), ("TanH", V2):
        yield Row(
            op,
            same(FLOATS, "result_type", "source"),
            {"rounding_mode": f32_only(Rounding.FULL, Rounding.APPROX)},
            option_since=since_unless(Rounding.FULL, version, "rounding_mode"),
        )
    yield unary("Sqrt", FLOATS, rounding_mode=f32_more(IEEE, Rounding.APPROX), flush_to_zero=FTZ)
    for op in ("AddF", "SubF", "MulF"):
        yield binary(op, FLOATS, rounding_mode=IEEE, flush_to_zero=FTZ)
    yield binary("DivF", FLOATS, rounding_mode=f32_more(IEEE, Rounding.APPROX, Rounding.FULL), flush_to_zero=FTZ)
    yield Row(
        "Fma",
        same(FLOATS, "result_type", "lhs", "rhs", "acc"),
        {"rounding_mode": IEEE, "flush_to_zero": FTZ},
    )
    for op in ("MaxF", "MinF"):
        yield binary(op, FLOATS, propagate_nan=FLAG, flush_to_zero=FTZ)
    yield binary("RemF", FLOATS)
    yield binary("FPowF", FLOATS, lhs="source", rhs="exponent")
    yield binary("Atan2", FLOATS, V2, lhs="x", rhs="y")
    yield Row(
        "FPowI",
        [
            {"result_type": Tile(e, shape), "source": Tile(e, shape), "exponent": Tile(i, shape)}
            for e in FLOATS
            for i in (E.I1, E.I8, E.I16, E.I32)
            for shape in SHAPES
        ],
        since=V4,
    )
    yield Row(
        "CmpF",
        [compared(e, shape) for e in FLOATS for shape in SHAPES],
        {"comparison_predicate": list(ComparisonPredicate), "comparison_ordering": list(ComparisonOrdering)},
    )

    yield unary("AbsI", INTS)
    yield Row(
        "NegI",
        same(INTS, "result_type", "source"),
        {"overflow": [o for o in OVERFLOW if o != IntegerOverflow.NUW]},
        option_since=since_unless(IntegerOverflow.NONE, V2, "overflow"),
    )
    for op in ("AddI", "SubI", "MulI", "ShLI"):
        yield binary(op, INTS, overflow=OVERFLOW)
    for op in ("MaxI", "MinI", "RemI", "ShRI"):
        yield binary(op, INTS, signedness=SIGNEDNESS)
    for op in ("AndI", "OrI", "XOrI"):
        yield binary(op, INTS)
    yield binary("MulhiI", INTS, lhs="x", rhs="y")
    yield binary("DivI", INTS, signedness=[Signedness.Unsigned], rounding=[Rounding.ZERO, Rounding.POSITIVE_INF])
    yield binary("DivI", INTS, signedness=[Signedness.Signed], rounding=[Rounding.ZERO, *IEEE[2:]])
    yield Row(
        "CmpI",
        [compared(e, shape) for e in INTS for shape in SHAPES],
        {"comparison_predicate": list(ComparisonPredicate), "signedness": SIGNEDNESS},
    )
    yield Row(
        "Select",
        [
            {"result_type": t, "cond": Tile(E.I1, t.shape), "val_if_true": t, "val_if_false": t}
            for t in (*tiles(SELECTED), Tile(Ptr(E.F32)), Tile(Ptr(E.I8), (4, 2)))
        ],
    )


def compared(element, shape):
    operand = Tile(element, shape)
    return {"result_type": Tile(E.I1, shape), "lhs": operand, "rhs": operand}


def tiles(elements, shapes=SHAPES):
    """F4E2M1FN comes in pairs, so there is no scalar of it."""
    return [Tile(e, shape) for e in elements for shape in shapes if shape or e != E.F4E2M1FN]


# Smallest and largest exponent, digits.
RANGES = {
    E.F16: (-14, 15, 11),
    E.BF16: (-126, 127, 8),
    E.F32: (-126, 127, 24),
    E.TF32: (-126, 127, 11),
    E.F64: (-1022, 1023, 53),
    E.F8E4M3FN: (-6, 8, 4),
    E.F8E5M2: (-14, 15, 3),
    E.F8E8M0FNU: (-127, 127, 1),
    E.F4E2M1FN: (0, 2, 2),
    E.FNV8E5M3FNU: (-14, 16, 4),
}


def roundings(signature):
    """The rounding of `ftof` depends on both sides. A format widens if the other has its exponents and digits."""
    source, target = signature["from_"].element, signature["to_type"].element
    if target == E.F8E8M0FNU:
        return [Rounding.ZERO, Rounding.POSITIVE_INF]
    if target not in (*FLOATS, E.TF32):
        return [Rounding.NEAREST_EVEN]
    (low, high, digits), (to_low, to_high, to_digits) = RANGES[source], RANGES[target]
    if to_low <= low and high <= to_high and digits <= to_digits:
        return [*IEEE, Rounding.NEAREST_AWAY]
    if (source, target) == (E.F64, E.F32):
        return IEEE
    return IEEE[:2] + ([Rounding.NEAREST_AWAY] if (source, target) == (E.F32, E.TF32) else [])


def conversions():
    pairs = [(a, b, s) for a in ANY_INT for b in ANY_INT for s in SHAPES if BITS[a] < BITS[b]]
    yield Row("ExtI", [{"to_type": Tile(b, s), "from_": Tile(a, s)} for a, b, s in pairs], {"signedness": SIGNEDNESS})
    yield Row("TruncI", [{"to_type": Tile(a, s), "from_": Tile(b, s)} for a, b, s in pairs], {"overflow": OVERFLOW})
    yield Row(
        "FToF",
        [
            {"to_type": b, "from_": a}
            for a in tiles(ANY_FLOAT)
            for b in tiles(ANY_FLOAT)
            if a.shape == b.shape and a != b
        ],
        {"rounding_mode": roundings},
        option_since=lambda name, value: V4 if value == Rounding.NEAREST_AWAY else V1,
    )
    yield Row(
        "FToI",
        [{"to_type": Tile(b, a.shape), "from_": a} for a in tiles(ANY_FLOAT) for b in INTS],
        {"signedness": SIGNEDNESS, "rounding_mode": [Rounding.NEAREST_INT_TO_ZERO], "saturating": FLAG},
        option_since=since_unless(False, V4, "saturating"),
    )
    yield Row(
        "IToF",
        [{"to_type": b, "from_": Tile(a, b.shape)} for a in INTS for b in tiles(ANY_FLOAT) if b.element != E.F8E8M0FNU],
        {"signedness": SIGNEDNESS, "rounding_mode": [Rounding.NEAREST_EVEN]},
    )
    yield Row(
        "Bitcast",
        [
            {"result_type": b, "source": a}
            for a in tiles(CONSTANTS)
            for b in tiles(CONSTANTS)
            if a.shape == b.shape and BITS[a.element] == BITS[b.element]
        ],
    )
    for op, source, result in (
        ("IntToPtr", lambda s: Tile(E.I64, s), lambda s: Tile(Ptr(E.F16), s)),
        ("PtrToInt", lambda s: Tile(Ptr(E.F16), s), lambda s: Tile(E.I64, s)),
    ):
        yield Row(op, [{"result_type": result(s), "source": source(s)} for s in SHAPES])
    yield Row(
        "PtrToPtr",
        [
            {"result_type": Tile(Ptr(e), s), "source": Tile(Ptr(E.F32), s)}
            for e in NUMBERS
            for s in SHAPES
            if e != E.I4 and not (s and e == E.F4E2M1FN)
        ],
    )
    packed = [(Tile(e, (64,)), Tile(E.I8, (STORED_BITS.get(e, BITS[e]) * 8,))) for e in NUMBERS if BITS[e] != 8]
    yield Row("Pack", [{"result_type": bytes_, "source": tile} for tile, bytes_ in packed], since=V3)
    yield Row("Unpack", [{"result_type": tile, "source": bytes_} for tile, bytes_ in packed], since=V3)


def product(a, b, c, m=16, n=8, k=32, batch=()):
    acc = Tile(c, (*batch, m, n))
    return {"result_type": acc, "lhs": Tile(a, (*batch, m, k)), "rhs": Tile(b, (*batch, k, n)), "acc": acc}


def scaled(a, scale, block, m=16, n=8, k=64, batch=()):
    scales = {
        "lhs_scale": Tile(scale, (*batch, m, k // block)),
        "rhs_scale": Tile(scale, (*batch, k // block, n)),
    }
    return product(a, a, E.F32, m, n, k, batch) | scales


def products():
    float_pairs = [(E.F16, E.F16), (E.F16, E.F32), (E.BF16, E.F32), (E.F32, E.F32), (E.TF32, E.F32), (E.F64, E.F64)]
    float_pairs += [(a, c) for a in FP8 for c in (E.F16, E.F32)]
    batches = ((), (2,))
    yield Row(
        "MmaF",
        [product(a, a, c, batch=b) for a, c in float_pairs for b in batches],
        {"fast_acc": FLAG},
        option_since=since_unless(False, V3, "fast_acc"),
    )
    yield Row(
        "MmaI",
        [product(E.I8, E.I8, E.I32, batch=b) for b in batches],
        {"signedness_lhs": SIGNEDNESS, "signedness_rhs": SIGNEDNESS},
    )
    blocks = [(a, E.F8E8M0FNU, 32) for a in (*FP8, E.F4E2M1FN)] + [(E.F4E2M1FN, E.F8E8M0FNU, 16)]
    blocks += [(E.F4E2M1FN, E.F8E4M3FN, 16), (E.F4E2M1FN, E.FNV8E5M3FNU, 16), (E.F4E2M1FN, E.FNV8E5M3FNU, 32)]
    yield Row("MmaFScaled", [scaled(*block, batch=b) for block in blocks for b in batches], since=V3)


def rows():
    yield from elementwise()
    yield from conversions()
    yield from products()
