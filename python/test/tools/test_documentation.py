# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything that the documentation names exists: links, files, commands, options, passes, environment variables."""

import contextlib
import functools
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright as ct
from tilewright.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(ROOT.glob("*.md")) + [
    page for top in ("docs", "kernels", "src") for page in sorted((ROOT / top).rglob("*.md"))
]
TEXTS = {path: path.read_text() for path in PAGES}
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def prose(text):
    """The text without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def code(text):
    """The text of blocks of code and between backticks, commands that go over several lines as one line."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return "\n".join(blocks + re.findall(r"`([^`]+)`", prose(text))).replace("\\\n", " ")


def anchors(text):
    """The names that headings have as targets of links."""
    headings = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(text, name):
    """The arguments of each command of that name."""
    found = re.findall(rf"(?:^|[\s/;|]){re.escape(name)}((?: [^\s#;|)]\S*)*)", code(text), re.MULTILINE)
    return [[re.split(r"[=\[,]", word.strip("`[]"))[0] for word in arguments.split()] for arguments in found]


@functools.cache
def usage(*arguments):
    text = io.StringIO()
    with pytest.raises(SystemExit), contextlib.redirect_stdout(text):
        main([*arguments, "--help"])
    return text.getvalue()


@functools.cache
def help_of(program, option):
    return subprocess.run([ROOT / program, option], capture_output=True, text=True, check=True).stdout


@each_page
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose(TEXTS[page]))):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{target} is not there"
        assert not anchor or anchor in anchors(found.read_text()), f"{target} has no such heading"


@each_page
def test_files_of_the_tree_are_there(page):
    tops = "src|python|kernels|docs|examples|scripts|bench|tools|build/bin"
    for name in re.findall(rf"(?:^|[\s(])((?:{tops})/[\w./*-]+)", code(TEXTS[page]), re.MULTILINE):
        name = name.rstrip(".")
        if "test_x" not in name and "..." not in name:
            assert any(ROOT.glob(name.rstrip("/"))), f"{name} is not there"


@each_page
def test_commands_of_tilewright_take_these_options(page):
    known = usage()
    for command, *arguments in filter(None, commands(TEXTS[page], "tilewright")):
        if command.startswith(("-", "_")) or not command.isalpha():
            continue
        assert re.search(rf"\b{command}\b", known), f"there is no tilewright {command}"
        options = usage(command)
        for option in arguments:
            if option.startswith("-") and option != "-":
                assert re.search(rf"(?<![\w-]){option}\b", options), f"tilewright {command} has no {option}"


@each_page
def test_dev_takes_these_options(page):
    known = help_of("dev", "help")
    for command, *arguments in filter(None, commands(TEXTS[page], "./dev")):
        if command.isupper():
            continue
        lines = re.findall(rf"^  {command}\b.*(?:\n {{6,}}.*)*", known, re.MULTILINE)
        assert lines, f"there is no ./dev {command}"
        for option in arguments:
            if option.startswith("--"):
                assert any(option in line for line in lines), f"./dev {command} has no {option}"


@each_page
def test_passes_are_known(page):
    known = help_of("build/bin/tilewright-opt", "--help")
    names = set(re.findall(r"--((?:cpu|tileaa|cuda-tile)-[\w-]+)", known))
    for patch in (ROOT / "docs/examples").glob("*.patch"):
        names.update(re.findall(r'^\+def \w+ : Pass<"([\w-]+)"', patch.read_text(), re.MULTILINE))
    for name in re.findall(r"(?<![\w-])(?:--)?((?:cpu|tileaa|cuda-tile)-[a-z][\w-]+)(?!=)", code(TEXTS[page])):
        assert name in names, f"there is no pass {name}"


def test_variables_of_the_environment():
    """Those that the documentation names are read somewhere, and those that the library reads are documented."""
    pattern = re.compile(r"\bTILEWRIGHT_[A-Z_]+[A-Z]\b")
    documented = {name for text in TEXTS.values() for name in pattern.findall(text)}
    sources = [
        path for top in ("src", "python") for path in (ROOT / top).rglob("*") if path.suffix in {".h", ".cpp", ".py"}
    ]
    readers = [*sources, ROOT / "CMakeLists.txt"]  # which reads options of the build
    mentioned = {name for path in readers for name in pattern.findall(path.read_text())}
    assert documented <= mentioned, f"nothing reads {', '.join(sorted(documented - mentioned))}"

    library = [path for path in sources if "test" not in path.parts and not path.name.endswith("Test.cpp")]
    read = re.compile(r'(?:getenv|GetEnv|environ\.get|variable|environment)\w*\(\s*"(TILEWRIGHT_\w+)"')
    needed = {name for path in library for name in read.findall(path.read_text())}
    assert len(needed) > 5
    assert needed <= documented, f"no page has {', '.join(sorted(needed - documented))}"


