// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @token {
  // CHECK-LABEL: entry @tokens
  entry @tokens() {
    // CHECK: %[[A:.*]] = make_token : token
    %a = make_token : token
    // CHECK: %[[B:.*]] = gdc_launch_dependents_tko -> token
    %b = gdc_launch_dependents_tko -> token
    // CHECK: %[[C:.*]] = gdc_wait_tko token = %[[A]] -> token
    %c = gdc_wait_tko token = %a -> token
    // CHECK: %[[D:.*]] = join_tokens %[[A]], %[[B]], %[[C]] : token
    %d = join_tokens %a, %b, %c : token
    // CHECK: memory_fence_alias_tko %[[D]]
    %e = memory_fence_alias_tko %d
    return
  }
}
