// REQUIRES: aarch64-emulator
// Programs of the first seeds as code for aarch64, run by QEMU: the oldest processors without LLVM's optimizer, and what
// newer ones have.
// RUN: tilewright-programs --count=30 --jobs=2 --ways=checked,cpu:aarch64/O0,cpu:aarch64+sve2+bf16+dotprod/O1 --found=%t.found | FileCheck %s
// RUN: tilewright-programs --first=30 --count=30 --jobs=2 --ways=checked,cpu:aarch64/O1,cpu:neoverse-v2/O3 --found=%t.found | FileCheck %s
// CHECK: 30 programs agree, 0 refused, 0 failed

// Faults are found there as well.
// RUN: not tilewright-programs %s --ways=checked,cpu:aarch64/O1+addi=subi 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: checked and cpu:aarch64/O1+addi=subi: prints

// Text that a kernel prints, and an assertion that fails.
// RUN: tilewright-programs %s --ways=checked,cpu:aarch64/O1 | FileCheck %s --check-prefix=SAME
// SAME: all agree

// launch: 1 grid 2 1 1
// buffer: i32 4 small 3 exact
cuda_tile.module @program {
  entry @main(%out: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %next = addi %x, %one : tile<i32>
    print_tko "block %i\n", %next : tile<i32> -> token
    %at = offset %out, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %at, %next : tile<ptr<i32>>, tile<i32> -> token
    %isFirst = cmpi less_than %x, %one, signed : tile<i32> -> tile<i1>
    assert %isFirst, "only the first block" : tile<i1>
    return
  }
}
