#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the site of the documentation: its source in FOLDER/source, the site in FOLDER/html.

usage: build.py [--parallel] [--external] [FOLDER]      default: build/docs

With --external links that leave the site are asked for, which needs a network. With --parallel pages are read on all
cores, notebooks among them, which disturbs the times that they measure.
"""

import argparse
import json
import logging
import os
import shutil
import sys
from pathlib import Path

import api
import links
from sphinx.cmd.build import main as run_sphinx
from tree_pages import ROOT, Site

HERE = Path(__file__).resolve().parent


def use_quiet_kernel(folder: Path) -> None:
    """Notebooks run in a Jupyter kernel of this Python that warns of errors only, and compile all that they launch."""
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    place = folder / "jupyter" / "kernels" / "python3"
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
    (place / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "Python 3", "language": "python"}))
    shutil.rmtree(folder / "cache", ignore_errors=True)
    os.environ |= {"JUPYTER_PATH": str(folder / "jupyter"), "TILEWRIGHT_CACHE_DIR": str(folder / "cache")}


def make(folder: Path, parallel: bool = False, external: bool = False) -> int:
    site = Site()
    site.add_pages()
    site.texts |= api.make()
    site.add_contents()
    site.texts["index.md"] += api.CONTENTS
    site.write(folder / "source")
    use_quiet_kernel(folder)
    options = ["-c", HERE, "-d", folder / "read", "-j", "auto" if parallel else "1"]
    options += "-b html -W --keep-going -a -q --color".split()
    failed = run_sphinx([str(option) for option in [*options, folder / "source", folder / "html"]])
    found = list(links.complaints(folder / "html"))
    if external:
        found += links.external_complaints(folder / "html")
    print("\n".join(found), end="\n" if found else "")
    return failed or bool(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--parallel", action="store_true")
    parser.add_argument("--external", action="store_true")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    arguments = parser.parse_args()
    sys.exit(make(arguments.folder, arguments.parallel, arguments.external))
