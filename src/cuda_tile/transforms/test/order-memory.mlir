// Accesses of one array are ordered as they stand, by tokens that loops and branches hand on.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(cuda-tile-order-memory{parameters=0})))' | FileCheck %s

cuda_tile.module @kernels {
  // A token that is there stays; other arrays are left alone.
  // CHECK-LABEL: entry @straight(
  // CHECK-SAME: %[[A:.*]]: tile<ptr<i32>>, %[[B:.*]]: tile<ptr<i32>>)
  // CHECK: %[[ROOT:.*]] = make_token
  // CHECK: %[[X:.*]], %[[OWN:.*]] = load_ptr_tko weak %[[B]] :
  // CHECK: %[[JOINED:.*]] = join_tokens %[[ROOT]], %[[OWN]]
  // CHECK: %{{.*}} = store_ptr_tko weak %[[A]], %[[X]] token=%[[JOINED]]
  // CHECK: store_ptr_tko weak %[[B]], %[[X]] :
  entry @straight(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %0 = load_ptr_tko weak %b : tile<ptr<i32>> -> tile<i32>, token
    %1 = store_ptr_tko weak %a, %x token = %0 : tile<ptr<i32>>, tile<i32> -> token
    %2 = store_ptr_tko weak %b, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // CHECK-LABEL: entry @in_a_loop(
  // CHECK: %[[ROOT:.*]] = make_token
  // CHECK: %[[AFTER:.*]]:3 = for {{.*}} iter_values({{.*}}, %[[WRITTEN:.*]] = %[[ROOT]], %[[ALL:.*]] = %[[ROOT]])
  // CHECK: %[[X:.*]], %[[READ:.*]] = load_ptr_tko weak %{{.*}} token=%[[WRITTEN]]
  // CHECK: %[[BEFORE:.*]] = join_tokens %[[ALL]], %[[READ]]
  // CHECK: %[[STORED:.*]] = store_ptr_tko weak %{{.*}} token=%[[BEFORE]]
  // CHECK: continue %[[X]], %[[STORED]], %[[STORED]]
  // CHECK: load_ptr_tko weak %{{.*}} token=%[[AFTER]]#1
  entry @in_a_loop(%a: tile<ptr<i32>>, %n: tile<i32>) {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%sum = %n) -> (tile<i32>) {
      %x, %0 = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
      %1 = store_ptr_tko weak %a, %sum : tile<ptr<i32>>, tile<i32> -> token
      continue %x : tile<i32>
    }
    %y, %2 = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    return
  }

  // Jumps hand on what holds where they stand; a region that is missing hands on what came in.
  // CHECK-LABEL: entry @jumps(
  // CHECK: %[[ROOT:.*]] = make_token
  // CHECK: loop iter_values(%[[WRITTEN:.*]] = %[[ROOT]], %[[ALL:.*]] = %[[ROOT]])
  // CHECK: if %{{.*}} {
  // CHECK-NEXT: break %[[WRITTEN]], %[[ALL]]
  // CHECK: %[[BRANCH:.*]]:2 = if
  // CHECK: %[[STORED:.*]] = store_ptr_tko weak %{{.*}} token=%[[ALL]]
  // CHECK: yield %[[STORED]], %[[STORED]]
  // CHECK: else
  // CHECK-NEXT: yield %[[WRITTEN]], %[[ALL]]
  // CHECK: continue %[[BRANCH]]#0, %[[BRANCH]]#1
  entry @jumps(%a: tile<ptr<i32>>, %c: tile<i1>, %x: tile<i32>) {
    loop {
      if %c {
        break
      }
      if %c {
        %1 = store_ptr_tko weak %a, %x : tile<ptr<i32>>, tile<i32> -> token
      }
      continue
    }
    return
  }

  // An atomic counts as a write, an address that is made from an integer as any memory.
  // CHECK-LABEL: entry @anywhere(
  // CHECK: %[[ROOT:.*]] = make_token
  // CHECK: %{{.*}}, %[[DONE:.*]] = atomic_rmw_tko relaxed device %{{.*}}, add, %{{.*}} token=%[[ROOT]]
  // CHECK: %[[P:.*]] = int_to_ptr
  // CHECK: store_ptr_tko weak %[[P]], %{{.*}} token=%[[DONE]]
  entry @anywhere(%a: tile<ptr<i32>>, %b: tile<i64>, %x: tile<i32>) {
    %o, %0 = atomic_rmw_tko relaxed device %a, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %p = int_to_ptr %b : tile<i64> -> tile<ptr<i32>>
    %2 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
