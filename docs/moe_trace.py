# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counts of a published trace of NVIDIA's compiler of its sample fused_moe (sm_120, bf16, tiles of 128 x 128 x 64),
by our names for the operations; why our numbers differ; and where the page with the trace is wrong."""

COUNTS = {
    "cuda_tile": {
        "assume": 40, "reshape": 22, "broadcast": 20, "exti": 12, "cmpi": 11, "addi": 8, "constant": 7, "muli": 7,
        "divi": 6, "andi": 4, "iota": 3, "offset": 3, "make_tensor_view": 2, "remi": 2, "xori": 2, "select": 2,
        "load_ptr_tko": 2, "make_partition_view": 2, "load_view_tko": 2, "make_token": 1, "get_tile_block_id": 1,
        "subi": 1, "mini": 1, "for": 1, "mmaf": 1, "continue": 1, "ftof": 1, "store_ptr_tko": 1, "return": 1,
    },
    "tileaa": {
        "tileaa.assume_div_by": 31, "tileaa.iota": 3, "tileaa.make_view": 2, "tileaa.load_ptr": 2,
        "tileaa.load_view": 2, "tileaa.make_token": 1, "tileaa.block_id": 1, "tileaa.mma": 1, "tileaa.store_ptr": 1,
        "tileaa.broadcast": 23,
    },
}  # fmt: skip

# Why an operation of a level has another count here.
WHY = {
    "cuda_tile": {
        "assume": "Six strides that are 1 are part of the type here, and arguments with an assumption in the trace; "
        "three assumptions are about `slot_weights`, which this kernel does not read: 31 + 6 + 3 = 40. In "
        "`nv_tileaa` the trace has 31.",
        "reshape": "The trace reshapes and broadcasts the padding of both gathers, a constant of the tile's type here: "
        "20 + 2 = 22.",
        "broadcast": "Here rows and columns are compared with the extents before their masks are broadcast: two more "
        "broadcasts in the gather and in the scatter, and comparisons of 128 + 64 elements instead of 128 x 64. With "
        "the padding, 22 - 4 + 2 = 20.",
        "constant": "The trace has each constant once. Here each use makes one, until `cse` merges them.",
    },
    "tileaa": {
        "tileaa.assume_div_by": "13 bounds of extents and strides end at this level here: 18 + 13 = 31.",
        "tileaa.broadcast": "The trace has 19 `splat` and 4 `broadcast`.",
        "tileaa.reshape": "The trace has 2 `view` and 4 `expand_dims`.",
        "tileaa.iota": "Two of the three are equal, and `cse` merges them.",
        "arith.constant": "The trace shows no operations of `arith` and `scf`.",
    },
}

# Passes of the trace by what they work on.
PASSES = {"cuda_tile.entry": 1, "nv_tileaa.func": 12, "builtin.module": 1, "gpu.module": 1}

TOTALS = {
    "threads": 384,
    "regions of agents": 4,
    "pipelines": 3,
    "products": "more than 100",
    "conversions to bf16": 32,
    "bytes of shared memory": 82032,
    "mbarrier": 66,
    "mma.sync": 512,
    "wgmma": 0,
    "ldmatrix": 512,
    "packs": 1088,
    "cp.async": 136,
    "cp.async.bulk.tensor": "some",
    "st.global": "not shown",
    "parameters": "31 and a descriptor",
    "registers of 32 bits": 4905,
    "registers of 64 bits": 348,
    "predicates": 306,
    "lines of NVVM": 2977,
}

REASONS = {
    "threads": "12 warps in the trace, some of which only copy. On sm_120 our 8 warps copy and "
    "multiply; on sm_90a 8 multiply and 4 copy.",
    "regions of agents": "The trace has an agent for each role. Ours on sm_90a are a consumer and "
    "a producer, which copies both operands; on sm_120 no agent is made.",
    "pipelines": "The trace has one for each load. Ours has one, whose stages hold both operands.",
    "products": "The trace slices the product, one operation for each slice. Ours stays one operation, which "
    "the last lowering expands.",
    "conversions to bf16": "The trace converts 32 slices of one tile of 128 x 128, which 32 `insert_slice` join again.",
    "bytes of shared memory": "82,032 are five buffers of 16 KB and 112 bytes of barriers. Ours "
    "on sm_120 are two stages of 32 KB. A third would fit in 99 KB and is not made: `bytesOfOthers` "
    "in [StageChoice.cpp](../src/tileas/plan/StageChoice.cpp) counts 16 KB for conversions of the "
    "operands' layouts, which the stages replace.",
    "mbarrier": "Agents wait for each other by mbarriers. On sm_120 ours wait for groups of copies and at `bar.sync`.",
    "mma.sync": "One step of the loop is 512 for the block (8 x 16 x 4 of m16n8k16): 8 warps with "
    "64 each, which stand in our loop once. In the trace 512 stand in the code of one thread, so "
    "several iterations or agents are unrolled into it.",
    "wgmma": "sm_120 has none; on sm_90a one stands for 128 x 128 x 16 of two warpgroups.",
    "ldmatrix": "Ours reads each fragment once a step: 16 of the left operand and 8 of the right "
    "one for 64 products. The trace reads one for each product.",
    "packs": "Ours packs results alone: 128 x 128 are 32 pairs for each of 256 threads. 1,088 are 2 x 512 + 64.",
    "cp.async": "4 for each operand and step of 256 threads, in the loop and before it for each "
    "stage that is filled ahead.",
    "cp.async.bulk.tensor": "The trace copies the weights by the tensor memory accelerator, as "
    "ours on sm_90a. On sm_120 our threads copy them.",
    "st.global": "8 of 16 bytes for each thread: results, addresses and masks change their layout through "
    "shared memory, behind which the divisors of addresses are kept.",
    "parameters": "One for each part of an array. On sm_90a the extents of the grid and a tensor "
    "map besides, which the launcher adds.",
    "registers of 32 bits": "Virtual registers of PTX: one for each result in the code of one thread, so they grow "
    "with its length.",
    "registers of 64 bits": "Mostly addresses: of global memory, and here of shared memory too.",
    "predicates": "Mostly masks of copies and of the scatter.",
    "lines of NVVM": "Of the whole module. The trace unrolls more, as its mma.sync show.",
}

CORRECTIONS = [
    "Its table of the three statements has the loads crossed: `gather` becomes `load_ptr_tko` and "
    "`load` becomes `load_view_tko`, as its own dumps show.",
    "Neither `wgmma` nor `tcgen05` exists on sm_120: its table and its comment in the PTX name "
    "them, its SASS has `HMMA.16816`, which is `mma.sync`. sm_120 has the tensor memory accelerator "
    "and mbarriers.",
    "A block of sm_120 has 99 KB of shared memory, not 228 KB.",
    "The PTX and LLVM IR that it prints multiply f16 (`.f32.f16.f16.f32`), its SASS bf16: a "
    "kernel of bf16 has `.f32.bf16.bf16.f32`.",
    "82,032 bytes are not two stages: those would be 65,536.",
    "32 conversions to the type of the result are 32 slices of one tile of 128 x 128, not 32 tiles.",
    "The 27 passes of LLVM that it lists are those of a module with the data layout of x86-64, "
    "which is the host's: AMX and x86 partial reductions are no passes for a GPU.",
    "`mul_routed_weight` is a constant of the compilation and no parameter of the kernel.",
    "The C++ of the passes, and the signatures of `cp.async`, `tcgen05.ld` and `tcgen05.mma`, are "
    "illustrations. No instruction m16n16k16 exists.",
]
