# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`./dev bench --predict`: the points, and what is recorded of a machine."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bench import __main__ as command
from bench.predict import calibration, cpu, host, matrices, rows
from bench.predict.cpu_model import CpuModels, processor_of


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


MACHINE = {
    "cpu": "a Xeon",
    "family": ["GenuineIntel", "6", "143", "8"],
    "features": ["amx_tile", "avx2", "avx512_vnni", "avx512f"],
    "cores": 16,
    "caches": {"L1": {"bytes": 48 << 10, "shared": 1}, "L2": {"bytes": 2 << 20, "shared": 1}},
    "plan": {"vector_bits": "512", "micro_tile_m": "4", "micro_tile_n": "64", "stream_bytes": "2097152"},
    "rates": {
        str(threads): {
            "multiply_adds": 150e9 * threads,
            "exponentials": 2e9 * threads,
            "memory": {
                level: {"part": 1 << 20, "read": rate, "write": rate, "copy": rate}
                for level, rate in {"L3": 20e9 * threads, "DRAM": min(12e9 * threads, 120e9)}.items()
            },
            "launch": {"empty": 1e-6, "alone": 1e-5, "together": 1e-5},
        }
        for threads in (1, 2, 8, 16)
    },
}


def seconds(work, threads=1, **options):
    return CpuModels(MACHINE).predict(replace(work, threads=threads), **options)["seconds"]


def test_predictions_grow_with_the_size():
    sizes = [seconds(rows.softmax((count, 1024), "float32")) for count in (16, 256, 4096)]
    assert sizes == sorted(sizes) and sizes[2] > 10 * sizes[1]
    products = [seconds(matrices.gemm(size, size, size, (64, 64, 32), "float32")) for size in (256, 512, 1024)]
    assert products[2] > 6 * products[1] > 30 * products[0]


def test_bounds_of_predictions():
    """Memory bounds a sum of vectors, arithmetic a product, which more threads divide."""
    models = CpuModels(MACHINE)
    add = models.predict(replace(rows.vector_add(1 << 26, "float32", 4096), threads=16))
    assert next(iter(sorted(add["bounds"], key=add["bounds"].get, reverse=True))) == "DRAM"
    assert add["dram_bytes"] == pytest.approx(3 * 4 << 26, rel=0.02)
    assert add["is_complete"] and add["is_traffic_complete"]
    work = matrices.gemm(2048, 2048, 2048, (128, 256, 64), "float32")
    product = models.predict(replace(work, threads=16))
    assert max(product["bounds"], key=product["bounds"].get) == "matrix units"
    assert product["operations"] == pytest.approx(2 * 2048**3, rel=0.1)
    assert seconds(work) / product["seconds"] > 8


@pytest.mark.parametrize("work", list(cpu.works()), ids=lambda work: work.name)
def test_every_point_is_predicted(work):
    prediction = CpuModels(MACHINE).predict(replace(work, threads=2))
    assert 0 < prediction["seconds"] < 10
    assert prediction["is_complete"]


def test_joined_blocks_share_a_body():
    work = replace(rows.row_sum((4096, 16), "float32"), threads=1)
    alone = {**MACHINE, "plan": MACHINE["plan"] | {"joined_blocks": "1"}}
    assert CpuModels(alone).predict(work)["seconds"] > 4 * CpuModels(MACHINE).predict(work)["seconds"]


def test_best_attempt():
    attempts = [{"add": 2.0, "launch": {"empty": 3.0}}, {"add": 4.0, "launch": {"empty": 5.0}}]
    assert calibration.best(attempts) == {"add": 4.0, "launch": {"empty": 3.0}}


def test_constants_by_name():
    work = rows.vector_add(1 << 12, "float32", 4096)
    assert seconds(work, constants={"launchSeconds": 1.0}) > 1
    with pytest.raises(ValueError, match="the model has no constant 'launch'"):
        seconds(work, constants={"launch": 1.0})


@pytest.mark.parametrize(
    "family, features, row",
    [
        (["GenuineIntel", "6", "85", "7"], ["avx2", "avx512_vnni", "avx512f"], "skylake-avx512"),
        (["GenuineIntel", "6", "106", "6"], ["avx2", "avx512_bitalg", "avx512_vnni", "avx512f"], "icelake-server"),
        (["GenuineIntel", "6", "143", "8"], MACHINE["features"], "sapphirerapids"),
        (["GenuineIntel", "6", "79", "1"], ["avx2"], "x86-64-v3"),
        (["AuthenticAMD", "25", "1", "1"], ["avx2"], "zen3"),
        (["AuthenticAMD", "25", "17", "1"], ["avx2", "avx512f"], "zen4"),
    ],
)
def test_rows_of_processors(family, features, row):
    assert processor_of({"family": family, "features": features}) == row


def test_recorded_times(monkeypatch, tmp_path):
    """A file of one run is enough for the next, which measures nothing."""
    monkeypatch.setattr(cpu, "works", lambda: iter([rows.vector_add(1 << 12, "float32", 1024)]))
    monkeypatch.setattr(cpu, "describe", lambda: {**MACHINE, "cores": 1})
    file, again = tmp_path / "points.json", tmp_path / "again.json"
    command.main(["cpu", "--predict", "--output", str(file)])
    monkeypatch.setattr(cpu, "measure", None)
    command.main(["cpu", "--predict", "--recorded", str(file), "--output", str(again)])
    first, second = (json.loads(each.read_text()) for each in (file, again))
    assert list(first["seconds"]) == ["add float32 4096, 1024, 1 thread"]
    assert first["points"] == second["points"]
