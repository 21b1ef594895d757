# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with CuPy's arrays, which test_compat.py runs under tilewright.compat where CuPy is not installed."""

import cuda.tile as ct
import cupy as cp
import numpy as np


@ct.kernel
def scale(x, y, factor: float, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(TILE,)) * factor)


cp.random.seed(0)
x = cp.random.uniform(-1, 1, 1000, dtype=cp.float32)
y = cp.zeros_like(x)
assert type(x) is cp.ndarray and type(y) is cp.ndarray and x.dtype == cp.float32
ct.launch(cp.cuda.get_current_stream(), (ct.cdiv(1000, 128), 1, 1), scale, (x, y, 2.0, 128))
cp.cuda.runtime.deviceSynchronize()
cp.testing.assert_array_equal(y, x * 2)
assert type(cp.asnumpy(y)) is np.ndarray and type(y.get()) is np.ndarray
host = np.ones(4, np.float32)
device = cp.asarray(host)
device += 1
assert host.sum() == 4 and type(cp.sum(device)) is cp.ndarray and float(device.max()) == 2
with cp.cuda.Stream(non_blocking=True) as stream:
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    ct.launch(stream, (1,), scale, (device, device, 2.0, 4))
    end.record(stream)
    stream.synchronize()
    assert cp.cuda.get_elapsed_time(start, end) >= 0
assert cp.asnumpy(device).tolist() == [4] * 4
assert cp.random.default_rng(1).standard_normal((2, 3), dtype=cp.float32).dtype == cp.float32
assert cp.linalg.norm(cp.ones(4)) == 2
assert not hasattr(cp, "RawKernel") and hasattr(cp, "exp")
assert cp.cuda.Device().compute_capability == "100" and cp.cuda.runtime.getDeviceProperties(0)["major"] == 10
cp.get_default_memory_pool().free_all_blocks()
assert cp.get_array_module(x) is cp and cp.get_array_module(host) is np
print("all is as on a GPU")
