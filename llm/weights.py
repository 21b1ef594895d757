# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The weights of linear layers and experts in the forms that kernels take, quantized while they are loaded."""

import math
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from . import arrays as memory
from .checkpoint import DTYPES
from .errors import ModelError, NotEnoughMemory

BLOCK = 128  # rows and columns that share a scale of float8
GROUPS = 128, 64, 32  # columns that share a scale of int4: the most that divide a weight's
FP8_MAX = 448.0
FORMS = ("dense", "int8", "int4", "fp8")


@dataclass
class Dense:
    """out = x weight^T, weight [N, K] in the type of x."""

    weight: object

    def apply(self, ops, x, out):
        ops.linear(x, self.weight, out)


@dataclass
class Int8:
    """weight i8 [N, K], scales f32 [N]."""

    weight: object
    scales: object

    def apply(self, ops, x, out):
        ops.linear_int8(x, self.weight, self.scales, out)


@dataclass
class Int4:
    """weight u8 [N, K/2], two columns a byte, the first one in the low half, 8 added; scales f32 [N, K/group]."""

    weight: object
    scales: object
    group: int

    def apply(self, ops, x, out):
        ops.linear_int4(x, self.weight, self.scales, out, group=self.group)


@dataclass
class Fp8:
    """weight f8e4m3 [N, K], scales f32 [N/128, K/128] rounded up."""

    weight: object
    scales: object

    def apply(self, ops, x, out):
        ops.linear_fp8(x, self.weight, self.scales, out)


@dataclass
class Experts:
    """gate_up [E, 2I, H] with the gates first, down [E, H, I]."""

    gate_up: object
    down: object

    def apply(self, ops, x, weights, ids, out):
        ops.experts(x, self.gate_up, self.down, weights, ids, out)


@dataclass
class Fp8Experts:
    """The same in f8e4m3, with scales f32 [E, 2I/128, H/128] and [E, H/128, I/128]."""

    gate_up: object
    gate_up_scales: object
    down: object
    down_scales: object

    def apply(self, ops, x, weights, ids, out):
        ops.experts_fp8(x, self.gate_up, self.gate_up_scales, self.down, self.down_scales, weights, ids, out)


def scales_name(name):
    """DeepSeek's name of the scales of a float8 tensor."""
    return name + "_scale_inv"


def spread(scales, shape):
    """Scales of blocks [ceil N/128, ceil K/128] as one per element [N, K]."""
    return np.repeat(np.repeat(scales, BLOCK, axis=0), BLOCK, axis=1)[: shape[0], : shape[1]]


def quantize_int8(weight):
    weight = np.asarray(weight, np.float32)
    scales = np.maximum(np.abs(weight).max(axis=1) / 127, np.finfo(np.float32).tiny)
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


def group_of(columns):
    """The columns that share a scale of int4, or 0 where a weight of so many columns stays dense."""
    return next((group for group in GROUPS if columns % group == 0), 0)


