# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands, in the tree and as they are installed."""

import io
import json
import os
import pathlib
import subprocess
import sys

import pytest

from llm.__main__ import main

ROOT = pathlib.Path(__file__).parent.parent
IMPL = ["--impl", "numpy"]


@pytest.fixture(params=["llama3", "deepseek-v2", "deepseek-v3"])
def folder(request, tmp_path):
    assert main(["init", "--arch", request.param, str(tmp_path / "model"), "--shards", "2"]) == 0
    return str(tmp_path / "model")


def said(capsys, *arguments, status=0):
    capsys.readouterr()
    assert main(list(map(str, arguments))) == status
    return capsys.readouterr().out


def test_generate_streams_text(folder, capsys):
    text = said(capsys, "generate", folder, "--prompt", "The model", "--max-tokens", 8, *IMPL)
    assert text.startswith("The model") and text.endswith("\n") and len(text) > len("The model\n")


def test_generate_as_json(folder, capsys):
    prompts = ["--prompt", "The model", "--prompt", "A much longer one reads"]
    arguments = ["generate", folder, *prompts, "--max-tokens", 8, "--ignore-eos", "--json", *IMPL]
    report = json.loads(said(capsys, *arguments))
    assert [request["end"] for request in report["requests"]] == ["length", "length"]
    assert report["tokens"] == 16
    alone = json.loads(said(capsys, *arguments[:4], *arguments[6:]))
    assert alone["requests"][0] == report["requests"][0]


def test_generate_in_the_chat_template_with_a_seed(folder, capsys):
    arguments = ["generate", folder, "--prompt", "Hello", "--chat", "--temperature", 1, "--seed", 3, "--json", *IMPL]
    first, second = (json.loads(said(capsys, *arguments))["requests"] for _ in range(2))
    assert first == second


def test_chat(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello\nWho are you?\n\n"))
    lines = said(capsys, "chat", folder, "--max-tokens", 4, "--context", 256, "--json", *IMPL).splitlines()
    assert [json.loads(line)["role"] for line in lines] == ["assistant"] * 2


def test_errors(folder, capsys):
    said(capsys, "generate", folder, "--prompt", "a", "--max-tokens", 1 << 20, *IMPL, status=1)
    error = json.loads(said(capsys, "generate", "/nowhere", "--json", status=1))["error"]
    assert error["kind"] == "MissingFile" and "/nowhere/config.json does not exist" in error["message"]
    error = json.loads(said(capsys, "generate", folder, "--prompt", "a", "--top-p", 2, "--json", status=1))["error"]
    assert error["message"] == "--top-p is 2.0, expected 0 to 1"
    arguments = ["generate", folder, "--prompt", "a", "--op", "attention=magic", "--json"]
    assert json.loads(said(capsys, *arguments, status=1))["error"]["kind"] == "UnknownOperation"


def test_bench(capsys):
    rows = json.loads(said(capsys, "bench", "--prompt-tokens", 8, "--max-tokens", 4, "--json", *IMPL))
    assert [row["model"] for row in rows] == ["tiny-llama3", "tiny-deepseek-v2", "tiny-deepseek-v3"]


def test_compare(capsys):
    arguments = ["--tokens", 2, "--operations", "rms_norm", "route", "--implementations", "numpy", "--json"]
    report = json.loads(said(capsys, "compare", "--model", "tiny-deepseek-v3", *arguments))
    assert [row["operation"] for row in report["rows"]] == ["rms_norm", "route"]
    assert all(row["lines"] > 0 and row["seconds"] > 0 and row["max_error"] == 0 for row in report["rows"])


def test_installed(folder, tmp_path):
    """As in an installation: llm and kernels are inside of tilewright, and a user's `kernels` stays theirs."""
    site = tmp_path / "site"
    package = site / "tilewright"
    package.mkdir(parents=True)
    for part in (ROOT / "python" / "tilewright").iterdir():
        (package / part.name).symlink_to(part)
    for name in ("llm", "kernels"):
        (package / name).symlink_to(ROOT / name)
    (site / "kernels.py").write_text("mine = True\n")
    script = (
        "import kernels, sys; from tilewright._runtime.kernel_library import kernel;"
        "assert kernel('gemm.kernel').gemm and kernel('gemm.kernel') is kernel('gemm.kernel');"
        "import kernels as again; assert again.mine and not [m for m in sys.modules if m.startswith('kernels.')];"
        "from tilewright.llm.__main__ import main;"
        f"sys.exit(main(['generate', {folder!r}, '--prompt', 'The', '--max-tokens', '4', '--impl', 'numpy']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The")
