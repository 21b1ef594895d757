# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as text, run in the interpreter on NumPy arrays."""

from __future__ import annotations

import os

import numpy as np
import tilewright as ct

NUMPY = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": np.uint16,  # as bits, like everything NumPy has no type for
    "tf32": np.uint32,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": np.uint8,
    "f8E5M2": np.uint8,
    "f8E8M0FNU": np.uint8,
    "fnv8E5M3FNU": np.uint8,
}

TARGET = os.environ.get("TILEWRIGHT_TEST_TARGET", "interpreter")
"""What these tests say holds of compiled code as well: with "cpu" they ask it."""


def bits_of(value) -> int:
    """The value of an entry parameter: the address of an array, a number's bits."""
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, np.floating):
        return int(value.view(f"u{value.itemsize}"))
    return int(value) & (1 << 64) - 1


def run(text: str, *values, grid=(1, 1, 1), entry: str = "", step_limit: int = 0) -> None:
    """Launches the entry of that name, or the only one."""
    module = ct.load_module(text.encode())
    kernel = module[entry] if entry else next(iter(module.values()))
    kernel.compile(TARGET).run(grid, [bits_of(value) for value in values], step_limit=step_limit)


def tile(element: str, shape) -> str:
    return f"tile<{''.join(f'{extent}x' for extent in shape)}{element}>"


def _whole(name: str, element: str, shape) -> str:
    """A view of which one tile is the whole array."""
    strides = [int(np.prod(shape[i + 1 :], dtype=int)) for i in range(len(shape))]
    extents = "x".join(map(str, shape))
    tensor = f"tensor_view<{extents}x{element}, strides=[{', '.join(map(str, strides))}]>"
    view = f"partition_view<tile=({extents}), {tensor}>"
    return (
        f"""  %t{name} = make_tensor_view %{name}, shape = [{", ".join(map(str, shape))}], \
strides = [{", ".join(map(str, strides))}] : {tensor}
  %v{name} = make_partition_view %t{name} : {view}
""",
        view,
    )


def apply(body: str, sources, results) -> list[np.ndarray]:
    """Runs operations on tiles. Sources are (element, array) pairs and called %a, %b, ...; results are (element, shape)
    pairs and called %r0, %r1, ...; %zero is a scalar i32. Rank 0 is an array of one element."""
    names = "abcdefgh"[: len(sources)]
    outs = [np.zeros(shape or (1,), NUMPY[element]) for element, shape in results]
    parameters = [f"%p{name}: tile<ptr<{element}>>" for name, (element, _) in zip(names, sources, strict=True)]
    parameters += [f"%q{i}: tile<ptr<{element}>>" for i, (element, _) in enumerate(results)]
    lines = [
        f"cuda_tile.module @m {{ entry @main({', '.join(parameters)}) {{\n  %zero = constant <i32: 0> : tile<i32>\n"
    ]
    for name, (element, array) in zip(names, sources, strict=True):
        if array.ndim == 0:
            lines.append(f"  %{name}, %l{name} = load_ptr_tko weak %p{name} : tile<ptr<{element}>> -> "
                         f"tile<{element}>, token\n")  # fmt: skip
            continue
        made, view = _whole("p" + name, element, array.shape)
        at = ", ".join(["%zero"] * array.ndim)
        lines.append(made)
        lines.append(f"  %{name}, %l{name} = load_view_tko weak %vp{name}[{at}] : {view}, tile<i32> -> "
                     f"{tile(element, array.shape)}, token\n")  # fmt: skip
    lines.append(body + "\n")
    for i, (element, shape) in enumerate(results):
        if not shape:
            lines.append(
                f"  %s{i} = store_ptr_tko weak %q{i}, %r{i} : tile<ptr<{element}>>, tile<{element}> -> token\n"
            )
            continue
        made, view = _whole(f"q{i}", element, shape)
        at = ", ".join(["%zero"] * len(shape))
        lines.append(made)
        types = f"{tile(element, shape)}, {view}, tile<i32>"
        lines.append(f"  %s{i} = store_view_tko weak %r{i}, %vq{i}[{at}] : {types} -> "
                     "token\n")  # fmt: skip
    lines.append("  return\n} }")
    arrays = [np.ascontiguousarray(array) for _, array in sources]
    run("".join(lines), *(array.reshape(-1) for array in arrays), *outs)
    return [out if shape else out[0] for out, (_, shape) in zip(outs, results, strict=True)]


def some(element: str, shape, seed: int = 0) -> np.ndarray:
    """Any bits an element of that type may have."""
    dtype = np.dtype(NUMPY[element])
    random = np.random.default_rng(seed)
    if element == "i1":
        return random.integers(0, 2, shape).astype(bool)
    count = int(np.prod(shape, dtype=int))
    return np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape).copy()


def assert_same_bits(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes(), f"{found}\n{expected}"
