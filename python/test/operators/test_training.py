# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""200 steps of a small Llama by tilewright.ops have the losses that PyTorch's functions have."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

import tilewright.ops as ops  # noqa: E402
from small_llama import InTorch, train  # noqa: E402

STEPS = 200


@pytest.fixture(scope="module")
def losses():
    """Of PyTorch in f32."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more only wait for each other in products as small as these
    yield train(InTorch, torch.float32, STEPS)
    torch.set_num_threads(threads)


def test_in_f32(losses):
    found = train(ops, torch.float32, STEPS)
    assert losses[-1] < losses[0] / 2
    assert (found - losses).abs().max() < 1e-4


def test_in_bf16(losses):
    """No further from f32 than PyTorch's own losses in bf16 are, but for a half: both are noise."""
    noise = (train(InTorch, torch.bfloat16, STEPS) - losses).abs()
    found = (train(ops, torch.bfloat16, STEPS) - losses).abs()
    assert found.mean() < 1.5 * noise.mean() and found.max() < 2 * noise.max()


def test_compiled(losses):
    torch.compiler.reset()
    assert (train(ops, torch.float32, 5, compiled=True) - losses[:5]).abs().max() < 1e-4
