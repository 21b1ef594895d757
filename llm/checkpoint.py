# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights in safetensors: one file, or shards named by an index. Headers are read and checked before any weight is.

Only data are read: a file is a header of JSON, and bytes at the offsets that it names. Formats that run code when they
are loaded (pickle) are refused.
"""

import json
import mmap
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np

from .config import read_json
from .errors import (
    BadConfig,
    MismatchedShape,
    MissingFile,
    MissingShard,
    MissingTensor,
    TruncatedShard,
    UnsupportedType,
)

INDEX, SINGLE = "model.safetensors.index.json", "model.safetensors"
DTYPES = {
    "F32": np.dtype(np.float32),
    "F16": np.dtype(np.float16),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
}


@dataclass(frozen=True)
class Tensor:
    path: Path
    dtype: str  # as safetensors names it
    shape: tuple[int, ...]
    offset: int  # in the file
    size: int  # bytes


def read_header(path) -> dict[str, Tensor]:
    """The tensors of a file, all inside it."""
    again = "copy or download the file again"
    length = path.stat().st_size
    with open(path, "rb") as file:
        header = int.from_bytes(file.read(8), "little")
        if length < 8 or header > length - 8:
            raise TruncatedShard(f"{path} has {length} bytes, expected at least {8 + header} of its header; {again}")
        try:
            entries = json.loads(file.read(header))
            entries.pop("__metadata__", None)
            tensors = {
                name: Tensor(path, entry["dtype"], tuple(entry["shape"]), 8 + header + begin, end - begin)
                for name, entry in entries.items()
                for begin, end in [entry["data_offsets"]]
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise TruncatedShard(f"{path} has no valid header, expected safetensors; {again}") from None
    expected = max((tensor.offset + tensor.size for tensor in tensors.values()), default=0)
    if any(tensor.offset < 8 + header or tensor.size < 0 for tensor in tensors.values()):
        raise TruncatedShard(f"{path} has no valid header, expected offsets within the file; {again}")
    if length < expected:
        raise TruncatedShard(f"{path} has {length} bytes, expected {expected}; {again}")
    return tensors


def shard_paths(folder) -> list[Path]:
    index = folder / INDEX
    if not index.exists():
        if (folder / SINGLE).exists():
            return [folder / SINGLE]
        others = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
        found = f"found {others[0]}, whose format runs code when loaded" if others else "found no weights"
        raise MissingFile(
            f"{folder}: {found}, expected {SINGLE} or {INDEX}; take the model's safetensors, or convert its weights"
        )
    try:
        names = sorted(set(read_json(index)["weight_map"].values()))
    except (AttributeError, KeyError, TypeError):
        raise BadConfig(f"{index}: has no 'weight_map' from tensors to files; download it again") from None
    for number, name in enumerate(names, 1):
        if Path(name).name != name:
            raise MissingShard(f"{index}: names the file {name!r}, expected one of the same folder")
        if not (folder / name).exists():
            raise MissingShard(
                f"{folder / name} does not exist, expected as shard {number} of {len(names)} by {INDEX}; download it"
            )
    return [folder / name for name in names]


class Checkpoint:
    """The tensors of a folder by name. Reading one maps its file; pages are dropped again when memory is short."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.tensors: dict[str, Tensor] = {}
        for path in shard_paths(self.folder):
            self.tensors.update(read_header(path))
        self._maps: dict[Path, mmap.mmap] = {}

    def check(self, shapes) -> None:
        """Raises the first difference between the files and {name: shape}; further tensors are ignored."""
        for name, shape in shapes.items():
            tensor = self.tensors.get(name)
            if tensor is None:
                raise MissingTensor(
                    f"{self.folder}: no tensor {name!r} among {len(self.tensors)}, expected one of shape {list(shape)};"
                    " config.json and weights have to be of the same model"
                )
            if tensor.shape != tuple(shape):
                raise MismatchedShape(
                    f"{tensor.path}: {name!r} has shape {list(tensor.shape)}, expected {list(shape)} by config.json;"
                    " take both files from the same model"
                )
            dtype = DTYPES.get(tensor.dtype)
            if dtype is None:
                raise UnsupportedType(
                    f"{tensor.path}: {name!r} has type {tensor.dtype}, expected {', '.join(DTYPES)}; convert it"
                )
            if tensor.size != int(np.prod(shape)) * dtype.itemsize:
                raise TruncatedShard(
                    f"{tensor.path}: {name!r} has {tensor.size} bytes, expected {int(np.prod(shape)) * dtype.itemsize};"
                    " copy or download the file again"
                )

    def read(self, name) -> np.ndarray:
        """The tensor in the file's own type, without a copy; only for names that `check` has seen."""
        tensor = self.tensors[name]
        if tensor.path not in self._maps:
            with open(tensor.path, "rb") as file:
                self._maps[tensor.path] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        raw = np.frombuffer(self._maps[tensor.path], np.uint8, tensor.size, tensor.offset)
        return raw.view(DTYPES[tensor.dtype]).reshape(tensor.shape)
