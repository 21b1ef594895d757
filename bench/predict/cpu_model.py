# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's prediction for a point on a CPU, of which a recorded file has the rates."""

import json

from tilewright import _native

from bench.predict import host
from bench.predict.model import Models

ZEN = {"23": "zen2", "25": "zen3", "26": "zen5"}  # by family


def processor_of(machine) -> str:
    """The row of the compiler's table."""
    vendor, family, *_ = machine["family"]
    features = machine["features"]
    if vendor == "AuthenticAMD":
        return "zen4" if family == "25" and "avx512f" in features else ZEN.get(family, "x86-64-v3")
    if "amx_tile" in features:
        return "sapphirerapids"
    if "avx512_vnni" in features:
        return "icelake-server" if "avx512_bitalg" in features else "skylake-avx512"
    return "skylake-avx512" if "avx512f" in features else "x86-64-v3" if "avx2" in features else "x86-64-v2"


REACHED = 0.8  # of the peak, by the loop that measures multiply-adds


def nearest(rates, threads) -> int:
    """About so many threads, with which the machine was measured."""
    return min(map(int, rates), key=lambda each: abs(each - threads))


def numbers_of(machine, threads) -> dict:
    """The numbers of a machine that the model takes."""
    rates, caches = machine["rates"], machine["caches"]
    row = _native.cpu_rates(processor_of(machine))
    one, all, sharing = rates["1"], rates[str(nearest(rates, machine["cores"]))], nearest(rates, threads)
    found = {
        "cores": machine["cores"],
        "hertz": one["multiply_adds"] / (row["vector_bits"] / 16 * row["arithmetic"]) / REACHED,
        "portShare": min(1.0, rates[str(sharing)]["multiply_adds"] / sharing / one["multiply_adds"]),
        "portThreads": sharing,
        "dramCore": one["memory"]["DRAM"]["read"],
        "dramAll": all["memory"]["DRAM"]["read"],
        "streamCore": one["memory"]["DRAM"]["write"],
        "streamAll": all["memory"]["DRAM"]["write"],
    }
    shared = [int(count) for count in rates if "L3" in rates[count]["memory"]]
    if shared:
        most = max(shared)
        found["l3Core"] = one["memory"]["L3"]["read"]
        found["l3All"] = rates[str(most)]["memory"]["L3"]["read"] * machine["cores"] / most
    for level in ("L1", "L2", "L3"):
        if level in caches:
            found[level.lower() + "Bytes"] = caches[level]["bytes"]
    return found


class CpuModels(Models):
    """Kernels are compiled as on the machine whose times were recorded, as far as this compiler's tables have it."""

    def __init__(self, machine):
        self.machine = machine
        is_here = host.describe()["family"] == machine["family"]
        wide = int(machine["plan"]["vector_bits"])
        level = {512: "x86-64-v4", 256: "x86-64-v3"}.get(wide, "x86-64-v2")
        super().__init__("cpu" if is_here else f"cpu:{level}")
        self.decisions = "" if is_here else self.plan_text()

    def plan_text(self) -> str:
        """The decisions of that machine which do not depend on instructions that the level lacks."""
        return "".join(f"{key} = {value}\n" for key, value in self.machine["plan"].items() if key != "pair_dot")

    def compile_options(self, point) -> dict:
        return {"plan_text": f"[{point.kernel.__name__}]\n{self.decisions}"} if self.decisions else {}

    def models_in(self, explanation) -> list:
        return explanation.cpu_models()

    def predict(self, point, constants=None) -> dict:
        model, values, grid = self.model_of(point)
        numbers = numbers_of(self.machine, point.threads)
        processor = processor_of(self.machine)
        return json.loads(model.predict(grid, values, processor, point.threads, numbers, constants or {}))
