# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process in which files are checked: definitions of the user's files and their imports run here, and may end it.

Each line of the standard input is a request in JSON, and each line of the output an event: the kernel that is worked
on, or the answer. Programs that print, or read, do so elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from tilewright._tools.check.engine import Engine
from tilewright.compat import modules


def _own_streams() -> tuple[TextIO, TextIO]:
    """The pipes to the parent; 0 is empty and 1 is where errors go."""
    requests, events = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return os.fdopen(requests, encoding="utf-8"), os.fdopen(events, "w", encoding="utf-8", buffering=1)


def main() -> None:
    requests, events = _own_streams()

    def send(**event: Any) -> None:
        events.write(json.dumps(event) + "\n")

    modules.provide_cuda_tile()
    engines: dict[str | None, Engine] = {}
    for line in requests:
        request = json.loads(line)
        target = request.get("target")
        if target not in engines:
            engines[target] = Engine(
                target, request.get("time_limit", 0), lambda key, stage: send(kernel=key, stage=stage)
            )
        engine = engines[target]
        if "text" in request:
            report = engine.check(request["text"], request["path"], request.get("fatal"))
            send(answer=report.to_json())
        else:
            send(answer=engine.code_of(request["path"], request["line"]))


if __name__ == "__main__":
    sys.setrecursionlimit(5000)
    main()
