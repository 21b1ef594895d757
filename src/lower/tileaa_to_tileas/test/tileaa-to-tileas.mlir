// Where two decisions meet stands a conversion of layouts.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileaa-to-tileas | FileCheck %s

// Four elements of a thread lie side by side where the address is a multiple of 16 bytes, else one.
// CHECK-DAG: #[[WIDE:.*]] = #tileas.layout<"{register: 1 2 512, lane: 4 8 16 32 64, warp: 128 256} -> 1024">
// CHECK-DAG: #[[NARROW:.*]] = #tileas.layout<"{register: 128 256 512, lane: 1 2 4 8 16, warp: 32 64} -> 1024">
// Of mma.sync m16n8k16: a thread's neighbours along the rows of sums and of the left operand, columns of the right one.
// CHECK-DAG: #[[SUMS:.*]] = #tileas.layout<"{register: (0,1) (8,0) {{.*}}, lane: (0,2) (0,4) (1,0) (2,0) (4,0), {{.*}} -> 64x64">
// CHECK-DAG: #[[LEFT:.*]] = #tileas.layout<"{register: (0,1) (8,0) (0,8) {{.*}}, lane: (0,2) (0,4) (1,0) (2,0) (4,0), {{.*}} -> 64x64">
// CHECK-DAG: #[[RIGHT:.*]] = #tileas.layout<"{register: (1,0) (8,0) {{.*}}, lane: (2,0) (4,0) (0,1) (0,2) (0,4), {{.*}} -> 64x64">

module {
  // Loads and stores decide.
  // CHECK-LABEL: func.func @copy
  // CHECK: tileaa.load_view {{.*}} -> tensor<1024xf32, #[[WIDE]]>
  // CHECK: tileas.convert_layout %{{.*}} -> tensor<1024xf32, #[[NARROW]]>
  // CHECK: tileaa.store_view %{{.*}} tensor<1024xf32, #[[NARROW]]>
  func.func @copy(%in: i64, %out: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %a = tileaa.assume_div_by %in, 16 : i64
    %v = tileaa.make_view %a, shape[], strides[] : <[1024], f32, strides = [1]>
    %w = tileaa.make_view %out, shape[], strides[] : <[1024], f32, strides = [1]>
    %x, %t0 = tileaa.load_view %v[%c0] after %t dims [0] : <[1024], f32, strides = [1]> -> tensor<1024xf32>
    %t1 = tileaa.store_view %x, %w[%c0] after %t0 dims [0] : tensor<1024xf32>, <[1024], f32, strides = [1]>
    return
  }
  // A product decides first: its operands are converted to what its instruction reads.
  // CHECK-LABEL: func.func @product
  // CHECK: arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[SUMS]]>
  // CHECK: %[[A:.*]] = tileas.convert_layout %{{.*}} -> tensor<64x64xf16, #[[LEFT]]>
  // CHECK: %[[B:.*]] = tileas.convert_layout %{{.*}} -> tensor<64x64xf16, #[[RIGHT]]>
  // CHECK: tileas.mma <mma_sync m16n8k16> %[[A]], %[[B]]
  func.func @product(%pa: i64, %pb: i64, %pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %va = tileaa.make_view %pa, shape[], strides[] : <[64, 64], f16, strides = [64, 1]>
    %vb = tileaa.make_view %pb, shape[], strides[] : <[64, 64], f16, strides = [64, 1]>
    %vc = tileaa.make_view %pc, shape[], strides[] : <[64, 64], f32, strides = [64, 1]>
    %a, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : <[64, 64], f16, strides = [64, 1]> -> tensor<64x64xf16>
    %b, %t1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : <[64, 64], f16, strides = [64, 1]> -> tensor<64x64xf16>
    %c = tileaa.mma %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %t2 = tileaa.store_view %c, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32>, <[64, 64], f32, strides = [64, 1]>
    return
  }
  // Operations between follow: a permuted tile is the same registers in the permuted layout, converted once.
  // CHECK-LABEL: func.func @turned
  // CHECK: %[[X:.*]], %{{.*}} = tileaa.load_view {{.*}} -> tensor<64x64xf32, #[[ROWS:.*]]>
  // CHECK: %[[Y:.*]] = tileaa.permute %[[X]] by [1, 0]
  // CHECK-NEXT: tileas.convert_layout %[[Y]] {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
  func.func @turned(%in: i64, %out: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %a = tileaa.assume_div_by %in, 16 : i64
    %b = tileaa.assume_div_by %out, 16 : i64
    %v = tileaa.make_view %a, shape[], strides[] : <[64, 64], f32, strides = [64, 1]>
    %w = tileaa.make_view %b, shape[], strides[] : <[64, 64], f32, strides = [64, 1]>
    %x, %t0 = tileaa.load_view %v[%c0, %c0] after %t dims [0, 1] : <[64, 64], f32, strides = [64, 1]> -> tensor<64x64xf32>
    %y = tileaa.permute %x by [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %t1 = tileaa.store_view %y, %w[%c0, %c0] after %t0 dims [0, 1] : tensor<64x64xf32>, <[64, 64], f32, strides = [64, 1]>
    return
  }
  // A number of each column that every thread needs, far apart in memory: in a loop one thread loads it.
  // CHECK-LABEL: func.func @scales
  // CHECK: tileaa.load_ptr {{.*}} -> tensor<64xf32, #[[HELD:.*]]>
  // CHECK-NOT: convert_layout
  // CHECK: scf.for
  // CHECK: tileas.mma
  // CHECK: %[[S:.*]], %{{.*}} = tileaa.load_ptr {{.*}} -> tensor<64xf32, #[[SPREAD:.*]]>
  // CHECK-NEXT: %[[R:.*]] = tileaa.reshape %[[S]]
  // CHECK-NEXT: tileas.convert_layout %[[R]]
  func.func @scales(%p: i64, %pc: i64, %count: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = arith.constant dense<1.0> : tensor<64x64xf16>
    %t = tileaa.make_token
    %vc = tileaa.make_view %pc, shape[], strides[] : <[64, 64], f32, strides = [64, 1]>
    %far = arith.constant dense<4096> : tensor<64xi64>
    %n = tileaa.iota : tensor<64xi64>
    %base = tileaa.broadcast %p : i64 -> tensor<64xi64>
    %o = arith.muli %n, %far : tensor<64xi64>
    %q = arith.addi %base, %o : tensor<64xi64>
    %other = tileaa.broadcast %pc : i64 -> tensor<64xi64>
    %q0 = arith.addi %other, %n : tensor<64xi64>
    %first, %t0 = tileaa.load_ptr %q0 : tensor<64xi64>, -> tensor<64xf32>
    %row = tileaa.reshape %first : tensor<64xf32> -> tensor<1x64xf32>
    %begin = tileaa.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %all = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %begin) -> (tensor<64x64xf32>) {
      %c = tileaa.mma %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %number = arith.index_cast %i : index to i64
      %step = tileaa.broadcast %number : i64 -> tensor<64xi64>
      %at = arith.addi %q, %step : tensor<64xi64>
      %scale, %t1 = tileaa.load_ptr %at : tensor<64xi64>, -> tensor<64xf32>
      %scales = tileaa.reshape %scale : tensor<64xf32> -> tensor<1x64xf32>
      %factors = tileaa.broadcast %scales : tensor<1x64xf32> -> tensor<64x64xf32>
      %d = arith.mulf %c, %factors : tensor<64x64xf32>
      %next = arith.addf %sum, %d : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %t2 = tileaa.store_view %all, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32>, <[64, 64], f32, strides = [64, 1]>
    return
  }
}
