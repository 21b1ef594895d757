# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile kernels in Python: write a program for one block of a grid over tiles, run it as native code.

The language is source compatible with cuda.tile: ``import tilewright as ct``.
"""

from tilewright.annotations import (
    ArrayAnnotation,
    Constant,
    ConstantAnnotation,
    IndexedWithInt64,
    ListAnnotation,
    ScalarAnnotation,
    ScalarInt64,
)
from tilewright.array import Array, RawArrayMemory, TiledView
from tilewright.debug import assert_, print, printf
from tilewright.dtypes import (
    DType,
    bfloat16,
    bool_,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e5m3fnu,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    tfloat32,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tilewright.elementwise import (
    abs,
    add,
    atan2,
    bitwise_and,
    bitwise_lshift,
    bitwise_not,
    bitwise_or,
    bitwise_rshift,
    bitwise_xor,
    cdiv,
    ceil,
    cos,
    cosh,
    divmod,
    equal,
    exp,
    exp2,
    floor,
    floordiv,
    greater,
    greater_equal,
    isnan,
    less,
    less_equal,
    log,
    log2,
    maximum,
    minimum,
    mod,
    mul,
    negative,
    not_equal,
    pow,
    rsqrt,
    sin,
    sinh,
    sqrt,
    sub,
    tan,
    tanh,
    truediv,
    where,
)
from tilewright.errors import (
    StaticException,
    TileCompilerExecutionError,
    TileCompilerTimeoutError,
    TileError,
    TileInternalError,
    TileRecursionError,
    TileStaticAssertionError,
    TileStaticEvalError,
    TileSyntaxError,
    TileTypeError,
    TileUnsupportedFeatureError,
    TileValueError,
)
from tilewright.factory import arange, astile, full, ones, zeros
from tilewright.kernel import ByTarget, function, kernel, launch
from tilewright.matrix import matmul, mma, mma_scaled
from tilewright.memory import (
    assume_divisible_by,
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xchg,
    atomic_xor,
    bid,
    gather,
    grid_dependency_control_launch_dependents,
    grid_dependency_control_wait,
    load,
    load_advanced_indexing,
    num_blocks,
    num_tiles,
    scatter,
    store,
    store_advanced_indexing,
)
from tilewright.meta import ensure_constant, static_assert, static_eval, static_exception, static_iter
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode, RoundingMode
from tilewright.reduction import argmax, argmin, cumprod, cumsum, max, min, prod, reduce, scan, sum
from tilewright.shape import (
    astype,
    bitcast,
    broadcast_to,
    cat,
    expand_dims,
    extract,
    insert,
    pack_to_bytes,
    permute,
    reshape,
    transpose,
    unpack_from_bytes,
)
from tilewright.tile import Scalar, Slice, Tile

newaxis = None
"""``t[:, newaxis]`` inserts a dimension, as in NumPy."""

__version__ = "0.1.0"
__all__ = [name for name in dir() if not name.startswith("_")]