@each_page
def test_names_of_the_language_are_there(page):
    text = code(TEXTS[page])
    for name in re.findall(r"\bct\.(\w+)", text) + re.findall(r"\bTile\w+Error\b", text):
        assert any(hasattr(where, name) for where in (ct, ct.tune, ct.errors)), f"tilewright has no {name}"


def test_every_page_is_in_the_index():
    index = TEXTS[ROOT / "docs/README.md"]
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, f"docs/README.md does not list {page.name}"


def test_folders_of_sources_are_described():
    """CONTRIBUTING has a row for each, or for one above it; scripts/check_tree.py looks after their order."""
    rows = re.findall(r"^\| `(src/[\w/]+)`", TEXTS[ROOT / "CONTRIBUTING.md"], re.MULTILINE)
    for folder in {path.parent.relative_to(ROOT) for path in (ROOT / "src").rglob("*.cpp")}:
        assert any(f"{folder}/".startswith(f"{row}/") for row in rows), f"{folder} is in no folder of the table"


def blocks_of(page):
    """The language and the text of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```", TEXTS[ROOT / page], re.MULTILINE | re.DOTALL)


def test_the_dialogue_with_the_debugger(tmp_path):
    blocks = blocks_of("docs/debugging.md")
    position = next(i for i, (_, text) in enumerate(blocks) if "def scale(x, y)" in text and "@ct.kernel" in text)
    kernel, dialogue = blocks[position][1], blocks[position + 1][1]
    script = tmp_path / "scale.py"
    launch = "scale[2](np.arange(8, dtype=np.float32), np.zeros(8, np.float32))\n"
    script.write_text(f"import numpy as np\nimport tilewright as ct\n\n\n{kernel}\n\n{launch}")
    given = "".join(re.findall(r"^\(tile\) (.*\n)", dialogue, re.MULTILINE))
    command = [sys.executable, "-m", "tilewright", "debug", script.name]
    done = subprocess.run(command, input=f"{given}quit\n", cwd=tmp_path, capture_output=True, text=True)
    printed = re.sub(r"^\(tile\) .*\n", "(tile) ", dialogue, flags=re.MULTILINE)
    assert done.stdout.startswith(printed), done.stdout + done.stderr


def test_the_example_of_the_readme_prints_its_output(tmp_path):
    blocks = blocks_of("README.md")
    position = next(i for i, (language, _) in enumerate(blocks) if language == "python")
    program, expected = blocks[position][1], blocks[position + 1][1]
    assert program.count("\n") <= 25
    script = tmp_path / "example.py"
    script.write_text(program)
    result = subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True)
    assert result.stderr == ""
    assert result.stdout == expected


def test_the_page_of_passes_names_what_is_there():
    result = subprocess.run(
        [sys.executable, ROOT / "docs/generate_passes.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_the_references_of_dialects_and_passes_are_current():
    result = subprocess.run(
        [sys.executable, ROOT / "docs/generate_reference.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_the_pictures_of_the_gallery_are_current():
    done = subprocess.run(
        [sys.executable, ROOT / "docs/generate_gallery.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_page_of_the_mixture_of_experts_is_current():
    result = subprocess.run([sys.executable, ROOT / "docs/generate_moe.py", "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_page_of_the_mixture_of_experts_marks_each_statement_at_each_level():
    levels = re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", TEXTS[ROOT / "docs/moe.md"], re.MULTILINE)
    excerpts = {title: re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for title, text in levels}
    shown = {title: blocks for title, blocks in excerpts.items() if blocks}
    assert list(shown) == ["cuda_tile", "tileaa", "tileas", "tileas with agents", "NVVM", "LLVM IR", "PTX", "SASS"]
    for title, blocks in shown.items():
        assert len(blocks) == 3, title
        for block in blocks:
            assert 10 <= block.count("\n") <= 20 and block.count("// <--") == 1, f"{title}:\n{block}"


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_90"])
def test_the_readme_lists_the_levels_of_each_target(target, tmp_path):
    module = tmp_path / "empty.mlir"
    module.write_text("cuda_tile.module @m {}")
    command = [ROOT / "build/bin/tilewright", "compile", module, f"--target={target}", "--emit=none"]
    refused = subprocess.run(command, capture_output=True, text=True).stderr
    levels = re.search(r"expected one of (.*)", refused)[1].split(", ")
    listed = TEXTS[ROOT / "README.md"].split("`--emit` takes", 1)[1].split("For a CPU these are")[1]
    first, second = listed.split("for a GPU", 1)
    found = re.findall(r"`(\w+)`", first if target == "cpu" else second.split("cubin", 1)[0] + "cubin`")
    assert found == levels
