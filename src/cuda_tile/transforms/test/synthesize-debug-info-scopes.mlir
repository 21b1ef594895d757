// Places in files get the scope of their entry, under the entry's name.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda-tile-synthesize-debug-info-scopes))' -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

cuda_tile.module @kernels {
  // A call has two ends; what has no place keeps none.
  // CHECK: entry @first
  // CHECK: make_token : token loc(#cuda_tile.di_loc<loc("a/k.py":3:5) in #cuda_tile.di_subprogram<file = <"k.py" in "a">, line = 2, name = "first", linkageName = "first", compileUnit = <file = <"k.py" in "a">>, scopeLine = 2>>)
  // CHECK: make_token : token loc(callsite(#cuda_tile.di_loc<loc("f.py":7:1) in #cuda_tile.di_subprogram<{{.*}}linkageName = "first"{{.*}}>> at #cuda_tile.di_loc<loc("a/k.py":4:5) in #cuda_tile.di_subprogram<{{.*}}linkageName = "first"{{.*}}>>))
  // CHECK: make_token : token loc(#cuda_tile.di_loc<loc("a/k.py":5:5) in #cuda_tile.di_subprogram<{{.*}}>>)
  // CHECK: return loc(unknown)
  // CHECK: } loc(#cuda_tile.di_loc<loc("a/k.py":2:1) in #cuda_tile.di_subprogram<{{.*}}>>)
  entry @first() {
    %0 = make_token : token loc("a/k.py":3:5)
    %1 = make_token : token loc(callsite("f"("f.py":7:1) at "a/k.py":4:5))
    %2 = make_token : token loc(fused["a/k.py":5:5, "a/k.py":6:5])
    return loc(unknown)
  } loc("a/k.py":2:1)

  // The place of the first operation stands for that of the entry.
  // CHECK: entry @second
  // CHECK: make_token : token loc(unknown)
  // CHECK: return loc(#cuda_tile.di_loc<loc("k.py":9:5) in #cuda_tile.di_subprogram<file = <"k.py" in "">, line = 9, name = "second"
  // CHECK: } loc(#cuda_tile.di_loc<loc("k.py":9:5) in #cuda_tile.di_subprogram<{{.*}}>>)
  entry @second() {
    %0 = make_token : token loc(unknown)
    return loc("k.py":9:5)
  } loc(unknown)

  // CHECK: entry @none
  // CHECK: return loc(unknown)
  // CHECK: } loc(unknown)
  entry @none() {
    return loc(unknown)
  } loc(unknown)

  // Scopes that are there stay, and the entry's holds what has none.
  // CHECK: entry @scoped
  // CHECK: make_token : token loc(#cuda_tile.di_loc<loc("k.py":12:5) in #cuda_tile.di_subprogram<file = <"k.py" in "src">, line = 11, name = "function"
  // CHECK: return loc(#cuda_tile.di_loc<loc("k.py":13:5) in #cuda_tile.di_subprogram<file = <"k.py" in "src">, line = 11, name = "function"
  entry @scoped() {
    %0 = make_token : token loc(#inside)
    return loc("k.py":13:5)
  } loc(#outside)
}
#file = #cuda_tile.di_file<"k.py" in "src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 11, name = "function", linkageName = "scoped", compileUnit = #unit, scopeLine = 11>
#outside = #cuda_tile.di_loc<loc("k.py":11:1) in #scope>
#inside = #cuda_tile.di_loc<loc("k.py":12:5) in #scope>
