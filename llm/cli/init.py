# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm init --arch ARCH DIR: a model of random weights, with a tokenizer trained on the spot."""

import json
from pathlib import Path

from ..init import CONFIGS, init


def add_options(command):
    command.add_argument("folder", type=Path, metavar="DIR")
    command.add_argument("--arch", choices=CONFIGS, required=True)
    command.add_argument("--size", default="tiny", help="tiny (default), layer: one of true widths, or 8b of llama3")
    command.add_argument("--dtype", default="bfloat16", help="float32, bfloat16 (default), float16, or fp8 of DeepSeek")
    command.add_argument("--shards", type=int, default=1, metavar="N", help="files of weights (default 1)")
    command.add_argument("--seed", type=int, default=0)


def run(options):
    init(options.folder, options.arch, options.size, seed=options.seed, dtype=options.dtype, shards=options.shards)
    files = {path.name: path.stat().st_size for path in sorted(options.folder.iterdir())}
    if options.json:
        print(json.dumps({"folder": str(options.folder), "arch": options.arch, "files": files}))
    else:
        print(
            f"{options.folder}: {options.arch}, {options.size}, {sum(files.values()) / 1e6:.1f} MB: {', '.join(files)}"
        )
