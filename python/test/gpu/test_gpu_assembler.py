# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A machine that has a driver and Python and nothing else: the driver assembles what it loads."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import numpy as np, torch, tilewright as ct

@ct.kernel
def product(a, b, out, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((M, N), dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(M, K))):
        total = ct.mma(ct.load(a, (i, k), (M, K)), ct.load(b, (k, j), (K, N)), total)
    ct.store(out, (i, j), ct.astype(total, out.dtype))

@ct.kernel
def speak(out):
    ct.printf("block %d\\n", ct.bid(0))
    ct.store(out, (ct.bid(0),), ct.full((16,), 3.0, dtype=ct.float32))

a, b = (torch.randn(1024, 1024, dtype=torch.bfloat16, device="cuda") for _ in range(2))
out = torch.empty_like(a)
ct.launch(torch.cuda.current_stream(), (8, 4), product, (a, b, out, 128, 256, 64))
torch.testing.assert_close(out, a @ b, rtol=2e-2, atol=1e-1)
words = torch.zeros(32, device="cuda")
speak[2](words)
ct.synchronize()
assert (words == 3).all()
"""


@pytest.mark.parametrize("abi", ["tilewright", "portable"])
def test_the_driver_assembles(tmp_path, abi):
    pytest.importorskip("torch")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    settings = {"TILEWRIGHT_ASSEMBLER": "driver", "TILEWRIGHT_LAUNCH_ABI": abi, "TILEWRIGHT_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, script], env={**os.environ, **settings}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == ["block 0", "block 1"]
