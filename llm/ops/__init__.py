# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of both models, each with several implementations of the same signature.

T is the number of tokens of all requests together, R of requests, P of positions. `out` exists, and no operation
allocates memory that outlives it. Weights and x have the model's type unless the row says otherwise.

| operation | signature |
|---|---|
| embedding | (ids [T] i32, table [V, H], out [T, H]) |
| rms_norm | (x [T, H], weight [H], out, *, epsilon); out may be x |
| add_rms_norm | (x [T, H], residual [T, H], weight, out, *, epsilon): residual += x, then out = norm(residual) |
| linear | (x [T, K], weight [N, K], out [T, N]) |
| linear_int8 | (x, weight i8 [N, K], scales f32 [N], out) |
| linear_int4 | (x, packed u8 [N, K/2], scales f32 [N, K/group], out, *, group): low half first, value - 8 |
| linear_fp8 | (x, weight f8e4m3 [N, K], scales f32 [N/128, K/128], out): x rounded per token and 128 columns |
| head_linear | (x [T, heads, K], weight [heads, N, K] with any strides, out [T, heads, N]): a matrix per head |
| rope | (x [T, heads, D] in place, positions [T] i32, table f32 [P, D]: cosines, then sines, *, interleaved) |
| silu_mul | (gate_up [T, 2I], out [T, I]): silu(first half) * second half |
| append | (k [T, KV, D], v [T, KV, V], cache_k [pages, page, KV, D], cache_v [.., V], slots [T] i32) |
| attention | (q [T, heads, D], cache_k, cache_v, tables [R, pages], starts [R+1], lengths [R], out, *, scale) |
| latent_append | (latent [T, D], cache [pages, page, D], slots) |
| latent_attention | (q [T, heads, D], cache, tables, starts, lengths, out [T, heads, V], *, scale) |
| route | (scores f32 [T, E], bias f32 [E] or None, weights f32 [T, k], ids i32 [T, k], *, OPTIONS) |
| experts | (x [T, H], gate_up [E, 2I, H], down [E, H, I], weights [T, k], ids [T, k], out [T, H]) |
| experts_fp8 | (x, gate_up f8, scales [E, 2I/128, H/128], down f8, scales [E, H/128, I/128], weights, ids, out) |
| sample | (logits f32 [R, V], out i32 [R], *, temperature, top_k, top_p, min_p, seeds, steps): each [R] |

Tables, starts and lengths are i32. Arrays but weights may be views of rows of wider ones. A slot is page number * page
+ offset. The values of latents are their first V elements. The options of route are sigmoid, groups, top_groups,
normalize and scale. The queries of request r are rows starts[r] to starts[r+1], the last ones of its lengths[r] tokens,
whose keys are in the pages tables[r]. Temperature 0 takes the largest logit; else the choice depends on seed and step
only.
"""

import importlib

from ..errors import MissingPackage, UnknownOperation

OPERATIONS = (
    "embedding",
    "rms_norm",
    "add_rms_norm",
    "linear",
    "linear_int8",
    "linear_int4",
    "linear_fp8",
    "head_linear",
    "rope",
    "silu_mul",
    "append",
    "attention",
    "latent_append",
    "latent_attention",
    "route",
    "experts",
    "experts_fp8",
    "sample",
)
# Each is a module with a table OPERATIONS of its functions, and the DEVICES on which they run. It may have SOURCES, the
# modules, functions or paths of C++ whose lines count as those of an operation, BORROWED, the implementations that
# stand in, and NOTES, a line for readers of its times by device. A package may have MODULES instead: device -> its
# module with these tables, so that each needs its own packages only.
IMPLEMENTATIONS = {
    "tilewright": "tilewright",
    "numpy": "reference",
    "torch": "torch",
    "torch-compile": "torch_compile",
    "triton": "triton",
    "cutile": "cutile",
    "pallas": "pallas",
    "warp": "warp",
    "simt": "simt",
}
DEFAULT = "tilewright"


def import_part(name, path):
    """The module of an implementation at a path, imported on first use."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name == path:
            raise UnknownOperation(f"implementation {name!r} does not exist yet; choose another one") from None
        raise MissingPackage(
            f"implementation {name!r} needs the package {error.name}, which is not installed"
        ) from None


def load(name, device=None):
    """The module of an implementation; for a device, that of its MODULES where it has them."""
    if name not in IMPLEMENTATIONS:
        raise UnknownOperation(f"implementation is {name!r}, expected one of {', '.join(IMPLEMENTATIONS)}")
    path = f"{__name__}.{IMPLEMENTATIONS[name]}"
    module = import_part(name, path)
    part = getattr(module, "MODULES", {}).get(device)
    return import_part(name, f"{path}.{part}") if part else module


def find(operation, implementation, device="cpu"):
    """The function of an operation; an error names those that exist."""
    if operation not in OPERATIONS:
        raise UnknownOperation(f"operation is {operation!r}, expected one of {', '.join(OPERATIONS)}")
    module = load(implementation)
    if device not in module.DEVICES:
        raise UnknownOperation(
            f"implementation {implementation!r} runs on {' and '.join(module.DEVICES)}, not on {device}; choose another"
        )
    module = load(implementation, device)
    function = module.OPERATIONS.get(operation)
    if function is None and operation in getattr(module, "BORROWED", {}):
        return find(operation, module.BORROWED[operation], device)
    if function is None:
        have = ", ".join(module.OPERATIONS)
        raise UnknownOperation(f"implementation {implementation!r} has no {operation!r}, only {have}; choose another")
    return function


class Ops:
    """One implementation of each operation, as attributes: Ops({"attention": "torch"}).attention(...)."""

    def __init__(self, choice=None, *, default=DEFAULT, device="cpu"):
        self.device, self.default, self.choice = device, default, dict(choice or {})
        for name, implementation in self.choice.items():
            setattr(self, name, find(name, implementation, device))

    def __getattr__(self, name):
        if name not in OPERATIONS:
            raise AttributeError(name)
        function = find(name, self.default, self.device)
        setattr(self, name, function)
        return function
