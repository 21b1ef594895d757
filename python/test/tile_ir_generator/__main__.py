# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: python -m tile_ir_generator DIRECTORY

Writes every module into the directory, as NNNN-name.13.x.tilebc."""

import pathlib
import re
import sys

from . import modules


def main(directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    count = 0
    for module in modules():
        name = re.sub(r"[^\w.=-]+", "_", module.name)[:60]
        path = directory / f"{count:04}-{name}.{module.version.as_string()}.tilebc"
        path.write_bytes(module.data)
        count += 1
    print(f"{count} modules")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
