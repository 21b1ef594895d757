#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/passes.md: for each pass and operation that NVIDIA's compiler is known to have, what does its job here.

usage: generate_passes.py [--check]

--check writes nothing and fails if the file is not what the tables say, or the tables name what is not there.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "passes.md"
PLAN, NVVM = "src/tileas/test/", "src/lower/tileas_to_nvvm/test/"
PROGRAM, SCHEDULE = "src/tileaa/transforms/test/", "src/tileas/test/"

# The reference's pass: ours, its test. An upstream pass has no test of ours; None is what is not built.
UPSTREAM = "upstream"
PASSES = {
    "convert-cudatile-to-tileaa": ("cuda-tile-to-tileaa", "src/lower/cuda_tile_to_tileaa/test/arith.mlir"),
    "convert-tileaa-to-tileas": ("tileaa-to-tileas", PLAN + "gemm_hopper.mlir"),
    "convert-nv-tileas-to-llvm": ("tileas-to-nvvm", NVVM + "elementwise.mlir"),
    "convert-nv-tile-func-to-llvm": ("nvidia-kernel-entry", PLAN + "gemm_hopper.mlir"),
    "convert-gpu-to-nvvm": ("tileas-to-nvvm", NVVM + "elementwise.mlir"),
    "convert-scf-to-cf": ("convert-scf-to-cf", UPSTREAM),
    "nv-tile-ir-convert-target-to-nvvm": ("nvidia-scalar-instructions", NVVM + "nvidia-scalar-instructions.mlir"),
    "convert-pipeline-to-nvvm": ("tileas-to-nvvm", PLAN + "gemm_hopper.mlir"),
    "convert-arith-to-llvm": ("convert-arith-to-llvm", UPSTREAM),
    "convert-cf-to-llvm": ("convert-cf-to-llvm", UPSTREAM),
    "convert-to-llvm": ("convert-index-to-llvm", UPSTREAM),
    "convert-math-to-llvm": ("convert-math-to-llvm", UPSTREAM),
    "convert-nvvm-to-llvm": ("convert-nvvm-to-llvm", UPSTREAM),
    "convert-ub-to-llvm": ("convert-ub-to-llvm", UPSTREAM),
    "convert-vector-to-llvm": ("convert-vector-to-llvm", UPSTREAM),
    "convert-debuginfo-to-llvm": ("ensure-debug-info-scope-on-llvm-func", UPSTREAM),
    "assign-dot-layouts": ("tileaa-to-tileas", PLAN + "gemm_hopper.mlir"),
    "assign-pipeline-layouts": ("tileas-materialize-async", PLAN + "gemm_hopper.mlir"),
    "assign-load-store-layouts": ("tileaa-to-tileas", PLAN + "gemm_hopper.mlir"),
    "attach-tma-desc-args": ("tileas-attach-tma-desc-args", PLAN + "gemm_hopper.mlir"),
    "dynamic-persistent": ("tileas-dynamic-persistent", PLAN + "tileas-dynamic-persistent.mlir"),
    "insert-OCG-knobs": ("nvidia-kernel-entry", NVVM + "nvidia-kernel-entry.mlir"),
    "legalize-tmem-copy": ("tileas-legalize-tmem-copy", PLAN + "tileas-legalize-tmem-copy.mlir"),
    "plan-cta": ("tileas-plan-cta", PLAN + "gemm_hopper.mlir"),
    "remove-buffer-alias": ("tileas-allocate-shared", PLAN + "tileas-allocate-shared.mlir"),
    "remove-dead-args": ("canonicalize", UPSTREAM),
    "remove-layout-conversions": ("canonicalize", UPSTREAM),
    "resolve-agent-boundary": ("tileas-materialize-async", PLAN + "gemm_hopper.mlir"),
    "slicing": ("tileas-materialize-convert-layout", PLAN + "conversions_by_parts.mlir"),
    "materialize-async": ("tileas-materialize-async", PLAN + "gemm_hopper.mlir"),
    "materialize-convert-layout": ("tileas-materialize-convert-layout", PLAN + "gemm_hopper.mlir"),
    "materialize-schedule": ("tileas-materialize-schedule", SCHEDULE + "tileas-materialize-schedule.mlir"),
    "unroll-register-loops": ("tileas-unroll-register-loops", PLAN + "tileas-unroll-register-loops.mlir"),
    "unspecialized-pipeline": ("tileas-unspecialized-pipeline", PLAN + "tileas-unspecialized-pipeline.mlir"),
    "optimize-alloc-tensor": ("tileas-allocate-shared", PLAN + "tileas-allocate-shared.mlir"),
    "optimize-reduce": ("tileas-legalize-reduce", PLAN + "tileas-legalize-reduce.mlir"),
    "recompute-for-scheduling": ("tileas-recompute-for-scheduling", PLAN + "tileas-recompute-for-scheduling.mlir"),
    "legalize-fma-dot": ("tileaa-to-tileas", NVVM + "mma_fma.mlir"),
    "legalize-reduce": ("tileas-legalize-reduce", PLAN + "tileas-legalize-reduce.mlir"),
    "slice-and-fuse": ("tileaa-slice-and-fuse", PROGRAM + "tileaa-slice-and-fuse.mlir"),
    "refine-atom-by-resource": ("tileaa-to-tileas", PLAN + "gemm_hopper.mlir"),
    "generate-schedule": ("tileas-generate-schedule", SCHEDULE + "tileas-generate-schedule.mlir"),
    "prepare-for-scheduling": ("tileas-prepare-for-scheduling", SCHEDULE + "tileas-generate-schedule.mlir"),
    "optimize-dot-accumulation": (
        "tileaa-optimize-dot-accumulation",
        PROGRAM + "tileaa-optimize-dot-accumulation.mlir",
    ),
    "print-decomposed-tv-layout": ("tilewright-layout", "src/layout/test/tool.mlir"),
    "lower-tma-load-store-to-async": ("tileas-store-by-tma", PLAN + "gemm_hopper.mlir"),
}

