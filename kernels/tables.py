# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of results on standard output: as wide as a terminal, and whole where a program reads them."""

import sys

from rich.console import Console
from rich.measure import Measurement


def show(table) -> None:
    """Print a table; in a file or a pipe each row is one line with all its text."""
    console = Console()
    if not sys.stdout.isatty():
        console = Console(width=1 << 16)
        console = Console(width=Measurement.get(console, console.options, table).maximum)
    console.print(table)
