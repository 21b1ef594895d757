# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: one record per dtype, and the promotion rules between them."""

from __future__ import annotations

import enum
import functools
from typing import Any

from tilewright._intrinsic import intrinsic
from tilewright.errors import TileTypeError, TileValueError


class Category(enum.IntEnum):
    """Kinds of dtypes, weakest first: promotion between kinds picks the stronger one."""

    BOOLEAN = 0
    INTEGRAL = 1
    FLOAT = 2
    RESTRICTED_FLOAT = 3
    POINTER = 4


class DType:
    """An element type, for example ``tilewright.float32``.

    ``name`` is the public name, ``bitwidth`` the bits that one element takes in an array (8 for `bool_`). In tile code
    ``dtype(value)`` gives a strictly typed scalar: it does not adapt to the other operand the way a Python literal
    does. Since 0.1.
    """

    __slots__ = ("bitwidth", "category", "ir_name", "name", "signed")

    def __init__(self, name: str, ir_name: str, bitwidth: int, category: Category, signed: bool = True):
        self.name = name
        self.ir_name = ir_name
        self.bitwidth = bitwidth
        self.category = category
        self.signed = signed

    def __call__(self, value: Any) -> Any:
        """Convert ``value`` to this dtype. In tile code only. Since 0.1."""
        raise TypeError(f"{self.name}(...) converts values in tile code only; on the host use numpy.{self.name}")

    def __repr__(self) -> str:
        return f"<DType {self.name!r}>"

    def __str__(self) -> str:
        return self.name

    @property
    def __name__(self) -> str:
        """The name, as NumPy's scalar types have it."""
        return self.name

    def __reduce__(self):
        return (_by_name, (self.name,))

    @property
    def is_float(self) -> bool:
        return self.category in (Category.FLOAT, Category.RESTRICTED_FLOAT)

    @property
    def is_restricted(self) -> bool:
        """True for storage floats (tf32, fp8, fp4): casts, loads, stores and mma only."""
        return self.category is Category.RESTRICTED_FLOAT

    @property
    def is_integral(self) -> bool:
        return self.category is Category.INTEGRAL

    @property
    def is_bool(self) -> bool:
        return self.category is Category.BOOLEAN

    @property
    def is_pointer(self) -> bool:
        return self.category is Category.POINTER

    @property
    def integer_range(self) -> tuple[int, int]:
        """Smallest and largest value of an integral dtype (bool: 0 and 1)."""
        if self.signed and not self.is_bool:
            return -(1 << (self.bitwidth - 1)), (1 << (self.bitwidth - 1)) - 1
        return 0, (1 << self.bitwidth) - 1


bool_ = DType("bool_", "i1", 8, Category.BOOLEAN, signed=False)
int8 = DType("int8", "i8", 8, Category.INTEGRAL)
int16 = DType("int16", "i16", 16, Category.INTEGRAL)
int32 = DType("int32", "i32", 32, Category.INTEGRAL)
int64 = DType("int64", "i64", 64, Category.INTEGRAL)
uint8 = DType("uint8", "i8", 8, Category.INTEGRAL, signed=False)
uint16 = DType("uint16", "i16", 16, Category.INTEGRAL, signed=False)
uint32 = DType("uint32", "i32", 32, Category.INTEGRAL, signed=False)
uint64 = DType("uint64", "i64", 64, Category.INTEGRAL, signed=False)
float16 = DType("float16", "f16", 16, Category.FLOAT)
bfloat16 = DType("bfloat16", "bf16", 16, Category.FLOAT)
float32 = DType("float32", "f32", 32, Category.FLOAT)
float64 = DType("float64", "f64", 64, Category.FLOAT)
tfloat32 = DType("tfloat32", "tf32", 32, Category.RESTRICTED_FLOAT)
float8_e4m3fn = DType("float8_e4m3fn", "f8E4M3FN", 8, Category.RESTRICTED_FLOAT)
float8_e5m2 = DType("float8_e5m2", "f8E5M2", 8, Category.RESTRICTED_FLOAT)
float8_e8m0fnu = DType("float8_e8m0fnu", "f8E8M0FNU", 8, Category.RESTRICTED_FLOAT)
float8_e5m3fnu = DType("float8_e5m3fnu", "fnv8E5M3FNU", 8, Category.RESTRICTED_FLOAT)
float4_e2m1fn = DType("float4_e2m1fn", "f4E2M1FN", 4, Category.RESTRICTED_FLOAT)

