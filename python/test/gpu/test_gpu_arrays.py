# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of every framework on a real GPU, on the streams of every framework, and in graphs."""

import os

import numpy as np
import pytest
import tilewright as ct
from tilewright import _native

torch = pytest.importorskip("torch")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes what the others need

COUNT = 1000


@ct.kernel
def add(a, b, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


@ct.kernel
def spin(out, rounds):
    """Takes its time, then writes: a launch on another stream that does not wait sees the old value."""
    total = ct.load(out, (0,), (1,))
    for _ in range(rounds):
        total = total * 1.0000001
    ct.store(out, (0,), total * 0 + 1)


@ct.kernel
def add_first(out, source):
    ct.store(out, (0,), ct.load(source, (0,), (1,)) + 1)


def grid():
    return ct.cdiv(COUNT, 128)


def on_gpu(count=COUNT):
    return torch.arange(count, dtype=torch.float32, device="cuda")


def test_the_gpu_is_described():
    name, architecture, multiprocessors, shared = _native.describe_gpu(0)
    properties = torch.cuda.get_device_properties(0)
    assert name == properties.name and multiprocessors == properties.multi_processor_count
    assert architecture.startswith(f"sm_{properties.major}{properties.minor}")
    assert shared == properties.shared_memory_per_block_optin


def test_torch_tensors():
    a, out = on_gpu(), torch.zeros(COUNT, device="cuda")
    ct.launch(torch.cuda.current_stream(), (grid(),), add, (a, a, out, 128))
    assert torch.equal(out, a + a)


def test_strides_and_offsets():
    base = torch.arange(4000, dtype=torch.float32, device="cuda").reshape(1000, 4)
    out = torch.zeros(1000, 3, device="cuda")
    add[grid()](base[:, 1], base[:, 2], out[:, 1], 128)
    assert torch.equal(out[:, 1], base[:, 1] + base[:, 2])
    assert not out[:, 0].any() and not out[:, 2].any()


def test_the_stream_that_torch_works_on_is_the_default():
    stream = torch.cuda.Stream()
    a, out = torch.ones(1, device="cuda"), torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        spin[1](a, 2_000_000)
        add_first[1](out, a)
        result = out.clone()
    stream.synchronize()
    assert result.item() == 2


def test_a_stream_given_as_each_kind_of_object():
    core = pytest.importorskip("cuda.core")
    stream = torch.cuda.Stream()
    kinds = [stream, stream.cuda_stream]
    if hasattr(core, "Stream"):
        kinds.append(core.Stream.from_handle(stream.cuda_stream))
    try:
        import cupy

        kinds.append(cupy.cuda.ExternalStream(stream.cuda_stream))
    except ImportError:
        pass
    for kind in kinds:
        a, out = torch.ones(1, device="cuda"), torch.zeros(1, device="cuda")
        torch.cuda.synchronize()
        ct.launch(kind, 1, spin, (a, 1_000_000))
        ct.launch(kind, 1, add_first, (out, a))
        stream.synchronize()
        assert out.item() == 2, kind


def test_cupy_arrays():
    cupy = pytest.importorskip("cupy")
    a, out = cupy.arange(COUNT, dtype=cupy.float32), cupy.zeros(COUNT, cupy.float32)
    add[grid()](a, a, out, 128)
    cupy.testing.assert_array_equal(out, a + a)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        b, out = cupy.ones(1, cupy.float32), cupy.zeros(1, cupy.float32)
        spin[1](b, 1_000_000)
        add_first[1](out, b)
        stream.synchronize()
    assert out.item() == 2


def test_jax_arrays():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    a = jax.numpy.arange(COUNT, dtype=jax.numpy.float32)
    out = torch.zeros(COUNT, device="cuda")
    a.block_until_ready()
    add[grid()](a, a, out, 128)
    np.testing.assert_array_equal(out.cpu().numpy(), np.asarray(a + a))


def test_frameworks_mix():
    cupy = pytest.importorskip("cupy")
    a, out = cupy.arange(COUNT, dtype=cupy.float32), torch.zeros(COUNT, device="cuda")
    cupy.cuda.get_current_stream().synchronize()
    add[grid()](a, on_gpu(), out, 128)
    assert torch.equal(out, 2 * on_gpu())


def test_a_graph_holds_launches():
    a, twice, out = on_gpu(), torch.zeros(COUNT, device="cuda"), torch.zeros(COUNT, device="cuda")
    add[grid()](a, a, twice, 128)  # compiled
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add[grid()](a, a, twice, 128)
        add[grid()](twice, a, out, 128)
    out.zero_()
    a.fill_(1)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, torch.full_like(out, 3))


def test_a_kernel_may_be_compiled_during_a_capture():
    a, out = on_gpu(), torch.zeros(COUNT, device="cuda")
    kernel = add.replace_hints()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel[grid()](a, a, out, 64)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out[:512], (a + a)[:512])


def test_dependent_launches():
    if torch.cuda.get_device_capability()[0] < 9:
        pytest.skip("of compute capability 9.0")

    @ct.kernel
    def step(out):
        ct.grid_dependency_control_wait()
        i = ct.bid(0)
        ct.store(out, (i,), ct.load(out, (i,), (128,)) + 1)
        ct.grid_dependency_control_launch_dependents()

    out = torch.zeros(1024, device="cuda")
    for _ in range(50):
        ct.launch(torch.cuda.current_stream(), 8, step, (out,), programmatic_dependent_launch=True)
    assert torch.equal(out, torch.full_like(out, 50))


def test_lists_of_tensors():
    @ct.kernel
    def total(arrays, out):
        sum_ = ct.zeros((16,), ct.float32)
        for i in range(len(arrays)):
            sum_ += ct.load(arrays[i], (0,), (16,))
        ct.store(out, (0,), sum_)

    arrays = [torch.full((16,), float(i), device="cuda") for i in range(5)]
    out = torch.zeros(16, device="cuda")
    for _ in range(3):
        total[1](arrays, out)
    assert torch.equal(out, torch.full_like(out, 10))


def test_host_and_gpu_do_not_mix():
    with pytest.raises(ValueError, match="argument 'b' is in host memory, argument 'a' is on GPU 0"):
        add[1](on_gpu(), np.zeros(COUNT, np.float32), on_gpu(), 128)


def test_tensors_on_a_gpu_can_be_interpreted_and_checked(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "1")
    kernel = add.replace_hints()
    a, out = on_gpu(), torch.zeros(COUNT, device="cuda")
    kernel[grid()](a, a, out, 128)
    assert torch.equal(out, a + a)


def test_a_large_grid_and_all_axes():
    @ct.kernel
    def mark(out):
        x, y, z = ct.bid(0), ct.bid(1), ct.bid(2)
        ct.store(out, (z, y, x), ct.full((1, 1, 1), x + 100 * y + 10000 * z, ct.int32))

    out = torch.full((3, 5, 70), -1, dtype=torch.int32, device="cuda")
    mark[70, 5, 3](out)
    z, y, x = np.meshgrid(range(3), range(5), range(70), indexing="ij")
    np.testing.assert_array_equal(out.cpu().numpy(), x + 100 * y + 10000 * z)
