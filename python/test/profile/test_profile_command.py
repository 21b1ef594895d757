# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright profile`: records of blocks on a CPU, what is written of them, and refusals."""

import base64
import json
import os
import re
import subprocess
import sys
import zlib
from itertools import pairwise

import fake_cuda
import numpy as np
import pytest

KERNELS = """\
import sys
import numpy as np
import tilewright as ct

@ct.kernel
def scale(x, y, factor, TILE: ct.Constant[int]):
    ct.store(y, (ct.bid(0), ct.bid(1)), factor * ct.load(x, (ct.bid(0), ct.bid(1)), (TILE, TILE)))

@ct.kernel
def wrong(x):
    ct.store(x, (0,), ct.zeros((4, 4), ct.float32))

@ct.kernel
def count(x):
    ct.store(x, (ct.bid(0),), ct.load(x, (ct.bid(0),), (16,)) + 1)

if __name__ == "__main__":
    x = np.zeros(512, np.float32)
    for _ in range(int(sys.argv[1])):
        count[32](x)
    assert (x == float(sys.argv[1])).all()
    print(*sys.argv[2:])
    sys.exit(3)
"""
SCALE = ("--grid=4,8", "--arg=float32:64x128", "--arg=float32:64x128", "--arg=2.0", "--arg=16")


