#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/passes.md: the known passes and operations of NVIDIA's compiler, with their counterparts here.

usage: generate_passes.py [--check]

--check writes nothing and fails if the file differs from the tables, or if the tables name a pass, test or operation
that does not exist.
"""

import pathlib
import re
import sys
from collections import Counter
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "passes.md"
SAME = "same job"


class Job(NamedTuple):
    """The counterpart of a pass of the reference: its name, how its job differs, and the function of a test for it."""

    ours: str
    how: str  # "same job", "narrower: ..." or "elsewhere: ..."
    test: str  # FILE:FUNCTION; the file is found by its name


PASSES = {
    "convert-cudatile-to-tileaa": Job("cuda-tile-to-tileaa", SAME, "arith.mlir:floats"),
    "convert-tileaa-to-tileas": Job(
        "tileaa-to-tileas", "narrower: assigns layouts to tiles; later passes introduce asynchronous copies",
        "tileaa-to-tileas.mlir:turned"),
    "convert-nv-tileas-to-llvm": Job("tileas-to-nvvm", SAME, "elementwise.mlir:k"),
    "convert-nv-tile-func-to-llvm": Job("nvidia-kernel-entry", SAME, "nvidia-kernel-entry.mlir:k"),
    "convert-gpu-to-nvvm": Job(
        "tileas-to-nvvm", "elsewhere: the dialect gpu is not used; coordinates of blocks and threads are lowered with "
        "the tiles", "iota_again.mlir:k"),
    "convert-scf-to-cf": Job("convert-scf-to-cf", SAME, "upstream_conversions.mlir:scf"),
    "nv-tile-ir-convert-target-to-nvvm": Job(
        "nvidia-scalar-instructions", SAME, "nvidia-scalar-instructions.mlir:rounding"),
    "convert-pipeline-to-nvvm": Job(
        "tileas-to-nvvm", "elsewhere: in the same pass as the tiles", "async_copies_hopper.mlir:gemm"),
    "convert-arith-to-llvm": Job("convert-arith-to-llvm", SAME, "upstream_conversions.mlir:arith"),
    "convert-cf-to-llvm": Job("convert-cf-to-llvm", SAME, "upstream_conversions.mlir:cf"),
    "convert-to-llvm": Job(
        "convert-func-to-llvm", "elsewhere: each dialect has its conversion; functions come last",
        "upstream_conversions.mlir:function"),
    "convert-math-to-llvm": Job("convert-math-to-llvm", SAME, "upstream_conversions.mlir:math"),
    "convert-nvvm-to-llvm": Job("convert-nvvm-to-llvm", SAME, "upstream_conversions.mlir:nvvm"),
    "convert-ub-to-llvm": Job("convert-ub-to-llvm", SAME, "upstream_conversions.mlir:ub"),
    "convert-vector-to-llvm": Job(
        "convert-vector-to-llvm", "narrower: for CPUs only; GPU code has no vector operations at that point",
        "upstream_conversions.mlir:vector"),
    "convert-debuginfo-to-llvm": Job(
        "ensure-debug-info-scope-on-llvm-func", "narrower: lines and inlined calls, without variables",
        "line_info.mlir:"),
    "assign-dot-layouts": Job(
        "tileaa-to-tileas", "elsewhere: when layouts are assigned to all tiles, those of products are chosen first",
        "tileaa-to-tileas.mlir:product"),
    "assign-pipeline-layouts": Job(
        "tileas-unspecialized-pipeline", "elsewhere: passes that create a pipeline assign the layouts of its stages",
        "tileas-unspecialized-pipeline.mlir:gemm"),
    "assign-load-store-layouts": Job(
        "tileaa-to-tileas", "elsewhere: loads and stores determine layouts that no product determines",
        "tileaa-to-tileas.mlir:copy"),
    "attach-tma-desc-args": Job("tileas-attach-tma-desc-args", SAME, "tileas-attach-tma-desc-args.mlir:described"),
    "dynamic-persistent": Job(
        "tileas-dynamic-persistent", "narrower: a static stride over the grid, without a queue",
        "tileas-dynamic-persistent.mlir:uniform"),
    "insert-OCG-knobs": Job(
        "nvidia-kernel-entry", "narrower: the directives of PTX (.reqntid, .minnctapersm); no private knobs",
        "nvidia-kernel-entry.mlir:few"),
    "legalize-tmem-copy": Job("tileas-legalize-tmem-copy", SAME, "tileas-legalize-tmem-copy.mlir:in_a_loop"),
    "plan-cta": Job("tileas-plan-cta", "narrower: the warps of a block", "tileas-plan-cta.mlir:large"),
    "remove-buffer-alias": Job(
        "tileas-allocate-shared", "elsewhere: buffers are values until memory is allocated by their live ranges",
        "tileas-allocate-shared.mlir:loop"),
    "remove-dead-args": Job(
        "canonicalize", "narrower: loop-carried values that do not change", "upstream_conversions.mlir:dead"),
    "remove-layout-conversions": Job(
        "canonicalize", "narrower: conversions without effect, and chains of conversions; others are not created",
        "remove_layout_conversions.mlir:chain"),
    "resolve-agent-boundary": Job(
        "tileas-materialize-async", "narrower: scalars are rematerialized in the producer; tiles are passed through "
        "pipelines only", "gathered_products.mlir:gathered"),
    "slicing": Job(
        "tileas-materialize-convert-layout", "elsewhere: a tile that exceeds shared memory is converted in parts",
        "conversions_by_parts.mlir:turn"),
    "materialize-async": Job("tileas-materialize-async", SAME, "gemm_hopper.mlir:gemm"),
    "materialize-convert-layout": Job(
        "tileas-materialize-convert-layout", SAME, "tileas-materialize-convert-layout.mlir:between_warps"),
    "materialize-schedule": Job(
        "tileas-materialize-schedule", "narrower: rewrites loops; agents are created before, by "
        "tileas-materialize-async", "tileas-materialize-schedule.mlir:two"),
    "unroll-register-loops": Job("tileas-unroll-register-loops", SAME, "tileas-unroll-register-loops.mlir:extract"),
    "unspecialized-pipeline": Job(
        "tileas-unspecialized-pipeline", SAME, "tileas-unspecialized-pipeline.mlir:used_besides"),
    "optimize-alloc-tensor": Job("tileas-allocate-shared", SAME, "tileas-allocate-shared.mlir:sequence"),
    "optimize-reduce": Job(
        "tileas-legalize-reduce", "narrower: only results that several warps share pass through shared memory",
        "tileas-legalize-reduce.mlir:own"),
    "recompute-for-scheduling": Job(
        "tileas-recompute-for-scheduling", "narrower: integer computations of an epilogue",
        "tileas-recompute-for-scheduling.mlir:in_place"),
    "legalize-fma-dot": Job(
        "tileas-to-nvvm", "elsewhere: products without a tensor core are fma instructions of each thread",
        "mma_fma.mlir:k"),
    "legalize-reduce": Job("tileas-legalize-reduce", SAME, "tileas-legalize-reduce.mlir:shared"),
    "slice-and-fuse": Job("tileaa-slice-and-fuse", SAME, "tileaa-slice-and-fuse.mlir:store"),
    "refine-atom-by-resource": Job(
        "tileaa-slice-products", "narrower: products whose operands exceed shared memory are sliced; the atom of a "
        "product is not changed", "tileaa-slice-products.mlir:turned"),
    "generate-schedule": Job("tileas-generate-schedule", SAME, "tileas-generate-schedule.mlir:attention"),
    "prepare-for-scheduling": Job("tileas-prepare-for-scheduling", SAME, "tileas-generate-schedule.mlir:stores"),
    "optimize-dot-accumulation": Job(
        "tileaa-optimize-dot-accumulation", "narrower: accumulators of loops; no split-K",
        "tileaa-optimize-dot-accumulation.mlir:sums"),
    "print-decomposed-tv-layout": Job("tilewright-layout", SAME, "tool.mlir:"),
    "lower-tma-load-store-to-async": Job("tileas-store-by-tma", "narrower: stores only; tileas-materialize-async "
        "makes loads asynchronous", "tileas-store-by-tma.mlir:stored"),
}  # fmt: skip

# The reference's operations: ours. None is an operation without a counterpart.
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
# Passes of NVIDIA's compiler, and their counterparts

Generated by `docs/generate_passes.py`. Only the names of that compiler's passes are known. Each row has the pass that
does the job of that name here, and how its job differs: **same job**, **narrower** (a part of it), or **elsewhere** (as
a part of another step). The function of the test shows that job. The contract of a pass is in the `Passes.td` of its
folder and in the [reference](reference/passes.md), the semantics of an operation in the `.td` of its dialect.

"""


