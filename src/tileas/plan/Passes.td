// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_PASSES
#define TILEWRIGHT_TILEAS_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def TileasAttachTarget : Pass<"tileas-attach-target", "::mlir::ModuleOp"> {
  let summary = "set the architecture and the launch ABI of a module";
  let description = [{
    The module gets the attribute `tileas.target`, at which the other passes look. A module that has another one
    already is refused: its decisions are for that one.

    ```
    module {              -->   module attributes {tileas.target = #tileas.target<"sm_90a">} {
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"\"", "architecture, as in sm_90">,
                 Option<"abi", "abi", "::tilewright::tileas::LaunchAbi", "::tilewright::tileas::LaunchAbi::Tilewright",
                        "for which launchers", [{::llvm::cl::values(
                          clEnumValN(::tilewright::tileas::LaunchAbi::Tilewright, "tilewright", "our own"),
                          clEnumValN(::tilewright::tileas::LaunchAbi::Portable, "portable", "any"))}]>];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasNumberParts : Pass<"tileas-number-parts", "::mlir::func::FuncOp"> {
  let summary = "number the loops, products, reductions, loads and stores of kernels";
  let description = [{
    Each gets the attribute `tileas.number`, counted for each kind in the order of the program, and the function
    `tileas.plan`, where passes record their decisions on them. A plan file that decides on a part that there is not is
    refused. The elements of slices of large tiles, if any were sliced, are the first record.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasCheckDecisions : Pass<"tileas-check-decisions", "::mlir::func::FuncOp"> {
  let summary = "verify that the decisions are those of the plan file";
  let description = [{
    A kernel is refused where passes decided otherwise than the plan file asks, or nothing, with the line of the file
    and the reason of the pass. Parts that no pass decided on get the decision that they stay as they are. Parts keep
    their numbers, by which schedules name them.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasChooseCaches : Pass<"tileas-choose-caches", "::mlir::func::FuncOp"> {
  let summary = "choose how caches treat the data of loads and stores by threads";
  let description = [{
    Where a plan file asks for `cache = "streaming"` of a load or store that threads make, that is its attribute `cache`,
    by which its instructions are `ld.global.cs` and `st.global.cs`: caches evict their lines first.
    All others keep the default, and both are recorded.

    Left alone: copies by the tensor memory accelerator and asynchronous ones, which are other operations by now.
    Refused where a plan file asks for it: accesses with a memory ordering; kernels with memory of their own, of which
    `ld.cs` would drop lines.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasPlanCta : Pass<"tileas-plan-cta", "::mlir::func::FuncOp"> {
  let summary = "choose the number of warps per CTA";
  let description = [{
    Sets the warps in the attribute `tileas.cta` of the function, a power of two of at most 32, from the number of elements of
    the largest tile and whether the kernel has an mma (the tables are in PlanCta.cpp). Where all products of a kernel
    have the 64 rows of a wgmma, and their rows are reduced beside them, as in attention, it is one warpgroup, if it has
    the registers and several CTAs have room on a multiprocessor, or the hint `occupancy` asks for them. The hint
    `num_worker_warps_per_cta` overrides the choice where it is such a power of two, unless its threads would have
    more than 256 elements each of the largest tile. It is answered by a remark.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasOrderBlocks : Pass<"tileas-order-blocks", "::mlir::func::FuncOp"> {
  let summary = "choose the order of tile blocks that use no block of others";
  let description = [{
    The hardware starts CTAs along x first. Where the tiles of blocks that follow each other along y, and not those along
    x, are adjacent in memory, for more bytes than the other way round, x and y of a CTA become those of the tile block
    with its number when y counts first (`tile_order` = 1), so that memory is read and written in order:

    ```
    %x, %y, %z = tileaa.block_id             %i, %j, %z = tileaa.block_id
    ...                                -->   %gx, %gy, %gz = tileaa.num_blocks
                                             %x = (%j * %gx + %i) / %gy
                                             %y = (%j * %gx + %i) mod %gy
    ```
    On an H200 sums of two arrays of 8192x14336 bf16, a block for 1024 columns of row x, take 167 us instead of 175.

    Left alone: kernels with products, whose blocks share operands along both axes, and kernels whose blocks may wait for
    each other (atomics, fences, loops without a counter). A plan file may ask for groups as of persistent kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileasDynamicPersistent : Pass<"tileas-dynamic-persistent", "::mlir::func::FuncOp"> {
  let summary = "convert kernels to persistent kernels that loop over the grid";
  let description = [{
    A kernel whose warpgroups multiply in loops with the same trip count in every tile block becomes a loop over
    tile blocks. Its producer then loads for the next tile block while the consumers store the results of this one.
    The kernel gains three parameters, the extents of the requested grid, and `blocks_per_sm` in `tileas.cta`,
    by which the launcher chooses the number of CTAs.

    ```
    %x, %y, %z = tileaa.block_id             %b, ... = tileaa.block_id          // of the launched CTAs
    ...                               -->    %n, ... = tileaa.num_blocks
                                             scf.for %i = %b to %gx * %gy * %gz step %n {
                                               %x = %i mod %gx ...
    ```
    By the ABI `portable` the launcher launches the requested grid: as many CTAs as the GPU has multiprocessors do the
    work of all, and the others exit at once. `first_blocks` in `tileas.cta` marks such a kernel.

    Where the hint `num_cta_in_cga` or a plan file asks for a cluster of 2 CTAs, these take tile blocks that are adjacent
    along the axis by which most bytes of operands can be the same for both (`cluster` in `tileas.cta`):

    ```
    %c, %n, %rank = tileas.cluster
    scf.for %i = %c to ceil(%gx / 2) * %gy * %gz step %n {
      %w = %i mod ceil(%gx / 2) * 2 + %rank
      %x = min(%w, %gx - 1)                        // beyond the edge of the grid as the last block
      ...
      scf.if %w < %gx { ... }                      // around each store
    ```
    Refused where a plan file asks for it: architectures without clusters, the ABI `portable`, kernels that are left
    alone, and those of which no operand can be the same.

    Where a plan file asks for a split, the CTAs of a cluster take one tile block, and each a part of the iterations of
    the loop with its products (`split` in `tileas.cta`). That of rank 0 adds up the sums and stores:

    ```
    scf.for %i = %c to %gx * %gy * %gz step %n {
      %part = scf.for %k = %first to %last ...     // by %rank
      %sums = tileas.cluster_sum %part through %x round %r
      scf.if %rank == 0 { ... }                    // around each store
    ```
    Refused where a plan file asks for it: architectures without clusters, the ABI `portable`, kernels that are left
    alone, loops that store, that are in other loops, or that do anything else than to add products to tiles of f32 or
    i32, and kernels of which the sums decide what they read.

    Small tiles that each tile block needs before its products, such as the row indices of a gather, are
    rematerialized in both layouts instead of converted, so that no thread waits while no tensor core is busy.

    Left alone: kernels with loops whose trip count depends on the tile block, which the hardware balances better;
    kernels with several loops of products, which ptxas serializes (C7519); kernels whose tile blocks may wait for
    each other (atomics, fences); kernels that print or assert.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
