# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of one token per request as CUDA graphs, one per number of requests."""

import numpy as np

from .step import Step

ALIGNMENT = 16  # bytes at which an input begins


class Inputs:
    """Arrays of the device that stay where they are, since a graph has their addresses, in one piece of memory, so that
    one copy from the host fills all of them."""

    def __init__(self, arrays, examples):
        torch = arrays.torch
        places, size = {}, 0
        for name, array in examples.items():
            places[name] = slice(size, size + array.nbytes)
            size += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        self.host = torch.empty(size, dtype=torch.uint8, pin_memory=arrays.name == "cuda")
        self.device = torch.empty(size, dtype=torch.uint8, device=arrays.place)
        host = self.host.numpy()
        self.written = {name: host[place].view(examples[name].dtype) for name, place in places.items()}
        self.arrays = {
            name: self.device[place].view(getattr(torch, examples[name].dtype.name)).reshape(examples[name].shape)
            for name, place in places.items()
        }

    def write(self, values):
        for name, array in values.items():
            self.written[name][...] = np.ravel(array)
        self.device.copy_(self.host, non_blocking=True)


def record(torch, run):
    """The graph of a run, and what it returns. It runs twice: once to compile and load kernels, which a capture must
    not do, once into the graph."""
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = run()
    return graph, result


class Graphs:
    """The graphs of an engine; the results of one are read before the next begins, so that inputs may be written."""

    def __init__(self, engine):
        self.engine, self.arrays = engine, engine.arrays
        self.graphs = {}

    def capture(self, inputs, choices):
        fixed = Inputs(self.arrays, inputs | choices)
        fixed.write(inputs | choices)
        step = Step(**{name: fixed.arrays[name] for name in inputs})
        options = {name: fixed.arrays[name] for name in choices}
        graph, sampled = record(self.arrays.torch, lambda: self.engine.compute(step, options))
        return graph, fixed, sampled

    def run(self, inputs, choices):
        """The new ids, in NumPy."""
        requests = len(inputs["ids"])
        if requests not in self.graphs:
            self.graphs[requests] = self.capture(inputs, choices)
        graph, fixed, sampled = self.graphs[requests]
        fixed.write(inputs | choices)
        graph.replay()
        return self.arrays.get(sampled)
