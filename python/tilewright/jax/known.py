# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are known when JAX traces a call."""

from typing import Any


class Known:
    """An argument that is no array. Equal to one that means the same: 1, 1.0 and True are three, and so are 0.0 and
    -0.0."""

    def __init__(self, value: Any):
        self.value = value
        self._key = (type(value), repr(value) if isinstance(value, float) else value)
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self._key == other._key
