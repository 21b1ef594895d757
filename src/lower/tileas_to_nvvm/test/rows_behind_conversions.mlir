// Rows by numbers from memory: their addresses are multiplied, then change their layout through shared memory. That the
// stride is a multiple of 16 bytes is known on the other side, too: eight f16 are stored at once.
// RUN: tilewright-opt %s --tilewright-final=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-NOT: llvm.store {{.*}}f16

#loaded = #tileas.layout<"{register:, lane: 1 2 4 8 0, warp: 16} -> 32">
#column = #tileas.layout<"{register:, lane: (1,0) (2,0) (4,0) (8,0) (0,0), warp: (16,0)} -> 32x1">
#rows = #tileas.layout<"{register: (16,0), lane: (0,0) (0,0) (1,0) (2,0) (4,0), warp: (8,0)} -> 32x1">
#tile = #tileas.layout<"{register: (0,1) (0,2) (0,4) (16,0), lane: (0,8) (0,16) (1,0) (2,0) (4,0), warp: (8,0)} -> 32x32">
#line = #tileas.layout<"{register: 1 2 4, lane: 8 16 0 0 0, warp: 0} -> 32">
#row = #tileas.layout<"{register: (0,1) (0,2) (0,4), lane: (0,8) (0,16) (0,0) (0,0) (0,0), warp: (0,0)} -> 1x32">
!tile = tensor<32x32xi64, #tile>

module {
  func.func @scatter(%numbers: i64, %out: i64, %n: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 2>} {
    %base = tileaa.assume_div_by %out, 16 : i64
    %stride = tileaa.assume_div_by %n, 16 : i64
    %i = tileaa.iota : tensor<32xi64, #loaded>
    %c8 = arith.constant dense<8> : tensor<32xi64, #loaded>
    %bytes = arith.muli %i, %c8 : tensor<32xi64, #loaded>
    %first = tileaa.broadcast %numbers : i64 -> tensor<32xi64, #loaded>
    %from = arith.addi %first, %bytes : tensor<32xi64, #loaded>
    %number, %t = tileaa.load_ptr %from : tensor<32xi64, #loaded>, -> tensor<32xi64, #loaded>
    %column = tileaa.reshape %number : tensor<32xi64, #loaded> -> tensor<32x1xi64, #column>
    %strides = tileaa.broadcast %stride : i64 -> tensor<32x1xi64, #column>
    %offset = arith.muli %column, %strides : tensor<32x1xi64, #column>
    %moved = tileas.convert_layout %offset : tensor<32x1xi64, #column> -> tensor<32x1xi64, #rows>
    %rows = tileaa.broadcast %moved : tensor<32x1xi64, #rows> -> !tile
    %j = tileaa.iota : tensor<32xi64, #line>
    %two = arith.constant dense<2> : tensor<32xi64, #line>
    %width = arith.muli %j, %two : tensor<32xi64, #line>
    %row = tileaa.reshape %width : tensor<32xi64, #line> -> tensor<1x32xi64, #row>
    %columns = tileaa.broadcast %row : tensor<1x32xi64, #row> -> !tile
    %inside = arith.addi %rows, %columns : !tile
    %start = tileaa.broadcast %base : i64 -> !tile
    %address = arith.addi %start, %inside : !tile
    %x = arith.constant dense<1.0> : tensor<32x32xf16, #tile>
    %t1 = tileaa.store_ptr %address, %x after %t : !tile, tensor<32x32xf16, #tile>,
    return
  }
}
