#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the bill of materials of a wheel (CycloneDX 1.6), which lies in its .dist-info/sboms (PEP 770).

usage: bill_of_materials.py tilewright=VERSION NAME=VERSION...

The table below says what is inside beside our own sources; the build says of which version.
"""

import json
import sys
from typing import NamedTuple

OWN_LICENCE = "Apache-2.0 WITH LLVM-exception"


class Part(NamedTuple):
    title: str
    licence: str  # an SPDX expression; licenses/NAME.txt has the notices
    package: str  # a package URL but for the version
    form: str


IN_LIBRARY = "linked into libtilewright.so"
IN_MODULE = "linked into the Python module"

PARTS = {
    "llvm": Part(
        "LLVM and MLIR",
        f"{OWN_LICENCE} AND BSD-2-Clause AND BSD-3-Clause AND NCSA AND Spencer-94",
        "pkg:github/llvm/llvm-project@llvmorg-",
        IN_LIBRARY,
    ),
    "onetbb": Part("oneTBB", "Apache-2.0", "pkg:github/uxlfoundation/oneTBB@v", "libtbb.so.12"),
    "nanobind": Part("nanobind", "BSD-3-Clause", "pkg:pypi/nanobind@", IN_MODULE),
    "robin-map": Part("robin-map", "MIT", "pkg:github/Tessil/robin-map@v", IN_MODULE),
    "tomlplusplus": Part("toml++", "MIT", "pkg:github/marzer/tomlplusplus@v", IN_LIBRARY),
    "zlib": Part("zlib", "Zlib", "pkg:github/madler/zlib@v", IN_LIBRARY),
    "zstd": Part("Zstandard", "BSD-3-Clause", "pkg:github/facebook/zstd@v", IN_LIBRARY),
}


def component(name, part, version):
    package = part.package + version
    return {
        "type": "library",
        "bom-ref": package,
        "name": part.title,
        "version": version,
        "description": part.form,
        "licenses": [{"expression": part.licence}],
        "purl": package,
        "properties": [{"name": "tilewright:notices", "value": f"licenses/{name}.txt"}],
    }


def bill(versions):
    """The bill of `tilewright` and PARTS, of which `versions` has exactly the names."""
    wrong = versions.keys() ^ {"tilewright", *PARTS} | {name for name, version in versions.items() if not version}
    if wrong:
        raise ValueError(f"the versions are not those of the table: see {', '.join(sorted(wrong))}")
    components = [component(name, part, versions[name]) for name, part in PARTS.items()]
    own = f"pkg:pypi/tilewright@{versions['tilewright']}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": "tilewright",
                "version": versions["tilewright"],
                "licenses": [{"expression": OWN_LICENCE}],
                "purl": own,
            }
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in components]}],
    }


if __name__ == "__main__":
    try:
        print(json.dumps(bill(dict(argument.split("=", 1) for argument in sys.argv[1:])), indent=2))
    except ValueError as error:
        sys.exit(f"{error}\n\n{__doc__}")
