# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of `./dev bench gpu` on this machine's CPU, with small sizes: ours compute what PyTorch does, and
who is faster, who fails and who is wrong is told rightly. Nothing is timed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bench import __main__ as command  # noqa: E402
from bench.gpu import attention, choices, contest, launching, moe, product, row_wise  # noqa: E402
from bench.gpu.contest import Contest, Contestant  # noqa: E402


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setattr(launching, "DEVICE", "cpu")
    monkeypatch.setattr(row_wise, "ROWS", 4)
    monkeypatch.setattr(row_wise, "COLUMNS", 8192)
    monkeypatch.setattr(choices, "path", None)
    monkeypatch.setattr(choices, "_found", {})


SMALL = dict(tile=(64, 64, 32))
OPERANDS = dict(rows=70, columns=96, depth=64)


def bf16(**options):
    return product.Operands(*OPERANDS.values(), torch.bfloat16, **options)


def products():
    for transposed_b in (False, True):
        x = bf16(transposed_b=transposed_b)
        for choice in (SMALL, dict(**SMALL, persistent=True)):
            yield x, product.tiled(launching.ours, x, **choice), x.expected()
        yield x, product.skinny(launching.ours, x, tile=(16, 64, 64)), x.expected()
        yield x, product.cublas(x), x.expected()
    x = bf16()
    expected = torch.nn.functional.silu(x.expected() + x.bias)
    yield x, product.tiled(launching.ours, x, **SMALL, epilogue=True), expected
    x = product.Operands(*OPERANDS.values(), torch.float32, transposed_b=True)
    yield x, product.tiled(launching.ours, x, **SMALL, tf32=True), x.expected()


def test_products():
    for x, call, expected in products():
        contest.check(call, Contest(None, [], expected, product.HALF, x.amount(), "TFLOP/s"))


@pytest.mark.parametrize("make", [row_wise.softmax, row_wise.rms_norm, row_wise.layer_norm, row_wise.silu_and_mul,
                                  lambda: row_wise.add(1 << 14)])  # fmt: skip
def test_rows(make):
    made = make()
    contest.check(made.ours.start(**made.ours.choices[0]), made)
    contest.check(made.peers[0].start(), made)


def test_attention_and_experts():
    made = attention.forward(1, 2, 128, 64, True)
    contest.check(made.ours.start(tile=(64, 64)), made)
    made = moe.first_product(50, 64, 4, 2, 32)
    contest.check(made.ours.start(tile=(64, 64, 32)), made)


FOREIGN = """
from functools import partial
from tilewright.compat import install
install("cpu")
from bench.gpu import contest, foreign, launching
launching.DEVICE = "cpu"
foreign.choose = lambda compiler: None
for make in (
    partial(foreign.softmax, "by_tile", 37, 256, "bfloat16"),
    partial(foreign.softmax, "by_gather", 37, 256, "float32"),
    partial(foreign.softmax, "in_pieces", 37, 1024, "float32", 128),
    partial(foreign.rms_norm, "forward_gather", 9, 512, "bfloat16", 128),
    partial(foreign.rms_norm, "forward_persistent", 9, 512, "bfloat16", 4),
    partial(foreign.rms_norm_backward, 9, 512, "bfloat16"),
    partial(foreign.layer_norm, 9, 512, 128),
    partial(foreign.gated, "SWIGLU", 9, 512, "bfloat16", 128),
    partial(foreign.gated, "GEGLU", 9, 512, "float16", 128),
    partial(foreign.gated_halves, 8, 512, "bfloat16", (4, 128)),
    partial(foreign.rope, 9, 64),
    partial(foreign.dropout, 4096, "float32", 1024),
    partial(foreign.transpose, "transpose_kernel", 128, "float32", (64, 64)),
    partial(foreign.transpose, "turned_load", 128, "bfloat16", (64, 32)),
    partial(foreign.product, "matmul_kernel", 192, "float16", (64, 64, 32)),
    partial(foreign.product, "persistent_kernel", 192, "bfloat16", (64, 64, 32), True),
    partial(foreign.batched, "bmm_kernel", 2, 128, "float16", (64, 64, 32)),
    partial(foreign.batched, "bmm_persistent", 2, 128, "float16", (64, 64, 32)),
    partial(foreign.grouped, "float16", (64, 64, 32), False, 32),
    partial(foreign.attention, 1, 2, 128, 64, True, "float16", (64, 64)),
    partial(foreign.decode, 2, 512, 64, 2, "bfloat16"),
    partial(foreign.latent_decode, 1, 256, 32, 4),
    partial(foreign.scaled_product, "matmul_blockwise", 256, (64, 64)),
    partial(foreign.scaled_product, "dequantize_matmul", 256, (64, 64)),
    partial(foreign.int8_product, 128, (64, 64, 64)),
):
    made = make()
    for contestant in (made.ours, *made.peers):
        contest.check(contestant.start(), made)
    print("right", flush=True)
"""


