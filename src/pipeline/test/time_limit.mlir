// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation for a GPU that takes too long has to do with: half a million numbers in registers, which a
// loop carries, and which cannot be stored slice by slice as they go where others are loaded.
// RUN: mkdir -p %t && env TILEWRIGHT_REPRODUCER_DIR=%t not tilewright compile %s --target=nvidia:sm_90 --emit=ptx --fail-in=wait:tileas-to-nvvm --time-limit=5 2>&1 | FileCheck %s
// CHECK: the compiler was not done after 5 s; its largest tile takes 512 registers of each thread, which has 255 at most: use smaller tiles{{.*}}; the module is in

module {
  func.func @fill(%x: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %x, shape[], strides[] : <[524288], f32, strides = [1]>
    %a, %t0 = tileaa.load_view %v[%c0] after %t dims [0] : <[524288], f32, strides = [1]> -> tensor<524288xf32>
    %c1 = arith.constant 1 : index
    %n = tileaa.view_dim %v, 0 : <[524288], f32, strides = [1]>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<524288xf32> {
      %d = arith.addf %b, %a : tensor<524288xf32>
      scf.yield %d : tensor<524288xf32>
    }
    %u = tileaa.store_view %s, %v[%c1] after %t0 dims [0] : tensor<524288xf32>, <[524288], f32, strides = [1]>
    return
  }
}
