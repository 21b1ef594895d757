# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Pallas kernels for GPUs, where there is none: each becomes a kernel of Triton."""

import pytest

from llm.ops import OPERATIONS, find
from llm.ops.works import make_work

pytest.importorskip("jax", reason="lowers JAX Pallas kernels, and JAX is not installed")


@pytest.mark.parametrize("tokens", [1, 70])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_lowers_to_triton(operation, tokens):
    """Triton takes tiles of powers of two only, and a part of the functions of JAX."""
    work = make_work(operation, "tiny", tokens=tokens, cached=37, dtype="bfloat16")
    traced = find(operation, "pallas").trace(*work.arguments, interpret=False, **work.options)
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert "triton" in text
