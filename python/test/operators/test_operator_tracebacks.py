# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tracebacks of operators have the lines of the program, and those of PyTorch that it called itself."""

import traceback

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

import tilewright as ct  # noqa: E402
from tilewright import ops  # noqa: E402
from tilewright.torch import op  # noqa: E402


@ct.kernel
def odd(x):
    ct.store(x, index=(0,), tile=ct.load(x, index=(0,), shape=(5,)))


@op("test_operator_tracebacks::odd", mutates="x")
def launch_odd(x: torch.Tensor) -> None:
    ct.launch(None, (1,), odd, (x,))


@op("test_operator_tracebacks::copied")
def copied(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x).copy_(x).reshape(x.shape)


@op("test_operator_tracebacks::refuses")
def refuses(x: torch.Tensor) -> torch.Tensor:
    return x.new_empty(3).reshape(2, 2)


copied.register_autograd(lambda grad_out: grad_out[:1])


def leaf():
    return torch.ones(2, 4, requires_grad=True)


def register(function):
    return op("test_operator_tracebacks::undeclared", example=lambda: (torch.empty(8),))(function)


# The functions in the traceback, and at most how many frames of PyTorch's.
CALLS = {
    "a kernel": (lambda: launch_odd(torch.ones(8)), ["launch_odd"], 0),
    "by PyTorch's name": (lambda: torch.ops.test_operator_tracebacks.odd(torch.ones(8)), ["launch_odd"], 1),
    "PyTorch in the function": (lambda: refuses(torch.ones(8)), ["refuses"], None),
    "an argument": (lambda: ops.rms_norm(torch.ones(2, 3), torch.ones(4)), [], 0),
    "a gradient": (lambda: copied(leaf()).sum().backward(), [], 4),
    "no gradient": (lambda: refuses.register_autograd(lambda nothing: nothing), [], 0),
    "a check": (lambda: launch_odd.check(torch.ones(8)), ["launch_odd"], 0),
    "vmap": (lambda: torch.vmap(launch_odd)(torch.ones(2, 8)), ["launch_odd"], 3),
    "registration": (lambda: register(lambda x: x), ["register"], 0),
}


@pytest.mark.parametrize("call", CALLS)
def test_frames_are_those_of_the_program(call):
    function, names, of_torch = CALLS[call]
    with pytest.raises((ct.TileError, TypeError, ValueError, RuntimeError)) as raised:
        function()
    frames = traceback.extract_tb(raised.tb)
    assert [frame.name for frame in frames if frame.filename == __file__][2:] == names
    assert not any("tilewright" in frame.filename.replace(__file__, "") for frame in frames)
    assert of_torch is None or sum("site-packages" in frame.filename for frame in frames) <= of_torch


def test_full_tracebacks(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TRACEBACK", "full")
    with pytest.raises(ct.TileTypeError) as raised:
        launch_odd.check(torch.ones(8))
    assert any(frame.name == "run_on_fakes" for frame in traceback.extract_tb(raised.tb))
