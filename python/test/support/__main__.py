# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import sys
import zlib

import support
from support.ask import results
from support.question import module_text

parser = argparse.ArgumentParser(prog="support", description=support.__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
parser.add_argument("--every", type=int, default=1, metavar="N", help="one of N cells, always the same")
parser.add_argument("--column", help="one element type only")
parser.add_argument("--text", action="store_true", help="print the modules instead")
parser.add_argument("rows", nargs="*", metavar="ROW", help="rows of the page; without, all")
options = parser.parse_args()
chosen = [
    (row, column)
    for row, column in support.cells()
    if (not options.rows or row in options.rows or row.split()[0] in options.rows)
    and (options.column is None or column == options.column)
    and zlib.crc32(f"{row} {column}".encode()) % options.every == 0
]
if options.text:
    for cell in chosen:
        for question in support.cells()[cell]:
            print(f"// {question.row} {question.column} {question.mode}\n{module_text([question])}")
    sys.exit()
for result in results(chosen):
    print(json.dumps(result), flush=True)
