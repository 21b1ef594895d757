// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_PASSES
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_PASSES

include "mlir/Pass/PassBase.td"

def TileaaToTileas : Pass<"tileaa-to-tileas", "::mlir::func::FuncOp"> {
  let summary = "assign a layout to every tile";
  let description = [{
    Tiles that are connected by an elementwise operation, a loop or a branch share one layout; the layouts of
    reductions and changes of shape follow from those of their operands. Matrix products choose first, then loads
    and stores, larger ones before smaller ones. Where two choices meet, and where a memory access would be much
    wider in another layout, a `tileas.convert_layout` is inserted. So it is in a loop where a thread would load many
    elements that other threads load as well, as a scale of each column of a product. Constants, iotas and splats cost
    nothing, so each use has its own layout.

    ```
    %a = tileaa.load_view ... -> tensor<64x32xf16>      %a = tileaa.load_view ... -> tensor<64x32xf16, #load>
    %d = tileaa.mma %a, %b, %c                   -->    %f = tileas.convert_layout %a -> tensor<64x32xf16, #operand>
                                                        %d = tileas.mma <mma_sync m16n8k16> %f, ...
    ```
    Precondition: the function has `tileas.cta`.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
