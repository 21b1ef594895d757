// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_PASSES
#define TILEWRIGHT_TILEAS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def TileasRecomputeForScheduling : Pass<"tileas-recompute-for-scheduling", "::mlir::func::FuncOp"> {
  let summary = "rematerialize the addresses and masks of the epilogue after the loop";
  let description = [{
    Integer tiles that are computed from scalars and iotas before a loop with products, and used only after it, such
    as the addresses and masks of the epilogue's stores, are rematerialized after the loop. Their registers are then
    free for the accumulators. The copied iota is `rematerialized`, which keeps CSE from merging it with the original.

    ```
    %i = tileaa.iota                           %i = tileaa.iota
    %p = arith.addi %base, %i                  %p = arith.addi %base, %i
    %x = tileaa.load_ptr %p                    %x = tileaa.load_ptr %p
    %y = scf.for ... {                 -->     %y = scf.for ... {
      tileas.mma ...                             tileas.mma ...
    }                                          }
    tileaa.store_ptr %p, %y                    %j = tileaa.iota rematerialized
                                               %q = arith.addi %base, %j
                                               tileaa.store_ptr %q, %y
    ```
    Left alone: tiles that the loop also uses; expressions of more than 32 operations, or with a division, a float,
    a loaded value or a layout conversion; all tiles where none has more than 8 registers per thread.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect"];
}

def TileasPrepareForScheduling : Pass<"tileas-prepare-for-scheduling", "::mlir::func::FuncOp"> {
  let summary = "annotate the operations of loops with products with their cost";
  let description = [{
    In an innermost loop in which warpgroups multiply operands from pipelines, each operation gets the attribute
    `tileas.cost`: the unit that executes it and, in cycles of one warpgroup, how long it occupies the thread, how
    long it occupies the unit, and its latency. The figures are a table (tileas/schedule/OperationCost.cpp).
    Products become asynchronous, and the wait for each becomes an operation of its own.

    ```
    %s = tileas.mma %q, %k, %0        -->    %r = tileas.mma %q, %k, %0 {running, tileas.cost = #tileas.cost<...>}
                                             %s = tileas.mma_wait %r {tileas.cost = ...}
    ```
    Left alone: loops that access memory that is written, loops with nested loops, and architectures without a
    table.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasGenerateSchedule : Pass<"tileas-generate-schedule", "::mlir::func::FuncOp"> {
  let summary = "choose a schedule that overlaps the iterations of annotated loops";
  let description = [{
    The kind `serial` is the program order. The kind `cost-based` gives a loop the attribute `tileas.schedule`
    (tileas/ir/ScheduleItem.h) by modulo scheduling (ModuloScheduler.h): the shortest initiation interval that
    the execution units permit, under which live values fit in the registers and no product is in flight at its
    begin. Within an interval products are started as early as possible, and the wait for each comes after all other
    work (order/StepOrder.h). The schedule names the products; all other operations have their places by rule
    (ScheduledLoop.h).

    A loop gets no schedule where the interval would not be at least a twentieth shorter than an iteration, or where
    it is the remainder of an earlier loop, which has few iterations; its attribute `tileas.serial` is the reason. Costs
    are removed, and the numbers of parts that no schedule can name; without a schedule each product is synchronous
    again.
  }];
  let options = [Option<"kind", "kind", "std::string", "\"cost-based\"", "serial or cost-based">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasMaterializeSchedule : Pass<"tileas-materialize-schedule", "::mlir::func::FuncOp"> {
  let summary = "rewrite loops so that iterations overlap as scheduled";
  let description = [{
    A loop with the attribute `tileas.schedule` (tileas/ir/ScheduleItem.h) becomes a prologue, a loop whose
    body executes operations of several iterations, and an epilogue. If the trip count is smaller than the number of
    stages the original loop runs; if it is zero the results are the initial values. A wait for a product leaves
    products in flight that were started after it.

    ```
    scf.for %i = %0 to %n {                     scf.if %n > 0 {
      %a = tileas.mma %q, %k {running}            %a0 = tileas.mma %q, %k {running}
      %b = tileas.mma_wait %a                     %b0 = tileas.mma_wait %a0
      %c = f(%b)                         -->      %c0 = f(%b0)
      g(%c)                                       scf.for %i = 1 to %n iter_args(%c = %c0) {
    } {tileas.schedule = ...}                       %a = tileas.mma %q, %k {running}
                                                    g(%c)
                                                    %b = tileas.mma_wait %a
                                                    %d = f(%b)
                                                    scf.yield %d
                                                  }
                                                  g(...)
                                                }
    ```
    Precondition: the schedule starts every product of the loop and waits for it, and puts no operation before one that
    it depends on; any other schedule is an error. Numbers of parts are removed, except for loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasHoistLoads : Pass<"tileas-hoist-loads", "::mlir::func::FuncOp"> {
  let summary = "issue loads of a block together, before reductions and divisions";
  let description = [{
    A load of a tile by threads moves, with the computation of its address, behind the load before it if a barrier or a
    division lies between them, so that both are on their way at once. Assemblers move loads over arithmetic, but not
    over a barrier, nor over the branch to the slow path of a division.

    ```
    %a = tileaa.load_ptr %p                %a = tileaa.load_ptr %p
    %b = arith.divf %one, %a      -->      %q = arith.addi %r, %s
    %q = arith.addi %r, %s                 %c = tileaa.load_ptr %q
    %c = tileaa.load_ptr %q                %b = arith.divf %one, %a
    ```

    In a loop with products of warpgroups, loads by threads move before the first one, so that they are on their way
    while it runs, up to 8 registers of a thread.

    Left alone: loads with a memory ordering, loads behind what writes global memory or may do anything, loads whose
    address comes from numbers that are computed or loaded between, other loads of kernels with products, which producers
    and pipelines make, and loads whose tiles would then take more than 32 registers of a thread together, or a
    quarter of those that the hint `occupancy` leaves it.
  }];
}

#endif
