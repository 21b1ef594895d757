# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fastest configuration by GPU, work and contestant, in a file: the next run does not search again."""

import json
from pathlib import Path

path: Path | None = None
_gpu, _found = "", {}


def use(file, gpu):
    """Reads the file, if it exists, and keeps it."""
    global path, _gpu, _found
    path, _gpu = Path(file), gpu
    _found = json.loads(path.read_text()) if path.exists() else {}


def recall(work, contestant) -> dict | None:
    found = _found.get(_gpu, {}).get(work, {}).get(contestant)
    return None if found is None else {key: tuple(v) if isinstance(v, list) else v for key, v in found.items()}


def remember(work, contestant, choice):
    _found.setdefault(_gpu, {}).setdefault(work, {})[contestant] = choice
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_found, indent=1, sort_keys=True) + "\n")
