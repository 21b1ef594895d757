// RUN: tilewright-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(cuda-tile-unify-parameters{first=0,0})))' | FileCheck %s
// RUN: not tilewright-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(cuda-tile-unify-parameters{first=0,2})))' 2>&1 | FileCheck %s --check-prefix=LIST

// LIST: error: the option 'first' is no list of parameters, expected for each of 2 itself or an earlier one
cuda_tile.module @kernels {
  // The second parameter is the first, and what is stored is read.
  // CHECK-LABEL: entry @same(
  // CHECK-SAME: %[[A:.*]]: tile<ptr<i32>>, %{{.*}}: tile<ptr<i32>>)
  // CHECK: %[[ROOT:.*]] = make_token
  // CHECK: %[[X:.*]], %[[READ:.*]] = load_ptr_tko weak %[[A]] token=%[[ROOT]]
  // CHECK: %[[ALL:.*]] = join_tokens %[[ROOT]], %[[READ]]
  // CHECK: %[[WRITTEN:.*]] = store_ptr_tko weak %[[A]], %[[X]] token=%[[ALL]]
  // CHECK: load_ptr_tko weak %[[A]] token=%[[WRITTEN]]
  entry @same(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %0 = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    %1 = store_ptr_tko weak %b, %x : tile<ptr<i32>>, tile<i32> -> token
    %y, %2 = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    return
  }

  // Elements of another type. What is only read needs no order.
  // CHECK-LABEL: entry @other_type(
  // CHECK-SAME: %[[A:.*]]: tile<ptr<f32>>, %{{.*}}: tile<ptr<i32>>)
  // CHECK: %[[P:.*]] = ptr_to_ptr %[[A]] : tile<ptr<f32>> -> tile<ptr<i32>>
  // CHECK: load_ptr_tko weak %[[P]] :
  entry @other_type(%a: tile<ptr<f32>>, %b: tile<ptr<i32>>) {
    %x, %0 = load_ptr_tko weak %b : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
