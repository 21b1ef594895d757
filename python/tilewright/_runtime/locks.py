# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locked plans: a folder with a plan file for each kernel that was compiled for a GPU, by specialization, target and
shape bucket.

A kernel that has a file there is compiled with its decisions, by later versions of the compiler too, or is refused with
the line that cannot be kept; one that has none gets one with the decisions of this compilation.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

_DIGITS = 12
_LONGEST_BUCKET = 100
"""In characters of a file's name, which has 255 at most."""

Bucket = tuple[tuple[str, tuple[int, ...]], ...]
"""(parameter, numbers) of the arguments that have some: the extents of an array, an integer, or the length of a list
and the largest extents of its arrays, each rounded up to a power of two."""


def write(path: Path, text: str) -> None:
    """At once: other processes see all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(name, path)


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:_DIGITS]


def _numbers(numbers: tuple[int, ...]) -> str:
    return "x".join(map(str, numbers))


def _bucket_word(bucket: Bucket) -> str:
    """As in 4096x1024_1024x512_64; a digest takes the place of the end of a long one."""
    word = "_".join(_numbers(numbers) for _, numbers in bucket)
    if len(word) <= _LONGEST_BUCKET:
        return word
    return f"{word[: _LONGEST_BUCKET - _DIGITS].rpartition('_')[0]}_{_digest(bucket)}"


def file_name(entry: str, specs: tuple, architecture: str, bucket: Bucket = ()) -> str:
    """That of a specialization (dtypes, ranks, divisibility and constants of the arguments) and of a bucket, or without
    a bucket that for all."""
    words = [entry, architecture, _digest(specs)]
    return "-".join([*words, _bucket_word(bucket)] if bucket else words) + ".plan.toml"


def file_text(entry: str, specs: tuple, architecture: str, bucket: Bucket, plan: str) -> str:
    """The plan below a comment that says what it is for."""
    lines = [f"# {entry} for {architecture}, with arguments", *(f"#   {spec!r}" for spec in specs)]
    if bucket:
        sizes = ", ".join(f"{name} {_numbers(numbers)}" for name, numbers in bucket)
        lines.append(f"# and sizes that are, rounded up to powers of two: {sizes}")
    return "\n".join([*lines, "", plan])


def find(folder: str, entry: str, specs: tuple, architecture: str, bucket: Bucket) -> tuple[Path, bool]:
    """The file of a launch, and whether it is there. One without a bucket is for all that have none of their own."""
    path, general = (Path(folder) / file_name(entry, specs, architecture, each) for each in (bucket, ()))
    if not path.exists() and general.exists():
        return general, True
    return path, path.exists()
