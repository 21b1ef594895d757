# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The outcomes in language_programs.py hold for NVIDIA's front end as well: its programs give the same, or are
refused with the exception class of that name."""

import importlib.util
import io
import math
import pathlib

import language_programs
import numpy as np
import nvidia_tools
import pytest
import tilewright as ct

nvidia_tools.require("cuda-tile")

import cuda.tile  # noqa: E402
from cuda.tile import compilation as reference  # noqa: E402
from test_language_programs import PROGRAMS, arguments_of, expect, signature_of  # noqa: E402


@pytest.fixture(scope="module")
def peer_programs(tmp_path_factory):
    """The kernels of the table in NVIDIA's front end, by name."""
    text = pathlib.Path(language_programs.__file__).read_text()
    path = tmp_path_factory.mktemp("peer") / "peer_programs.py"
    path.write_text(text.replace("import tilewright as ct", "import cuda.tile as ct"))
    spec = importlib.util.spec_from_file_location("peer_programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {program[0]._annotated_function.pyfunc.__name__: program[0] for program in module.PROGRAMS}


@pytest.mark.parametrize("kernel, expected, text", PROGRAMS)
def test_program(kernel, expected, text, peer_programs):
    args, file = arguments_of(kernel), io.BytesIO()
    symbol = signature_of(kernel, args).symbol
    signature = reference.demangle_kernel_name(symbol)[1].with_symbol("k")

    def export():
        reference.export_kernel(
            peer_programs[kernel.__name__],
            [signature],
            file,
            gpu_code="sm_100",
            output_format="tileir_bytecode",
            bytecode_version="13.4",
        )

    if isinstance(expected, str):
        with pytest.raises(getattr(cuda.tile, expected)) as caught:
            export()
        assert type(caught.value) is getattr(cuda.tile, expected)
        return
    export()
    expect(file.getvalue(), kernel, args, expected, text)


def exported(function, *args):
    """The bytecode of NVIDIA's front end for the kernel `function`."""
    symbol = signature_of(ct.kernel(function), args).symbol
    file = io.BytesIO()
    reference.export_kernel(
        cuda.tile.kernel(function),
        [reference.demangle_kernel_name(symbol)[1].with_symbol("k")],
        file,
        gpu_code="sm_100",
        output_format="tileir_bytecode",
        bytecode_version="13.4",
    )
    return file.getvalue()


@pytest.mark.parametrize("name", ["sqrt", "exp", "floor", "erf"])
def test_functions_of_math_are_refused_here_and_there(name):
    function = getattr(math, name)

    def of_a_number(fout):
        cuda.tile.store(fout, 0, function(2.0))

    def of_a_tile(fout):
        cuda.tile.store(fout, 0, function(cuda.tile.load(fout, 0, 4)))

    for kernel in (of_a_number, of_a_tile):
        with pytest.raises(cuda.tile.TileError, match=name):
            exported(kernel, np.zeros(16, np.float32))


def test_loads_of_arrays_without_axes_are_no_tile_ir():
    """Ours refuses them at once; the module of NVIDIA's front end is refused by NVIDIA's tools."""
    nvidia_tools.require("nvidia-cuda-tileiras")

    def load(fout, x):
        cuda.tile.store(fout, 0, cuda.tile.load(x, (), ()))

    def gather(fout, x):
        cuda.tile.store(fout, 0, cuda.tile.gather(x, ()))

    arguments = np.zeros(16, np.float32), np.zeros((), np.float32)
    modules = [exported(kernel, *arguments) for kernel in (load, gather)]
    refused, read = nvidia_tools.run_each(modules, "tileirdisasm")
    assert refused[0] != 0 and "0-dimension tile shape" in refused[2]
    assert read[0] == 0
