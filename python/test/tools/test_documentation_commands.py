# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of the documents run: each line of a block of shell that begins with a program of this project, in a
folder with the files that it names. Left out are commands with a placeholder, prompts, and code that needs a GPU."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("tilewright", "tilewright-opt", "tileiras", "compile")

SCALE = """
cuda_tile.module @m {
  entry @scale(%a: tile<ptr<f32>>, %n: tile<i32>, %factor: tile<f32>, %out: tile<ptr<f32>>) {
    %va = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %po = make_partition_view %vo : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %t, %s = load_view_tko weak %pa[%x] : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32>
      -> tile<16xf32>, token
    %r = reshape %factor : tile<f32> -> tile<1xf32>
    %f = broadcast %r : tile<1xf32> -> tile<16xf32>
    %m = mulf %t, %f : tile<16xf32>
    %u = store_view_tko weak %m, %po[%x] : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>,
      tile<i32> -> token
    return
  }
}
"""
COPY = """
cuda_tile.module @m {
  entry @copy(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %t, %s = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token
    %u = store_ptr_tko weak %b, %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
FILL = """
cuda_tile.module @m {
  entry @fill(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %p = offset %a, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""
# The module that a page calls k.tilebc or k.mlir.
MODULES = {
    "README.md": COPY, "docs/checking.md": FILL, "docs/gpu_simulator.md": COPY, "docs/nvidia.md": SCALE,
    "docs/tools.md": SCALE, "docs/editors.md": COPY,
    "docs/debugging.md": COPY, "docs/interpreter.md": SCALE, "docs/embedding.md": COPY,
}  # fmt: skip


def commands(page):
    text = (ROOT / page).read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        functions = "".join(re.findall(r"^\w+\(\) \{\n.*?^\}\n", block, re.MULTILINE | re.DOTALL))
        for line in block.replace(functions, "").replace("\\\n", " ").splitlines():
            command = line.split("  #")[0].strip()
            if command.removeprefix(".venv/bin/").split(" ")[0] in PROGRAMS:
                yield " ".join(command.split())


def is_left_out(command):
    return "..." in command or re.search(r"tilewright debug|tilewright lsp|cache show|matmul\.tilebc", command)


def needs_assembler(command):
    return "cubin" in command or "explain" in command or command.startswith("tileiras")


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(ROOT / "kernels", tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__", "test_*"))
    (tmp_path / "bin").mkdir()
    for name in ("tilewright-opt", "tileiras"):
        (tmp_path / "bin" / name).symlink_to(ROOT / "build/bin" / name)
    launcher = tmp_path / "bin" / "tilewright"
    launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m tilewright "$@"\n')
    launcher.chmod(0o755)
    np.save(tmp_path / "a.npy", np.ones(100, np.float32))
    return tmp_path


def run(command, folder, prelude=""):
    environment = os.environ | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}",
        "TILEWRIGHT_CACHE_DIR": str(folder / "cache"),
        "PAGER": "cat",
    }
    script = f"{prelude}\n{command.replace('.venv/bin/', '')}"
    options = {"capture_output": True, "text": True, "errors": "replace"}  # the output may be bytecode
    return subprocess.run(["bash", "-c", script], cwd=folder, env=environment, **options)


def has_assembler(folder):
    return run("tilewright compile k.tilebc --target=sm_90 --emit=cubin -o probe.cubin", folder).returncode == 0


@pytest.mark.parametrize("page", MODULES)
def test_the_commands_run(page, folder):
    (folder / "k.mlir").write_text(MODULES[page])
    assert run("tilewright as k.mlir -o k.tilebc", folder).returncode == 0
    final = "tilewright-opt k.tilebc --tilewright-tileaa --tilewright-tileas=arch=sm_90 --tilewright-final=arch=sm_90"
    assert run(f"{final} -o final.mlir", folder).returncode == 0
    text = (ROOT / page).read_text()
    prelude = "\n".join(re.findall(r"^\w+\(\) \{\n.*?^\}\n", text, re.MULTILINE | re.DOTALL))
    assembles, ran = None, 0
    for command in commands(page):
        if is_left_out(command):
            continue
        if needs_assembler(command):
            assembles = has_assembler(folder) if assembles is None else assembles
            if not assembles:
                continue
        done = run(command, folder, prelude)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        ran += 1
    assert ran >= 1
