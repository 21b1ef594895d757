# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m bench cpu|gpu --predict."""

import json
import sys
from pathlib import Path

from bench.predict import report
from bench.predict.model import Models


def measured_gpu(wanted, limit):
    from bench.predict import gpu

    return gpu.measure_all(wanted, limit), gpu.describe()


def run(target, only, output, recorded, limit) -> int:
    """Measures all points within so many seconds, unless `recorded` is a file with measured times, and predicts them.
    All that is found goes to the file `output`."""
    from bench.predict import gpu

    if target == "cpu":
        raise SystemExit("bench: times of CPUs are not predicted yet")
    texts = only.lower().split("|")
    wanted = [point for point in gpu.points() if any(text in point.name.lower() for text in texts)]
    if recorded is None:
        seconds, machine = measured_gpu(wanted, limit)
    else:
        known = json.loads(Path(recorded).read_text())
        seconds, machine = known["seconds"], known["machine"]
    found = {"machine": machine, "seconds": seconds}
    report.write(output, found)  # in case that predictions fail

    models = Models(f"nvidia:{machine['architecture']}")
    records = report.predict_all([point for point in wanted if point.name in seconds], models, product=machine["gpu"])
    points = [{**each, "seconds": seconds[each["name"]]} for each in records]
    if not points:
        print("no point was measured", file=sys.stderr)
        return 1
    report.write(output, {**found, "summary": report.summary(points), "points": points})
    report.show(points, target)
    return 0 if report.holds(points, target) else 1
