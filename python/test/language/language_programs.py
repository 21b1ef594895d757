# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short programs, each with what it gives or the exception that refuses it.

A program is a kernel whose parameters have their arguments by name (`ARGUMENTS`). `@gives(...)` says how the array
`out`, or `fout`, begins after one block; `@prints(...)` the formats of its prints; `@refused(class, text)` that
compiling it raises the class with a message that contains the text. test_language_programs.py holds our front end to
this table, test_language_peer.py NVIDIA's, on a copy of this file with its module in the place of ours: of the text of
its messages the table says nothing."""

# Programs that are wrong, or read names late, on purpose.
# ruff: noqa: B023, E731, F823, F841

import contextlib
import dataclasses
import enum
import operator

import numpy as np
import tilewright as ct

ARGUMENTS = {
    "out": lambda: np.zeros(16, np.int32),
    "fout": lambda: np.zeros(16, np.float32),
    "x": lambda: np.arange(16, dtype=np.int32),
    "f": lambda: np.arange(16, dtype=np.float32) / 2,
    "n": lambda: 3,
    "r": lambda: 1.5,
    "C": lambda: 4,  # Constant
}

PROGRAMS = []


def gives(*values):
    def register(function):
        PROGRAMS.append((ct.kernel(function), values, None))
        return function

    return register


def prints(*formats):
    def register(function):
        PROGRAMS.append((ct.kernel(function), formats, "prints"))
        return function

    return register


def refused(error, text=""):
    def register(function):
        PROGRAMS.append((ct.kernel(function), error, text))
        return function

    return register


# ---- strictly typed constants wrap and round ----


@gives(4294967293 - (1 << 32), -56, 1, 44)
def integer_constants_wrap(out):
    ct.store(out, 0, ct.astype(ct.int64(ct.uint32(-3)), ct.int32))
    ct.store(out, 1, ct.astype(ct.int64(ct.int8(200)), ct.int32))
    ct.store(out, 2, ct.astype(ct.int64(ct.bool_(5)), ct.int32))
    ct.store(out, 3, ct.int32(ct.uint8(300)))


@gives(1, 1, 1)
def integer_constants_wrap_at_compile_time(out):
    ct.store(out, 0, 1 if ct.int64(ct.uint32(-3)) == 4294967293 else None)
    ct.store(out, 1, 1 if ct.int64(ct.int8(200)) == -56 else None)
    ct.store(out, 2, 1 if ct.int64(ct.bool_(5)) == 1 else None)


@gives(0.0999755859375, 0.1015625, 0.09375, 0.10009765625, 0.10000000149011612)
def float_constants_round(fout):
    ct.store(fout, 0, ct.float32(ct.float16(0.1)))
    ct.store(fout, 1, ct.float32(ct.float8_e4m3fn(0.1)))
    ct.store(fout, 2, ct.float32(ct.float8_e5m2(0.1)))
    ct.store(fout, 3, ct.float32(ct.bfloat16(0.1)))
    ct.store(fout, 4, ct.float32(ct.float32(0.1)))


@gives(-106, 2, -128, 127, 0, -1)
def arithmetic_of_typed_constants_wraps(out):
    ct.store(out, 0, ct.int32(ct.int8(100) + ct.int8(50)))
    ct.store(out, 1, ct.int32(ct.uint8(255) + ct.uint8(3)))
    ct.store(out, 2, ct.int32(-ct.int8(-128)))
    ct.store(out, 3, ct.int32(~ct.int8(-128)))
    ct.store(out, 4, ct.int32(ct.int8(64) << ct.int8(2)))
    ct.store(out, 5, ct.int32(ct.int8(-7) // ct.int8(10)))


@gives(1, 1, 1, 1)
def typed_constants_are_known_at_compile_time(out):
    ct.store(out, 0, 1 if ct.int8(100) + ct.int8(50) == -106 else None)
    ct.store(out, 1, 1 if ct.float16(2048.0) + ct.float16(1.0) == 2048.0 else None)
    ct.store(out, 2, 1 if ct.float32(1) / ct.float32(3) > ct.float32(0.3333333) else None)
    ct.store(out, 3, 1 if ct.int32(3) < ct.int64(4) else None)


@gives(2048.0, 0.333251953125)
def full_and_astype_of_typed_constants(fout):
    ct.store(fout, 0, ct.astype(ct.full((), ct.float16(2049.0), ct.float32), ct.float32))
    ct.store(fout, 1, ct.astype(ct.float16(1 / 3), ct.float32))


# ---- a closure reads the names around it when it is called ----


@gives(103)
def closure_reads_the_latest_value(out, x):
    n = 1

    def add(t):
        return t + n

    n = 100
    ct.store(out, 0, add(ct.gather(x, 3)))


@gives(12)
def lambda_reads_the_latest_value(out):
    n = 1
    add = lambda t: t + n
    n = 10
    ct.store(out, 0, add(2))


@gives(0, 11, 22, 33)
def closure_in_a_loop_reads_the_iteration(out):
    i = 100
    add = lambda t: t + i
    for i in range(4):
        ct.store(out, i, add(i * 10))


@gives(13)
def closure_reads_what_a_loop_carries(out, n):
    total = 10

    def get():
        return total

    for i in range(n):
        total = get() + i
    ct.store(out, 0, total)


@gives(6, 7)
def nested_closures(out):
    a = 1

    def outer():
        b = 2

        def inner():
            return a + b

        b = 3
        return inner

    get = outer()
    a = 3
    ct.store(out, 0, get())
    a = 4
    ct.store(out, 1, get())


@gives(5, 7)
def factory_of_closures(out):
    def make(k):
        return lambda t: t + k

    two, four = make(2), make(4)
    ct.store(out, 0, two(3))
    ct.store(out, 1, four(3))


@gives(2, 2, 2)
def closures_of_a_comprehension(out):
    functions = tuple((lambda: i) for i in ct.static_iter((0, 1, 2)))
    ct.store(out, 0, functions[0]())
    ct.store(out, 1, functions[1]())
    ct.store(out, 2, functions[2]())


@gives(3)
def default_value_is_taken_at_definition(out):
    n = 3

    def get(k=n):
        return k

    n = 5
    ct.store(out, 0, get())


@refused("TileSyntaxError", "'n' is read before it gets a value")
def closure_called_before_the_name_has_a_value(out):
    def get():
        return n

    ct.store(out, 0, get())
    n = 5


# ---- a name that a function assigns is local in all of it ----

some_global = 7


@refused("TileSyntaxError", "'some_global' is read before it gets a value; a name that a function assigns is local")
def local_before_assignment(out):
    ct.store(out, 0, some_global)
    some_global = 3


@refused("TileSyntaxError", "'some_global' is read before it gets a value")
def local_of_a_helper_before_assignment(out):
    def helper():
        t = some_global
        some_global = 3
        return t + some_global

    ct.store(out, 0, helper())


@refused("TileSyntaxError", "'some_global' is read before it gets a value")
def local_before_augmented_assignment(out):
    some_global += 1
    ct.store(out, 0, some_global)


@gives(7)
def global_with_a_comprehension_of_that_name(out):
    ct.static_assert(tuple(some_global for some_global in (1, 2)) == (1, 2))
    ct.store(out, 0, some_global)


# ---- parts of tiles ----


@refused("TileTypeError", "index 4 at dimension 0; expected 0 to 3")
def extract_outside(out, x):
    ct.store(out, 0, ct.extract(ct.load(x, 0, (16,)), 4, (4,)))


@refused("TileTypeError", "index -1 at dimension 0; expected 0 to 3")
def extract_before(out, x):
    ct.store(out, 0, ct.extract(ct.load(x, 0, (16,)), -1, (4,)))


@refused("TileTypeError", "index 2 at dimension 1; expected 0 to 1")
def insert_outside(out, x):
    t = ct.load(x, 0, (16,)).reshape((4, 4))
    ct.store(out, 0, ct.insert(t, (0, 2), ct.zeros((2, 2), ct.int32)).reshape(16))


@gives(12, 13, 14, 15)
def extract_the_last(out, x):
    ct.store(out, 0, ct.extract(ct.load(x, 0, (16,)), 3, (4,)))


# ---- truth values ----


@gives(1, 1, 2, 6)
def numbers_as_conditions(out, n, r):
    if n:
        ct.store(out, 0, 1)
    ct.store(out, 1, 1 if r else 2)
    ct.store(out, 2, 1 if n - 3 else 2)
    total = 0
    while n:
        total += n
        n -= 1
    ct.store(out, 3, total)


@gives(1, 1, 0, 1, 1, 0, 1)
def and_or_not_give_truth_values(out, x, n, r):
    ct.store(out, 0, n and 7)
    ct.store(out, 1, 7 and n)
    ct.store(out, 2, n and r and (n - 3))
    ct.store(out, 3, (n - 3) or ct.gather(x, 5))
    ct.store(out, 4, (n > 1) and n)
    ct.store(out, 5, not n)
    ct.store(out, 6, 4 or n)


@gives(1, 1)
def or_evaluates_the_right_side_only_if_it_has_to(out, n):
    def count():
        ct.store(out, 0, 1)
        return n

    ct.store(out, 1, (n - 3) or count())
    if n or count():
        pass


@refused("TileTypeError", "tile of int32 with shape (16,); expected a scalar: reduce it")
def truth_value_of_a_tile(out, x):
    ct.store(out, 0, ct.load(x, 0, (16,)) and True)


@refused("TileTypeError", "a comparison in a chain is a tile of bool_ with shape (16,); expected a scalar")
def chain_of_comparisons_of_tiles(out, x):
    ct.store(out, 0, (1 < ct.load(x, 0, (16,)) < 5).astype(ct.int32))


@refused("TileTypeError", "the condition of static_assert() is a number 5; expected a bool")
def static_assertion_of_a_number(out):
    ct.static_assert(5)


@gives(1, 0, 1)
def run_time_value_in_a_tuple(out, n):
    ct.store(out, 0, n in (0, 3))
    ct.store(out, 1, n in (0, 2))
    ct.store(out, 2, 1 if n not in (0, 2) else 2)


@refused("TileTypeError", "a comparison of 'in' is a tile of bool_ with shape (16,); expected a scalar")
def tile_in_a_tuple(out, x):
    ct.store(out, 0, ct.load(x, 0, (16,)) in (1, 2))


# ---- what loops and branches carry ----


@gives(1, 1, 1, 1, 7, 7)
def constants_through_a_loop(out, n):
    k, pair = 5, (4, 2)
    for i in range(n):
        k = 5
        pair = (pair[0] + i, 2)
    ct.store(out, 0, ct.full((k - 1,), 1, ct.int32))
    ct.store(out, 2, ct.full((pair[1],), pair[0], ct.int32))


@gives(1, 1, 1, 1)
def typed_constants_through_a_branch_and_a_loop(out, n):
    if n > 1:
        k = ct.int16(4)
    else:
        k = ct.int16(4)
    for _ in range(n):
        k = ct.int16(4)
    ct.store(out, 0, ct.full((k,), 1, ct.int32))


@gives(4, 5, 6, 7, 3, 4, 5, 6, 1)
def arrays_chosen_by_a_branch(out, x, n):
    if n > 2:
        known, part, other = x.slice(0, 4, 8), x.slice(0, n, n + 4), out
    else:
        known, part, other = x.slice(0, 8, 12), x.slice(0, 0, n), x
    ct.store(out, 0, ct.load(known, 0, (4,)))
    ct.store(out, 1, ct.load(part, 0, (4,)))
    ct.store(other, 8, 1)


@gives(0, 1, 1)
def array_chosen_by_a_loop(out, x, n):
    a = x
    for i in range(n):
        ct.store(a, i, ct.load(a, i, (1,)) + 1)
        a = out
    ct.store(out, 8, ct.load(a, 0, (1,)))


@gives(4, 5, 6, 7, 3)
def views_and_memory_chosen_by_a_branch(out, x, n):
    view = x.tiled_view(4) if n > 2 else out.tiled_view(4)
    memory = x.get_raw_memory() if n > 2 else out.get_raw_memory()
    ct.store(out, 0, view.load(1))
    ct.store(out, 4, memory.load_offset(3))


@gives(7, 1)
def strictly_typed_constants_are_numbers_of_python_in_static_eval(out):
    y, pair = ct.int32(5), (ct.int8(3), 4)
    kind = ct.static_eval(type(y).__name__)
    ct.static_assert(kind == "int" and y in (4, 5) and sum(pair) == 7, kind)
    ct.store(out, 0, ct.static_eval(y + 2))
    ct.store(out, 1, ct.static_eval(1 if y == 5 else 2))


@gives(16, 1)
def lengths_have_the_dtype_of_indices_also_where_they_are_known(out, x):
    part = x.slice(0, 0, 4)
    bytes = ct.load(part, 0, (1,)).astype(ct.int8)
    by_extent, by_stride, by_part = bytes * x.shape[0], bytes * x.strides[0], bytes * part.shape[0]
    ct.static_assert(by_extent.dtype == by_stride.dtype == by_part.dtype == ct.int32)
    ct.store(out, 0, x.shape[0])
    ct.store(out, 1, x.strides[0])


@refused("TileTypeError", "make them arrays of one dtype and rank")
def arrays_of_two_types_chosen_by_a_branch(out, f, n):
    a = out if n > 2 else f
    ct.store(out, 0, ct.load(a, 0, (1,)).astype(ct.int32))


@gives(3, 4, 11)
def closures_of_one_function_chosen_by_control_flow(out, n):
    def make(k):
        return lambda t=0: t + k

    get = make(n) if n > 2 else make(7)
    ct.store(out, 0, get())
    get = make(1)
    for i in range(n):
        get = make(get() + i)
    ct.store(out, 1, get())
    ct.store(out, 2, get(7))


@refused("TileTypeError", "has a type that depends on the path")
def closures_of_two_functions_chosen_by_a_branch(out, n):
    def one():
        return 1

    def two():
        return 2

    get = one if n > 2 else two
    ct.store(out, 0, get())


# ---- with ----


@contextlib.contextmanager
def marks(out, i):
    ct.store(out, i, 1)
    yield i + 10
    ct.store(out, i + 1, ct.load(out, i, ()) + 1)


@gives(1, 2, 0, 0, 0, 10)
def return_inside_with(out, n):
    with marks(out, 0) as v:
        if n > 1:
            ct.store(out, 5, v)
            return
        ct.store(out, 6, v)
    ct.store(out, 7, 1)


@gives(1, 2, 0, 1, 2, 0, 10, 113)
def return_of_a_helper_inside_with(out, n):
    def helper(k):
        with marks(out, 0) as v:
            if n > k:
                return v
            with marks(out, 3) as w:
                return w + 100

    ct.store(out, 6, helper(2))
    ct.store(out, 7, helper(5))


@gives(1, 2, 1, 2, 0, 0, 0, 1)
def break_inside_with(out, n):
    for i in range(n):
        with marks(out, 2 * i):
            if i == 1:
                break
    ct.store(out, 7, 1)


@gives(1, 2, 1, 2, 1, 2, 0, 2)
def continue_inside_with(out, n):
    for i in range(n):
        with marks(out, 2 * i):
            if i == 1:
                continue
            ct.store(out, 7, i)


@gives(1, 2, 1, 2, 1, 2, 0, 3)
def endless_loop_left_inside_with(out, n):
    i = 0
    while True:
        with marks(out, 2 * i):
            i += 1
            if i >= n:
                break
    ct.store(out, 7, i)


@gives(1, 2, 0, 0, 5)
def return_of_a_loop_inside_with(out, n):
    with marks(out, 0):
        for i in range(n):
            if i == 1:
                return
            ct.store(out, 4, i + 5)
    ct.store(out, 7, 1)


@gives(1, 2, 1, 2)
def two_contexts_are_left_from_the_inside(out, n):
    with marks(out, 0) as a, marks(out, a - 8):
        if n > 2:
            return
    ct.store(out, 7, 1)


@gives(1, 2, 0, 0, 0, 10)
def context_manager_as_an_argument(out):
    def use(manager):
        with manager as v:
            ct.store(out, 5, v)

    use(marks(out, 0))


@refused("TileTypeError", "this context manager has been entered before")
def context_manager_used_twice(out):
    manager = marks(out, 0)
    with manager:
        pass
    with manager:
        pass


@contextlib.contextmanager
def yields_by_path(n):
    if n > 1:
        yield 1
    else:
        yield 2


@refused("TileTypeError", "context manager yields_by_path() has 2 yields; expected one")
def context_manager_with_two_yields(out, n):
    with yields_by_path(n):
        pass


# ---- dtypes of updates, elements and parts ----


@refused("TileTypeError", "atomic_and of int32 with int16; expected int32: use astype()")
def bitwise_atomic_of_a_narrower_dtype(out):
    ct.atomic_and(out, 0, ct.int16(3))


@refused("TileTypeError", "atomic_xor of int32 with uint32; expected int32: use astype()")
def bitwise_atomic_of_another_sign(out):
    ct.atomic_xor(out, 0, ct.uint32(3))


@refused("TileTypeError", "atomic_or of int32 with bool_; expected int32: use astype()")
def bitwise_atomic_of_a_bool(out):
    out.get_raw_memory().atomic_or_offset(0, True)


@refused("TileTypeError", "atomic_and of int32 with int16; expected int32: use astype()")
def bitwise_atomic_of_a_view(out):
    out.tiled_view(4).atomic_store_and(0, ct.int16(3))


@gives(3, 8)
def atomics_cast_what_is_added(out):
    ct.atomic_or(out, 0, 3)
    ct.atomic_add(out, 1, ct.int16(8))


@refused("TileTypeError", "divmod() is for integers; use // and % of floats")
def divmod_of_floats(out, r):
    q, _ = divmod(r, 2.0)
    ct.store(out, 0, ct.astype(q, ct.int32))


@gives(3.0, 1.5, -2.0, 0.5, 3.0)
def divmod_of_constants(fout, n):
    q, rest = divmod(7.5, 2)
    ct.store(fout, 0, q)
    ct.store(fout, 1, rest)
    q, rest = divmod(ct.float32(-3.5), 2)
    ct.store(fout, 2, q)
    ct.store(fout, 3, rest)
    ct.store(fout, 4, divmod(n, 4)[1])


@refused("TileTypeError", "insert() of int16 into a tile of int32; expected int32: use astype()")
def insert_of_another_dtype(out, x):
    ct.store(out, 0, ct.insert(ct.load(x, 0, (8,)), 1, ct.zeros((4,), ct.int16)))


@gives(3, 7)
def scalar_parts(out, x):
    t = ct.load(x, 0, (8,))
    ct.store(out, 0, ct.extract(t, 3, ()))
    ct.store(out, 1, ct.extract(ct.insert(t, 2, 7), 2, ()))


@gives(0, 42, 0, -3)
def dtypes_of_nothing_and_of_text(out):
    ct.store(out, 0, ct.int32())
    ct.store(out, 1, ct.int32("42"))
    ct.store(out, 2, ct.int32(ct.float32()))
    ct.store(out, 3, ct.astype(ct.float32("-3.5"), ct.int32))


@refused("TileTypeError", "int32() of string '4.2'; expected the digits of a number")
def dtype_of_other_text(out):
    ct.store(out, 0, ct.int32("4.2"))


@refused("TileTypeError", "int32() takes a number, found a constant None")
def dtype_of_none(out):
    ct.store(out, 0, ct.int32(None))


@gives(0.0999755859375, -56.0, 1.0)
def dtypes_of_numpy(fout):
    ct.store(fout, 0, ct.float32(np.float16(0.1)))
    ct.store(fout, 1, ct.float32(np.int8(200)))
    ct.store(fout, 2, ct.float32(np.bool_(5)))


@gives(3, 4, 3, 1, 2, 3, 4, 5)
def tiles_of_run_time_scalars(out, n):
    ct.store(out, 0, ct.astile((n, n + 1), dtype=ct.int32))
    ct.store(out, 1, ct.astile(((n, 1), (2, n)), dtype=ct.int32).reshape((4,)).extract(0, 2))
    ct.store(out, 4, ct.astile(2, dtype=ct.int32))
    ct.store(out, 5, n)
    ct.store(out, 3, ct.astile((4, 5), dtype=ct.int32))


@refused("TileTypeError", "astile() takes scalars in nested tuples, found a tile of int32 with shape (4,)")
def tile_of_a_tile(out, x):
    ct.store(out, 0, ct.astile(ct.load(x, 0, (4,)), dtype=ct.int32))


@gives(3, 7, 16, 6)
def view_of_single_elements(out, x):
    view = x.tiled_view(())
    ct.store(out, 0, view.load(3) if view.load(3).shape == () else None)
    out.tiled_view(()).store(1, 7)
    ct.store(out, 2, view.num_tiles(0))
    ct.store(out, 3, x.tiled_view((), traversal_steps=(2,)).load(3) if view.tile_shape == () else None)


@gives(4.0, 1.0, 2.0**-127)
def constants_of_scale_formats(fout):
    ct.store(fout, 0, ct.full((1,), 3.0, ct.float8_e8m0fnu).astype(ct.float32))
    ct.store(fout, 1, ct.ones((1,), ct.float8_e8m0fnu).astype(ct.float32))
    ct.store(fout, 2, ct.zeros((1,), ct.float8_e8m0fnu).astype(ct.float32))


@refused("TileValueError", "-3.0 has no value as float8_e8m0fnu, which has no sign")
def negative_constant_of_a_format_without_sign(fout):
    ct.store(fout, 0, ct.full((1,), -3.0, ct.float8_e8m0fnu).astype(ct.float32))


# ---- text ----


class Color(enum.Enum):
    RED = 1
    GREEN = "g"


@dataclasses.dataclass(frozen=True)
class Plain:
    a: int
    s: str = "x"
    hidden: int = dataclasses.field(default=1, repr=False)


@dataclasses.dataclass(frozen=True)
class OwnRepr:
    a: int

    def __repr__(self):
        return f"R<{self.a}>"


@dataclasses.dataclass(frozen=True)
class OwnStr:
    a: int

    def __str__(self):
        return f"S<{self.a}>"


@prints("x %d 1 2.5 True None\n", "(%d, 'a', 1) ('a',) (%d,) ()\n", "100%% %d%%, 1!", 'a\tb\\n"q"\n')
def print_values(n):
    print("x", n, 1, 2.5, True, None)
    print((n, "a", 1), ("a",), (n,), ())
    print(f"100% {n}%", 1, sep=", ", end="!")
    print('a\tb\\n"q"')


@prints("Plain(a=%d, s='q') R<%d> S<%d>\n", "(R<%d>, OwnStr(a=%d))\n", "R<%d> S<%d>\n", "Color.RED int32\n")
def print_objects(n):
    print(Plain(n, "q"), OwnRepr(n), OwnStr(n))
    print((OwnRepr(n), OwnStr(n)))
    print(f"{OwnRepr(n)} {OwnStr(n)}")
    print(Color.RED, ct.int32)


@prints("%05d|%-4d|%+d|%#x\n", "%da %d (%d, 2) 'a'\n", "%d,b,%d\n", "5 0.5 -56\n")
def print_text(n):
    print(f"{n:05d}|{n:<4}|{n:+}|{n:#x}")
    print(str(n) + "a", repr(n), str((n, 2)), repr("a"))
    print(",".join((str(n), "b", f"{n:d}")))
    print(ct.int32(5), ct.float32(0.5), ct.int8(200))


@refused("TileSyntaxError", "tile code has no !r, !s, !a or = in f-strings")
def conversion_in_an_f_string(n):
    print(f"{n!r}")


@refused("TileSyntaxError", "a format in an f-string is fixed text in tile code")
def format_that_is_computed(n):
    print(f"{n:{n}}")


@refused("TileTypeError", "format '5' of a string 'a'; expected a number")
def format_of_text(n):
    print(f"{'a':5}")


@refused("TileTypeError", "text with tiles in it is known at run time only")
def comparison_of_run_time_text(out, n):
    ct.store(out, 0, 1 if f"{n}" == "3" else 2)


# ---- dataclasses and enumerations ----


@dataclasses.dataclass(frozen=True, order=True)
class Ordered:
    a: int
    b: int = 2


@dataclasses.dataclass(frozen=True)
class WithMethods:
    a: int

    def __post_init__(self):
        ct.static_assert(self.a.dtype == ct.int32)

    def __getitem__(self, i):
        return self.a + i

    def __call__(self, x):
        return x * self.a

    def __add__(self, other):
        return self.a + other

    def __rsub__(self, other):
        return other - self.a

    def __len__(self):
        return 7

    @property
    def twice(self):
        return self.a * 2


@dataclasses.dataclass(frozen=True)
class Output:
    array: object

    def __setitem__(self, i, value):
        ct.store(self.array, i, value)

    def __getitem__(self, i):
        return ct.load(self.array, i, ())


@dataclasses.dataclass
class Mutable:
    a: int


mutable = Mutable(3)


@dataclasses.dataclass(frozen=True)
class WithFactory:
    a: tuple = dataclasses.field(default_factory=tuple)


@dataclasses.dataclass(frozen=True)
class WithoutInit:
    a: int
    b: int = dataclasses.field(init=False, default=3)


@dataclasses.dataclass(frozen=True, init=False)
class OwnInit:
    a: int

    def __init__(self, x):
        object.__setattr__(self, "a", x)


class Derived(Plain):
    pass


@gives(1, 1, 2, 1, 1)
def comparison_of_dataclasses(out, n):
    ct.store(out, 0, 1 if Ordered(1, n) < Ordered(1, 5) else 2)
    ct.store(out, 1, 1 if Ordered(1, n) == Ordered(1, 3) else 2)
    ct.store(out, 2, 1 if Ordered(1, n) != Ordered(1, 3) else 2)
    ct.store(out, 3, 1 if Ordered(n, 1) >= Ordered(2, 9) else 2)
    ct.store(out, 4, 1 if (n, 1) == (3, 1) else 2)


@gives(5, 12, 6, 4, 7, 7, 3, 1)
def methods_of_dataclasses(out, n):
    value = WithMethods(n)
    ct.store(out, 0, value[2])
    ct.store(out, 1, value(4))
    ct.store(out, 2, value.twice)
    ct.store(out, 3, value + 1)
    ct.store(out, 4, 10 - value)
    ct.store(out, 5, len(value))
    ct.store(out, 6, dataclasses.replace(Ordered(1), b=n).b)
    ct.store(out, 7, operator.eq(Ordered(1), Ordered(1)))


@gives(0, 0, 5, 8)
def items_set_by_a_dataclass(out, n):
    target = Output(out)
    target[2] = 5
    target[n] = 7
    target[n] += 1


@refused("TileTypeError", "dataclass Mutable is mutable; tile code takes @dataclass(frozen=True)")
def mutable_dataclass(out):
    ct.store(out, 0, mutable.a)


@refused("TileTypeError", "field 'a' of dataclass WithFactory has a default_factory")
def dataclass_with_a_factory(out):
    ct.store(out, 0, len(WithFactory().a))


@refused("TileTypeError", "field 'b' of dataclass WithoutInit has init=False")
def dataclass_with_a_field_that_is_not_given(out):
    ct.store(out, 0, WithoutInit(3).b)


@refused("TileTypeError", "dataclass OwnInit has an __init__ of its own")
def dataclass_with_its_own_init(out):
    ct.store(out, 0, OwnInit(3).a)


@refused("TileTypeError", "class Derived inherits from a dataclass but is none")
def class_derived_from_a_dataclass(out):
    ct.store(out, 0, Derived(3).a)


@refused("TileTypeError", "Ordered(): missing a required argument: 'a'")
def dataclass_without_an_argument(out):
    ct.store(out, 0, Ordered().b)


@refused("TileTypeError", "dataclass Ordered has no field 'c'")
def replaced_field_that_is_not_there(out):
    ct.store(out, 0, dataclasses.replace(Ordered(1), c=2).a)


@refused("TileTypeError", "cannot compare a value of type Plain with a value of type Plain")
def order_of_dataclasses_without_one(out):
    ct.store(out, 0, 1 if Plain(1) < Plain(2) else 2)


@gives(1, 1, 1)
def enumerations(out):
    ct.store(out, 0, Color.RED.value)
    ct.store(out, 1, 1 if Color("g") == Color.GREEN else 2)
    ct.store(out, 2, 1 if Color.RED.name == "RED" else 2)


@refused("TileValueError", "'x' is not a valid Color")
def value_of_no_enumerator(out):
    ct.store(out, 0, Color("x").value)


@refused("TileTypeError", "tuples have no <; expected == or !=")
def order_of_tuples(out, n):
    ct.store(out, 0, 1 if (n, 1) < (3, 2) else 2)


@refused("TileTypeError", "expected None on one side: use ==")
def identity_of_a_number(out, n):
    three = 3
    ct.store(out, 0, 1 if n is three else 2)


@gives(1, 2)
def dtypes_compare_with_those_of_numpy(out):
    ct.store(out, 0, 1 if out.dtype == np.int32 else 2)
    ct.store(out, 1, 1 if out.dtype == np.float32 else 2)


some_typed = np.int16(5)


@gives(-32756)
def scalars_of_numpy_are_strictly_typed(out):
    ct.store(out, 0, some_typed * ct.int16(6555) + some_typed)


# ---- compile-time evaluation ----


@refused("StaticException", "ZeroDivisionError at compile time")
def error_inside_of_static_eval(out):
    ct.store(out, 0, ct.static_eval(1 // 0))


@refused("TileStaticEvalError", "static_iter() over more than 1000 items")
def static_iter_over_too_much(out):
    for _ in ct.static_iter(range(1001)):
        pass


@refused("TileStaticAssertionError", "known at run time only; expected a compile-time value")
def ensure_constant_of_a_run_time_value(out, n):
    ct.store(out, 0, ct.ensure_constant(n))


@refused("TileTypeError", "int() of a scalar of float32; expected a compile-time number: convert with astype()")
def int_of_a_run_time_value(out, r):
    ct.store(out, 0, int(r))


@gives(2, 5, -56, 1)
def int_of_constants(out, n):
    ct.store(out, 0, int(2.7))
    ct.store(out, 1, int("5"))
    ct.store(out, 2, int(ct.int8(200)))
    ct.store(out, 3, bool(n))


@gives(-56, 1, 3, 0, 2, 8)
def numbers_have_the_attributes_of_scalars(out, n):
    known = (200, 3 < 4, 2.5)
    ct.store(out, 0, known[0].astype(ct.int8))
    ct.store(out, 1, known[1].astype(ct.int32))
    for number in ct.static_iter((True, 2)):
        n = n + number.astype(ct.int32) - 1
    ct.store(out, 2, n + 2 - n + known[0].ndim + 1)
    rank = known[2].ndim
    ct.store(out, 3, rank)
    ct.store(out, 4, known[2].astype(ct.int32).item())
    ct.store(out, 5, 8 if (2**40).dtype == ct.int64 else 0)


@refused("TileTypeError", "a scalar of int32 has no attribute 'bit_length'")
def numbers_have_no_attributes_of_python(out):
    ct.store(out, 0, (5).bit_length())


@refused("TileTypeError", "a bound of range() is a scalar of uint32; expected a signed integer")
def range_of_unsigned_integers(out):
    for i in range(ct.uint32(5)):
        ct.store(out, 0, i)


@gives(6, 11, 3)
def tuple_comprehension_over_static_iter(out, n):
    doubled = tuple(2 * i for i in ct.static_iter((n, n + 1)))
    pairs = tuple(i * 10 + j for i in ct.static_iter(range(2)) for j in ct.static_iter(range(i + 1)))
    ct.store(out, 0, doubled[0])
    ct.store(out, 1, pairs[2])
    ct.store(out, 2, len(pairs))


# ---- indices and functions ----


@refused("TileTypeError", "index is a scalar of uint32; expected a signed integer")
def unsigned_index(out, x):
    ct.store(out, 0, ct.load(x, ct.uint32(1), (4,)))


@refused("TileTypeError", "start is a scalar of uint32; expected a signed integer")
def unsigned_bound_of_a_slice(out, x):
    ct.store(out, 0, ct.load(x.slice(0, ct.uint32(1), 9), 0, (4,)))


@refused("TileSyntaxError", "the function of reduce() has an 'if', a loop or a memory access")
def branch_inside_of_a_reduction(out, x):
    ct.store(out, 0, ct.reduce(ct.load(x, 0, (4,)), 0, lambda a, b: a if a > b else b, 0))


@gives(5, 3)
def sums_of_scalars(out, n):
    ct.store(out, 0, ct.sum(5))
    ct.store(out, 1, ct.sum(n))
