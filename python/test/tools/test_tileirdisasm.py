# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our `tileirdisasm` in the place of NVIDIA's: options, exit statuses, what goes to which stream. The text of many
modules is compared in test_tile_ir_peer.py."""

import subprocess

import nvidia_tools
import pytest
import tilewright as ct

nvidia_tools.require("nvidia-cuda-tileiras")

OURS = nvidia_tools.ROOT / "build/bin/tileirdisasm"

MODULE = """
cuda_tile.module @kernels {
  entry @first(%x: tile<ptr<f32>>) optimization_hints=<sm_100 = {occupancy = 2 : i32}> {
    %token = make_token : token loc("k.py":3:4)
    return loc(unknown)
  } loc("k.py":1:1)
  entry @second() {
    %0 = make_token : token loc(callsite("f.py":7:8 at "k.py":9:4))
    return loc("k.py":10:4)
  } loc("k.py":8:1)
}
"""

# Name of a case to its arguments; {} is a folder with the files below.
CASES = {
    "plain": "{}/ok.tilebc",
    "any suffix": "{}/ok.cutile",
    "locations": "-g {}/ok.tilebc",
    "locations, long": "{}/ok.tilebc --print-debug-info",
    "locations, twice": "-g -g {}/ok.tilebc",
    "no locations": "--print-debug-info=false {}/ok.tilebc",
    "preview": "--preview=simt {}/ok.tilebc",
    "help": "--help",
    "short help": "-h",
    "hidden help": "--help-hidden",
    "unknown option": "-x {}/ok.tilebc",
    "unknown feature": "--preview=other {}/ok.tilebc",
    "feature without a name": "--preview= {}/ok.tilebc",
    "two files": "{}/ok.tilebc {}/ok.tilebc",
}
# Where the words of the messages are ours.
FAILURES = {
    "no file": "",
    "missing": "{}/missing",
    "standard input": "-",
    "folder": "{}",
    "empty": "{}/empty",
    "text": "{}/text.tilebc",
    "header alone": "{}/header",
    "cut": "{}/cut",
    "too new": "{}/new",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    data = ct.assemble(MODULE)
    files = {"ok.tilebc": data, "ok.cutile": data, "empty": b"", "text.tilebc": MODULE.encode()}
    files |= {"header": data[:12], "cut": data[: len(data) // 2], "new": data[:9] + b"\x63" + data[10:]}
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


def both(arguments, folder):
    """(status, standard output, standard error) of NVIDIA's tool and of ours, under one name."""
    results = []
    for tool in (nvidia_tools.tool("tileirdisasm"), str(OURS)):
        command = [tool, *arguments.format(*[folder] * 2).split()]
        run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        texts = [text.replace(tool, "TOOL") for text in (run.stdout, run.stderr)]
        results.append((run.returncode, *(text.replace("NVIDIA (R) Cuda", "Tilewright") for text in texts)))
    return results


@pytest.mark.parametrize("case", CASES)
def test_same(case, folder):
    theirs, ours = both(CASES[case], folder)
    assert ours == theirs


@pytest.mark.parametrize("case", FAILURES)
def test_fails_in_the_same_way(case, folder):
    theirs, ours = both(FAILURES[case], folder)
    assert ours[:2] == theirs[:2] and ours[0] != 0
    assert "error: " in theirs[2] and "error: " in ours[2]
