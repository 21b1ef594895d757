# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models on PyTorch's tensors, as on a GPU: here they are on the CPU, and a graph is played back in Python."""

import contextlib

import numpy as np
import pytest

from llm import arrays
from llm.errors import ModelError
from llm.generate import Request
from llm.graphs import Graphs
from llm.init import init
from llm.models import Settings, open_model

torch = pytest.importorskip("torch", reason="runs on PyTorch, which ./dev test --peer installs")

REQUESTS = [
    Request(list(range(5, 5 + length)), max_tokens=8, temperature=t) for length, t in ((3, 0), (33, 0.7), (9, 0))
]
CASES = [("llama3", {}), ("llama3", {"weights": "int4"}), ("deepseek-v2", {}), ("deepseek-v3", {"weights": "fp8"})]


@pytest.fixture
def tensors(monkeypatch):
    monkeypatch.setitem(arrays.DEVICES, "cpu", arrays.Torch)


def tokens_of(engine):
    return [(token.request, token.id) for token in engine.generate(REQUESTS)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1].get('weights', 'dense')}")
def model(request, tmp_path):
    arch, settings = request.param
    changes = {} if arch == "llama3" else {"moe_intermediate_size": 128}
    folder = init(tmp_path / "model", arch, dtype="float32", changes=changes)
    return lambda: open_model(folder, Settings(default="torch", context=64, batch=4, **settings))


def test_tensors_give_the_same_tokens(model, monkeypatch):
    expected = tokens_of(model())
    monkeypatch.setitem(arrays.DEVICES, "cpu", arrays.Torch)
    engine = model()
    assert isinstance(engine.sampled, torch.Tensor)
    assert tokens_of(engine) == expected


def test_graphs_are_captured_once_per_batch_and_played_back(model, tensors, monkeypatch):
    engine = model()
    expected = tokens_of(engine)
    captured = []

    class Graph:
        """Playing back is computing again, from the arrays that the capture had."""

        def replay(self):
            engine.compute(*self.arguments)

    @contextlib.contextmanager
    def capture(graph):
        compute = engine.compute
        captured.append(graph)

        def remember(*arguments):
            graph.arguments = arguments
            return engine.sampled[: arguments[0].results]

        engine.compute = remember
        yield
        engine.compute = compute

    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", capture)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    engine.graphs = Graphs(engine)
    assert tokens_of(engine) == expected
    assert len(captured) == len(engine.graphs.graphs)


def test_no_gpu():
    if not torch.cuda.is_available():
        with pytest.raises(
            ModelError, match="finds no GPU; expected a build with CUDA and its driver; use --device cpu"
        ):
            arrays.device("cuda")


def test_bf16_and_f8_travel_as_they_are():
    place = arrays.Torch()
    for name in ("bfloat16", "float8_e4m3fn", "float32"):
        array = np.arange(8).astype(arrays.NUMPY[name])
        assert place.put(array).dtype == getattr(torch, name)
        np.testing.assert_array_equal(place.put(array).float().numpy(), array.astype(np.float32))
