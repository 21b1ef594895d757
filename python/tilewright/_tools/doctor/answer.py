# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Yes or no, and why not."""

from __future__ import annotations

from typing import TypedDict


class Answer(TypedDict):
    works: bool
    because: str


def yes(detail: str = "") -> Answer:
    return {"works": True, "because": detail}


def no(reason: str) -> Answer:
    return {"works": False, "because": reason.strip()}