def test_foreign():
    root = Path(__file__).parents[3]
    folders = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": folders}
    command = [sys.executable, "-c", FOREIGN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["right"] * 25


ONES = torch.ones(100)


def contestant(name, milliseconds, result=ONES, **options):
    """Its call says how long it takes."""

    def start(**choice):
        call = lambda: result.clone()  # noqa: E731
        call.milliseconds = milliseconds(**choice) if callable(milliseconds) else milliseconds
        return call

    return Contestant(name, start, **options)


@pytest.fixture
def hold(monkeypatch):
    monkeypatch.setattr(contest, "milliseconds", lambda call, **_: call.milliseconds)

    def hold(ours, *peers, expected=ONES):
        made = Contest(ours, list(peers), expected, 0.01, 1e9, "TFLOP/s")
        return contest.contest("some work", 0.9, lambda: made).measure(3)

    return hold


def test_the_fastest_peer_counts(hold):
    measured = hold(contestant("ours", 2.0), contestant("A", 4.0), contestant("B", 3.0))
    assert measured.ratio == 1.5
    assert measured.details["A"]["ms"] == 4.0 and measured.details["ours"]["rate"] == 0.5
    assert measured.seen == "2 ms, 0 TFLOP/s; B 0, A 0"


def test_a_peer_that_is_wrong_or_fails_does_not_count(hold):
    def fails():
        raise ValueError("no such thing\nmore")

    wrong = ONES.clone()
    wrong[7] = 1.5
    measured = hold(contestant("ours", 2.0), contestant("A", 1.0, wrong), contestant("B", fails), contestant("C", 5.0))
    assert measured.ratio == 2.5
    assert measured.details["A"]["failed"].startswith("ValueError: wrong result: its error is ")
    assert measured.details["B"]["failed"] == "ValueError: no such thing"


@pytest.mark.parametrize("value", [1.5, float("nan")])
def test_ours_has_to_be_right(hold, value):
    wrong = ONES.clone()
    wrong[7] = value
    with pytest.raises(ValueError, match="wrong result"):
        hold(contestant("ours", 1.0, wrong), contestant("A", 2.0))


def test_choices_are_searched_once(hold, tmp_path, monkeypatch):
    tried = []

    def milliseconds(tile):
        tried.append(tile)
        if tile == (3,):
            raise MemoryError("too large")
        return {(1,): 5.0, (2,): 2.0}[tile]

    file = tmp_path / "folder" / "choices.json"
    choices.use(file, "a GPU")
    ours = contestant("ours", milliseconds, choices=[dict(tile=(1,)), dict(tile=(2,)), dict(tile=(3,))])
    assert hold(ours, contestant("A", 4.0)).ratio == 2.0
    assert tried == [(1,), (2,), (3,), (2,)]
    assert json.loads(file.read_text()) == {"a GPU": {"some work": {"ours": {"tile": [2]}}}}
    choices.use(file, "a GPU")
    assert hold(ours, contestant("A", 4.0)).ratio == 2.0
    assert tried[4:] == [(2,)]
    choices.use(file, "another GPU")
    hold(ours, contestant("A", 4.0))
    assert len(tried) == 9


def test_without_a_gpu_one_line_says_so(capsys):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    assert command.main(["gpu"]) == 1
    assert capsys.readouterr().err.startswith("nothing to measure: ")