ALL: tuple[DType, ...] = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, tfloat32,
    float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float8_e5m3fnu, float4_e2m1fn,
)  # fmt: skip
_NAMES = {dtype.name: dtype for dtype in ALL} | {"bool": bool_, "uint1": bool_}


def _by_name(name: str) -> DType:
    return _NAMES[name]


class ForeignPointer(DType):
    """The dtype of addresses of elements of ``pointee``; made by `foreign_pointer_dtype`."""

    __slots__ = ("pointee",)

    def __init__(self, pointee: DType):
        super().__init__(
            f"foreign_pointer[{pointee}]", f"!cuda_tile.ptr<{pointee.ir_name}>", 64, Category.POINTER, signed=False
        )
        self.pointee = pointee

    def __reduce__(self):
        return (pointer_to, (self.pointee,))


@functools.cache
def _foreign_pointer(pointee: DType) -> ForeignPointer:
    return ForeignPointer(pointee)


def pointer_to(pointee_dtype: DType) -> DType:
    """`foreign_pointer_dtype` on the host."""
    if not isinstance(pointee_dtype, DType):
        raise TypeError(f"pointee_dtype is {pointee_dtype!r}, expected a dtype such as tilewright.float32")
    if isinstance(pointee_dtype, ForeignPointer):
        raise TypeError(f"pointee_dtype is {pointee_dtype}, expected a dtype of numbers: pointers do not nest")
    return _foreign_pointer(pointee_dtype)


@intrinsic(host=pointer_to)
def foreign_pointer_dtype(pointee_dtype: DType) -> DType:
    """The dtype of an address that `Array.foreign_pointer` gives and `Array.from_foreign` takes. Such scalars pass
    through variables, branches, loops and ``where``; they have no arithmetic. In tile code and on the host. Since
    0.1."""


def find_dtype(value: Any) -> DType | None:
    """The dtype that ``value`` stands for: one of ours, or a NumPy, ml_dtypes or PyTorch dtype; else None."""
    if isinstance(value, DType):
        return value
    if isinstance(value, type):  # numpy.float32, ml_dtypes.bfloat16
        return _NAMES.get(value.__name__) if value.__module__.split(".")[0] in ("numpy", "ml_dtypes") else None
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return _NAMES.get(str(value).removeprefix("torch."))
    if type(value).__module__.startswith("numpy"):
        return _NAMES.get(getattr(value, "name", None))
    return None


def dtype_of_literal(value: bool | int | float) -> DType:
    """The dtype a Python number takes where nothing else decides."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        for dtype in (int32, int64, uint64):
            low, high = dtype.integer_range
            if low <= value <= high:
                return dtype
        raise TileValueError(f"integer {value} does not fit in 64 bits")
    return float32


def _common_dtype(a: DType, b: DType) -> DType | None:
    if a is b:
        return a
    if a.is_restricted or b.is_restricted or a.is_pointer or b.is_pointer:
        return None
    if a.category != b.category:
        return max(a, b, key=lambda dtype: dtype.category)
    if a.bitwidth == b.bitwidth or (a.is_integral and a.signed != b.signed):
        return None  # float16 with bfloat16, and signed with unsigned, need a cast
    return max(a, b, key=lambda dtype: dtype.bitwidth)


def promote(a: DType, b: DType, to_float: bool = False) -> DType:
    """The dtype of an operation on ``a`` and ``b``; with ``to_float``, integers become float32 (true division)."""
    common = _common_dtype(a, b)
    if common is None or (a.is_restricted and a is not b):
        raise TileTypeError(f"no implicit promotion of {a} with {b}; cast one side with astype()")
    return float32 if to_float and not common.is_float else common


def promote_with_literal(dtype: DType, value: bool | int | float, to_float: bool = False) -> DType:
    """A Python number adopts ``dtype`` unless it is of a stronger kind."""
    literal = dtype_of_literal(value)
    category = Category.FLOAT if dtype.is_float else dtype.category
    if literal.category == category and dtype.is_integral and not to_float:
        low, high = dtype.integer_range
        if not low <= value <= high:
            raise TileValueError(f"integer {value} is out of range of {dtype} ({low} to {high}); cast the tile first")
    result = literal if literal.category > category else dtype
    return float32 if to_float and not result.is_float else result
