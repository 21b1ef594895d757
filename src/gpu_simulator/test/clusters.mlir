// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The producers of two CTAs load rows together, each the half of one to both, and a warpgroup of each CTA adds them up.
// Each line that the kernel cannot do without is left out, or changed, once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:2x128 --schedules 50 | FileCheck %s --check-prefix=RESULT
// Stages that only the CTA's own consumers have to release are filled while those of the other CTA read theirs.
// RUN: sed -e 's| cluster 2 at| at|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:2x128 --schedules 20 2>&1 | FileCheck %s --check-prefix=EARLY
// One CTA loads for itself, while the other counts on it and copies to both.
// RUN: sed -e 's|shared %%same|shared %%first|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:2x128 2>&1 | FileCheck %s --check-prefix=ALONE
// One CTA that goes through the loop less often than the other.
// RUN: sed -e 's|to %%m step|to %%less step|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:2x128 2>&1 | FileCheck %s --check-prefix=LESS

// RESULT: argument 2: float32 2x128
// RESULT: 1280. 1285. 1290.
// RESULT: 1280. 1285. 1290.

// EARLY: error: two writers: a copy writes byte 0 of shared memory, and so a copy does

// ALONE: error: two writers: a copy writes byte 0 of shared memory, and so a copy does

// LESS: error: deadlock: warps 0 to 3 of CTA 0 of the cluster wait for stage 0 to be full: 256 bytes of its 512 are missing

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
module {
  func.func @sum(%x: i64, %n: i32, %y: i64, %gx: i32, %gy: i32, %gz: i32, %map: !tileas.tma_desc) attributes {tileaa.kernel, tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [arg 1, 128], strides = [128, 1], box = [1, 64], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2688, blocks_per_sm = 1, cluster = 2>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %m = arith.index_cast %n : i32 to index
    %same = arith.constant true
    %number, %count, %rank = tileas.cluster
    %none = arith.constant 0 : i32
    %first = arith.cmpi eq, %rank, %none : i32
    %row = arith.index_cast %rank : i32 to index
    %less = arith.subi %m, %row : index
    %in = tileaa.make_view %x, shape[], strides[] : <[5, 128], f32, strides = [128, 1]>
    %out = tileaa.make_view %y, shape[], strides[] : <[2, 128], f32, strides = [128, 1]>
    %t = tileaa.make_token
    %ring = tileas.create_pipeline of 1 cluster 2 at 0 : <2 x [<128xf32, #shared>]>
    tileas.agents warps = [4, 4], registers = [0, 0] {
      %sum = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %zero) -> (tensor<128xf32, #rows>) {
        tileas.consumer_wait %ring : !tileas.pipeline<2 x [<128xf32, #shared>]>
        %stage = tileas.consumer_read %ring[0] : !tileas.pipeline<2 x [<128xf32, #shared>]> -> <128xf32, #shared>
        %v = tileas.read %stage : <128xf32, #shared> -> tensor<128xf32, #rows>
        %next = arith.addf %acc, %v : tensor<128xf32, #rows>
        tileas.consumer_release %ring : !tileas.pipeline<2 x [<128xf32, #shared>]>
        scf.yield %next : tensor<128xf32, #rows>
      }
      %u = tileaa.store_view %sum, %out[%row, %c0] after %t dims [1] : tensor<128xf32, #rows>, <[2, 128], f32, strides = [128, 1]>
    }, {
      scf.for %i = %c0 to %m step %c1 {
        tileas.producer_acquire %ring : !tileas.pipeline<2 x [<128xf32, #shared>]>
        tileas.tma_load %map[%i, %c0] into %ring[0] split 1 by 2 shared %same : !tileas.pipeline<2 x [<128xf32, #shared>]>
        tileas.producer_commit %ring : !tileas.pipeline<2 x [<128xf32, #shared>]>
      }
    }
    return
  }
}
