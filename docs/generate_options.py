#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/environment.md and docs/options.md from the table of options (src/options/Table.cpp)."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SOURCE = "Written from the table in [Table.cpp](../src/options/Table.cpp) by `docs/generate_options.py`."

ENVIRONMENT = f"""# Environment variables

{SOURCE} An illegal value is an error when a kernel is compiled, the command `tilewright` starts or a session is opened,
even if the variable has no effect there; an empty variable counts as not set. Variables are read when a kernel is
compiled and do not affect compiled kernels. Options ([options.md](options.md)) take precedence over variables.
"""
SECTIONS = {
    False: "## Tilewright",
    True: """## Of cuda.tile

These variables of NVIDIA's compiler have the same meaning here. Only the program `tileiras` reads those that begin with
`TILEIR_`.""",
}

OPTIONS = f"""# Options

{SOURCE} Commands have the same options in C++ and in Python, and `tilewright_session_set` those of a session
([embedding.md](embedding.md)). The value of an option is that of the command line or session, else that of the
environment variable ([environment.md](environment.md)), else the default.
"""
TITLES = {"session": "Sessions"}


def sentence(text):
    return text[:1].upper() + text[1:] + "."


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def table(heads, rows):
    return "\n".join([row(*heads), "|" + "---|" * len(heads), *(row(*cells) for cells in rows)]) + "\n"


def environment_page(rows, is_reference):
    parts = [ENVIRONMENT]
    for of_reference, title in SECTIONS.items():
        cells = [
            (f"`{o.variable}`", o.expected, o.shown_initial, sentence(o.meaning), f"`{o.name}`" if o.name else "")
            for o in rows
            if o.variable and is_reference(o.variable) == of_reference
        ]
        parts += [title + "\n", table(("variable", "value", "default", "meaning", "option"), cells)]
    return "\n".join(parts)


def options_page(rows):
    parts = [OPTIONS]
    for user in dict.fromkeys(name for option in rows for name in option.visibility):
        cells = []
        for o in (o for o in rows if user in o.visibility and not o.is_hidden):
            dashes = "" if user == "session" else "-" if len(o.name) == 1 else "--"
            name = f"`{dashes}{o.name}`" + (f", `-{o.letter}`" if o.letter else "")
            expected = "" if o.is_flag and dashes else o.expected
            initial = "" if o.is_flag and dashes else o.shown_initial
            cells.append((name, expected, sentence(o.meaning), initial, f"`{o.variable}`" if o.variable else ""))
        title = TITLES.get(user, f"`tilewright {user}`")
        parts += [f"## {title}\n", table(("option", "value", "meaning", "default", "variable"), cells)]
    return "\n".join(parts)


def pages():
    """The text of each page by its path."""
    sys.path.insert(0, str(ROOT / "python"))
    from tilewright import _native
    from tilewright._runtime.environment import is_reference

    rows = _native.options()
    return {DOCS / "environment.md": environment_page(rows, is_reference), DOCS / "options.md": options_page(rows)}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