def quantize_int4(weight, group):
    weight = np.asarray(weight, np.float32)
    rows, columns = weight.shape
    grouped = weight.reshape(rows, columns // group, group)
    scales = np.maximum(np.abs(grouped).max(axis=2) / 7, np.finfo(np.float32).tiny)
    values = (np.clip(np.rint(grouped / scales[:, :, None]), -8, 7) + 8).astype(np.uint8).reshape(rows, columns)
    return values[:, 0::2] | values[:, 1::2] << 4, scales


def quantize_fp8(weight):
    weight = np.asarray(weight, np.float32)
    rows, columns = (math.ceil(size / BLOCK) for size in weight.shape)
    padded = np.zeros((rows * BLOCK, columns * BLOCK), np.float32)
    padded[: weight.shape[0], : weight.shape[1]] = np.abs(weight)
    largest = padded.reshape(rows, BLOCK, columns, BLOCK).max(axis=(1, 3))
    scales = np.maximum(largest / FP8_MAX, np.finfo(np.float32).tiny)
    return (weight / spread(scales, weight.shape)).astype(ml_dtypes.float8_e4m3fn), scales


def is_linear(name, shape):
    """Whether a form other than dense applies to a tensor of a checkpoint: projections, not embeddings and routers."""
    return len(shape) == 2 and name.endswith("_proj.weight")


def bytes_needed(shapes, form, dtype) -> int:
    """Memory of the weights {name: shape}, computed before any of them is read."""
    if form not in FORMS:
        raise ModelError(f"form of weights is {form!r}, expected one of {', '.join(FORMS)}")
    dense = memory.NUMPY[dtype].itemsize
    total = 0.0
    for name, shape in shapes.items():
        size = math.prod(shape)
        if name.endswith("_scale_inv"):
            total += 4 * size if form == "fp8" else 0
        elif form != "dense" and is_linear(name, shape) and not (".experts." in name and form != "fp8"):
            group = group_of(shape[1])
            total += size * {"int8": 1, "int4": 0.5 + 4 / group if group else dense, "fp8": 1}[form]
        else:
            total += size * dense
    return int(total)


def check_memory(arrays, shapes, form, dtype, cache, buffers) -> int:
    """The bytes needed by the weights, a cache and the buffers of a step; an error if the device has fewer."""
    weights = bytes_needed(shapes, form, dtype)
    needed, available = weights + cache + buffers, arrays.available()
    if needed > available:
        smaller = {other: needed - weights + bytes_needed(shapes, other, dtype) for other in ("fp8", "int8", "int4")}
        fitting = [other for other, size in smaller.items() if size <= available]
        fix = f"--weights {fitting[0]} needs {gigabytes(smaller[fitting[0]])}" if fitting else "a smaller model"
        raise NotEnoughMemory(
            f"the model needs {gigabytes(needed)} of memory (weights {gigabytes(weights)}, cache {gigabytes(cache)},"
            f" buffers {gigabytes(buffers)}),"
            f" {arrays.name} has {gigabytes(available)} available; use {fix}, or fewer tokens"
        )
    return needed


def gigabytes(size):
    return f"{size / 1e9:.2f} GB"


@dataclass(frozen=True)
class Part:
    """A tensor of a checkpoint, or rows or columns of it that begin and end at blocks of float8."""

    name: str
    rows: slice | None = None
    columns: slice | None = None

    def of(self, array, block=1):
        """The part of the tensor, or of its scales with so many rows and columns each."""
        places = (self.rows, self.columns)
        return array[
            tuple(slice(p.start // block, p.stop // block) if p else slice(None) for p in places[: array.ndim])
        ]


class Loader:
    """Reads tensors of a checkpoint into arrays of a device, in one of FORMS; `progress(bytes)` is called for each."""

    def __init__(self, checkpoint, arrays, dtype, form="dense", progress=None):
        self.checkpoint, self.arrays, self.dtype, self.form = checkpoint, arrays, dtype, form
        self.progress = progress or (lambda size: None)

    def _values(self, part):
        """As stored, or in f32 if stored as float8 with scales."""
        values = self.checkpoint.read(part.name)
        if values.dtype == ml_dtypes.float8_e4m3fn:
            scales = self.checkpoint.read(scales_name(part.name)).astype(np.float32)
            values = values.astype(np.float32) * spread(scales, values.shape)
        values = part.of(values)
        self.progress(values.size * DTYPES[self.checkpoint.tensors[part.name].dtype].itemsize)
        return values

    def _stack(self, parts, dtype):
        values = [self._values(part) for part in parts]
        stacked = memory.empty((sum(len(value) for value in values), *values[0].shape[1:]), dtype)
        start = 0
        for value in values:
            stacked[start : start + len(value)] = value
            start += len(value)
        return stacked

    def _fp8(self, parts):
        """Weights and scales of parts below each other; None where a scale's block would cover two of them."""
        weights, scales = [], []
        for part in parts:
            if self.checkpoint.tensors[part.name].dtype == "F8_E4M3":
                weight = part.of(self.checkpoint.read(part.name))
                scale = part.of(self.checkpoint.read(scales_name(part.name)), BLOCK)
                self.progress(weight.nbytes)
            else:
                weight, scale = quantize_fp8(self._values(part))
            weights.append(weight)
            scales.append(scale.astype(np.float32))
        if any(len(weight) % BLOCK for weight in weights[:-1]):
            return None
        return np.concatenate(weights), np.concatenate(scales)

    @staticmethod
    def _fill(parts, make):
        """The arrays that `make` returns for each part, as arrays with the parts along the first axis."""
        filled = None
        for number, part in enumerate(parts):
            made = make(part)
            filled = filled or [memory.empty((len(parts), *array.shape), array.dtype.name) for array in made]
            for target, array in zip(filled, made, strict=True):
                target[number] = array
        return filled

    def array(self, name, dtype=None):
        """One tensor, dense."""
        return self.arrays.put(self._stack([Part(name)], dtype or self.dtype))

    def linear(self, *names):
        """Matrices [N, K] below each other, as one weight in the loader's form."""
        parts = [Part(name) for name in names]
        columns = self.checkpoint.tensors[names[0]].shape[1]
        put = self.arrays.put
        if self.form == "fp8" and (made := self._fp8(parts)):
            return Fp8(*map(put, made))
        if self.form == "int8":
            return Int8(*map(put, quantize_int8(self._stack(parts, "float32"))))
        if self.form == "int4" and (group := group_of(columns)):
            return Int4(*map(put, quantize_int4(self._stack(parts, "float32"), group)), group)
        return Dense(put(self._stack(parts, self.dtype)))

    def experts(self, names, shared, count):
        """Experts of which each name has gate, up and down projections, then those that `shared` splits into."""
        parts = [[Part(f"{name}.{kind}_proj.weight") for kind in ("gate", "up", "down")] for name in names]
        size = self.checkpoint.tensors[parts[0][0].name].shape[0]
        for number in range(count):
            place = slice(number * size, (number + 1) * size)
            gate, up = (Part(f"{shared}.{kind}_proj.weight", rows=place) for kind in ("gate", "up"))
            parts.append([gate, up, Part(f"{shared}.down_proj.weight", columns=place)])
        put = self.arrays.put
        if self.form == "fp8" and size % BLOCK == 0:
            gate_ups = self._fill(parts, lambda part: self._fp8(part[:2]))
            downs = self._fill(parts, lambda part: self._fp8(part[2:]))
            return Fp8Experts(*map(put, (*gate_ups, *downs)))
        (gate_up,) = self._fill(parts, lambda part: [self._stack(part[:2], self.dtype)])
        (down,) = self._fill(parts, lambda part: [self._stack(part[2:], self.dtype)])
        return Experts(put(gate_up), put(down))
