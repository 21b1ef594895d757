# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One promise: a ratio, the least it may be, and what it is a ratio to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import tilewright as ct

from kernels.timing import alternate


class Measured(NamedTuple):
    ratio: float
    seen: str  # a few words
    details: dict | None = None  # everything, for JSON


@dataclass
class Row:
    """No floor: the row is for information."""

    work: str
    floor: float | None
    against: str
    measure: Callable[[int], Measured]


def to_peer(name, make, peer_of, floor, against) -> Row:
    """Our speed over that of `peer_of(work)`, which does or moves as much."""

    def measure(rounds):
        work = make()
        ours, theirs = alternate([work.run, peer_of(work)], rounds)
        return Measured(
            theirs / ours, f"{ours * 1e3:.2f} ms, {work.rate(ours):.1f} to {work.rate(theirs):.1f} {work.unit}"
        )

    return Row(name, floor, against, measure)


def to_torch(name, make, floor, against="PyTorch") -> Row:
    """Our speed over PyTorch's for the same work."""
    return to_peer(name, make, lambda work: work.torch, floor, against)


def to_own(name, make, make_other, floor, against) -> Row:
    """Our rate for one work over our rate for another."""

    def measure(rounds):
        work, other = make(), make_other()
        time, other_time = alternate([work.run, other.run], rounds)
        rates = work.rate(time), other.rate(other_time)
        return Measured(rates[0] / rates[1], f"{time * 1e3:.2f} ms, {rates[0]:.1f} to {rates[1]:.1f} {work.unit}")

    return Row(name, floor, against, measure)


def on_one_thread(row) -> Row:
    """The same with one thread on our side: for peers that have no second."""

    def measure(rounds):
        threads = ct.get_num_threads()
        ct.set_num_threads(1)
        try:
            return row.measure(rounds)
        finally:
            ct.set_num_threads(threads)

    return Row(f"{row.work}, 1 thread", row.floor, row.against, measure)


def within(name, seconds, limit) -> Row:
    """How many times a duration fits into its limit; `seconds(rounds)` measures it."""

    def measure(rounds):
        taken = seconds(rounds)
        return Measured(limit / taken, duration(taken))

    return Row(name, 1.0, f"{duration(limit)}", measure)


def duration(seconds) -> str:
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} us"
