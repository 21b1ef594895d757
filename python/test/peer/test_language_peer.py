# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The outcomes in language_programs.py hold for NVIDIA's front end as well: its programs give the same, or are
refused with the exception class of that name."""

import importlib.util
import io
import pathlib

import language_programs
import nvidia_tools
import pytest

nvidia_tools.require("cuda-tile")

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
        import cuda.tile

        with pytest.raises(getattr(cuda.tile, expected)) as caught:
            export()
        assert type(caught.value) is getattr(cuda.tile, expected)
        return
    export()
    expect(file.getvalue(), kernel, args, expected, text)
