// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Integer arithmetic. Defaults (no overflow promise, division towards zero) are not printed.
cuda_tile.module @integer {
  // CHECK-LABEL: entry @arithmetic
  entry @arithmetic(%a: tile<i32>, %b: tile<i32>) {
    // CHECK: %[[SUM:.*]] = addi %arg0, %arg1 : tile<i32>
    %sum = addi %a, %b : tile<i32>
    // CHECK: subi %[[SUM]], %arg1 overflow<no_signed_wrap> : tile<i32>
    %difference = subi %sum, %b overflow<no_signed_wrap> : tile<i32>
    // CHECK: muli %[[SUM]], %arg1 overflow<no_unsigned_wrap> : tile<i32>
    %product = muli %sum, %b overflow<no_unsigned_wrap> : tile<i32>
    // CHECK: mulhii %[[SUM]], %arg1 : tile<i32>
    %high = mulhii %sum, %b : tile<i32>
    // CHECK: divi %[[SUM]], %arg1 signed : tile<i32>
    %quotient = divi %sum, %b signed rounding<zero> : tile<i32>
    // CHECK: divi %[[SUM]], %arg1 unsigned rounding<positive_inf> : tile<i32>
    %ceiling = divi %sum, %b unsigned rounding<positive_inf> : tile<i32>
    // CHECK: remi %[[SUM]], %arg1 signed : tile<i32>
    %rest = remi %sum, %b signed : tile<i32>
    // CHECK: negi %[[SUM]] : tile<i32>
    %negative = negi %sum : tile<i32>
    // CHECK: absi %[[SUM]] : tile<i32>
    %absolute = absi %sum : tile<i32>
    // CHECK: maxi %[[SUM]], %arg1 signed : tile<i32>
    %larger = maxi %sum, %b signed : tile<i32>
    // CHECK: mini %[[SUM]], %arg1 unsigned : tile<i32>
    %smaller = mini %sum, %b unsigned : tile<i32>
    return
  }
  // CHECK-LABEL: entry @bits
  entry @bits(%a: tile<i64>, %b: tile<i64>) {
    // CHECK: andi %arg0, %arg1 : tile<i64>
    %and = andi %a, %b : tile<i64>
    // CHECK: ori %arg0, %arg1 : tile<i64>
    %or = ori %a, %b : tile<i64>
    // CHECK: xori %arg0, %arg1 : tile<i64>
    %xor = xori %a, %b : tile<i64>
    // CHECK: shli %arg0, %arg1 overflow<no_wrap> : tile<i64>
    %left = shli %a, %b overflow<no_wrap> : tile<i64>
    // CHECK: shri %arg0, %arg1 unsigned : tile<i64>
    %right = shri %a, %b unsigned : tile<i64>
    // CHECK: cmpi less_than_or_equal %arg0, %arg1, signed : tile<i64> -> tile<i1>
    %less = cmpi less_than_or_equal %a, %b, signed : tile<i64> -> tile<i1>
    return
  }
}
