# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo kernels compiled to bytecode by NVIDIA's front end, launched here: they do what ours do."""

import importlib
import io
import sys

import numpy as np
import nvidia_tools
import pytest
import tilewright as ct
from tilewright import _runtime
from tilewright._frontend.compile import compile_to_module
from tilewright.compilation import CallingConvention, KernelSignature
from tilewright.compilation.specs import signature_of_constraints

from kernels.peer import copy_for_cutile

nvidia_tools.require("cuda-tile")

import test_tileiras  # noqa: E402
from cuda.tile import compilation as reference  # noqa: E402


@pytest.fixture(scope="module")
def peer_kernels(tmp_path_factory):
    """Gives a kernel of ours as NVIDIA's front end has it: from the same source, with its own module as `ct`."""
    folder = tmp_path_factory.mktemp("peer")
    copy_for_cutile(folder, "peer_kernels")

    def peer_of(kernel):
        module = importlib.import_module(kernel.function.__module__.replace("kernels.", "peer_kernels.", 1))
        return getattr(module, kernel.function.__name__)

    sys.path.insert(0, str(folder))
    yield peer_of
    sys.path.remove(str(folder))


def entry_arguments(kernel, signature, args):
    """The entry's arguments for these values: an array becomes its pointer, its extents and its strides."""
    for parameter in compile_to_module(kernel, signature_of_constraints(kernel, signature)).parameters:
        value = args
        for index in parameter.argument:
            value = value[index]
        if parameter.kind == "shape":
            yield value.shape[parameter.axis]
        elif parameter.kind == "stride":
            yield value.strides[parameter.axis] // value.itemsize
        else:
            yield value


def copies(args):
    """Arrays in memory of their own, aligned like the first ones."""
    return [_copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]


def _copy(array):
    reach = sum((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)) // array.itemsize + 1
    memory = np.empty(reach + 64 // array.itemsize, array.dtype)
    start = (array.ctypes.data - memory.ctypes.data) % 64 // array.itemsize
    copy = np.lib.stride_tricks.as_strided(memory[start:], array.shape, array.strides)
    copy[...] = array
    return copy


@pytest.mark.parametrize("work", test_tileiras.WORKS)
def test_kernels_of_nvidias_front_end_do_what_ours_do(work, peer_kernels, monkeypatch):
    launch = _runtime.launch
    launched = []

    def compare(kernel, grid, args, *_):
        signature = KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2())
        theirs, file = copies(args), io.BytesIO()
        reference.export_kernel(
            peer_kernels(kernel),
            [reference.demangle_kernel_name(signature.symbol)[1].with_symbol("k")],
            file,
            gpu_code="sm_100",
            output_format="tileir_bytecode",
            bytecode_version="13.4",
        )
        launch(kernel, grid, args, None, False)
        loaded = ct.load_module(file.getvalue()).k
        launch(loaded, grid, tuple(entry_arguments(kernel, signature, theirs)), None, False)
        for ours, loaded_has in zip(args, theirs, strict=True):
            if isinstance(ours, np.ndarray):
                np.testing.assert_array_equal(loaded_has, ours)
        launched.append(kernel)

    monkeypatch.setattr(_runtime, "launch", compare)
    test_tileiras.WORKS[work]().run()
    assert launched
