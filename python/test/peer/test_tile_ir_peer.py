# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of Tile IR that NVIDIA's tools wrote, through our reader, verifier, printer, parser and writer.

Ours prints what NVIDIA's disassembler prints, byte for byte, and that prints the same for what ours writes. The
modules are those of `tile_ir_generator`, the frozen files, and, where it is there, the corpus of NVIDIA's front end.
"""

import functools
from collections import defaultdict

import nvidia_tools
import pytest
from tilewright import _native

nvidia_tools.require("cuda-tile", "nvidia-cuda-tileiras")

import tile_ir_generator  # noqa: E402
from cuda.tile._bytecode import BytecodeVersion  # noqa: E402

VERSIONS = [version.as_string() for version in BytecodeVersion]
CORPUS = "corpus"
FROZEN = "frozen"
SHOWN = 5


@functools.cache
def generated():
    modules = defaultdict(list)
    for module in tile_ir_generator.modules():
        modules[module.version.as_string()].append((module.name, module.data))
    return modules


def modules_of(source):
    if source == FROZEN:
        folder = nvidia_tools.ROOT / "src/cuda_tile/bytecode/test/Inputs/frozen"
        return [(file.name, file.read_bytes()) for file in sorted(folder.rglob("*.tilebc"))]
    if source != CORPUS:
        return generated()[source]
    found = nvidia_tools.corpus()
    if found is None:
        pytest.skip("no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")
    return found


def version_of(data):
    return f"{data[8]}.{data[9]}"


@functools.cache
def reference_texts(source, debug_info):
    return nvidia_tools.run_each([data for _, data in modules_of(source)], "tileirdisasm", *["-g"] * debug_info)


@functools.cache
def our_bytes(source):
    return [_native.assemble(data, name, version_of(data)) for name, data in modules_of(source)]


def ours(function, *arguments):
    """The result of a function of ours; its message as bytes where it refuses."""
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error).encode()


def expect_same(names, wanted, got):
    """Compares texts; the message shows where the first few part."""
    different = [i for i in range(len(names)) if wanted[i] != got[i]]
    shown = [f"{names[i]}: {first_difference(wanted[i], got[i])}" for i in different[:SHOWN]]
    assert not different, f"{len(different)} of {len(names)} differ\n" + "\n".join(shown)


def first_difference(wanted, got):
    lines = wanted.splitlines(), got.splitlines()
    for left, right in zip(*lines, strict=False):
        if left != right:
            return f"\n  expected {left.decode()}\n  got      {right.decode()}"
    return f"{len(lines[0])} lines expected, got {len(lines[1])}"


def names_of(source):
    return [name for name, _ in modules_of(source)]


SOURCES = pytest.mark.parametrize("source", [*VERSIONS, FROZEN, CORPUS])
DEBUG_INFO = pytest.mark.parametrize("debug_info", [False, True], ids=["plain", "locations"])


@pytest.mark.parametrize("version", VERSIONS)
def test_nvidia_reads_what_the_tables_call_legal(version):
    refused = [
        f"{name}: {error.splitlines()[0] if error else f'ended with status {status}'}"
        for name, (status, _, error) in zip(names_of(version), reference_texts(version, False), strict=True)
        if status
    ]
    assert not refused, f"{len(refused)} modules\n" + "\n".join(refused[:SHOWN])


def test_the_tables_cover_the_writer():
    """Every operation the writer can put into a body, but for the foreign calls, which are a preview."""
    from tile_ir_generator.body import ENCODERS, NOT_IN_A_BODY

    terminators = {"Break", "Continue", "Return", "Yield"}
    known = (
        {description.name.split()[0] for description in tile_ir_generator.table_descriptions()}
        | terminators
        | {"GetGlobal"}
    )
    assert set(ENCODERS) - known == {*NOT_IN_A_BODY, "PreviewCall"}


@SOURCES
@DEBUG_INFO
def test_prints_what_nvidia_prints(source, debug_info):
    wanted = [text for _, text, _ in reference_texts(source, debug_info)]
    got = [ours(_native.disassemble, data, name, debug_info, False) for name, data in modules_of(source)]
    expect_same(names_of(source), wanted, got)


@SOURCES
@DEBUG_INFO
def test_nvidia_reads_what_we_write(source, debug_info):
    wanted = [text for _, text, _ in reference_texts(source, debug_info)]
    results = nvidia_tools.run_each(our_bytes(source), "tileirdisasm", *["-g"] * debug_info)
    expect_same(names_of(source), wanted, [text or error.encode() for _, text, error in results])


@SOURCES
def test_text_reads_back(source):
    """The text alone gives the same text again. That of a module without anything in it is blank, and no module."""
    found = zip(names_of(source), reference_texts(source, False), strict=True)
    names, texts = zip(*[(name, text) for name, (_, text, _) in found if text.strip()], strict=True)
    read = [ours(_native.disassemble, text, name, False, False) for name, text in zip(names, texts, strict=True)]
    expect_same(names, texts, read)


@SOURCES
def test_what_we_write_we_write_again(source):
    """Our bytes, read and written, are the same bytes."""
    again = [
        _native.assemble(data, name, version_of(data))
        for name, data in zip(names_of(source), our_bytes(source), strict=True)
    ]
    assert again == our_bytes(source)


def test_identities_of_f64_below_zero():
    """NVIDIA's writer spends 65 bits on them, and its reader takes 64: to it -inf is inf. We read and write -inf."""
    from tile_ir_generator.modules import Description, Function
    from tile_ir_generator.regions import build_fold
    from tile_ir_generator.types import E

    fold = Function("f", lambda body: build_fold(body, "Reduce", (E.F64,), (8,), 0, "-inf"))
    theirs = Description("below zero", (fold,)).write(BytecodeVersion.V_13_4).data
    ours = _native.assemble(theirs, "below zero")
    assert b"identities=[0xFFF0000000000000 : f64]" in _native.disassemble(theirs, "below zero")
    (_, misread, _), (_, read, _) = nvidia_tools.run_each([theirs, ours], "tileirdisasm")
    assert b"identities=[0x7FF0000000000000 : f64]" in misread
    assert b"identities=[0xFFF0000000000000 : f64]" in read
