# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measurements as a table in the terminal."""

import sys


def print_table(names, numbers, rows, caption=None, width=120):
    """Headings of columns of text, and of numbers at their right; rows may be shorter. `width` where no terminal is."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, caption=caption)
    for heading in names:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else width).print(table)
