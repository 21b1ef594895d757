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
from tilewright import _native
from tilewright._runtime import cache, environment
from tilewright.limits import time_limit

ROOT = Path(__file__).resolve().parents[3]
VARIABLES = {variable.variable: variable for variable in environment.variables()}


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


VALUES = {  # expected values: legal texts with their values, illegal texts
    "nvtx, torch or jax, or several with commas between": (
        {"nvtx": ["NVTX"], "Torch,jax": ["TORCH", "JAX"], "": []},
        ["cupti"],
    ),
    "0 or 1": ({"0": False, "1": True, "ON": True, "no": False}, ["2", "maybe"]),
    "0 or anything else": ({"0": False, "1": True, "yes": True}, []),
    "a number from 1": ({"1": 1, "4096": 4096}, ["0", "-1", "1.5", "many"]),
    "a number from 1 to 4096": ({"1": 1, "4096": 4096}, ["0", "4097"]),
    "a number from 0 to 100000": ({"0": 0, "200": 200}, ["-1", "100001", "many"]),
    "a number from 0": ({"0": 0, "7": 7}, ["-1", "x"]),
    "seconds from 0 to 1e6": ({"0": 0.0, "2.5": 2.5}, ["-1", "inf", "nan", "soon", "2e6"]),
    "seconds above 0, at most 1e6": ({"2.5": 2.5}, ["0", "-1", "inf", "nan"]),
    "a folder; 0, off, none or nothing for no cache": ({"off": "", "": "", " None ": "", "/a": "/a"}, []),
    "two numbers with a point between, as in 10.0": ({"12.1": "12.1"}, ["10", "x.y"]),
    "never or large or always": ({"never": "never"}, ["sometimes"]),
    "own or libdevice-bits": ({"own": "own"}, ["libdevice", "fast"]),
    "tilewright or portable": ({"portable": "portable"}, ["fast"]),
    "program or full": ({"full": "full"}, ["all"]),
    "CUTILEIR or TILEIR, or several with commas between": (
        {"tileir": ["TILEIR"], "TILEIR, cutileir": ["TILEIR", "CUTILEIR"]},
        ["HIR"],
    ),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_values_and_mistakes(name, monkeypatch):
    variable = VARIABLES[name]
    values, mistakes = VALUES.get(variable.expected, ({"anything": "anything"}, []))
    assert environment.value(name) == variable.initial
    for text, value in values.items():
        monkeypatch.setenv(name, text)
        assert environment.value(name) == (value if text or variable.takes_empty else variable.initial)
        assert environment.is_set(name) == bool(text or variable.takes_empty)
    for text in mistakes:
        monkeypatch.setenv(name, text)
        expected = re.escape(f"environment variable {name} is {text!r}, expected {variable.expected}")
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
    """Every variable that the sources read is in it, and each is read elsewhere, too."""
    tests_only = {"TILEWRIGHT_FAKE_CUDA"}
    table = ROOT / "src/options/Table.cpp"
    folders = ("src/**/*.cpp", "tools/*.cpp", "python/native/*.cpp", "python/tilewright/**/*.py")
    paths = [path for pattern in folders for path in ROOT.glob(pattern) if not path.stem.endswith("Test")]
    texts = {path: path.read_text() for path in paths if path != table}
    read = set()
    for path, text in texts.items():
        found = set(re.findall(r'"((?:TILEWRIGHT|TILEIR|(?:EXPERIMENTAL_)?CUDA_TILE)_[A-Z_]+)"', text))
        assert found <= VARIABLES.keys() | tests_only, f"{path} reads what is not in the table of options"
        read |= found
        by_hand = re.search(r'(getenv\(|environ\b.*)"(TILEWRIGHT|TILEIR|CUDA_TILE)_', text)
        assert "fake" in path.parts or not by_hand, path
    references = {variable.reference for variable in VARIABLES.values()}
    by_name = {variable.variable for variable in VARIABLES.values() if "session" in variable.visibility}
    assert VARIABLES.keys() - read - references - by_name == set()


def test_the_command_has_no_option_of_its_own():
    """The options of both command lines are made from the table."""
    tool = (ROOT / "tools/tilewright.cpp").read_text()
    declared = re.findall(r"cl::(?:opt|list|alias)<?[^;]*?\(([^,]+),", tool)
    assert declared and set(declared) == {"cl::Positional"}
    for path in ("__main__.py", "_runtime/cache_listing.py"):
        text = (ROOT / "python/tilewright" / path).read_text()
        assert not re.search(r'add_argument\(\s*"-', text), path


def test_both_command_lines_have_the_same_options():
    tool = ROOT / "build/bin/tilewright"
    if not tool.exists():
        pytest.skip("the command in C++ is not built")
    for command in ("compile", "explain", "dis", "as", "info"):
        helps = [[tool], [sys.executable, "-m", "tilewright"]]
        shown = [subprocess.run([*run, command, "--help"], capture_output=True, text=True).stdout for run in helps]
        names = {
            ("--" if len(option.name) > 1 else "-") + option.name
            for option in _native.options()
            if command in option.visibility and not option.is_hidden
        }
        assert names and all(name in text for name in names for text in shown), command


def test_keywords_are_options():
    module = "cuda_tile.module @m {\n  entry @k() { return }\n}"
    made = _native.compile_to(module, "m", "cpu", "llvm", opt_level=0, dump_after=["cpu-plan"], lineinfo=False)
    assert b"define" in made.output
    for keywords, error, message in (
        ({"opt_levl": 1}, TypeError, "there is no option 'opt-levl', expected one of .*, as in 'opt-level'"),
        ({"opt_level": 4}, ValueError, "option opt-level is '4', expected a number from 0 to 3"),
        ({"time_limit": float("nan")}, ValueError, "option time-limit is 'nan', expected seconds from 0 to 1e6"),
        ({"plan": "/nowhere"}, ValueError, "cannot read /nowhere"),
    ):
        with pytest.raises(error, match=message):
            _native.compile_to(module, "m", "cpu", "llvm", **keywords)


def test_the_pages_are_those_of_the_table():
    spec = importlib.util.spec_from_file_location("generate_options", ROOT / "docs/generate_options.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for path, text in generator.pages().items():
        assert path.read_text() == text, "run docs/generate_options.py"


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
    seen = []
    compile = _native.compile
    monkeypatch.setattr(_native, "compile", lambda *args, **options: seen.append(options) or compile(*args, **options))
    for wanted, level in (("0", 1), ("1", 0)):
        monkeypatch.setenv("EXPERIMENTAL_CUDA_TILE_DEBUG_BUILD", wanted)
        x = np.ones(8, np.float32)
        run_block(make_kernel(), x)
        assert x.tolist() == [2.0] * 8
        assert (seen[-1]["opt_level"], seen[-1]["g"]) == (level, wanted == "1")
