# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notebooks from the Markdown of docs/notebooks: each block of `python` is a cell of code, all between is text.

Blocks that are not to be run, such as those of other languages, say `py` or another name.
"""

import json
import re

_CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def cells(text: str) -> list[tuple[str, str]]:
    """Kind, "code" or "markdown", and text of each."""
    found, end = [], 0
    for match in _CELL.finditer(text):
        found += [("markdown", text[end : match.start()].strip()), ("code", match[1].strip())]
        end = match.end()
    found.append(("markdown", text[end:].strip()))
    return [(kind, content) for kind, content in found if content]


def program(text: str) -> str:
    """The code of all cells."""
    return "\n\n\n".join(content for kind, content in cells(text) if kind == "code") + "\n"


def notebook(text: str) -> str:
    """In the format of Jupyter, without outputs."""
    made = []
    for number, (kind, content) in enumerate(cells(text)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": content}
        made.append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)
