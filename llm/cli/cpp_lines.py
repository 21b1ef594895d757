# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of a C++ source, and of the definitions in its headers that it uses."""

import re

# The ways in which a line outside of braces defines a name.
DEFINES = (
    re.compile(r"#define (\w+)"),
    re.compile(r"struct (?:__align__\(.*\) )?(\w+)"),
    re.compile(r"(?:DEVICE|KERNEL) [^(]*?(\w+)\("),
    re.compile(r"(?:constexpr [^=]*?|, )(\w+) ="),
    re.compile(r"typedef .* (\w+);"),
)


def code(text) -> list[str]:
    """Without blank lines, comments of whole lines and includes."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith(("//", "#include", "#pragma once"))]


def definitions(text) -> list[list[str]]:
    """The lines of each part that a blank line outside of braces ends."""
    parts, depth = [[]], 0
    for line in text.splitlines():
        if line.strip() or depth:
            parts[-1] += code(line)
        else:
            parts.append([])
        depth += line.count("{") - line.count("}")
    return [part for part in parts if part]


def names(definition) -> set[str]:
    """The names that a part defines."""
    found, depth = set(), 0
    for line in definition:
        if depth == 0:
            found.update(name for pattern in DEFINES for name in pattern.findall(line))
        depth += line.count("{") - line.count("}")
    return found


def headers(path) -> list:
    """Files beside the path that it includes, and those that these include."""
    found = [path]
    for file in found:  # grows while it is read
        included = re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE)
        found += [path.parent / name for name in dict.fromkeys(included) if path.parent / name not in found]
    return found[1:]


def count_cpp_lines(path) -> int:
    """Lines of the source with code, and of the definitions that they name, which may name others."""
    counted = code(path.read_text())
    left = [(names(part), part) for header in headers(path) for part in definitions(header.read_text())]
    while True:
        words = set(re.findall(r"\w+", " ".join(counted)))
        used = [part for defined, part in left if defined & words]
        if not used:
            return len(counted)
        left = [(defined, part) for defined, part in left if not defined & words]
        for part in used:
            counted += part
