// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_PASSES
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_PASSES

include "mlir/Pass/PassBase.td"

def TileaaToTileas : Pass<"tileaa-to-tileas", "::mlir::func::FuncOp"> {
  let summary = "every tile gets a layout";
  let description = [{
    Tiles that an elementwise operation, a loop or a branch ties together get one layout; what reductions and changes of
    shape make of it is what their tiles have. Matrix products decide first, then loads and stores, larger ones before
    smaller. Where two decisions meet, and where an access to memory would be much wider with another layout, stands a
    `tileas.convert_layout`. Constants, iotas and repeated scalars cost nothing, so each use has its own.

    The function has `tileas.warps`.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
