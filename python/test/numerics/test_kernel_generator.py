# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in Python: a few dozen agree with NumPy on every target of the host, and what they consist of."""

import warnings
from pathlib import Path

import pytest
from kernel_generator import grammar, outcome
from kernel_generator.programs import Program

FOUND = Path(__file__).parents[1] / "kernel_generator/found"
"""Programs that once failed, made small."""


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "off")


def run_all(seeds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = {seed: outcome.run(grammar.program(seed)) for seed in seeds}
    wrong = [f"seed {seed}: {r.kind}\n{r.message}" for seed, r in results.items() if r.kind != outcome.AGREES]
    assert not wrong, "\n".join(wrong)


def test_agree_on_the_cpu():
    run_all(range(30))


def test_agree_in_the_interpreter(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_INTERPRET", "1")
    run_all(range(30, 45))


def test_agree_in_the_simulator(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90")
    run_all(range(45, 55))


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.py")), ids=lambda path: path.stem)
def test_found(path):
    result = outcome.run(Program(path.stem, path.read_text()))
    assert result.kind == outcome.AGREES, result.message


def test_a_seed_is_a_program():
    assert grammar.program(7).source == grammar.program(7).source != grammar.program(8).source


def test_programs_have_the_language():
    """Every feature stands in some of the first programs."""
    text = "\n".join(grammar.program(seed).source for seed in range(200))
    words = ["def ", "lambda ", "while ", "elif ", "break", "continue", "return", " if ", " and ", " or ", "not ",
             "static_iter", "tuple(", "ct.load(", "tiled_view(", ".slice(", "ct.gather(", "ct.scatter(", "order=",
             "mask=", "padding_mode=", "ct.atomic_", "ct.sum(", "ct.cumsum(", "ct.reduce(", "ct.mma(", "ct.cat(",
             "ct.extract(", "ct.bitcast(", "rounding_mode=", "divmod(", " @ ", "*rest", "Constant", "get_raw_memory",
             "traversal_steps", "atomic_store_", "ct.exp(", "latency=", "allow_tma=", "occupancy=", "ct.static_eval(",
             "('tuple'", "('list'", "ct.where(", ".astype(", "ct.scan(", "ct.argmax(", "propagate_nan",
             "ct.mma_scaled(",
             "ct.pack_to_bytes(", "dataclasses.replace(", "with manager", "ct.assert_(", "ct.print("]  # fmt: skip
    assert [word for word in words if word not in text] == []


PROGRAM = """import tilewright as ct
GRID = (1,)
ARGUMENTS = [("array", "int32", (4,), "small"), ("result", "int32", (4,), 0)]


@ct.kernel
def kernel(x, out):
    ct.store(out, (0,), {value})
"""


def test_a_difference_is_found(monkeypatch):
    program = Program("wrong", PROGRAM.format(value="ct.load(x, (0,), (4,)) + 1"))
    assert outcome.run(program).kind == outcome.AGREES
    monkeypatch.setattr(Program, "evaluate", lambda self, arguments: None)
    result = outcome.run(program)
    assert result.kind == outcome.DIFFERS
    assert result.message.startswith("argument 1[0]: ") or result.message.startswith("argument 1[1]: ")


def test_a_refusal_is_found():
    program = Program("refused", PROGRAM.format(value="ct.load(x, (0,), (3,)) if False else ct.load(x, (0,), (3,))"))
    assert outcome.run(program).kind == outcome.REFUSED
