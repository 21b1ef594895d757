# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numba
import numpy as np

from kernels.stencil.kernel import STENCILS, distance, inner, rings, stencil
from kernels.stencil.reference import reference
from kernels.work import Work, empty, memory_work, normal

WEIGHTS = (0.5, 0.25, 0.125, 0.0625)


def numba_loops(points):
    """The same as loops over elements, the outer one in parallel, the sum written out."""
    names, radius = "ijk"[: len(points[0])], max(abs(d) for point in points for d in point)
    element = lambda point: f"x[{', '.join(f'{name} + {d}' for name, d in zip(names, point, strict=True))}]"  # noqa: E731
    sums = (f"weights[{distance(ring[0])}] * ({' + '.join(map(element, ring))})" for ring in rings(points))
    lines = ["def loops(x, weights, out):"]
    for axis, name in enumerate(names):
        over = "range" if axis else "prange"
        lines.append(f"for {name} in {over}({radius}, x.shape[{axis}] - {radius}):")
    lines.append(f"out[{', '.join(names)}] = {' + '.join(sums)}")
    scope = {"prange": numba.prange}
    exec("\n".join("    " * depth + line for depth, line in enumerate(lines)), scope)
    return numba.njit(parallel=True, fastmath=True)(scope["loops"])


def stencil_work(name, shape, dtype=np.float32, *, by_index=False, tile=None) -> Work:
    points = STENCILS[name]
    weights = WEIGHTS[: len(rings(points))]
    x, out = normal(shape, dtype), empty(shape, dtype)
    out[...] = 0
    radius = max(abs(d) for point in points for d in point)
    inside = inner(out, radius)
    return memory_work(f"stencil of {name}", x, inside, 2 * inside.nbytes,
                       lambda: stencil(x, weights, points, out, by_index=by_index, tile=tile),
                       lambda: reference(x, weights, points), None)  # fmt: skip


def numba_stencil(name, shape, dtype=np.float32):
    """A call that does the same on arrays of its own; compiled already."""
    points = STENCILS[name]
    loops, weights = numba_loops(points), tuple(np.dtype(dtype).type(w) for w in WEIGHTS[: len(rings(points))])
    x, out = normal(shape, dtype), empty(shape, dtype)
    out[...] = 0
    loops(x, weights, out)
    return lambda: loops(x, weights, out)
