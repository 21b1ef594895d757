# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX as operations of the registry: arrays come in without a copy where JAX can take them, and results,
which are new arrays in JAX, are copied into the arguments that they replace."""

import functools
import inspect
import os
from dataclasses import dataclass

# JAX would take three quarters of a GPU's memory at its start, of which PyTorch has taken a part already.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as backend

F32 = jnp.float32
FP8 = jnp.float8_e4m3fn
WHOLE = pl.BlockSpec()


@functools.partial(jax.tree_util.register_dataclass, data_fields=["flat"], meta_fields=["offset", "shape", "strides"])
@dataclass(frozen=True)
class View:
    """An array with strides, which JAX's own arrays lack: the memory around it, and where its elements are in it."""

    flat: jax.Array
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements

    @property
    def dtype(self):
        return self.flat.dtype

    def places(self, *indices):
        """Indices into `flat`."""
        return self.offset + sum(index * stride for index, stride in zip(indices, self.strides, strict=True))


def take_numpy(array):
    if array.dtype == FP8:
        array = array.view(np.uint8)
    if array.dtype == np.int64:  # JAX has no numbers of 64 bits unless asked for everywhere
        array = np.ascontiguousarray(array).view(np.int32).reshape(*array.shape, 2)
    return jax.device_put(array, jax.devices("cpu")[0])


def take_tensor(tensor):
    import torch

    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.float8_e4m3fn:
        tensor = tensor.view(torch.uint8)
    if tensor.dtype == torch.int64:
        tensor = tensor.view(torch.int32).reshape(*tensor.shape, 2)
    return jax.dlpack.from_dlpack(tensor)


def take(array):
    return take_numpy(array) if isinstance(array, np.ndarray) else take_tensor(array)


def take_view(array):
    if isinstance(array, np.ndarray):
        strides = tuple(stride // array.itemsize for stride in array.strides)
        span = 1 + sum((size - 1) * stride for size, stride in zip(array.shape, strides, strict=True))
        return View(take(np.lib.stride_tricks.as_strided(array, (span,), (array.itemsize,))), 0, array.shape, strides)
    # From the start of the allocation, since XLA wants arguments at multiples of 128 bytes.
    size = array.untyped_storage().nbytes() // array.element_size()
    flat = array.as_strided((size,), (1,), 0)
    return View(take(flat), array.storage_offset(), tuple(array.shape), array.stride())


def give(target, result):
    if isinstance(target, np.ndarray):
        target[...] = np.asarray(result)
    else:
        import torch

        target.copy_(torch.from_dlpack(result))


def type_of(array):
    name = array.dtype.name if isinstance(array, np.ndarray) else str(array.dtype).removeprefix("torch.")
    return jax.ShapeDtypeStruct(tuple(array.shape), jnp.dtype(name))


def operation(*, out, updated=(), views=(), arrays=()):
    """Makes `function(*arguments, interpret, **options) -> results`, which is compiled for each set of shapes, an
    operation. The arguments at the places `out` come as a shape and type, those at `views` as View. The results are for
    the arguments at `updated`, then for those at `out`. Options are constants, but for the names in `arrays`."""

    def decorate(function):
        options = [name for name, p in inspect.signature(function).parameters.items() if p.kind is p.KEYWORD_ONLY]
        constant = [name for name in options if name not in arrays]
        compiled = jax.jit(function, static_argnums=out, static_argnames=constant)

        def take_all(arguments, options):
            taken = []
            for place, argument in enumerate(arguments):
                if argument is None:
                    taken.append(None)
                elif place in out:
                    taken.append(type_of(argument))
                else:
                    taken.append((take_view if place in views else take)(argument))
            return taken, {name: take(value) if name in arrays else value for name, value in options.items()}

        @functools.wraps(function)
        def call(*arguments, **options):
            taken, options = take_all(arguments, options)
            results = compiled(*taken, interpret=isinstance(arguments[0], np.ndarray), **options)
            for place, result in zip((*updated, *out), jax.tree.leaves(results), strict=True):
                give(arguments[place], result)

        def trace(*arguments, interpret, **options):
            """The function as JAX sees it for these arguments, to be lowered for any platform."""
            taken, options = take_all(arguments, options)
            return compiled.trace(*taken, interpret=interpret, **options)

        call.trace = trace
        return call

    return decorate


def launch(kernel, out_shape, grid, *arrays, interpret, in_specs=None, out_specs=None, warps=4, stages=3, aliases=None):
    """pallas_call with the Triton backend's options; arrays without a block are visible as a whole."""
    return pl.pallas_call(
        kernel,
        out_shape=out_shape,
        grid=grid,
        in_specs=in_specs or [WHOLE] * len(arrays),
        out_specs=out_specs or jax.tree.map(lambda _: WHOLE, out_shape),
        input_output_aliases=aliases or {},
        interpret=interpret,
        compiler_params=backend.CompilerParams(num_warps=warps, num_stages=stages),
    )(*arrays)


def power_of_two(size):
    """The smallest one not below: the sizes of tiles in Triton."""
    return 1 << max(size - 1, 0).bit_length()


def masked(ref, indices, mask, fill=0):
    """Elements at indices that broadcast against each other, `fill` where the mask is False."""
    return backend.load(ref.at[indices], mask=mask, other=jnp.asarray(fill, ref.dtype))


def store(ref, indices, values, mask):
    backend.store(ref.at[indices], values.astype(ref.dtype), mask=mask)


def dot(a, b):
    """a [M, K] times b [N, K] transposed, in f32: with f32's products for f32, on tensor cores for bf16."""
    precision = jax.lax.Precision.HIGHEST if a.dtype == F32 else None
    return jax.lax.dot_general(a, b, (((1,), (1,)), ((), ())), precision=precision, preferred_element_type=F32)


def quotient(a, b, interpret):
    """a / b of f32 as IEEE rounds it, where a unit in the last place decides between two numbers of 8 bits: XLA
    multiplies by the reciprocal of a constant, and Triton's division is off by up to two units."""
    if interpret:
        return a / jax.lax.optimization_barrier(b)
    (result,) = backend.elementwise_inline_asm(
        "div.rn.f32 $0, $1, $2;",
        args=[a, b],
        constraints="=f,f,f",
        pack=1,
        result_shape_dtypes=[jax.ShapeDtypeStruct(a.shape, F32)],
    )
    return result
