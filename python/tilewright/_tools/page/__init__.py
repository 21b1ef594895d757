# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages in HTML: one file that needs nothing else. Its data are in it as packed JSON, which the scripts draw."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any


def template(package: str, name: str) -> str:
    """The text of a file of the package's folder `template`."""
    return resources.files(package).joinpath("template", name).read_text(encoding="utf-8")


def write_page(title: str, data: Mapping[str, Any], *, note: str, main: str, scripts: Iterable[str]) -> bytes:
    """`note` is text of the head, `main` the elements that the scripts fill."""
    packed = zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)
    script = "\n".join([*(template(__package__, name) for name in ("document.js", "drawings.js")), *scripts])
    parts = {
        "title": html.escape(title),
        "note": html.escape(note),
        "main": main,
        "style": template(__package__, "page.css"),
        "script": script,
        "script-hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "data": base64.b64encode(packed).decode(),
    }
    page = re.sub(r"@([\w-]+)@", lambda match: parts[match[1]], template(__package__, "page.html"))
    return page.encode("utf-8", "replace")
