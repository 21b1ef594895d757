# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of `tilewright trace`, and what is packed in them."""

import base64
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCALE = """\
import tilewright as ct

def doubled(tile):
    return tile + tile

@ct.kernel
def scale(x, y, TILE: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(TILE,))
    ct.store(y, index=(ct.bid(0),), tile=doubled(ct.exp(tile)))
"""
SIGNATURE = "float32[::1]@16, float32[::1]@16, 64"
MOE = (
    str(ROOT / "kernels/fused_moe/gathered.py") + ":gathered_moe_kernel",
    "bfloat16[:,::1]@16, bfloat16[:,:,::1]@16, bfloat16[:,::1]@16, float32[::1]@16, int32[::1]@16, int32[::1]@16, "
    "int32, False, 128, 128, 64",
)


class Made(NamedTuple):
    status: int
    errors: str
    path: pathlib.Path

    def packed(self):
        return unpack(self.path.read_text(encoding="utf-8"))


def trace(folder, kernel, signature=None, target="cpu", *words):
    page = folder / "page.html"
    more = [] if signature is None else ["--signature", signature]
    made = subprocess.run(
        [sys.executable, "-m", "tilewright", "trace", kernel, f"--target={target}", "-o", str(page), *more, *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        cwd=folder,
    )
    return Made(made.returncode, made.stderr, page)


def trace_text(folder, text, name="scale", signature=SIGNATURE, target="cpu", *words):
    path = folder / "kernel.py"
    path.write_text(text, encoding="utf-8")
    return trace(folder, f"{path}:{name}", signature, target, *words)


def unpack(page):
    data = re.search(r'id="data">([^<]*)<', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(data)))


def rows(packed, title):
    """The lines of the last stage of that title, each with its origins."""
    stage = [each for each in packed["stages"] if each["title"] == title][-1]
    texts, places = (itertools.accumulate(stage[key]) for key in ("texts", "places"))
    return [
        (packed["texts"][text], [packed["origins"][number] for number in packed["places"][place]])
        for text, place in zip(texts, places, strict=True)
    ]


def lines_of(packed, title, line):
    """The texts of a stage that come from a line of the first file."""
    return [
        text
        for text, origins in rows(packed, title)
        if any(frame[0] == 0 and frame[1] == line for origin in origins for frame in origin)
    ]