OTHERS = """
These passes have no counterpart among the known names; passes for CPUs, `cpu-...`, are not listed.

| pass | does |
|---|---|
"""


def summaries():
    """The flags of our passes, each with its summary."""
    text = "".join(path.read_text() for path in sorted((ROOT / "src").rglob("*.td")))
    found = re.findall(r'^def \w+ : Pass<"([\w-]+)".*?let summary = "([^"]*)"', text, re.MULTILINE | re.DOTALL)
    return dict(found)


def operations():
    """The names of operations of our dialects."""
    found = set()
    for dialect in ("tileaa", "tileas"):
        for path in (ROOT / "src" / dialect / "ir").glob("*.td"):
            for name in re.findall(r'^def \w+ : Tileaa?s?_\w+<"([\w.]+)"', path.read_text(), re.MULTILINE):
                found.add(f"{dialect}.{name}")
    return found


UPSTREAM = re.compile(r"convert-[\w-]+|canonicalize|ensure-debug-info-scope-on-llvm-func")


def test_of(job):
    """The file of a test, and whether the function stands in it with something that is checked."""
    name, function = job.test.split(":")
    found = [path for path in (ROOT / "src").rglob(name) if path.parent.name == "test" and fits(path, function)]
    return found[0] if len(found) == 1 else None