def profile(folder, what, *words, **environment):
    (folder / "kernels.py").write_text(KERNELS)
    return subprocess.run(
        [sys.executable, "-m", "tilewright", "profile", what, *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | environment,
        capture_output=True,
        text=True,
        cwd=folder,
    )


def blocks_of(events, process=1):
    """How often each block was recorded."""
    found = {}
    for event in events:
        if event["ph"] == "X" and event["name"] == "blocks" and event["pid"] == process:
            block, more = re.fullmatch(r"(\(.*?\))(?: and (\d+) more)?", event["args"]["block"]).groups()
            found[block] = found.get(block, 0) + 1 + int(more or 0)
    return found


def test_every_block_has_a_record(tmp_path):
    made = profile(tmp_path, "kernels.py:scale", *SCALE, "--events=e.json", "--page=p.html", "--launches=4", "--json")
    assert made.returncode == 0, made.stderr
    (summary,) = json.loads(made.stdout)
    assert summary["kernel"] == "scale" and summary["grid"] == [4, 8, 1]
    assert summary["launches"] == 4 and summary["recorded_launches"] == 2
    assert sum(track["blocks"] for track in summary["tracks"]) == 32
    assert summary["prediction"]["seconds"] > 0 and summary["overhead"] is not None
    written = json.loads((tmp_path / "e.json").read_text())
    assert sum(blocks_of(written["traceEvents"]).values()) == 32
    assert "with records" in written["otherData"]["overhead"]["scale"]
    page = (tmp_path / "p.html").read_text()
    (packed,) = json.loads(zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', page)[1])))["profiles"]
    assert packed["kernel"] == "scale" and packed["timeline"]["rows"]


def test_spans_of_a_worker_follow_each_other(tmp_path):
    made = profile(tmp_path, "kernels.py:scale", *SCALE, "--events=e.json", "--launches=2", "--threads=3")
    assert made.returncode == 0, made.stderr
    spans = {}
    for event in json.loads((tmp_path / "e.json").read_text())["traceEvents"]:
        if event["ph"] == "X" and event["name"] == "blocks":
            spans.setdefault(event["tid"], []).append((event["ts"], event["dur"]))
    assert 1 <= len(spans) <= 3
    for own in spans.values():
        assert all(begin + length <= next_begin + 1e-6 for (begin, length), (next_begin, _) in pairwise(own))


def test_the_table(tmp_path):
    text = profile(tmp_path, "kernels.py:scale", *SCALE, "--launches=4").stdout
    assert re.match(r"scale  grid 4x8x1  float32\[64x128\], float32\[64x128\], 2.0, 16\n  time  ", text)
    assert "2 launches with and 2 without" in text
    assert " slowest " in text and " balance " in text and " worker 0 " in text


def test_a_script_runs_with_its_launches_recorded(tmp_path):
    made = profile(tmp_path, "kernels.py", "--", "5", "-a", "b")
    assert made.returncode == 3, made.stderr
    assert "-a b\n" in made.stdout and "count  grid 32x1x1" in made.stdout
    assert "3 launches with and 2 without" in made.stdout


def test_one_launch_has_no_overhead(tmp_path):
    assert "overhead   not measured" in profile(tmp_path, "kernels.py", "--", "1").stdout


def test_an_array_of_a_file(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(64, np.float32))
    made = profile(tmp_path, "kernels.py:count", "--grid=4", "--arg=x.npy", "--launches=2")
    assert made.returncode == 0 and "float32[64]" in made.stdout
    assert (np.load(tmp_path / "x.npy") == 0).all()


@pytest.mark.parametrize(
    "words, message",
    [
        (("kernels.py:scales", *SCALE), "kernels.py has no kernel 'scales', expected one of scale, wrong, count"),
        (("missing.py:scale", *SCALE), "cannot read missing.py"),
        (("missing.py",), "cannot read missing.py"),
        (("module.tilebc",), "found module.tilebc, expected file.py:kernel or a script in Python"),
        (("kernels.py:scale",), "a kernel needs a launch, expected --grid and an --arg for each parameter"),
        (("kernels.py:scale", "--grid=4"), "found 0 --arg, expected 4, one for each of x, y, factor, TILE"),
        (("kernels.py:count", "--grid=4", "--arg=-"), "--arg - for 'x': expected a number, or a dtype and a shape"),
        (("kernels.py:wrong", "--grid=1", "--arg=float32:16"), "the tile's shape (4, 4)"),
        (("kernels.py:count", "--grid=0", "--arg=float32:16"), "grid"),
        (("kernels.py:count", "--grid=1", "--arg=y.npy"), "y.npy"),
        (("kernels.py:count", "--grid=1", "--arg=2.5"), "x"),
        (("kernels.py:count", "--grid=1", "--arg=float32:16", "--target=interpreter"), "expected a CPU or a GPU"),
    ],
)
def test_refusals(tmp_path, words, message):
    made = profile(tmp_path, words[0], *words[1:])
    assert made.returncode == 1 and message in made.stderr and "Traceback" not in made.stderr


def test_a_machine_without_a_gpu(tmp_path):
    made = profile(tmp_path, "kernels.py:count", "--grid=1", "--arg=float32:16", "--target=nvidia",
                   TILEWRIGHT_CUDA_DRIVER="/nowhere/libcuda.so")  # fmt: skip
    assert made.returncode == 1 and "/nowhere/libcuda.so" in made.stderr and "Traceback" not in made.stderr


def test_arrays_of_formats_that_numpy_lacks(tmp_path):
    pytest.importorskip("ml_dtypes")
    arguments = ["--grid=4", "--arg=bfloat16:64", "--launches=2", "--target=nvidia"]
    made = profile(tmp_path, "kernels.py:count", *arguments, TILEWRIGHT_CUDA_DRIVER=str(fake_cuda.path()))
    assert made.returncode == 0, made.stderr
    assert "bfloat16[64]" in made.stdout


def test_a_gpu_that_runs_nothing(tmp_path):
    """The driver of tests launches kernels and does not run them: there is no record."""
    made = profile(tmp_path, "kernels.py:scale", *SCALE, "--target=nvidia", "--launches=4", "--json", "--page=p.html",
                   "--events=e.json", TILEWRIGHT_CUDA_DRIVER=str(fake_cuda.path()))  # fmt: skip
    assert made.returncode == 0, made.stderr
    (summary,) = json.loads(made.stdout)
    assert summary["median_seconds"] == pytest.approx(1e-3) and summary["overhead"] == pytest.approx(0)
    assert summary["tracks"] == [] and summary["prediction"]["device"] == "H100"


def test_a_script_that_launches_nothing(tmp_path):
    (tmp_path / "empty.py").write_text("")
    assert "empty.py has launched no kernel" in profile(tmp_path, "empty.py").stderr
