# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of operators of JAX against those of a foreign function that does nothing. The time of a call inside of a
compiled function is the difference of two such: with a chain of 64 calls, and with one."""

import jax
import numpy as np
import tilewright as ct
from tilewright import _native
from tilewright.jax import empty_like, op

from bench.operators.clock import microseconds

CHAIN = 64


@ct.kernel
def scale_kernel(x, y, factor: float, TILE: ct.Constant[int]):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


@op("bench::scale")
def scale(x: jax.Array, factor: float) -> jax.Array:
    y = empty_like(x)
    ct.launch(None, (1,), scale_kernel, (x, y, factor, 1024))
    return y


@op("bench::scale_", mutates="x")
def scale_in_place(x: jax.Array, factor: float) -> None:
    ct.launch(None, (1,), scale_kernel, (x, x, factor, 1024))


def chain(call, length):
    def run(x):
        for _ in range(length):
            x = call(x)
        return x

    return jax.jit(run)


def of_one(call, x):
    """Microseconds of one call inside of a compiled function."""
    one, many = (chain(call, length) for length in (1, CHAIN))
    short, long = (microseconds(lambda f=f: f(x).block_until_ready(), 500) for f in (one, many))
    return (long - short) / (CHAIN - 1)


def compare():
    ct.set_num_threads(1)
    jax.ffi.register_ffi_target("tilewright_empty", _native.xla_handler_empty, platform="cpu")
    empty = jax.ffi.ffi_call("tilewright_empty", jax.ShapeDtypeStruct((1024,), np.float32))
    numbers = {"program": np.int64(0), "process": np.int64(0)}
    x = jax.numpy.ones(1024)
    rows = [
        ("empty call", lambda x: empty(x, **numbers)),
        ("operator", lambda x: scale(x, 2.0)),
        ("operator in place", lambda x: scale_in_place(x, 2.0)),
    ]
    bare = None
    for label, call in rows:
        taken = of_one(call, x)
        bare = taken if bare is None else bare
        print(f"{label:45} {taken:6.2f} us  {taken - bare:+6.2f}")
    here, there = np.ones(1024, np.float32), np.empty(1024, np.float32)
    launch = microseconds(lambda: ct.launch(None, (1,), scale_kernel, (here, there, 2.0, 1024)))
    print(f"{'bare launch from Python':45} {launch:6.2f} us")
    for label, call in (
        ("a compiled function of an empty call", chain(rows[0][1], 1)),
        ("a compiled function of the operator", chain(rows[1][1], 1)),
        ("the operator outside of compiled functions", lambda x: scale(x, 2.0)),
    ):
        call(x)
        print(f"{label:45} {microseconds(lambda call=call: call(x).block_until_ready()):6.2f} us")
