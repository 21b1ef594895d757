// A compiler with a fault, which takes xori for ori: the smallest program that shows it has one of them.
// RUN: tilewright-reduce %s --mismatch --ways=cpu/O0,cpu/O0+xori=ori -o %t.small.mlir
// RUN: FileCheck %s --input-file %t.small.mlir
// RUN: tilewright-programs %s --ways=cpu/O0,cpu/O3 | FileCheck %s --check-prefix=AGREE
// RUN: not tilewright-programs %s --ways=cpu/O0,cpu/O0+xori=ori | FileCheck %s --check-prefix=DIFFER
// AGREE: all agree
// DIFFER: cpu/O0 and cpu/O0+xori=ori: argument 1, element 0 of 128 i32: {{.*}} more differ

// By a command, and from bytecode.
// RUN: tilewright-reduce %s --test='grep -q mulhii' | FileCheck %s --check-prefix=COMMAND
// RUN: tilewright-translate --mlir-to-tilebc %s -o %t.tilebc
// RUN: tilewright-reduce %t.tilebc --test='f() { tileirdisasm $1 | grep -q mulhii; }; f' -o %t.small.tilebc
// RUN: tileirdisasm %t.small.tilebc | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: mulhii

// What cannot be reduced is said.
// RUN: not tilewright-reduce %s --mismatch --ways=cpu/O0,cpu/O3 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tilewright-reduce %s 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not tilewright-reduce %t.tilebc --mismatch 2>&1 | FileCheck %s --check-prefix=LAUNCH
// NOTHING: error: the program does not show it
// NEITHER: error: expected either --test=COMMAND or --mismatch
// LAUNCH: error: expected text with its launch for --mismatch, got bytecode

// CHECK: // cpu/O0 and cpu/O0+xori=ori: argument 1, element 0 of 128 i32:
// CHECK: launch: 7 grid 1 1 1
// CHECK: cuda_tile.module @program {
// CHECK-NEXT: entry @main(%{{[^:]*}}: tile<ptr<i32>>, %{{[^:]*}}: tile<ptr<i32>>) {
// CHECK: load_ptr_tko
// CHECK-NEXT: constant
// CHECK-NEXT: xori {{.*}} : tile<1xi32>
// CHECK-NEXT: store_ptr_tko
// CHECK-NEXT: return

// COMMAND: entry @main(%{{.*}}: tile<ptr<i32>>) {
// COMMAND-NOT: addi
// COMMAND: mulhii
// COMMAND-NOT: for

// launch: 7 grid 2 1 1
// buffer: i32 128 any 11 exact
// buffer: i32 128 zero 0 exact
// scalar: i32 3
cuda_tile.module @program {
  entry @main(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %extent = constant <i32: 64> : tile<i32>
    %start = muli %x, %extent : tile<i32>
    %from = offset %in, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %to = offset %out, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %iota = iota : tile<64xi32>
    %from1 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
    %from64 = broadcast %from1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %sources = offset %from64, %iota : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %to1 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
    %to64 = broadcast %to1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %targets = offset %to64, %iota : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %value, %loaded = load_ptr_tko weak %sources : tile<64xptr<i32>> -> tile<64xi32>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %five = constant <i32: 5> : tile<64xi32>
    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%sum_so_far = %value) -> (tile<64xi32>) {
      %odd = andi %i, %one : tile<i32>
      %isOdd = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>
      %next = if %isOdd -> (tile<64xi32>) {
        %mixed = xori %sum_so_far, %five : tile<64xi32>
        %high = mulhii %mixed, %value : tile<64xi32>
        %both = addi %high, %mixed : tile<64xi32>
        yield %both : tile<64xi32>
      } else {
        %more = addi %sum_so_far, %iota : tile<64xi32>
        yield %more : tile<64xi32>
      }
      continue %next : tile<64xi32>
    }
    %stored = store_ptr_tko weak %targets, %sum : tile<64xptr<i32>>, tile<64xi32> -> token
    return
  }
}
