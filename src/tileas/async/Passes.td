// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_PASSES
#define TILEWRIGHT_TILEAS_ASYNC_PASSES

include "mlir/Pass/PassBase.td"

def TileasStoreByTma : Pass<"tileas-store-by-tma", "::mlir::func::FuncOp"> {
  let summary = "store tiles through shared memory by TMA";
  let description = [{
    A tile that needs a layout conversion to be stored with coalesced accesses, such as an accumulator, is written
    to a buffer in its own layout, and one thread starts TMA copies from there. The hardware drops elements outside
    the bounds. The hint `allow_tma` of stores is answered here.

    A tile of several boxes, each in registers of its own, is stored box by box through two buffers.

    ```
    %y = tileas.convert_layout %x              %b = tileas.alloc, %c = tileas.alloc
    tileaa.store_view %y, %v[%i, %j]    -->    tileas.tma_store_wait %b, %c but 1
                                               %p = tileaa.extract %x[0, 0]
                                               tileas.write %p, %b
                                               tileas.tma_store %b, %desc[%i, %j]
                                               tileas.tma_store_wait %b, %c but 1
                                               %q = tileaa.extract %x[0, 64]
                                               tileas.write %q, %c
                                               ...
                                               tileas.tma_store_wait %b, %c but 0       // at the end of the kernel
    ```
    Left alone, with a remark that says why: stores on which later accesses depend, of arrays that the launcher
    cannot describe, or whose hint `allow_tma` forbids it.
  }];
  let options = [Option<"preferTma", "prefer-tma", "bool", "false", "also store tiles that need no layout conversion">,
                 Option<"delayWait", "delay-wait", "bool", "false",
                        "a buffer for each box if they fit, so that no box waits for another">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasMaterializeAsync : Pass<"tileas-materialize-async", "::mlir::func::FuncOp"> {
  let summary = "specialize warps: a producer loads operands, consumers multiply";
  let description = [{
    Where warpgroups multiply operands in shared memory and the tensor memory accelerator (TMA) can copy them there,
    the function becomes two agents. The producer's loops are copies of the function's loops with nothing but the
    loads; the consumers read the tiles from the stages of a pipeline.

    ```
    scf.for {                                   agents {  scf.for {
      %a = tileaa.load_view %x[...]               tileas.consumer_wait %p
      %m = tileas.alloc                           %m = tileas.consumer_read %p[0]
      tileas.write %a, %m              -->        %d = tileas.mma %m, ...
      %d = tileas.mma %m, ...                     tileas.consumer_release %p
    }                                           } }, { scf.for {
                                                  tileas.producer_acquire %p
                                                  tileas.tma_load %desc[...] into %p[0]
                                                  tileas.producer_commit %p
                                                } }
    ```
    A tile that is loaded before a loop and read in it has a pipeline of one stage. Consecutive loops share a
    pipeline if its buffers are the same.

    A tile of 2 KB or more from which threads compute an operand of a product of the loop (weights that are
    dequantized, say) is staged as it is in memory, and the threads read it in the layout in which they compute:

    ```
    tileas.consumer_wait %p
    %m = tileas.consumer_read %p[0] : <128x64xi8>
    %t = tileas.read %m : tensor<128x64xi8>
    tileas.consumer_release %p
    %w = tileaa.convert %t to bf16
    ```
    It is left to the threads where shared memory has no room for it beside two stages of the other tiles.

    An operand that is gathered through addresses is copied by all threads of the producer's warps (cp.async). They
    compute addresses and masks from scalars and from tiles that they load themselves, with the tiles' layouts
    restricted to as many warps as the producer has:

    ```
    tileas.producer_acquire %p
    tileas.async_load_ptr %addresses mask %m into %p[0]     // by each of 128 threads
    tileas.tma_load %desc[...] into %p[1]                   // by the first
    tileas.producer_commit %p                               // full when the last of these copies completes
    ```
    In a cluster the producers of its CTAs copy a tile together where they load the same: each copies a share of the
    boxes, or of the rows of a single one, to all of them. The condition is computed in each iteration of the loop over
    tile blocks, from the values that decide about the indices, of this CTA and of the others:

    ```
    %same = arith.cmpi eq, %n, %n_of_the_other
    tileas.tma_load %desc[...] into %p[1] split 1 by 4 shared %same     // pipeline `cluster 2`
    ```
    Not shared: tiles whose indices always differ, are read from memory or carried by an inner loop; tiles that are
    loaded in loops or branches that depend on the tile block; boxes of too few rows.

    Left alone, with a remark that says why: loads of a view that is not described by kernel parameters, whose
    address or strides are not known to be multiples of 16 bytes, with padding other than zeros, or whose bounds,
    offsets or conditions are computed from tiles or read from memory. Where the producer cannot gather an operand
    (no 4 contiguous bytes are known, or its addresses need values exchanged between threads), or cannot copy the
    other operand, and where the hint `allow_tma` forbids TMA for an operand in a loop, all threads copy both
    operands (tileas-unspecialized-pipeline).

    `num-stages` is the maximum number of stages, raised where the hint `latency` of a load asks to prefetch more
    iterations; the pipeline has as many as shared memory holds. The hints `allow_tma` of loads, and `latency` of
    the loads that the producer does, are answered here. A producer thread keeps 24 registers, 72 where it gathers;
    the consumers get the rest of the registers that the kernel is launched with. Where one or
    two warpgroups multiply, several CTAs may share a multiprocessor (`resident` in `tileas.cta`): as many as a plan
    file or the hint `occupancy` asks for, or four where threads compute with products in the iteration that has them
    (BlocksBeside.h), as far as two stages have room in shared memory and products have their registers. A CTA is then
    launched with its part of the registers.
  }];
  let options = [Option<"numStages", "num-stages", "int64_t", "8", "maximum number of stages of a pipeline">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasAttachTmaDescArgs : Pass<"tileas-attach-tma-desc-args", "::mlir::func::FuncOp"> {
  let summary = "turn tensor maps into kernel parameters that the launcher encodes";
  let description = [{
    Each `tileas.make_tiled_tma_desc` becomes a parameter after the kernel's own. The attribute `tileas.tma_descs`
    of the function tells the launcher what to encode for each (`#tileas.tma_desc`). Equal tensor maps share a
    parameter.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasWriteTmaDescs : Pass<"tileas-write-tma-descs", "::mlir::func::FuncOp"> {
  let summary = "encode tensor maps in the kernel";
  let description = [{
    For launchers that do not encode tensor maps. The views of all `tileas.make_tiled_tma_desc` are hoisted to the begin
    of the function; their tensor maps are encoded there, once per CTA, and released at the function's end. Equal
    tensor maps are merged.

    ```
    %v = tileaa.make_view %p ...                        %v = tileaa.make_view %p ...
    ...                                                 %s = tileas.alloc : !tileas.buffer<256xi8, ...>
    %d = tileas.make_tiled_tma_desc %v ...       -->    %d = tileas.write_tma_descs %v [#tileas.tensor_map<...>] by %s
    ...                                                 ...
                                                        tileas.release_tma_descs %d
    ```
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasUnspecializedPipeline : Pass<"tileas-unspecialized-pipeline", "::mlir::func::FuncOp"> {
  let summary = "software-pipeline loads by the threads that use them";
  let description = [{
    In an `scf.for` whose products multiply loaded tiles, and that has no producer, the threads of the CTA prefetch
    the tiles of later iterations into the stages of a pipeline (cp.async) before they multiply those of this
    iteration. Products by `mma_sync` read their fragments from the stage; a tile with other uses is read from the
    stage first.

    ```
    scf.for %i = %0 to %n {                     tileas.async_load %x[...0] into %p[0, 0] if %n > 0
      %a = tileaa.load_view %x[...i]            tileas.async_commit
      %f = tileas.convert_layout %a      -->    scf.for %i = %0 to %n iter_args(%now = 0, %next = 1, %left = %n) {
      %d = tileas.mma %f, ...                     tileas.async_wait %p, 0
    }                                             tileas.async_load %x[...i + 1] into %p[%next, 0] if %left > 1
                                                  tileas.async_commit
                                                  %b = tileas.stage %p[%now, 0]
                                                  %d = tileas.mma %b, ...
                                                }
    ```
    `num-stages` is the maximum number of stages. The pipeline has as many as fit in half of the SM's shared memory,
    if the registers allow a second CTA and at least three stages fit there, else as many as fit in all of it. The
    layout of a stage lets fragments be read without bank conflicts. The hint `latency` of a load, the iterations to
    prefetch, raises both limits and is answered here for all loads by these threads.

    A load without 4 contiguous bytes that are aligned to 4 and in bounds together goes through registers: it is
    issued at the begin of an iteration and written to the next stage at the end. A product of warpgroups whose
    accumulator only the next product uses stays in flight across the iteration, and stages are then filled one
    iteration later.

    A loop without products whose step is the number of blocks, as of rows that blocks share, or for which a plan file
    asks for stages, prefetches as well. Each thread copies the elements that it will hold, so that it waits for its
    own copies only, and fills a stage again once its tile is in registers:

    ```
    scf.for %i = %x to %n step %blocks {        tileas.async_load %v[...] into %p[0, 0] if %n > %x
      %a = tileaa.load_view %v[...i]            tileas.async_commit
      ...                                -->    scf.for ... iter_args(%now = 0, %left = ...) {
    }                                             tileas.async_wait %p, 0 own
                                                  %a = tileas.read (tileas.stage %p[%now, 0])
                                                  tileas.async_load %v[...i + %blocks] into %p[%now, 0] if %left > 1
                                                  ...
                                                  tileas.async_commit
                                                }
    ```
    Padding of gathered tiles other than zeros is selected by the mask after the read. The loop has as many stages as
    a quarter of the SM's shared memory holds, at most 7: a smaller share where the hint `occupancy` asks for more
    than four CTAs, a larger one where registers have no room for as many.

    Left alone, with a remark that says why: loads of views with padding other than zeros, loads that depend on a
    write in the loop, loads whose offsets are computed from tiles or read from memory, and loads that would exceed a
    thread's registers; in loops without products also tiles of which several threads hold the same elements, and
    loads whose token orders a write. The loop may have any number of iterations, zero included.

    Postcondition: copies into a stage start only after a wait that all threads reached once they had read the
    stage, or after each thread has read the bytes that it copies, and no copy is in flight after the loop.
  }];
  let options = [Option<"numStages", "num-stages", "int64_t", "4", "maximum number of stages of a pipeline">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect"];
}

def TileasCarryPipelineState : Pass<"tileas-carry-pipeline-state", "::mlir::func::FuncOp"> {
  let summary = "carry an agent's stage and phase of a pipeline as SSA values";
  let description = [{
    Operations of an agent at its stage of a pipeline get the agent's state as an operand. Commits and releases return
    the next state, which the loops and branches around them carry.

    ```
    scf.for ... {                               %s0 = tileas.consumer_start %p
      tileas.consumer_wait %p                   %end = scf.for ... iter_args(%s = %s0) {
      %m = tileas.consumer_read %p[0]    -->      tileas.consumer_wait %p at %s
      ...                                         %m = tileas.consumer_read %p[0] at %s
      tileas.consumer_release %p                  ...
    }                                             %next = tileas.consumer_release %p at %s
                                                  scf.yield %next
                                                }
    ```
    Left alone: pipelines without agents, whose stages are operands. Precondition: agents advance in `scf.for`,
    `scf.while` and `scf.if` only. Passes behind it must not move, add or remove operations of pipelines.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