def fits(path, function):
    text = path.read_text()
    return "FileCheck" in text and (not function or re.search(rf"(func\.func|llvm\.func|entry) @{function}\(", text))


def complaints():
    known, tools = set(summaries()), {path.stem for path in (ROOT / "tools").glob("*.cpp")}
    for name, job in PASSES.items():
        if job.ours not in known | tools and not UPSTREAM.fullmatch(job.ours):
            yield f"{name}: no pass or tool is called {job.ours}"
        if not re.match("same job$|narrower: |elsewhere: ", job.how):
            yield f"{name}: '{job.how}' is none of same job, narrower: ..., elsewhere: ..."
        if not test_of(job):
            yield f"{name}: no test, or more than one, has {job.test}"
    shared = Counter((job.ours, job.test) for job in PASSES.values())
    for (ours, test), times in shared.items():
        if times > 1:
            yield f"{test} shows {times} jobs of {ours}, expected one"
    known = operations()
    for theirs, ours in OPERATIONS.items():
        if ours and ours.startswith("tilea") and ours not in known:
            yield f"{theirs}: no operation is called {ours}"


def write():
    lines = [INTRODUCTION, "| their pass | ours | | test |\n|---|---|---|---|\n"]
    for name, job in PASSES.items():
        test = test_of(job).relative_to(ROOT)
        function = job.test.split(":")[1]
        shown = f"[{test.name}](../{test})" + (f", `@{function}`" if function else "")
        lines.append(f"| {name} | `{job.ours}` | {job.how} | {shown} |\n")
    same, narrower = (sum(job.how.startswith(kind) for job in PASSES.values()) for kind in ("same", "narrower"))
    elsewhere = len(PASSES) - same - narrower
    lines.append(f"\nOf {len(PASSES)} jobs {same} are the same, {narrower} narrower, {elsewhere} done elsewhere.\n")
    lines.append(OTHERS)
    counterparts = {job.ours for job in PASSES.values()}
    for flag, summary in sorted(summaries().items()):
        if not flag.startswith("cpu-") and flag not in counterparts:
            lines.append(f"| `{flag}` | {summary} |\n")
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
