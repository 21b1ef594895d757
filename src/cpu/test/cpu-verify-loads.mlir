// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-verify-loads --verify-diagnostics

#id = affine_map<(d0) -> (d0)>

func.func @overwritten(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %array = cpu.array %x, [], [] : memref<64xf32, strided<[1]>>
  // expected-error @below {{'bufferization.to_tensor' op reads a tile in place that may be overwritten before its last use}}
  %tile = bufferization.to_tensor %array restrict : memref<64xf32, strided<[1]>> to tensor<64xf32>
  %again = cpu.array %x, [], [] : memref<64xf32, strided<[1]>>
  %scratch = memref.alloc() : memref<64xf32>
  // expected-note @below {{the write}}
  cpu.copy_out %scratch to %again : memref<64xf32>, memref<64xf32, strided<[1]>>
  %empty = tensor.empty() : tensor<64xf32>
  // expected-note @below {{the use}}
  %copy = linalg.copy ins(%tile : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  return
}

// What is only fetched into the cache may be overwritten: nobody reads it.
func.func @fetched(%x: i64) attributes {tileaa.kernel} {
  %array = cpu.array %x, [], [] : memref<64xf32, strided<[1]>>
  %tile = bufferization.to_tensor %array restrict : memref<64xf32, strided<[1]>> to tensor<64xf32>
  %again = cpu.array %x, [], [] : memref<64xf32, strided<[1]>>
  %scratch = memref.alloc() : memref<64xf32>
  cpu.copy_out %scratch to %again : memref<64xf32>, memref<64xf32, strided<[1]>>
  %empty = tensor.empty() : tensor<64xf32>
  %zeros = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%tile : tensor<64xf32>) outs(%empty : tensor<64xf32>) attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  } -> tensor<64xf32>
  return
}

// Where in %x the tile lies was loaded through %y; it is a tile of %x all the same, and writing %y does not matter.
func.func @placed_by_data(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %true = arith.constant true
  %one = arith.constant 1 : i64
  %at = cpu.ptr_load %y, %true, %one : i64, i1, i64
  %element = arith.index_cast %at : i64 to index
  %four = arith.constant 4 : index
  %bytes = arith.muli %element, %four : index
  %distance = arith.index_cast %bytes : index to i64
  %place = arith.addi %x, %distance : i64
  %array = cpu.array %place, [], [] : memref<64xf32, strided<[1]>>
  %tile = bufferization.to_tensor %array restrict : memref<64xf32, strided<[1]>> to tensor<64xf32>
  cpu.ptr_store %one, %y, %true : i64, i64, i1
  %empty = tensor.empty() : tensor<64xf32>
  %copy = linalg.copy ins(%tile : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  return
}
