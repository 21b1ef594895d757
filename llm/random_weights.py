# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random weights in safetensors, in shards that are written one after the other."""

import json
import math
from collections import defaultdict

import numpy as np

from .arrays import NUMPY
from .weights import BLOCK, FP8_MAX, scales_name

POOL = 4_194_301  # numbers, a prime, so that rows of large matrices, which repeat them, differ
LARGEST = 4.0  # of the numbers before scaling, so that float8 holds them; larger ones are cut
SHARD = 2 << 30  # bytes


def normal(numbers, shape, scale, dtype):
    return (np.clip(numbers.standard_normal(shape, np.float32), -LARGEST, LARGEST) * np.float32(scale)).astype(dtype)


class Numbers:
    """Normally distributed numbers; of one seed, a name gives the same ones, in whichever order names are asked for."""

    def __init__(self, seed):
        self.seed = seed
        self.pools = {}

    def draw(self, name, shape, dtype, scale=1.0):
        """Of any shape; those of more than POOL elements repeat."""
        numbers = np.random.default_rng([self.seed, *name.encode()])
        size = math.prod(shape)
        if size <= POOL:
            return normal(numbers, shape, scale, dtype)
        key = np.dtype(dtype), scale
        if key not in self.pools:
            self.pools[key] = normal(np.random.default_rng(self.seed), POOL, scale, dtype)
        tensor, place, pool = np.empty(size, dtype), 0, self.pools[key]
        start = int(numbers.integers(POOL))
        while place < size:
            part = pool[start : start + size - place]
            tensor[place : place + len(part)] = part
            place, start = place + len(part), 0
        return tensor.reshape(shape)

    def tensor(self, name, shape, dtype):
        """Norms are ones; other weights keep the size of the values that go through them."""
        if name.endswith("norm.weight"):
            return np.ones(shape, dtype)
        if name.endswith("e_score_correction_bias"):
            return self.draw(name, shape, np.float32, 0.1)
        return self.draw(name, shape, dtype, 1.0 if "embed_tokens" in name else shape[-1] ** -0.5)

    def fp8(self, name, shape):
        """A matrix in float8, and its scales of blocks."""
        step = FP8_MAX / LARGEST
        numbers = self.draw(name, shape, NUMPY["float8_e4m3fn"], step)
        blocks = tuple(-(-size // BLOCK) for size in shape)
        return numbers, np.full(blocks, shape[-1] ** -0.5 / step, np.float32)


def divide(shapes, dtype, shards):
    """The names of each shard: so many in turn, or as many as keep it below SHARD bytes."""
    if shards > 1:
        return [list(shapes)[shard::shards] for shard in range(shards)]
    parts, size = defaultdict(list), 0
    for name, shape in shapes.items():
        parts[size // SHARD].append(name)
        size += math.prod(shape) * dtype.itemsize
    return list(parts.values())


def write_weights(folder, shapes, dtype, seed, shards):
    """model.safetensors, or shards with their index."""
    from safetensors.numpy import save_file

    numbers = Numbers(seed)

    def make(names):
        tensors = {}
        for name in names:
            if scales_name(name) in shapes:
                tensors[name], tensors[scales_name(name)] = numbers.fp8(name, shapes[name])
            else:
                tensors[name] = numbers.tensor(name, shapes[name], dtype)
        return tensors

    scales = {scales_name(name) for name in shapes}
    parts = divide({name: shape for name, shape in shapes.items() if name not in scales}, dtype, shards)
    weight_map, total = {}, 0
    for number, names in enumerate(parts, 1):
        file = "model.safetensors" if len(parts) == 1 else f"model-{number:05}-of-{len(parts):05}.safetensors"
        tensors = make(names)
        save_file(tensors, folder / file, metadata={"format": "pt"})
        weight_map |= dict.fromkeys(tensors, file)
        total += sum(tensor.nbytes for tensor in tensors.values())
    if len(parts) > 1:
        index = {"metadata": {"total_size": total}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")
