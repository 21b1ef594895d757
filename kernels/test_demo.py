# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json

import numpy as np
import pytest
from rich.table import Table

from kernels import demo, tables
from kernels.gemm.bench import gemm_work
from kernels.vector_add.bench import vector_add_work

KEYS = "kernel shape dtype ms rate unit max_error bound ok ratio_to_torch".split()


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(demo, "WORKS", [lambda: vector_add_work(5000), lambda: gemm_work(60, 50, 40)])


def test_json(small, capsys):
    assert demo.main(["--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["kernel"] for row in rows] == ["vector_add", "gemm"]
    for row in rows:
        assert list(row) == KEYS
        assert row["ok"] is True and row["max_error"] <= row["bound"]


def test_table(small, capsys):
    assert demo.main([]) == 0
    text = capsys.readouterr().out
    assert "60x50x40" in text and "GFLOP/s" in text


def test_a_table_in_a_file_is_whole(capsys):
    table = Table()
    for heading in ("work", "seen"):
        table.add_column(heading)
    table.add_row("w" * 150, "a reason of many words " * 10)
    tables.show(table)
    lines = capsys.readouterr().out.splitlines()
    assert any("w" * 150 in line and "a reason of many words " * 9 in line for line in lines)


def test_a_wrong_result_fails(monkeypatch, capsys):
    def wrong():
        work = vector_add_work(5000)
        right = work.run
        work.run = lambda: (right(), work.result.__setitem__(7, np.nan))
        return work

    monkeypatch.setattr(demo, "WORKS", [wrong])
    assert demo.main(["--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["ok"] is False


def test_a_work_that_raises_fails_and_says_why(monkeypatch, capsys):
    def broken():
        work = vector_add_work(5000)

        def run():
            raise RuntimeError("no such luck")

        work.run = run
        return work

    monkeypatch.setattr(demo, "WORKS", [broken])
    assert demo.main([]) == 1
    assert "RuntimeError: no such luck" in capsys.readouterr().err
