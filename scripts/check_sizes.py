# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules for the sizes of files, folders and functions, which scripts/check_tree.py applies.

Tests (a folder `test`, `XTest.cpp`) may be of any size. A longer file says why in a line at its head:

    // Longer than 400 lines: a driver is one table of entry points.
"""

import re

MOST_LINES = 400
MOST_FILES = 25
# Of the functions of src, 95 of 100 have no more lines than this.
P95_LINES = 30

REASON = re.compile(rf"^(//|#) Longer than {MOST_LINES} lines: \S", re.MULTILINE)
HEAD_LINES = 12

# Folders with more files than MOST_FILES, and why.
LARGE_FOLDERS = {
    "docs": "a page each, which README.md lists by readers",
    "kernels/foreign": "a program of others each",
    "llm/ops/simt/cpp": "a kernel each, and what several of them include",
    "src/interpreter/check/races/planted": "programs that a test runs",
    "src/interpreter/check/races/silent": "programs that a test runs",
}


def is_test(path):
    parts = path.split("/")
    return "test" in parts[:-1] or parts[-1].split(".")[0].endswith("Test") or parts[-1].startswith("test_")


def file_complaints(path, text):
    """Whether a file of src, by its path in the tree, is short or says why it is not."""
    if not path.startswith("src/") or is_test(path):
        return
    lines = text.splitlines()
    if len(lines) > MOST_LINES and not REASON.search("\n".join(lines[:HEAD_LINES])):
        yield (
            f"has {len(lines)} lines, expected at most {MOST_LINES}; a second idea in it can be a file, else say at "
            f"its head '// Longer than {MOST_LINES} lines: REASON'"
        )


def folder_complaints(paths):
    """The folders, of the paths of all files of the tree, that have too many files beside each other."""
    counts = {}
    for path in paths:
        if "/" in path and not is_test(path):
            folder = path.rsplit("/", 1)[0]
            counts[folder] = counts.get(folder, 0) + 1
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES and folder not in LARGE_FOLDERS:
            yield (
                f"{folder}: has {count} files, expected at most {MOST_FILES}; give those with one idea a folder, or "
                "name it in LARGE_FOLDERS in scripts/check_sizes.py"
            )
        elif count <= MOST_FILES and folder in LARGE_FOLDERS:
            yield f"{folder}: has {count} files, so it needs no row in LARGE_FOLDERS in scripts/check_sizes.py"


# The statement that a line with an opening brace ends begins after one of these.
STATEMENT_ENDS = re.compile(r"[;{}:]$|^\s*//|^\s*#")
NO_FUNCTION = re.compile(
    r"(if|for|while|switch|do|else|try|catch|namespace|class|struct|enum|union|extern|return|case)\b|\}"
)
FUNCTION = re.compile(r"\)\s*(const|noexcept|override|final|->\s*[\w:<>,*& ]+|\s)*(:\s.*)?\{$")


def function_lengths(text):
    """The first line and the number of lines of each function of formatted C++ with a body of its own lines.

    A lambda is part of the function around it; a function inside a class inside a function counts with that one.
    """
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        first = number
        if lines[number].endswith("{"):
            while first > 0 and lines[first - 1].strip() and not STATEMENT_ENDS.search(lines[first - 1]):
                first -= 1
            head = " ".join(line.strip() for line in lines[first : number + 1])
            if (
                FUNCTION.search(head)
                and not NO_FUNCTION.match(head)
                and not re.search(r"= \[|\[[&=\w, *]*\]\s*\(", head)
            ):
                close = lines[first][: len(lines[first]) - len(lines[first].lstrip())] + "}"
                end = number + 1
                while end < len(lines) and not lines[end].startswith(close):
                    end += 1
                yield first + 1, end - first + 1
                number = end
        number += 1


def function_complaints(texts):
    """Of `texts` by paths, the longest functions, if more than 5 of 100 are too long."""
    lengths = sorted(
        (lines, path, first)
        for path, text in texts.items()
        if path.startswith("src/") and path.endswith((".cpp", ".h")) and not is_test(path)
        for first, lines in function_lengths(text)
    )
    too_many = sum(lines > P95_LINES for lines, _, _ in lengths) - len(lengths) // 20
    if too_many <= 0:
        return
    yield (
        f"src: {too_many} of {len(lengths)} functions too many have more than {P95_LINES} lines, expected at most 5 in "
        "100; divide some, such as those at "
        + ", ".join(f"{path}:{first} ({lines})" for lines, path, first in reversed(lengths[-5:]))
    )