# The reference's operations: ours. None is what is not built.
OPERATIONS = {
    "nv_tileaa.make_memref": "tileaa.make_view",
    "nv_tileaa.get_program_id": "tileaa.block_id",
    "nv_tileaa.addptr": "arith.addi",
    "nv_tileaa.load": "tileaa.load_ptr",
    "nv_tileaa.store": "tileaa.store_ptr",
    "nv_tileaa.tiled_load": "tileaa.load_view",
    "nv_tileaa.tiled_store": "tileaa.store_view",
    "nv_tileaa.gather_load": "tileaa.load_ptr",
    "nv_tileaa.scatter_store": "tileaa.store_ptr",
    "nv_tileaa.tiled_atomic_rmw": "tileaa.atomic_rmw",
    "nv_tileaa.block_tile": "tileaa.load_view",
    "nv_tileaa.view": "tileaa.make_view",
    "nv_tileaa.generate": "tileaa.iota",
    "nv_tileaa.extract": "tileaa.extract",
    "nv_tileaa.extract_slice": "tileaa.extract",
    "nv_tileaa.broadcast": "tileaa.broadcast",
    "nv_tileaa.expand_dims": "tileaa.reshape",
    "nv_tileaa.permute": "tileaa.permute",
    "nv_tileaa.reduce": "tileaa.reduce",
    "nv_tileaa.scan": "tileaa.scan",
    "nv_tileaa.dot": "tileaa.mma",
    "nv_tileaa.fp_to_fp": "tileaa.convert",
    "nv_tileaa.create_mem_token": "tileaa.make_token",
    "nv_tileaa.yield": "tileaa.yield",
    "nv_tileas.convert_layout": "tileas.convert_layout",
    "nv_tileas.alloc_tensor": "tileas.alloc",
    "nv_tileas.insert_slice": "tileas.write",
    "nv_tileas.copy": "tileas.read",
    "nv_tileas.make_tiled_tma_desc": "tileas.make_tiled_tma_desc",
    "nv_tileas.async.tiled_tma_load": "tileas.tma_load",
    "nv_tileas.tmem_load": "tileas.tmem_load",
    "nv_tileas.tmem_store": "tileas.tmem_store",
    "nv_tileas.block_scaled_mma": "tileas.mma_scaled",
    "nv_tileas.mma fence": "tileas.mma",
    "nv_tileas.async.pipeline.create_pipeline": "tileas.create_pipeline",
    "nv_tileas.async.pipeline.create_iterator": "tileas.create_pipeline",
    "nv_tileas.async.pipeline.inc_iter": "tileas.producer_commit",
    "nv_tileas.async.pipeline.agent_switch": "tileas.agents",
    "nv_tileas.async.pipeline.producer_acquire": "tileas.producer_acquire",
    "nv_tileas.async.pipeline.producer_write": "tileas.tma_load",
    "nv_tileas.async.pipeline.producer_commit": "tileas.producer_commit",
    "nv_tileas.async.pipeline.consumer_wait": "tileas.consumer_wait",
    "nv_tileas.async.pipeline.consumer_read": "tileas.consumer_read",
    "nv_tileas.async.pipeline.consumer_release": "tileas.consumer_release",
    "nv_tileas.async.pipeline.yield": "tileas.agents",
}

