# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for a GPU, which test_compat.py runs under tilewright.compat. It prints PyTorch's properties of `cuda`."""

import copy
import io
import threading

import cuda.tile as ct
import numpy as np
import torch
from cuda.tile import Constant, launch
from cuda.tile.compilation import KernelSignature

assert ct.compilation.KernelSignature is KernelSignature
assert ct.kernel is not None and ct.__name__ == "tilewright"


@ct.kernel
def add(a, b, c, TILE: Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


def run(a, b, c):
    launch(torch.cuda.current_stream(), (ct.cdiv(a.numel(), 128),), add, (a, b, c, 128))


device = torch.device("cuda")
assert device.type == "cuda" and torch.cuda.is_available() and torch.cuda.device_count() == 1

# Factories, and what follows from their tensors.
generator = torch.Generator(device="cuda").manual_seed(3)
a = torch.randn(1000, device=device, generator=generator)
b = torch.ones(1000, device="cuda:0")
c = torch.empty_like(a)
run(a, b, c)
torch.testing.assert_close(c, a + 1)
for tensor in (a, c, a + b, a[::2], a.view(10, 100).sum(0), a.new_zeros(4), torch.zeros_like(a), torch.stack([a, b])):
    assert tensor.is_cuda and not tensor.is_cpu and tensor.device == torch.device("cuda", 0)
    assert tensor.get_device() == 0
assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)

# The host's tensors are others: to go between is to copy.
host = torch.arange(4)
there = host.to("cuda", torch.float32)
there += 1
assert there.is_cuda and there.dtype == torch.float32 and host.tolist() == [0, 1, 2, 3]
assert not host.is_cuda and host.device.type == "cpu" and not (host * 2).is_cuda and host.get_device() == -1
assert there.to(device) is there and there.cuda() is there and host.cpu() is host
back = there.cpu()
back.zero_()
assert there.tolist() == [1, 2, 3, 4] and not back.is_cuda
for moved in (host.cuda(), host.to(device), host.to(device="cuda"), host.to(0), host.to(there)):
    assert moved.is_cuda and moved is not host
assert host.to(there).dtype == torch.float32 and host.to(torch.float16).dtype == torch.float16
assert torch.from_numpy(np.ones(3)).cuda().is_cuda and not torch.from_numpy(np.ones(3)).is_cuda
assert host.pin_memory().to("cuda", non_blocking=True).is_cuda

module = torch.nn.Linear(4, 4, device="cuda").to(torch.bfloat16)
assert module.weight.is_cuda and module.weight.dtype == torch.bfloat16
on_host = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))
module = copy.deepcopy(on_host).cuda()
assert all(p.is_cuda for p in module.parameters()) and not any(p.is_cuda for p in on_host.parameters())
x = torch.randn(2, 4)
on_host(x).sum().backward()
module(x.cuda()).sum().backward()
assert not on_host(x).is_cuda and not on_host[0].weight.grad.is_cuda and module[0].weight.grad.is_cuda
torch.testing.assert_close(module(x.cuda()).cpu(), on_host(x))
torch.testing.assert_close(module[0].weight.grad.cpu(), on_host[0].weight.grad)
assert torch.nn.Parameter(torch.ones(2, device="cuda")).is_cuda and module.cpu()[0].weight.is_cuda is False

torch.set_default_device("cuda")
assert torch.randn(3).is_cuda and torch.get_default_device().type == "cuda"
torch.set_default_device(None)
assert not torch.randn(3).is_cuda
with torch.device("cuda"):
    assert torch.randn(3).is_cuda
file = io.BytesIO()
torch.save({"a": a}, file)
file.seek(0)
assert torch.equal(torch.load(file, map_location="cuda")["a"], a)
thread = threading.Thread(target=lambda: run(a, torch.ones(1000, device="cuda"), c.zero_()))
thread.start()
thread.join()
torch.testing.assert_close(c, a + 1)

# Streams, events, properties.
stream = torch.cuda.Stream()
with torch.cuda.stream(stream), torch.cuda.device(0):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run(a, b, c)
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) > 0
stream.wait_stream(torch.cuda.current_stream())
assert torch.cuda.get_device_capability() == (10, 0) and torch.cuda.get_device_properties("cuda").major == 10
assert torch.cuda.get_device_properties(0).multi_processor_count > 0
assert isinstance(torch.cuda.get_device_name(), str) and torch.cuda.max_memory_allocated() == 0
torch.cuda.manual_seed(1)
first = torch.rand(3, device="cuda")
torch.cuda.manual_seed(1)
assert torch.equal(first, torch.rand(3, device="cuda"))


@ct.kernel
def nothing(n: int):
    ct.assert_(n == 1)


launch(torch.cuda.current_stream(), (1,), nothing, (1,))

# Graphs.
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    run(a, b, c)
    doubled = c * 2
    seen = doubled.view(10, 100)
a.zero_()
assert not torch.equal(doubled, b * 2)
graph.replay()
assert torch.equal(doubled, b * 2) and torch.equal(seen.flatten(), b * 2)

# Mixed precision, gradients.
with torch.autocast("cuda", dtype=torch.bfloat16):
    assert (torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")).dtype == torch.bfloat16


class Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        assert x.is_cuda
        out = torch.empty_like(x)
        run(x, y, out)
        return out

    @staticmethod
    def backward(ctx, gradient):
        assert gradient.is_cuda
        return gradient, gradient


x = torch.randn(300, device="cuda", requires_grad=True)
Add.apply(x, torch.ones(300, device="cuda")).sum().backward()
assert torch.equal(x.grad, torch.ones(300, device="cuda")) and x.grad.is_cuda


@torch.library.custom_op("compat::plus", mutates_args=(), device_types="cuda")
def plus(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, device="cuda")
    run(x, y, out)
    assert out.is_cuda
    return out


assert torch.equal(plus(b, b), b * 2)
plus.register_autograd(lambda ctx, gradient: (gradient.to("cuda") * 1, gradient))
x.grad = None
(a,) = torch.autograd.grad(plus(x, torch.ones_like(x)).sum(), x)
assert torch.equal(a, torch.ones(300, device="cuda"))

# In place.
a = torch.randn(1000, device="cuda")
expected = a + b
run(a, b, a)
assert torch.equal(a, expected)
print("all is as on a GPU")
