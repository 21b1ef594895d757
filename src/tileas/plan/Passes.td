// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_PASSES
#define TILEWRIGHT_TILEAS_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def TileasPlanCta : Pass<"tileas-plan-cta", "::mlir::func::FuncOp"> {
  let summary = "decides how many warps run a block";
  let description = [{
    Gives the function `tileas.warps`, a power of two: as many as leave a thread 16 to 32 elements of the largest tile, 4 at
    least for tiles of some size and 8 at most where that leaves no more than 128; a hint `num_worker_warps_per_cta` is kept where
    it is a power of two of at most 32. A remark answers it, and `num_cta_in_cga`: there are no clusters.
  }];
}

def TileasDynamicPersistent : Pass<"tileas-dynamic-persistent", "::mlir::func::FuncOp"> {
  let summary = "as many blocks as the GPU runs at a time take the grid's blocks among themselves";
  let description = [{
    A kernel whose warpgroups multiply in loops that are as long in every block becomes a loop over blocks: its agents
    then load for the next block while they store for this one. It gets three parameters, the extents of the grid as it
    was asked for, and `tileas.blocks_per_sm`, by which the launcher chooses how many are launched.

    ```
    %x, %y, %z = tileaa.block_id             %b, ... = tileaa.block_id          // of those that are launched
    ...                               -->    %n, ... = tileaa.num_blocks
                                             scf.for %i = %b to %gx * %gy * %gz step %n {
                                               %x = %i mod %gx ...
    ```
    With `whole-grid` the launcher knows nothing of that and launches all blocks: as many as there are multiprocessors
    take the work of all, and the others, which have `tileas.first_blocks` to see it by, leave at once.

    What comes before the products in each block, as the rows that a gather is of, is not exchanged between threads: small tiles
    that change their layout are loaded and computed in both, so that nobody waits while nothing multiplies.

    Left alone: kernels with loops whose length depends on the block, which hardware hands out better, one at a time;
    kernels with several loops of products, which ptxas then serializes (C7519); kernels whose blocks may wait for each other (atomics, fences); kernels that print or assert.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "architecture, as in sm_90">,
                 Option<"wholeGrid", "whole-grid", "bool", "false", "for launchers that launch the grid as it was asked for">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
