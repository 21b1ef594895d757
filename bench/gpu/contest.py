# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One work on a GPU and who does it: all find their best choice, have their result checked and are timed in turns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from bench.gpu import choices
from bench.gpu.clock import milliseconds
from bench.row import Measured, Row, duration

SEARCH = dict(warmup=5, rep=20)  # milliseconds for each choice


@dataclass
class Contestant:
    """`start(**choice)` prepares everything and returns a call that launches the work and returns its result, a tensor.
    `choices` is what is tried: tile sizes and the like, each a dictionary."""

    name: str
    start: Callable[..., Callable[[], object]]
    choices: list[dict] = field(default_factory=lambda: [{}])
    expected: object = None  # of a contestant that does something else
    counts: bool = True  # or is shown only


@dataclass
class Contest:
    """`expected` is a tensor of f32; an element is right if it is off by `tolerance` times its `scale`: where none is
    given, its own magnitude and the root mean square of all of them. `amount` counts operations, or bytes. Works of the
    same `peers_of` share the choices that their peers have found."""

    ours: Contestant
    peers: list[Contestant]
    expected: object
    tolerance: float
    amount: float
    unit: str
    peers_of: str | None = None
    scale: object = None

    def rate(self, ms) -> float:
        return self.amount / ms / (1e9 if self.unit == "TFLOP/s" else 1e6)


def contest(work, floor, make, against="the best of the others") -> Row:
    """`make()` prepares a `Contest` when its turn comes, so that the memory of one work is in use at a time."""
    return Row(work, floor, against, lambda rounds: hold(work, make(), rounds))


def hold(work, contest, rounds) -> Measured:
    calls, said = {}, {}
    for contestant in (contest.ours, *contest.peers):
        try:
            known_as = work if contestant is contest.ours else contest.peers_of or work
            choice = best_choice(known_as, contestant)
            call = contestant.start(**choice)
            error = check(call, contest, contestant.expected)
        except Exception as exception:
            if contestant is contest.ours:
                raise
            said[contestant.name] = {"failed": first_line(exception)}
        else:
            calls[contestant.name] = call
            said[contestant.name] = {"choice": choice, "error": error}
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(milliseconds(call))
    for name, taken in times.items():
        said[name] |= {"ms": median(taken), "rate": contest.rate(median(taken)), "unit": contest.unit}
    ours = said[contest.ours.name]["ms"]
    theirs = {peer.name: said[peer.name]["ms"] for peer in contest.peers if peer.counts and peer.name in times}
    if not theirs:
        raise RuntimeError("; ".join(f"{name}: {known['failed']}" for name, known in said.items() if "failed" in known))
    return Measured(min(theirs.values()) / ours, describe(contest, said), said)


def describe(contest, said) -> str:
    """`97.1 us, 3891 GB/s; Triton 3900, torch 1049`, the fastest peer first."""
    ours = said[contest.ours.name]
    peers = sorted((known.get("ms", float("inf")), name) for name, known in said.items() if name != contest.ours.name)
    told = (f"{name} {contest.rate(ms):.0f}" if ms < float("inf") else f"{name} failed" for ms, name in peers)
    choice = " ".join(f"{key} {value}" for key, value in ours["choice"].items())
    text = f"{duration(ours['ms'] / 1e3)}, {ours['rate']:.0f} {contest.unit}; {', '.join(told)}"
    return f"{text} ({choice})" if choice else text


def best_choice(work, contestant) -> dict:
    """The one remembered, or else the fastest of all that run."""
    if len(contestant.choices) == 1:
        return contestant.choices[0]
    known = choices.recall(work, contestant.name)
    if known in contestant.choices:
        return known
    times, failures = [], []
    for choice in contestant.choices:
        try:
            times.append(milliseconds(contestant.start(**choice), **SEARCH))
        except Exception as exception:  # a choice that does not fit the machine
            times.append(float("inf"))
            failures.append(exception)
    if len(failures) == len(times):
        raise failures[0]
    best = contestant.choices[times.index(min(times))]
    choices.remember(work, contestant.name, best)
    return best


def check(call, contest, expected=None) -> float:
    """The largest error relative to the tolerance. Elements that the call leaves unwritten are NaN."""
    result = call()
    result.fill_(float("nan"))
    result = call().float()
    expected = contest.expected if expected is None else expected
    if result.shape != expected.shape:
        raise ValueError(f"the result has shape {tuple(result.shape)}, expected {tuple(expected.shape)}")
    scale = contest.scale
    if scale is None:
        scale = expected.abs() + expected.square().mean().sqrt()
    error = float(((result - expected).abs() / scale).max()) / contest.tolerance
    if not error <= 1:  # nor is a NaN
        raise ValueError(f"wrong result: its error is {error:.3g} times what is allowed")
    return error


def first_line(exception) -> str:
    line = next((line for line in str(exception).splitlines() if line.strip()), "")
    return f"{type(exception).__name__}: {line}"
