# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`./dev bench --predict`: the points, and what is recorded of a machine."""

import json
from dataclasses import replace

import numpy as np

from bench import __main__ as command
from bench.predict import calibration, cpu, host, rows


def test_points_of_a_cpu():
    points = list(cpu.points(16))
    names = [point.name for point in points]
    assert len(names) == len(set(names)) >= 200
    assert 0.4 < sum(point.is_held_out for point in points) / len(points) < 0.6
    assert {point.threads for point in points} == {1, 2, 16}
    assert {point.threads for point in cpu.points(1)} == {1}


def test_points_are_launched():
    """The arguments fit the kernels: a softmax is one."""
    point = replace(rows.softmax((3, 64), "bfloat16"), threads=1)
    arguments = cpu.allocate(point)
    assert cpu.measure(point, arguments) > 0
    sums = arguments[1].astype(np.float32).sum(1)
    np.testing.assert_allclose(sums, 1, atol=0.02)


def test_machine(monkeypatch):
    monkeypatch.setattr(calibration, "SECONDS", 1e-4)
    monkeypatch.setattr(calibration, "parts", lambda machine, threads: {"L1": 1 << 14})
    machine = host.describe()
    assert machine["cores"] >= 1 and machine["caches"]["L1"]["bytes"] >= 1 << 14
    assert int(machine["plan"]["vector_bits"]) >= 128
    one = calibration.measure(machine)["1"]
    assert one["multiply_adds"] > 0 and one["memory"]["L1"]["copy"] > 0 and one["launch"]["empty"] > 0


def test_ranges_of_processors():
    assert host.count("0") == 1
    assert host.count("0-3,8,10-11") == 7


def test_recorded_times(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu, "works", lambda: iter([rows.vector_add(1 << 12, "float32", 1024)]))
    monkeypatch.setattr(cpu, "describe", lambda: {"cores": 1})
    file = tmp_path / "points.json"
    command.main(["cpu", "--predict", "--output", str(file)])
    assert list(json.loads(file.read_text())["seconds"]) == ["add float32 4096, 1024, 1 thread"]
