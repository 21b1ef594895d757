// A descriptor of an array that the kernel's parameters describe becomes a parameter, and the function says what the
// launcher has to encode.
// RUN: tilewright-opt %s --tileas-attach-tma-desc-args | FileCheck %s

#layout = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">

module {
  // CHECK: func.func @described(%{{.*}}: i64, %{{.*}}: i32, %[[MAP:.*]]: !tileas.tma_desc)
  // CHECK-SAME: tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [arg 1, arg 1], strides = [arg 1, 1], box = [64, 64], element = bf16, swizzle = 128>]
  // CHECK-NOT: tileas.make_tiled_tma_desc
  // CHECK: tileas.tma_store %{{.*}}, %[[MAP]][
  func.func @described(%out: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %b = tileas.alloc : <64x64xbf16, #layout>
    %c0 = arith.constant 0 : index
    %a = tileaa.assume_div_by %out, 16 : i64
    %m = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %m : i32 to index
    %v = tileaa.make_view %a, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %map = tileas.make_tiled_tma_desc %v box [64, 64] swizzle 128 stored : <[?, ?], bf16, strides = [?, 1]>
    tileas.tma_store %b, %map[%c0, %c0] split 1 by 1 : <64x64xbf16, #layout>
    tileas.tma_store_wait %b but 0 : !tileas.buffer<64x64xbf16, #layout>
    return
  }
}
