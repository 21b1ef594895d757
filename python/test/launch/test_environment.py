# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment variables: their values, what is wrong with others, and what those of cuda.tile do here."""

import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import tilewright as ct
from language import array, run_block, text_of
from tilewright._runtime import cache, environment
from tilewright.limits import time_limit

ROOT = Path(__file__).resolve().parents[3]
VARIABLES = {variable.name: variable for variable in environment.VARIABLES}


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def make_kernel():
    """A kernel that was not compiled yet."""

    @ct.kernel
    def double(x):
        ct.store(x, 0, ct.load(x, 0, 8) * 2)

    return double


VALUES = {  # kind: texts and their values, texts that are wrong
    environment.FLAG: ({"0": False, "1": True, "ON": True, "no": False}, ["2", "maybe"]),
    environment.COUNT: ({"1": 1, "4096": 4096}, ["0", "-1", "1.5", "many"]),
    environment.NUMBER: ({"0": 0, "7": 7}, ["-1", "x"]),
    environment.SECONDS: ({"0": 0.0, "2.5": 2.5}, ["-1", "inf", "nan", "soon"]),
    environment.POSITIVE_SECONDS: ({"2.5": 2.5}, ["0", "-1", "inf", "nan"]),
    environment.CACHE_FOLDER: ({"off": None, "": None, " None ": None, "/a": "/a"}, []),
    environment.CAPABILITY: ({"12.1": "12.1"}, ["10", "x.y"]),
    VARIABLES["TILEWRIGHT_ISOLATE"].kind: ({"never": "never"}, ["sometimes"]),
    VARIABLES["TILEWRIGHT_MATH"].kind: ({"libdevice-bits": "libdevice-bits"}, ["libdevice"]),
    VARIABLES["TILEWRIGHT_LAUNCH_ABI"].kind: ({"portable": "portable"}, ["fast"]),
    VARIABLES["CUDA_TILE_LOGS"].kind: ({"tileir": ("TILEIR",), "TILEIR, cutileir": ("TILEIR", "CUTILEIR")}, ["HIR"]),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_values_and_mistakes(name, monkeypatch):
    variable = VARIABLES[name]
    values, mistakes = VALUES.get(variable.kind, ({"anything": "anything"}, []))
    assert environment.value(name, {}) == variable.default
    for text, value in values.items():
        if text or variable.takes_empty:
            assert environment.value(name, {name: text}) == value
    if not variable.takes_empty:
        assert environment.value(name, {name: ""}) == variable.default
    for text in mistakes:
        monkeypatch.setenv(name, text)
        expected = re.escape(f"environment variable {name} is {text!r}, expected {variable.kind.expected}")
        with pytest.raises(ValueError, match=expected):
            run_block(make_kernel(), np.zeros(8, np.float32))


def test_the_command_says_what_is_wrong(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ISOLATE", "sometimes")
    ran = subprocess.run([sys.executable, "-m", "tilewright", "info", "-"], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (
        1,
        "tilewright: environment variable TILEWRIGHT_ISOLATE is 'sometimes', expected never or large or always\n",
    )


def test_the_table_is_whole():
    """Every variable that the sources read is in it, with the file that does."""
    tests_only = {"TILEWRIGHT_FAKE_CUDA"}
    paths = [*ROOT.glob("src/**/*.cpp"), *ROOT.glob("python/native/*.cpp"), *ROOT.glob("python/tilewright/**/*.py")]
    for path in (path for path in paths if not path.stem.endswith("Test")):
        for name in set(re.findall(r'"((?:TILEWRIGHT|(?:EXPERIMENTAL_)?CUDA_TILE)_[A-Z_]+)"', path.read_text())):
            assert name in VARIABLES or name in tests_only, f"{path} reads {name}"
    for variable in environment.VARIABLES:
        assert f'"{variable.name}"' in (ROOT / variable.reader).read_text(), variable.name


def test_the_page_is_that_of_the_table():
    spec = importlib.util.spec_from_file_location("generate_environment", ROOT / "docs/generate_environment.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.PAGE.read_text() == generator.text(), "run docs/generate_environment.py"


def test_ours_go_before_those_of_the_reference(monkeypatch, tmp_path):
    for theirs, ours, read, values in (
        ("CUDA_TILE_CACHE_DIR", "TILEWRIGHT_CACHE_DIR", cache.folder, (str(tmp_path), "/ours")),
        ("CUDA_TILE_CACHE_SIZE", "TILEWRIGHT_CACHE_SIZE", cache.max_bytes, (123, 456)),
        ("CUDA_TILE_COMPILER_TIMEOUT_SEC", "TILEWRIGHT_TIME_LIMIT", time_limit, (7.0, 8.0)),
    ):
        monkeypatch.setenv(theirs, str(values[0]))
        assert read() == values[0]
        monkeypatch.setenv(ours, str(values[1]))
        assert read() == values[1]


def test_logs_and_files_of_a_compilation(monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("CUDA_TILE_LOGS", "CUTILEIR,TILEIR")
    monkeypatch.setenv("CUDA_TILE_DUMP_TILEIR", str(tmp_path / "text"))
    monkeypatch.setenv("CUDA_TILE_DUMP_BYTECODE", str(tmp_path / "made" / "bytecode"))
    kernel = make_kernel()
    run_block(kernel, np.zeros(8, np.float32))
    shown = capfd.readouterr().err
    assert "cuda_tile.load_view_tko(" in shown and "= load_view_tko weak" in shown
    (text,) = (tmp_path / "text").iterdir()
    (bytecode,) = (tmp_path / "made" / "bytecode").iterdir()
    line = kernel.function.__code__.co_firstlineno
    for path, suffix in ((text, "tileir"), (bytecode, "tileirbc")):
        assert re.fullmatch(rf"double\.test_environment\.ln{line}\.\w+\.{suffix}", path.name)
        assert str(path) in shown
    assert "load_view_tko" in text.read_text()
    assert list(ct.load_module(bytecode)) == ["double"]
    run_block(kernel, np.zeros(8, np.float32))
    assert not capfd.readouterr().err  # nothing is compiled


def test_a_failure_leaves_an_archive(monkeypatch, tmp_path, capfd):
    from tilewright import _native

    def fails(*arguments, **options):
        raise ct.TileCompilerExecutionError("the compiler failed")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_native, "compile", fails)
    for wanted in ("0", "1"):
        monkeypatch.setenv("CUDA_TILE_ENABLE_CRASH_DUMP", wanted)
        with pytest.raises(ct.TileCompilerExecutionError):
            run_block(make_kernel(), np.zeros(8, np.float32))
        assert len(list(tmp_path.iterdir())) == int(wanted)
    (path,) = tmp_path.iterdir()
    assert re.fullmatch(r"crash_dump_double_[\d.]+\.zip", path.name) and str(path) in capfd.readouterr().err
    with zipfile.ZipFile(path) as archive:
        assert "the compiler failed" in archive.read("error.txt").decode()
        assert "entry @double" in archive.read("double.tileir").decode()
        assert "test_environment" not in archive.read("double.tileir").decode()


def test_reproducers_go_to_the_folder_for_temporary_files(monkeypatch, tmp_path):
    from tilewright import _native

    monkeypatch.setenv("CUDA_TILE_TEMP_DIR", str(tmp_path))
    module = _native.Module.parse(text_of(make_kernel(), array()))
    with pytest.raises(ct.TileCompilerExecutionError, match=re.escape(str(tmp_path))):
        _native.compile(module, entry="double", fail_in="fatal:code generation of a function")
    assert [path.suffix for path in tmp_path.iterdir()] == [".mlir"]


def test_divisibility_and_token_order_for_tests(monkeypatch):
    kernel, spec = make_kernel(), array(base_divisible_by=16, shape_divisible_by=(16,))
    text = text_of(kernel, spec)
    assert text.count("div_by") == 2 and " token = %" in text
    monkeypatch.setenv("CUDA_TILE_TESTING_DISABLE_DIV", "1")
    monkeypatch.setenv("CUDA_TILE_TESTING_DISABLE_TOKEN_ORDER", "1")
    text = text_of(kernel, spec)
    assert "div_by" not in text and " token = %" not in text and "store_view_tko" in text


def test_a_build_for_a_debugger(monkeypatch):
    from tilewright import _native

    seen = []
    compile = _native.compile
    monkeypatch.setattr(_native, "compile", lambda *args, **options: seen.append(options) or compile(*args, **options))
    for wanted, level in (("0", 1), ("1", 0)):
        monkeypatch.setenv("EXPERIMENTAL_CUDA_TILE_DEBUG_BUILD", wanted)
        x = np.ones(8, np.float32)
        run_block(make_kernel(), x)
        assert x.tolist() == [2.0] * 8
        assert (seen[-1]["opt_level"], seen[-1]["debug"]) == (level, wanted == "1")
