# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One pass through a model: its inputs, and the arrays that it works in."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

from .arrays import NUMPY


@dataclass
class Fresh:
    """Where the tokens of a step would lie in pages of their own, numbered from 0."""

    slots: object  # [T] i32
    tables: object  # [R, pages] i32


@dataclass
class Step:
    """T tokens of R requests, as arrays of the device, all i32."""

    ids: object  # [T]
    positions: object  # [T] in the own request
    slots: object  # [T] in the cache
    tables: object  # [R, pages] page numbers
    starts: object  # [R + 1] rows of each request
    lengths: object  # [R] tokens in the cache after this step
    rows: object  # rows whose logits are wanted
    fresh: Fresh | None = None  # if all requests begin with this step

    def __post_init__(self):
        self.tokens, self.results = self.ids.shape[0], self.rows.shape[0]


class Buffers:
    """Arrays [tokens, width] that all steps of a model share; `take` has views of the first rows."""

    def __init__(self, arrays, tokens, widths):
        """`widths` maps a name to the sizes of a row and its type."""
        self.arrays = {name: arrays.empty((tokens, *shape), dtype) for name, (shape, dtype) in widths.items()}
        self.tokens = tokens
        self._views = {}

    @staticmethod
    def bytes(tokens, widths):
        """Memory of such arrays, before there are any."""
        return tokens * sum(math.prod(shape) * NUMPY[dtype].itemsize for shape, dtype in widths.values())

    def take(self, tokens):
        views = self._views.get(tokens)
        if views is None:
            views = SimpleNamespace(**{name: array[:tokens] for name, array in self.arrays.items()})
            if len(self._views) < 256:
                self._views[tokens] = views
        return views
