# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m bench cpu|gpu --predict."""

import json
import sys
from pathlib import Path

from bench.predict import report
from bench.predict.cpu_model import CpuModels
from bench.predict.model import Models
from bench.predict.point import matching


def gpu_points(machine):
    from bench.predict import gpu

    return gpu.points()


def cpu_points(machine):
    from bench.predict import cpu

    return cpu.points(machine["cores"])


def measured_gpu(only, limit):
    from bench.predict import gpu

    wanted = matching(gpu.points(), only)
    return gpu.measure_all(wanted, limit), gpu.describe()


def measured_cpu(only, limit):
    from bench.predict import cpu

    machine = cpu.describe()
    return cpu.measure_all(matching(cpu.points(machine["cores"]), only), limit), machine


def gpu_models(machine):
    return Models(f"nvidia:{machine['architecture']}"), {"product": machine["gpu"]}


def cpu_models(machine):
    return CpuModels(machine), {}


POINTS = {"cpu": cpu_points, "gpu": gpu_points}
MODELS = {"cpu": cpu_models, "gpu": gpu_models}
MEASURED = {"cpu": measured_cpu, "gpu": measured_gpu}


def run(target, only, output, recorded, limit) -> int:
    """Measures all points within so many seconds, unless `recorded` is a file with measured times, and predicts them.
    All that is found goes to the file `output`."""
    if recorded is None:
        seconds, machine = MEASURED[target](only, limit)
    else:
        known = json.loads(Path(recorded).read_text())
        seconds, machine = known["seconds"], known["machine"]
    found = {"machine": machine, "seconds": seconds}
    report.write(output, found)  # in case that predictions fail

    models, options = MODELS[target](machine)
    wanted = [point for point in matching(POINTS[target](machine), only) if point.name in seconds]
    records = report.predict_all(wanted, models, **options)
    points = [{**each, "seconds": seconds[each["name"]]} for each in records]
    if not points:
        print("no point was measured", file=sys.stderr)
        return 1
    report.write(output, {**found, "summary": report.summary(points), "points": points})
    report.show(points, target)
    return 0 if report.holds(points, target) else 1
