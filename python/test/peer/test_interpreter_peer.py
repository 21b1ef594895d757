# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation with every flag and element type, as `tile_ir_generator` writes them, in the interpreter."""

import os
import re
import subprocess

import nvidia_tools

nvidia_tools.require("cuda-tile")

import tile_ir_generator  # noqa: E402

TESTS = nvidia_tools.ROOT / "build/bin/tilewright-tests"


def test_every_generated_module_runs(tmp_path):
    modules = list(tile_ir_generator.modules())
    for number, module in enumerate(modules):
        (tmp_path / f"{number}.{module.version.as_string()}.{module.name}.tilebc").write_bytes(module.data)
    environment = os.environ | {"TILEWRIGHT_INTERPRETED_MODULES": os.fspath(tmp_path)}
    result = subprocess.run(
        [TESTS, "--gtest_filter=ModulesTest.*"], env=environment, capture_output=True, text=True, errors="replace"
    )
    assert result.returncode == 0, result.stdout[-4000:]
    assert int(re.search(r"(\d+) launches", result.stdout).group(1)) >= len(modules)
