// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_PASSES
#define TILEWRIGHT_TILEAS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def TileasRecomputeForScheduling : Pass<"tileas-recompute-for-scheduling", "::mlir::func::FuncOp"> {
  let summary = "addresses and masks of an epilogue are computed behind the loop";
  let description = [{
    Tiles of integers that are computed from scalars and the numbers of elements, before a loop that multiplies, and that are
    used behind it, as where results go and whether they do, are computed there again: registers that hold them in the
    loop are those of its sums. The iota says `tileas.again`, so that nobody finds that it is the same and keeps it.

    ```
    %i = tileaa.iota                           %i = tileaa.iota
    %p = arith.addi %base, %i                  %p = arith.addi %base, %i
    %x = tileaa.load_ptr %p                    %x = tileaa.load_ptr %p
    %y = scf.for ... {                 -->     %y = scf.for ... {
      tileas.mma ...                             tileas.mma ...
    }                                          }
    tileaa.store_ptr %p, %y                    %j = tileaa.iota {tileas.again}
                                               %q = arith.addi %base, %j
                                               tileaa.store_ptr %q, %y
    ```
    Left alone: what the loop uses, too; what takes more than 32 operations, a division, a float or what was loaded or
    exchanged between threads; everything where a thread has no more than 8 registers of any of them.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect"];
}

def TileasPrepareForScheduling : Pass<"tileas-prepare-for-scheduling", "::mlir::func::FuncOp"> {
  let summary = "marks what the operations of loops with products cost";
  let description = [{
    In an innermost loop that multiplies by warpgroups what comes through pipelines, each operation gets `tileas.cost`: the unit
    that does it, and in cycles of one warpgroup how long the thread is busy, how long the unit is, and when the result is
    there. The figures are those of a table (tileas/schedule/OperationCost.cpp). Products are left running, and what waits for
    them becomes an operation.

    ```
    %s = tileas.mma %q, %k, %0        -->    %r = tileas.mma %q, %k, %0 {running, tileas.cost = {cycles = 512, ...}}
                                             %s = tileas.mma_wait %r {tileas.cost = ...}
    ```
    Left alone: loops with accesses of memory that is written, with other loops inside, or of an architecture that
    the table does not have.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "architecture, as in sm_90">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasGenerateSchedule : Pass<"tileas-generate-schedule", "::mlir::func::FuncOp"> {
  let summary = "decides how turns of marked loops overlap";
  let description = [{
    `serial` is the program's order. `cost-based` gives a loop the attribute `tileas.schedule` (tileas/schedule/LoopSchedule.h), by modulo
    scheduling (ModuloScheduler.h): the shortest interval at which turns can start, with the units that there are, in which
    the values that live at a time have registers, and at whose begin no product is running. A turn first starts the
    products that it can, and waits for each where nothing else is left to do (TurnOrder.h).

    A loop gets none where a turn would not be shorter by a twentieth, and where it goes on where a loop before it ends:
    that has a few iterations. Marks are taken away, and products without a schedule wait for their own end again.
  }];
  let options = [Option<"kind", "kind", "std::string", "\"cost-based\"", "serial or cost-based">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

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
