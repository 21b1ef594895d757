// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each CTA of a cluster reads every other row, and the first one adds up two of them and stores the sum. Each line that
// the kernel cannot do without is changed once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:10x128 --arg 5 --arg zeros:5x128 --schedules 100 | FileCheck %s --check-prefix=RESULT
// The rounds of a CTA are not counted.
// RUN: sed -e 's|round %%i |round %%none |' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:10x128 --arg 5 --arg zeros:5x128 2>&1 | FileCheck %s --check-prefix=ROUND
// One CTA adds less often than the other.
// RUN: sed -e 's|to %%n step|to %%less step|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:10x128 --arg 5 --arg zeros:5x128 2>&1 | FileCheck %s --check-prefix=LESS
// Another buffer has the same memory, while the other CTA may write there.
// RUN: sed -e 's|// tileas.write|tileas.write|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:10x128 --arg 5 --arg zeros:5x128 2>&1 | FileCheck %s --check-prefix=BUFFER

// RESULT: argument 2: float32 5x128
// RESULT: 128. 130. 132.
// RESULT: 640. 642. 644.
// RESULT: 2176. 2178. 2180.

// ROUND: error: is given round 0, expected 1, how often warps 0 to 3 of CTA {{[01]}} of the cluster came here before

// LESS: error: deadlock: warps 0 to 3 of CTA 0 of the cluster wait for another CTA to pass its tile

// BUFFER: error: two writers: warps 0 to 3 of CTA 1 of the cluster write byte 0 of shared memory, and so warps 0 to 3 of CTA 0 of the cluster do

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
module {
  func.func @sums(%x: i64, %n: i32, %y: i64, %gx: i32, %gy: i32, %gz: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 544, blocks_per_sm = 1, cluster = 2, split = 2>} {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %number, %count, %rank = tileas.cluster
    %first = arith.cmpi eq, %rank, %none : i32
    %less = arith.subi %n, %rank : i32
    %in = tileaa.make_view %x, shape[], strides[] : <[10, 128], f32, strides = [128, 1]>
    %out = tileaa.make_view %y, shape[], strides[] : <[5, 128], f32, strides = [128, 1]>
    %t = tileaa.make_token
    %exchange = tileas.create_exchange at 0 : <<128xf32, #shared>>
    %buffer = tileas.alloc at 0 : <128xf32, #shared>
    tileas.agents warps = [4, 4], registers = [0, 0] {
      scf.for %i = %none to %n step %one : i32 {
        %twice = arith.muli %i, %two : i32
        %row = arith.addi %twice, %rank : i32
        %from = arith.index_cast %row : i32 to index
        %v, %t0 = tileaa.load_view %in[%from, %c0] after %t dims [1] : <[10, 128], f32, strides = [128, 1]> -> tensor<128xf32, #rows>
        // tileas.write %v, %buffer : tensor<128xf32, #rows>, <128xf32, #shared>
        %s = tileas.cluster_sum %v through %exchange round %i : tensor<128xf32, #rows>, <<128xf32, #shared>>
        scf.if %first {
          %to = arith.index_cast %i : i32 to index
          %u = tileaa.store_view %s, %out[%to, %c0] after %t dims [1] : tensor<128xf32, #rows>, <[5, 128], f32, strides = [128, 1]>
        }
      }
    }, {
    }
    return
  }
}
