# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The body of one function: operations are asked for by the writer's parameter names, operands by their type."""

import inspect
from collections.abc import Sequence
from typing import get_args, get_origin

import cuda.tile._bytecode as writer
from cuda.tile._bytecode import TypeId, Value

from .types import (
    ANY_INT,
    BITS,
    TOKEN,
    E,
    GatherScatterView,
    Ptr,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
)

ENCODERS = {
    name.removeprefix("encode_").removesuffix("Op"): function
    for name, function in vars(writer).items()
    if name.startswith("encode_") and name.endswith("Op")
}
# These stand in the tables of functions and globals; no body holds them.
NOT_IN_A_BODY = {"Module", "Entry", "Global"}


def kind_of(annotation):
    """(what a parameter is: TypeId, Value or an attribute; whether many; whether it may be left out)."""
    if get_origin(annotation) in (Sequence, list):
        return get_args(annotation)[0], True, False
    inner = [a for a in get_args(annotation) if a is not type(None)]
    if inner and len(inner) < len(get_args(annotation)):
        return *kind_of(inner[0])[:2], True
    return annotation, False, False


# Of each operation, by parameter.
SIGNATURES = {
    name: {p.name: kind_of(p.annotation) for p in list(inspect.signature(function).parameters.values())[1:]}
    for name, function in ENCODERS.items()
}


def element_bytes(element, numbers):
    """The data of a constant; one number stands for all elements. Bits of i1 are packed."""
    if element == E.I1:
        bits = [int(number) & 1 for number in numbers]
        if len(bits) == 1:
            return bytes([255 * bits[0]])
        return bytes(sum(bit << n for n, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))
    return b"".join(number_bits(element, number).to_bytes((BITS[element] + 7) // 8, "little") for number in numbers)


def number_bits(element, number):
    if element in ANY_INT:
        return int(number) & ((1 << BITS[element]) - 1)
    return writer.float_to_bits(float(number), element)


class Body:
    def __init__(self, builder, table, parameters, debug, function):
        self.builder = builder
        self.table = table
        self.parameters = parameters
        self.debug = debug
        self.function = function

    def op(self, op, /, **arguments):
        """Appends an operation. A Type stands for itself where the writer wants a type, and for a fresh
        value of it where the writer wants a value."""
        encoded = {}
        for parameter, (kind, many, _) in SIGNATURES[op].items():
            argument = arguments.pop(parameter)
            convert = {TypeId: self.type_id, Value: self.operand}.get(kind, lambda attribute: attribute)
            encoded[parameter] = [convert(a) for a in argument] if many else convert(argument)
        assert not arguments, f"{op} has no parameter {arguments}"
        return ENCODERS[op](self.builder, **encoded)

    def block(self, nested, types=()):
        """A block of an operation with regions; its arguments are of these types."""
        return nested.new_block([self.type_id(type) for type in types])

    def type_id(self, type):
        return type.write(self.table) if isinstance(type, Type) else type

    def operand(self, argument):
        return self.value(argument) if isinstance(argument, Type) else argument

    def constant(self, type, *numbers):
        """One number is a splat."""
        return self.op("Constant", result_type=type, value=element_bytes(type.element, numbers))

    def value(self, type, number=1):
        """A fresh value of the type."""
        match type:
            case Token():
                return self.op("MakeToken", result_type=TOKEN)
            case Tile(Ptr(), shape):
                return self.op("IntToPtr", result_type=type, source=self.constant(Tile(E.I64, shape), 4096))
            case Tile(E.I4, shape):
                none = writer.IntegerOverflow.NONE
                return self.op("TruncI", to_type=type, from_=Tile(E.I8, shape), overflow=none)
            case Tile():
                return self.constant(type, number)
            case TensorView(element, shape, strides, kind):
                counts = [[self.constant(Tile(E.I64), 64) for x in xs if x is None] for xs in (shape, strides)]
                base = Tile(Ptr(element, kind))
                return self.op(
                    "MakeTensorView", result_type=type, base=base, dynamicShape=counts[0], dynamicStrides=counts[1]
                )
            case GatherScatterView():
                return self.op("MakeGatherScatterView", result_type=type, tensor_view=type.tensor)
            case StridedView():
                return self.op("MakeStridedView", result_type=type, tensor_view=type.tensor)
        return self.op("MakePartitionView", result_type=type, tensor_view=type.tensor)
