// The way to a GPU has the same levels, dumps, timing and reproducers as the way to a CPU.
// RUN: split-file %s %t
// RUN: tilewright compile %t/tile_ir.mlir --target=sm_90 --emit=tileaa | FileCheck %s --check-prefix=TILEAA
// RUN: tilewright compile %t/tile_ir.mlir --target=sm_90 --emit=tilebc | tilewright dis - | FileCheck %s --check-prefix=TILEBC
// RUN: tilewright compile %t/tile_ir.mlir --target=sm_90 --emit=tileaa --dump-after=cuda-tile-to-tileaa 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: tilewright compile %t/llvm.mlir --target=sm_90 --emit=ptx --lineinfo --dump-after=convert-nvvm-to-llvm 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: tilewright compile %t/llvm.mlir --target=sm_90 --emit=ptx --print-before-all 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: tilewright compile %t/llvm.mlir --target=sm_90 --emit=ptx --timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: mkdir %t/kept && env TILEWRIGHT_REPRODUCER_DIR=%t/kept not tilewright compile %t/llvm.mlir --target=sm_90 --lineinfo --emit=ptx --fail-in="crash:LLVM optimizer" 2>&1 | FileCheck %s --check-prefix=REPRODUCER
// RUN: not tilewright compile %t/linalg.mlir --target=sm_90 --emit=ptx 2>&1 | FileCheck %s --check-prefix=OTHER

// RUN: tilewright compile %t/tile_ir.mlir --target=sm_90 --emit=tileas | tilewright compile - --target=sm_90 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tilewright compile %t/tile_ir.mlir --target=sm_90 --emit=llvm | FileCheck %s --check-prefix=LLVM

// TILEAA: func.func @nothing
// TILEBC: entry @nothing
// DUMP: IR Dump After {{.*}} (cuda-tile-to-tileaa)
// DUMP: func.func @nothing
// PLACES: llvm.return loc([[PLACE:#loc[0-9]+]])
// PLACES: [[PLACE]] = loc("{{.*}}llvm.mlir":2:3)
// BEFORE: IR Dump Before {{.*}} (convert-nvvm-to-llvm)
// BEFORE: IR Dump Before InstCombinePass
// BEFORE-NEXT: define ptx_kernel void @kernel()
// TIMING: Execution time report
// TIMING-DAG: parse and verify
// TIMING-DAG: nvvm to llvm
// TIMING-DAG: LLVM optimizer
// TIMING-DAG: code generation
// PTX: .visible .entry nothing()
// PTX: .reqntid
// LLVM: define ptx_kernel void @nothing()
// REPRODUCER: the compiler crashed {{.*}} (in LLVM optimizer); the module is in [[FILE:.*]], to see this again: tilewright compile [[FILE]] --target=nvidia:sm_90a --emit=ptx --opt-level=1 --lineinfo '--fail-in=crash:LLVM optimizer'
// OTHER: error: the module is at the level linalg, which target nvidia:sm_90a does not have

//--- tile_ir.mlir
cuda_tile.module @kernels {
  entry @nothing() {
    return
  }
}

//--- llvm.mlir
llvm.func @kernel() attributes {nvvm.kernel} {
  llvm.return
}

//--- linalg.mlir
func.func @kernel() attributes {cpu.plan = #cpu.plan<>} {
  return
}
