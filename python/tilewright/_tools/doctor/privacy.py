# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports for strangers: the home folder becomes ~, and the names of the user and of the machine are left out."""

from __future__ import annotations

import contextlib
import getpass
import os
import pwd
import re
import socket
from typing import Any


def _homes() -> list[str]:
    """The longest first, since one may lie in another."""
    homes = {os.path.expanduser("~")}
    with contextlib.suppress(KeyError):  # a user without an entry, as in a container
        homes.add(pwd.getpwuid(os.getuid()).pw_dir)
    homes |= {os.path.realpath(home) for home in homes}
    return sorted((home for home in homes if home.count("/") and home.rstrip("/")), key=len, reverse=True)


def _names() -> dict[str, str]:
    names = {}
    with contextlib.suppress(KeyError, OSError):
        names[getpass.getuser()] = "<user>"
    with contextlib.suppress(KeyError):
        names[pwd.getpwuid(os.getuid()).pw_name] = "<user>"
    for host in (socket.gethostname(), os.uname().nodename):
        names |= {host: "<host>", host.partition(".")[0]: "<host>"}
    return {name: instead for name, instead in names.items() if name and name != "localhost"}


def _replacements() -> list[tuple[re.Pattern, str]]:
    found = [(re.compile(re.escape(home.rstrip("/")) + r"(?![\w.-])"), "~") for home in _homes()]
    for name, instead in sorted(_names().items(), key=lambda row: -len(row[0])):
        found.append((re.compile(rf"(?<![\w]){re.escape(name)}(?!\w)"), instead))
    return found


def without_names(value: Any, replacements: list[tuple[re.Pattern, str]] | None = None) -> Any:
    """The same with other texts. Titles and names of rows are ours, and stay."""
    if replacements is None:
        replacements = _replacements()
    if isinstance(value, dict):
        return {key: without_names(each, replacements) for key, each in value.items()}
    if isinstance(value, list):
        return [without_names(each, replacements) for each in value]
    if isinstance(value, str):
        for pattern, instead in replacements:
            value = pattern.sub(instead, value)
    return value
