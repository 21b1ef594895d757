// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @host(
entry @host() {
  // CHECK: %[[X:.*]], %[[Y:.*]], %[[Z:.*]] = tileaa.block_id
  %x, %y, %z = get_tile_block_id : tile<i32>
  // CHECK: tileaa.num_blocks
  %a, %b, %c = get_num_tile_blocks : tile<i32>
  // CHECK: %[[T:.*]] = tileaa.make_token
  %t = make_token : token
  // CHECK: %[[P:.*]] = tileaa.print "%d of %u: 5%%\0A"(%[[X]], %{{.*}} : i32, i32) after %[[T]] {unsignedArgs = array<i1: false, true>}
  %p = print_tko "%d of %u: 5%%\0A", %x, %a token=%t : tile<i32>, tile<i32> -> token
  // CHECK: tileaa.join_tokens %[[T]], %[[P]]
  %j = join_tokens %t, %p : token
  %w = gdc_wait_tko token = %j -> token
  %ok = cmpi less_than %x, %a, signed : tile<i32> -> tile<i1>
  // CHECK: tileaa.assert %{{.*}}, "too many" : i1
  assert %ok, "too many" : tile<i1>
  return
}
}