INTRODUCTION = """\
# The jobs of NVIDIA's compiler, and who does them here

Written by `docs/generate_passes.py`. What is known of that compiler's passes is their names; what stands beside one
does the job of that name. A pass's contract is in the `Passes.td` of its folder, an operation's meaning in the `.td` of
its dialect. Rows without a pass are not built.

"""


def options():
    """The command-line names of our passes."""
    text = "".join(path.read_text() for path in (ROOT / "src").rglob("*.td"))
    return set(re.findall(r'^def \w+ : Pass<"([\w-]+)"', text, re.MULTILINE))


def operations():
    """The names of operations of our dialects."""
    found = set()
    for dialect in ("tileaa", "tileas"):
        for path in (ROOT / "src" / dialect / "ir").glob("*.td"):
            for name in re.findall(r'^def \w+ : Tileaa?s?_\w+<"([\w.]+)"', path.read_text(), re.MULTILINE):
                found.add(f"{dialect}.{name}")
    return found


def complaints():
    known, tools = options(), {path.stem for path in (ROOT / "tools").glob("*.cpp")}
    for job, entry in PASSES.items():
        if entry is None:
            continue
        name, test = entry
        if test is UPSTREAM:
            continue
        if name not in known | tools:
            yield f"{job}: no pass or tool is called {name}"
        if not (ROOT / test).exists():
            yield f"{job}: there is no {test}"
    known = operations()
    for theirs, ours in OPERATIONS.items():
        if ours and ours.startswith("tilea") and ours not in known:
            yield f"{theirs}: no operation is called {ours}"


def write():
    lines = [INTRODUCTION, "| their pass | ours | test |\n|---|---|---|\n"]
    for job, entry in PASSES.items():
        if entry is None:
            lines.append(f"| {job} | not built | |\n")
        elif entry[1] is UPSTREAM:
            lines.append(f"| {job} | upstream: `{entry[0]}` | |\n")
        else:
            lines.append(f"| {job} | `{entry[0]}` | [{entry[1].rsplit('/', 1)[1]}](../{entry[1]}) |\n")
    built = sum(entry is not None for entry in PASSES.values())
    lines.append(f"\n{built} of {len(PASSES)} jobs are done by something here.\n")
    lines.append("\n| their operation | ours |\n|---|---|\n")
    lines += [f"| {theirs} | {f'`{ours}`' if ours else 'not built'} |\n" for theirs, ours in OPERATIONS.items()]
    return "".join(lines)


def main(arguments):
    found = list(complaints())
    for complaint in found:
        print(complaint, file=sys.stderr)
    if found:
        return 1
    text = write()
    if arguments == ["--check"]:
        if not OUTPUT.exists() or OUTPUT.read_text() != text:
            print("docs/passes.md is not what docs/generate_passes.py writes: run it", file=sys.stderr)
            return 1
        return 0
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
