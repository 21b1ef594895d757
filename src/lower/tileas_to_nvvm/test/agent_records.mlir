// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first thread of each warpgroup, and the one of a producer, notes clocks by predicated stores, with the address of
// the next record in a register. Without the option no instruction is there.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx --records -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=OFF
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable not tilewright compile %s --target=nvidia:sm_90 --emit=ptx --records -o - 2>&1 | FileCheck %s --check-prefix=PORTABLE

// OFF-NOT: globaltimer
// OFF-NOT: %clock
// OFF-NOT: copy_param_3
// PORTABLE: error: records need parameters that the launcher adds

// CHECK: .entry copy(
// CHECK: .param .u64 copy_param_3
// CHECK-NEXT: .param .u32 copy_param_4
// CHECK-NOT: .local
// CHECK: mov.u64 t, %globaltimer; mov.u32 c, %clock; mov.u32 m, %smid; @p st.global.b64 [%[[TRACK:.*]]], t; @p st.global.v2.b32 [%[[TRACK]]+8], {c, m};
// CHECK: selp.b64 %[[END:.*]], %{{.*}}, 0, %
// CHECK: setp.lt.u64 p, %[[NEXT:.*]], %[[END]]; mov.u32 c, %clock; @p st.global.v2.b32 [%[[NEXT]]], {c, %{{.*}}}; add.s64 %[[THEN:.*]], %[[NEXT]], 8;
// CHECK: ld.global
// CHECK: setp.lt.u64 p, %[[THEN]], %[[END]]; mov.u32 c, %clock; @p st.global.v2.b32 [%[[THEN]]], {c, %{{.*}}};
// CHECK: st.global
// CHECK: mov.u64 t, %globaltimer; mov.u32 c, %clock; @p st.global.b64 [%{{.*}}+16], t; @p st.global.v2.b32 [%{{.*}}+24], {c, %{{.*}}};
module {
  func.func @copy(%a: i64, %n: i32, %b: i64) attributes {tileaa.kernel} {
    %x, %y, %z = tileaa.block_id
    %t = tileaa.make_token
    %i = arith.index_cast %n : i32 to index
    %from = tileaa.make_view %a, shape[%i], strides[] : <[?], f32, strides = [1]>
    %to = tileaa.make_view %b, shape[%i], strides[] : <[?], f32, strides = [1]>
    %c0 = arith.constant 0 : index
    %v, %u = tileaa.load_view %from[%c0] after %t dims [0] padding zero : <[?], f32, strides = [1]> -> tensor<256xf32>
    %w = tileaa.store_view %v, %to[%c0] after %u dims [0] : tensor<256xf32>, <[?], f32, strides = [1]>
    return
  }
}
