# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For tests without a GPU: the code that a GPU's launches would have."""

import contextlib
import io

import pytest
from tilewright import _native, _runtime
from tilewright.compilation import CallingConvention, KernelSignature, export_kernel

ARCHITECTURES = ("sm_80", "sm_90", "sm_120")


@contextlib.contextmanager
def recorded():
    """Symbol -> bytecode of each specialization that is launched inside; the launches run, too."""
    modules, launch = {}, _runtime.launch

    def record(kernel, grid, args, *where):
        signature = KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2())
        file = io.BytesIO()
        export_kernel(kernel, [signature], file, output_format="tileir_bytecode", bytecode_version="13.4")
        modules[signature.symbol] = file.getvalue()
        launch(kernel, grid, args, *where)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runtime, "launch", record)
        yield modules


def ptx_of(run, kernel, architecture):
    """The code of each specialization of a kernel, by name, that `run` launches."""
    with recorded() as modules:
        run()
    found = {symbol: module for symbol, module in modules.items() if symbol.startswith(f"{kernel}_Kt")}
    made = (_native.compile_to(found[each], each, f"nvidia:{architecture}", "ptx", time_limit=120) for each in found)
    return [each.output.decode() for each in made]


def compile_for_gpus(run):
    """Compiles every kernel that `run` launches for GPUs of several generations."""
    with recorded() as modules:
        run()
    assert modules
    for architecture in ARCHITECTURES:
        for symbol, module in modules.items():
            made = _native.compile_to(module, symbol, f"nvidia:{architecture}", "ptx", time_limit=120)
            assert b".entry" in made.output, symbol
