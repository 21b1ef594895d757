#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what fuzzing starts from: texts and bytecode of the dialect's tests, and dictionaries of the records.

usage: seeds.py DIRECTORY

DIRECTORY/text and DIRECTORY/bytecode get a file per module, the latter one per version; text.dict and bytecode.dict
get the words. Where NVIDIA's writer is installed, its modules join in.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEXTS = sorted((ROOT / "src/cuda_tile/ir/test").glob("*.mlir"))
TBLGEN = ["/usr/lib/llvm-22/bin/llvm-tblgen", "--dump-json", "-I/usr/lib/llvm-22/include", "-Isrc"]
# Generated modules among the seeds: every so many-th, since many are alike to a fuzzer.
EVERY = 10


def texts():
    """Each part of each test, the invalid ones too: a fuzzer likes what is almost right."""
    for path in TEXTS:
        for part in path.read_text().split("// -----\n"):
            yield "".join(line + "\n" for line in part.splitlines() if not line.lstrip().startswith("//"))


def bytecode(sources):
    from tilewright import _native

    for text in sources:
        for version in _native.bytecode_versions():
            try:
                yield _native.assemble(text.encode(), "seed", version)
            except ValueError:
                continue  # invalid on purpose, or the version lacks something
    sys.path.append(str(ROOT / "python/test"))
    try:
        import tile_ir_generator
    except ImportError:
        return
    yield from (module.data for number, module in enumerate(tile_ir_generator.modules()) if number % EVERY == 0)


def records():
    output = subprocess.check_output([*TBLGEN, "src/cuda_tile/ir/Ops.td"], cwd=ROOT)
    return json.loads(output)


def words(table):
    """The tokens of the texts."""

    def of(name):
        return [table[key] for key in table["!instanceof"][name]]

    yield from (record["opName"] for record in of("CudaTile_Op"))
    yield from (record["mnemonic"] for name in ("CudaTile_Type", "CudaTile_Attr") for record in of(name))
    for enum in of("CudaTile_Enum"):
        yield from (table[case["def"]]["str"] for case in enum["enumerants"])
    yield from "token mask = : -> , ( ) [ ] { } < > %arg0 @f #cuda_tile. !cuda_tile. cuda_tile. loc( i1 i4 f16".split()
    yield from "optimization_hints inbounds shape strides dim padding_value step to in iter_values attributes".split()


def quoted(word):
    return (
        '"' + "".join(f"\\x{byte:02x}" if byte in b'"\\' or not 32 <= byte < 127 else chr(byte) for byte in word) + '"'
    )


def write(directory, contents):
    directory.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(contents):
        (directory / f"{number:05}").write_bytes(content)


def main(directory):
    directory = pathlib.Path(directory)
    found = [text for text in texts() if text.strip()]
    write(directory / "text", [text.encode() for text in found])
    write(directory / "bytecode", bytecode(found))
    dictionary = sorted({word for word in words(records()) if re.match(r"\S", word)})
    (directory / "text.dict").write_text("".join(quoted(word.encode()) + "\n" for word in dictionary))
    # Headers, aligned sections of a length, and the largest numbers of each encoding.
    heads = [b"\x7fTileIR\x00\x0d" + bytes([minor, 0, 0]) for minor in range(1, 7)]
    sections = [bytes([128 | section, 16, alignment]) for section in range(1, 8) for alignment in (1, 4, 8)]
    numbers = [b"\xff" * n + b"\x7f" for n in (1, 3, 4, 8, 9, 10)] + [b"\x80" * 9 + b"\x01", b"\x00" * 7 + b"\x80"]
    (directory / "bytecode.dict").write_text("".join(quoted(word) + "\n" for word in heads + sections + numbers))
    counts = {kind: len(list((directory / kind).iterdir())) for kind in ("text", "bytecode")}
    print(f"fuzz: starting from {counts['text']} texts and {counts['bytecode']} files of bytecode")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
