# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's prediction for a point, which needs neither a GPU nor the arrays' contents."""

import json
import sys

from tilewright import _native
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import Signature
from tilewright._runtime.dispatch import launcher_of
from tilewright.limits import time_limit

from bench.predict.launches import fill_arrays
from bench.predict.point import aligned


def empty(description):
    """An array without memory behind it until someone writes there, at an address as allocators give them."""
    return description.view(aligned(description, 256).reshape(description.shape))


class Models:
    """Compiles each specialization of a kernel once."""

    def __init__(self, target):
        self.target, self.known = target, {}

    def compile_options(self, point) -> dict:
        return {}

    def models_in(self, explanation) -> list:
        return explanation.models()

    def model_of(self, point) -> tuple:
        """The model of its kernel, the values of the entry's parameters, and the grid."""
        kernel = point.hinted()
        arguments = fill_arrays(point, lambda array, _: empty(array))
        specs = launcher_of(kernel).specs(arguments)
        key = (point.kernel.__name__, tuple(sorted(point.hints.items())), specs)
        if key not in self.known:
            compiled = compile_to_module(kernel, Signature(specs))
            made = _native.explain(compiled.module, point.kernel.__name__, self.target, packages=sys.path,
                                   time_limit=time_limit(), **self.compile_options(point))  # fmt: skip
            self.known[key] = self.models_in(made)[0], compiled.parameters
        model, parameters = self.known[key]
        return model, launcher_of(kernel).values(arguments, parameters), (*point.grid, 1, 1)[:3]

    def predict(self, point, **options) -> dict:
        model, values, grid = self.model_of(point)
        return json.loads(model.predict(grid, values, **options))
