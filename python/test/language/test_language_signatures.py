# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names, kinds and defaults of the parameters of everything public: a table of ours, and the reference where it is
installed."""

import enum
import inspect
from pathlib import Path

import pytest
import tilewright as ct
from tilewright import compilation

TABLE = Path(__file__).with_name("language_signatures.txt").read_text().splitlines()
# Public names that the reference does not have.
OURS = set(
    "TileAssertionError TileCheckError TileDebuggerQuit TileDeviceError TileFaultError TileInterpreterError TileModule"
    " assemble disassemble get_num_threads load_module newaxis set_num_threads synchronize RawArrayMemory"
    " ScalarAnnotation schedule Explanation explain CppModule cpp_module".split()
)
# Signatures that differ from the reference's: those of its errors end in what its driver knows of a subprocess, and
# the place of an error without one is an object there.
DIFFERENT = {
    "TileError(message, loc=None)": "TileError(message, loc=Loc(",
    "export_kernel": "ours has cpu_code, and formats for CPUs",
}


def shown(name, value):
    """`name` with the parameters of `value` but their annotations."""

    def text(default):
        if isinstance(default, enum.Enum):
            return default.name
        return str(default) if type(default).__name__ == "DType" else repr(default)

    parts = []
    parameters = list(inspect.signature(value).parameters.values())
    kinds = [p.kind for p in parameters] + [None]
    for p, following in zip(parameters, kinds[1:], strict=True):
        if p.kind is p.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(star + p.name + ("" if p.default is p.empty else f"={text(p.default)}"))
        if p.kind is p.POSITIONAL_ONLY and following is not p.POSITIONAL_ONLY:
            parts.append("/")
    return f"{name}({', '.join(parts)})"


def resolve(package, line):
    value = package
    for part in line.split("(")[0].split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.split("(")[0])
def test_signature_is_that_of_the_table(line):
    assert shown(line.split("(")[0], resolve(ct, line)) == line


def test_everything_public_is_in_the_table():
    listed = {line.split("(")[0] for line in TABLE}
    for name in set(ct.__all__) - OURS:
        value = getattr(ct, name)
        if inspect.isfunction(inspect.unwrap(value)):
            assert name in listed
        if inspect.isclass(value) and not issubclass(value, (enum.Enum, BaseException)):
            methods = {f"{name}.{m}" for m, f in vars(value).items() if inspect.isfunction(f) and m[0] != "_"}
            assert methods <= listed


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.split("(")[0])
def test_signature_is_that_of_the_reference(line):
    reference = pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile (./dev test --peer)")
    from cuda.tile import _stub as hidden  # has what its documentation leaves out

    name = line.split("(")[0]
    holder = reference if hasattr(reference, name.split(".")[0]) else hidden
    found = shown(name, resolve(holder, line))
    assert found.startswith(DIFFERENT[line]) if line in DIFFERENT else found == line


def test_names_are_those_of_the_reference():
    reference = pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile (./dev test --peer)")
    assert set(reference.__all__) == set(ct.__all__) - OURS
    for name in ("MemoryOrder", "MemoryScope", "PaddingMode", "RoundingMode"):
        assert {m.name: m.value for m in getattr(reference, name)} == {m.name: m.value for m in getattr(ct, name)}
    for name in ("Array", "Tile", "TiledView"):
        public = {m for m in vars(getattr(reference, name)) if not m.startswith("_") or "index" in m}
        assert public <= set(dir(getattr(ct, name)))


def test_names_of_compilation_are_those_of_the_reference():
    reference = pytest.importorskip("cuda.tile.compilation", reason="needs NVIDIA's cuda-tile (./dev test --peer)")
    assert set(reference.__all__) == set(compilation.__all__)
    for name in set(reference.__all__) - {"ConstantValue", "ParameterConstraint", "CallingConvention"}:
        theirs, ours = shown(name, getattr(reference, name)), shown(name, getattr(compilation, name))
        assert name in DIFFERENT or theirs == ours


def test_dtypes_are_those_of_the_reference():
    reference = pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile (./dev test --peer)")
    for theirs in vars(reference).values():
        if isinstance(theirs, reference.DType):
            for dtype, pointer in ((theirs, ct), (reference.foreign_pointer_dtype(theirs), None)):
                ours = getattr(ct, theirs.name) if pointer else ct.foreign_pointer_dtype(getattr(ct, theirs.name))
                facts = [(d.name, d.__name__, d.bitwidth, repr(d), str(d)) for d in (dtype, ours)]
                assert facts[0] == facts[1]
