# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short programs, each with what it gives or the exception that refuses it.

A program is a kernel whose parameters have their arguments by name (`ARGUMENTS`). `@gives(...)` says how the array
`out`, or `fout`, begins after one block; `@refused(class, text)` that compiling it raises the class with a message
that contains the text. test_language_programs.py holds our front end to this table, test_language_peer.py NVIDIA's, on
a copy of this file with its module in the place of ours: of the text of its messages the table says nothing."""

# Programs that are wrong, or read names late, on purpose.
# ruff: noqa: B023, E731, F823, F841

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
