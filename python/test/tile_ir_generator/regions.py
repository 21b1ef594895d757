# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations with regions: loops, conditions, reductions and scans."""

from itertools import product

from cuda.tile._bytecode import Float, Integer, IntegerOverflow
from cuda.tile._bytecode import RoundingMode as Rounding

from .arithmetic import CONSTANTS
from .table import FLAG, Built
from .types import BITS, BOOL, FLOATS, I32, INTS, TOKEN, V1, V2, E, Ptr, Tile, show

F32 = Tile(E.F32)
# The carried values of loops and the results of conditions.
CARRIED = {
    "nothing": (),
    "one": (F32,),
    "mixed": (I32, Tile(E.F16, (4, 2)), TOKEN, Tile(Ptr(E.F32))),
}


def build_for(body, index, carried, unsigned, fill=None):
    bounds = {name: body.value(index, n) for n, name in enumerate(("lowerBound", "upperBound", "step"))}
    inits = [body.value(type) for type in carried]
    nested = body.op("For", result_types=carried, initValues=inits, unsignedCmp=unsigned, **bounds)
    with body.block(nested, (index, *carried)) as (_, *values):
        body.op("Continue", operands=values)
    return nested.done()


def build_loop(body, carried, results):
    nested = body.op("Loop", result_types=results, initValues=[body.value(type) for type in carried])
    with body.block(nested, carried) as values:
        condition = body.op("If", result_types=(), condition=BOOL)
        with body.block(condition):
            body.op("Break", operands=[body.value(type) for type in results])
        with body.block(condition):
            body.op("Yield", operands=[])
        condition.done()
        body.op("Continue", operands=list(values))
    return nested.done()


def build_if(body, results):
    nested = body.op("If", result_types=results, condition=BOOL)
    for _ in range(2):
        with body.block(nested):
            body.op("Yield", operands=[body.value(type) for type in results])
    return nested.done()


def build_return_in_if(body):
    nested = body.op("If", result_types=(), condition=BOOL)
    with body.block(nested):
        body.op("Return", operands=[])
    with body.block(nested):
        body.op("Yield", operands=[])
    nested.done()


def build_continue_in_if(body):
    loop = body.op(
        "For", result_types=(I32,), lowerBound=I32, upperBound=I32, step=I32, initValues=[I32], unsignedCmp=False
    )
    with body.block(loop, (I32, I32)) as (index, _):
        nested = body.op("If", result_types=(), condition=BOOL)
        with body.block(nested):
            body.op("Continue", operands=[index])
        with body.block(nested):
            body.op("Yield", operands=[])
        nested.done()
        body.op("Continue", operands=[index])
    loop.done()


def identity(body, element, number):
    if element in INTS:
        return Integer(element_type(body, element), BITS[element], number)
    return Float(float(number), element, body.table)


def element_type(body, element):
    return body.table.simple(element)


def combine(body, lhs, rhs, element):
    """A sum, where the element type has one, else the first argument."""
    type = Tile(element)
    if element in INTS:
        return body.op("AddI", result_type=type, lhs=lhs, rhs=rhs, overflow=IntegerOverflow.NONE)
    if element in FLOATS:
        nearest = Rounding.NEAREST_EVEN
        return body.op("AddF", result_type=type, lhs=lhs, rhs=rhs, rounding_mode=nearest, flush_to_zero=False)
    return lhs


def build_fold(body, op, elements, shape, dim, number, **options):
    operands = [body.value(Tile(e, shape)) for e in elements]
    result = shape if op == "Scan" else shape[:dim] + shape[dim + 1 :]
    nested = body.op(
        op,
        result_types=[Tile(e, result) for e in elements],
        operands=operands,
        dim=dim,
        identities=[identity(body, e, number) for e in elements],
        **options,
    )
    with body.block(nested, [Tile(e) for e in elements for _ in range(2)]) as pairs:
        yielded = [combine(body, *pairs[2 * n : 2 * n + 2], e) for n, e in enumerate(elements)]
        body.op("Yield", operands=yielded)
    return nested.done()


def cases():
    for index, (name, carried), unsigned in product(INTS[1:], CARRIED.items(), FLAG):
        yield Built(
            "For",
            f"{show(index)} carries {name} unsigned={unsigned}",
            lambda body, i=index, c=carried, u=unsigned: build_for(body, Tile(i), c, u),
            V2 if unsigned else V1,
        )
    for (name, carried), (other, results) in product(CARRIED.items(), CARRIED.items()):
        yield Built("Loop", f"carries {name} gives {other}", lambda body, a=(carried, results): build_loop(body, *a))
    for name, results in CARRIED.items():
        yield Built("If", f"gives {name}", lambda body, a=results: build_if(body, a))
    yield Built("If", "returns", build_return_in_if)
    yield Built("If", "continues", build_continue_in_if)

    folds = [
        ((e,), shape, dim, 0) for e in CONSTANTS for shape, dim in [((8,), 0), ((4, 2), 1)] if e in (*INTS, *FLOATS)
    ]
    folds += [((e,), (4, 2), 0, -1) for e in INTS]
    numbers = (1.5, "inf", "nan", 1e-8, -0.0, "-inf")
    # Of f64 the negative ones are not what the reader gets, see test_tile_ir_peer.py.
    folds += [((e,), (4, 2), 0, n) for e in FLOATS for n in (numbers[:-2] if e == E.F64 else numbers)]
    folds += [((E.F32, E.I32), (2, 4, 8), 1, 0), ((E.F32,) * 3, (16,), 0, 1)]
    for elements, shape, dim, number in folds:
        name = f"{show(elements)} of {shape} along {dim} from {number}"
        arguments = elements, shape, dim, number
        yield Built("Reduce", name, lambda body, a=arguments: build_fold(body, "Reduce", *a))
        for reverse in FLAG:
            yield Built(
                "Scan",
                f"{name} reverse={reverse}",
                lambda body, a=arguments, r=reverse: build_fold(body, "Scan", *a, reverse=r),
            )
