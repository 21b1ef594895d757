# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright doctor`: the machine, the software around us, and the work that can be done with them.

Each section is a dictionary that JSON can hold; `report.py` prints the same for people, and `privacy.py` takes names
and folders of the user out of both.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from tilewright._tools.doctor import abilities, advice, devices, machine, report, surroundings
from tilewright._tools.doctor.privacy import without_names


def examine() -> dict[str, Any]:
    """The sections by their titles."""
    found: dict[str, Any] = {
        "versions": surroundings.versions(),
        "machine": machine.describe(),
        "GPU": devices.describe(),
        "frameworks": surroundings.frameworks(),
        "caches": surroundings.caches(),
        "environment": surroundings.variables(),
    }
    return found | {"abilities": abilities.judge(found), "advice": advice.give(found)}


def run(options: argparse.Namespace) -> bytes:
    found = without_names(examine())
    options.status = 0 if found["abilities"]["kernels on the CPU"]["works"] else 1
    text = json.dumps(found, indent=2) + "\n" if options.json else report.render(found)
    return text.encode()
