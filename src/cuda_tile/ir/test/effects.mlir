// RUN: tilewright-opt %s -canonicalize -cse | FileCheck %s

// Which operations go away or merge, and which must stay.
cuda_tile.module @effects {
  // CHECK-LABEL: entry @pure
  // CHECK-NEXT: return
  entry @pure(%x: tile<f32>, %n: tile<i32>, %p: tile<ptr<f32>>) {
    %0 = addf %x, %x : tile<f32>
    %1 = divi %n, %n signed : tile<i32>
    %2 = assume div_by<4>, %n : tile<i32>
    %3, %4 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %c = constant <f32: 0.0> : tile<4xf32>
    %5 = reduce %c dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    for %i in (%n to %n, step %n) : tile<i32> {
      %6 = mulf %x, %x : tile<f32>
    }
    return
  }

  // CHECK-LABEL: entry @merged
  entry @merged(%x: tile<f32>, %p: tile<ptr<f32>>) {
    // CHECK: %[[S:.*]] = addf %arg0, %arg0
    // CHECK-NEXT: store_ptr_tko weak %arg1, %[[S]] :
    // CHECK-NEXT: store_ptr_tko weak %arg1, %[[S]] :
    %0 = addf %x, %x : tile<f32>
    %1 = addf %x, %x : tile<f32>
    %2 = store_ptr_tko weak %p, %0 : tile<ptr<f32>>, tile<f32> -> token
    %3 = store_ptr_tko weak %p, %1 : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // A load that orders others stays, and so does a jump out of an if.
  // CHECK-LABEL: entry @kept
  entry @kept(%p: tile<ptr<f32>>, %m: tile<i1>) {
    // CHECK: load_ptr_tko acquire device
    // CHECK: load_ptr_tko acquire device
    %0, %1 = load_ptr_tko acquire device %p : tile<ptr<f32>> -> tile<f32>, token
    %2, %3 = load_ptr_tko acquire device %p : tile<ptr<f32>> -> tile<f32>, token
    // CHECK: assert %arg1
    assert %m, "no" : tile<i1>
    // CHECK: loop {
    // CHECK-NEXT: if %arg1 {
    // CHECK-NEXT: break
    loop {
      if %m {
        break
      }
      %t = print_tko "again" -> token
    }
    // CHECK: if %arg1 {
    // CHECK-NEXT: return
    if %m {
      return
    }
    %u = print_tko "end" -> token
    return
  }
}
