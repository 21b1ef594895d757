// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_PASSES
#define TILEWRIGHT_TILEAS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def TileasMaterializeSchedule : Pass<"tileas-materialize-schedule", "::mlir::func::FuncOp"> {
  let summary = "loops whose turns overlap as their schedule says";
  let description = [{
    A loop with the attribute `tileas.schedule` (tileas/schedule/LoopSchedule.h) becomes one whose turn does operations of
    several iterations, between what begins the first and ends the last of them. With fewer iterations than the schedule
    has stages the loop as it was is taken; with none the values it begins with. A wait for a product leaves those running that were
    started behind it.

    ```
    scf.for %i = %0 to %n {                     scf.if %n > 0 {
      %a = tileas.mma %q, %k {running}            %a0 = tileas.mma %q, %k {running}
      %b = tileas.mma_wait %a                     %b0 = tileas.mma_wait %a0
      %c = f(%b)                         -->      %c0 = f(%b0)
      g(%c)                                       scf.for %i = 1 to %n iter_args(%c = %c0) {
    } {tileas.schedule = "0 3@1 1-2"}               %a = tileas.mma %q, %k {running}
                                                    g(%c)
                                                    %b = tileas.mma_wait %a
                                                    %d = f(%b)
                                                    scf.yield %d
                                                  }
                                                  g(...)
                                                }
    ```
    A schedule under which an operation comes before one that it has to wait for, or that does not name every operation of
    the loop once, is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
