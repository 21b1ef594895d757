// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over the rows that the grid shares: each thread copies its own elements of later rows.
// RUN: tilewright-opt %s -tileas-unspecialized-pipeline | FileCheck %s
// RUN: tilewright-opt %s -tileas-unspecialized-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

#all = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,256)} -> 1x512">
#some = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (0,8) (0,16) (0,32), warp: (0,0) (0,0)} -> 1x64">
!odd = !tileaa.view<[?, 511], f16, strides = [511, 1]>
!view = !tileaa.view<[?, 512], f32, strides = [512, 1]>

module attributes {tileas.target = #tileas.target<"sm_90a">} {

// A stage is filled again behind the read of it. Seven rows of 2 KB are ahead.
// CHECK-LABEL: func.func @rows
// CHECK: %[[P:.*]] = tileas.create_pipeline
// CHECK-SAME: <7 x
// CHECK-COUNT-7: tileas.async_load
// CHECK: scf.for
// CHECK-NEXT: tileas.async_wait %[[P]], 6 own
// CHECK: %[[STAGE:.*]] = tileas.stage %[[P]][%[[NOW:.*]], 0]
// CHECK-NEXT: tileas.read %[[STAGE]]
// CHECK-NEXT: tileas.async_load {{.*}} into %[[P]][%[[NOW]], 0] if
// CHECK: tileaa.store_view
// CHECK: tileas.async_commit
// CHECK-NOT: tileas.barrier
func.func @rows(%base: i64, %out: i64, %rows: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0 : index
  %a = tileaa.assume_div_by %base, 16 : i64
  %v = tileaa.make_view %a, shape[%rows], strides[] : !view
  %o = tileaa.make_view %out, shape[%rows], strides[] : !view
  %x, %y, %z = tileaa.block_id
  %nx, %ny, %nz = tileaa.num_blocks
  %begin = arith.index_cast %x : i32 to index
  %step = arith.index_cast %nx : i32 to index
  scf.for %i = %begin to %rows step %step {
    %t, %k = tileaa.load_view %v[%i, %zero] dims [0, 1] padding zero : !view -> tensor<1x512xf32, #all>
    %e = math.exp %t : tensor<1x512xf32, #all>
    %s = tileaa.store_view %e, %o[%i, %zero] dims [0, 1] : tensor<1x512xf32, #all>, !view
  }
  return
}

// A loop of one block's own.
// CHECK-LABEL: func.func @pieces
// CHECK-NOT: tileas.async_load
func.func @pieces(%base: i64, %out: i64, %rows: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = tileaa.assume_div_by %base, 16 : i64
  %v = tileaa.make_view %a, shape[%rows], strides[] : !view
  %o = tileaa.make_view %out, shape[%rows], strides[] : !view
  scf.for %i = %zero to %rows step %one {
    %t, %k = tileaa.load_view %v[%i, %zero] dims [0, 1] padding zero : !view -> tensor<1x512xf32, #all>
    %s = tileaa.store_view %t, %o[%i, %zero] dims [0, 1] : tensor<1x512xf32, #all>, !view
  }
  return
}

// CHECK-LABEL: func.func @refused
// CHECK-NOT: tileas.async_load
// WHY-DAG: is not prefetched: a write depends on it
// WHY-DAG: is not prefetched: several threads hold the same elements
// WHY-DAG: is not prefetched: copies pad with zeros only
// WHY-DAG: is not prefetched: no 4 contiguous bytes
func.func @refused(%base: i64, %out: i64, %rows: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0 : index
  %a = tileaa.assume_div_by %base, 16 : i64
  %v = tileaa.make_view %a, shape[%rows], strides[] : !view
  %o = tileaa.make_view %out, shape[%rows], strides[] : !view
  %odd = tileaa.make_view %a, shape[%rows], strides[] : !odd
  %odd_out = tileaa.make_view %out, shape[%rows], strides[] : !odd
  %x, %y, %z = tileaa.block_id
  %nx, %ny, %nz = tileaa.num_blocks
  %begin = arith.index_cast %x : i32 to index
  %step = arith.index_cast %nx : i32 to index
  scf.for %i = %begin to %rows step %step {
    %t, %k = tileaa.load_view %v[%i, %zero] dims [0, 1] padding zero : !view -> tensor<1x512xf32, #all>
    %u, %l = tileaa.load_view %v[%i, %zero] dims [0, 1] padding zero : !view -> tensor<1x64xf32, #some>
    %w, %m = tileaa.load_view %v[%i, %zero] dims [0, 1] padding neg_inf : !view -> tensor<1x512xf32, #all>
    %h, %n = tileaa.load_view %odd[%i, %zero] dims [0, 1] padding zero : !odd -> tensor<1x512xf16, #all>
    %r = arith.addf %t, %w : tensor<1x512xf32, #all>
    %s = tileaa.store_view %r, %o[%i, %zero] after %k dims [0, 1] : tensor<1x512xf32, #all>, !view
    %p = tileaa.store_view %h, %odd_out[%i, %zero] dims [0, 1] : tensor<1x512xf16, #all>, !odd
    %q = tileaa.store_view %u, %o[%i, %zero] dims [0, 1] : tensor<1x64xf32, #some>, !view
  }
  return
}
}
