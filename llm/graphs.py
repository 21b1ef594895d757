# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of one token per request as CUDA graphs, one per number of requests."""

from .step import Step


class Graphs:
    """Inputs are copied into arrays that stay where they are, since a graph has their addresses."""

    def __init__(self, engine):
        self.engine, self.arrays = engine, engine.arrays
        self.graphs = {}

    def capture(self, inputs, choices):
        """Runs the step twice: once to compile and load kernels, which a capture must not do, once into the graph."""
        torch = self.arrays.torch
        fixed = {name: self.arrays.put(array) for name, array in (inputs | choices).items()}
        step = Step(**{name: fixed[name] for name in inputs})
        options = {name: fixed[name] for name in choices}
        self.engine.compute(step, options)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            sampled = self.engine.compute(step, options)
        return graph, fixed, sampled

    def run(self, inputs, choices):
        """The new ids, in NumPy."""
        requests = len(inputs["ids"])
        if requests not in self.graphs:
            self.graphs[requests] = self.capture(inputs, choices)
        graph, fixed, sampled = self.graphs[requests]
        for name, array in (inputs | choices).items():
            self.arrays.write(fixed[name], array)
        graph.replay()
        return self.arrays.get(sampled)
