// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: the protocol of pipelines between agents. Legal ones stand in verify-tileas.mlir.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-carry-pipeline-state --verify-tileas --split-input-file --verify-diagnostics

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @sides(%base: i64, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 6192>} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  %threads = tileas.create_pipeline of 0 at 4096 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'tileas.producer_acquire' op breaks the rule 'pipeline-side': stands outside of a producer}}
    tileas.producer_acquire %ring : !ring
    // expected-error@+1 {{'tileas.stage' op breaks the rule 'pipeline-side': is of a pipeline of 1 consumers, expected none}}
    %a = tileas.stage %ring[%s, 0] : !ring -> <128xf32, #shared>
    // expected-error@+1 {{'tileas.consumer_wait' op breaks the rule 'pipeline-side': is of a pipeline of 0 consumers, expected some}}
    tileas.consumer_wait %threads : !ring
  }, {
    // expected-error@+1 {{'tileas.consumer_release' op breaks the rule 'pipeline-side': stands outside of the consumers' region}}
    tileas.consumer_release %ring : !ring
    // expected-error@+1 {{'tileas.barrier' op breaks the rule 'agents': stands in a producer, which starts copies only: the consumers do not meet it}}
    tileas.barrier
    // expected-error@+1 {{'tileas.stage' op breaks the rule 'pipeline-side': stands in a producer, and the pipeline is for all threads}}
    %b = tileas.stage %threads[%s, 0] : !ring -> <128xf32, #shared>
  }
  return
}

// -----

func.func @behind_agents() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256>} {
  // expected-error@+1 {{'tileas.agents' op breaks the rule 'agents': is followed by an operation, which no thread executes}}
  tileas.agents warps = [4, 4], registers = [0, 0] {
  }, {
  }
  tileas.barrier
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @balance(%base: i64, %n: index, %if: i1, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 4128>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'pipeline-balance': has a stage that its consumers wait for and do not release}}
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    scf.for %i = %c0 to %n step %c1 {
      // Where the branch is not taken, the next iteration waits again.
      // expected-error@+1 {{'tileas.consumer_wait' op breaks the rule 'pipeline-balance': waits for a stage before the last one is released}}
      tileas.consumer_wait %ring : !ring
      scf.if %if {
        tileas.consumer_release %ring : !ring
      }
    }
  }, {
    scf.for %i = %c0 to %n step %c1 {
      tileas.producer_acquire %ring : !ring
      tileas.tma_load %map[%i] into %ring[0] split 0 by 1 : !ring
      tileas.producer_commit %ring : !ring
      // expected-error@+1 {{'tileas.producer_commit' op breaks the rule 'pipeline-balance': commits a stage that is not acquired}}
      tileas.producer_commit %ring : !ring
    }
  }
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @acquired_again(%base: i64, %n: index, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 4128>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'pipeline-balance': has a stage that its producer acquires and does not commit}}
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'tileas.consumer_release' op breaks the rule 'pipeline-balance': releases a stage that is not waited for}}
    tileas.consumer_release %ring : !ring
  }, {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{'tileas.producer_acquire' op breaks the rule 'pipeline-balance': acquires a stage before the last one is committed}}
      tileas.producer_acquire %ring : !ring
      tileas.tma_load %map[%i] into %ring[0] split 0 by 1 : !ring
    }
  }
  return
}

// -----

#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>, <128xf32, #shared>]>
func.func @stages(%base: i64, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 4128>} {
  %c0 = arith.constant 0 : index
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>, <128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'tileas.consumer_read' op breaks the rule 'pipeline-stage': gives a stage that is not waited for}}
    %a = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
    tileas.consumer_wait %ring : !ring
    %b = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
    tileas.consumer_release %ring : !ring
    tileas.consumer_wait %ring : !ring
    // expected-error@+1 {{'tileas.read' op breaks the rule 'pipeline-stage': reads a stage behind its release}}
    %x = tileas.read %b : <128xf32, #shared> -> tensor<128xf32, #x>
    tileas.consumer_release %ring : !ring
  }, {
    // expected-error@+1 {{'tileas.tma_load' op breaks the rule 'pipeline-stage': fills a stage that is not acquired}}
    tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 : !ring
    tileas.tma_load %map[%c0] into %ring[1] split 0 by 1 : !ring
    tileas.producer_commit %ring : !ring
    tileas.producer_acquire %ring : !ring
    tileas.tma_load %map[%c0] into %ring[1] split 0 by 1 : !ring
    // expected-error@+1 {{'tileas.tma_load' op breaks the rule 'pipeline-stage': fills buffer 1 of a stage for the second time}}
    tileas.tma_load %map[%c0] into %ring[1] split 0 by 1 : !ring
    // expected-error@+1 {{'tileas.producer_commit' op breaks the rule 'pipeline-stage': commits a stage of which not all buffers are filled: its mbarrier waits for the rest}}
    tileas.producer_commit %ring : !ring
  }
  return
}

// -----

// Products that run on are waited for before their stage is released, however many were started since.
#left = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
!tile = !tileas.buffer<64x64xf16, #left>
!ring = !tileas.pipeline<2 x [<64x64xf16, #left>]>
!sums = tensor<64x64xf32, #sums>
func.func @running(%base: i64, %n: index, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [64, 64], strides = [64, 1], box = [64, 64], element = f32, swizzle = 128>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 33824>} {
  %c0 = arith.constant 0 : index
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<64x64xf16, #left>]>
  %other = tileas.create_pipeline of 1 at 17408 : <2 x [<64x64xf16, #left>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    tileas.consumer_wait %ring : !ring
    tileas.consumer_wait %other : !ring
    %a = tileas.consumer_read %ring[0] : !ring -> <64x64xf16, #left>
    %b = tileas.consumer_read %other[0] : !ring -> <64x64xf16, #left>
    %0 = tileas.mma <wgmma m64n64k16> %a, %a, %zero {running} : !tile, !tile, !sums
    %1 = tileas.mma <wgmma m64n64k16> %b, %b, %zero {running} : !tile, !tile, !sums
    %2 = tileas.mma_wait %0 but 1 : !sums
    tileas.consumer_release %ring : !ring
    // expected-error@+1 {{'tileas.consumer_release' op breaks the rule 'pipeline-stage': releases a stage that an asynchronous product still reads}}
    tileas.consumer_release %other : !ring
    %3 = tileas.mma_wait %1 : !sums
  }, {
    tileas.producer_acquire %ring : !ring
    tileas.tma_load %map[%c0, %c0] into %ring[0] split 1 by 1 : !ring
    tileas.producer_commit %ring : !ring
    tileas.producer_acquire %other : !ring
    tileas.tma_load %map[%c0, %c0] into %other[0] split 1 by 1 : !ring
    tileas.producer_commit %other : !ring
  }
  return
}

// -----

// A consumer whose first iteration stands before the loop goes through as many stages as the producer.
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @rounds(%base: i64, %n: index, %step: index, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 8256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %some = arith.cmpi sgt, %n, %c0 : index
  %legal = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'pipeline-rounds': has stages that its producer fills another number of times than its consumers release them}}
  %loops = tileas.create_pipeline of 1 at 3072 : <1 x [<128xf32, #shared>]>
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'pipeline-rounds'}}
  %once = tileas.create_pipeline of 1 at 5120 : <1 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    scf.if %some {
      tileas.consumer_wait %legal : !ring
      tileas.consumer_release %legal : !ring
      scf.for %i = %c1 to %n step %c1 {
        tileas.consumer_wait %legal : !ring
        tileas.consumer_release %legal : !ring
      }
    }
    scf.for %i = %step to %n step %step {
      tileas.consumer_wait %loops : !tileas.pipeline<1 x [<128xf32, #shared>]>
      tileas.consumer_release %loops : !tileas.pipeline<1 x [<128xf32, #shared>]>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      tileas.consumer_wait %once : !tileas.pipeline<1 x [<128xf32, #shared>]>
      tileas.consumer_release %once : !tileas.pipeline<1 x [<128xf32, #shared>]>
    }
  }, {
    scf.for %i = %c0 to %n step %c1 {
      tileas.producer_acquire %legal : !ring
      tileas.tma_load %map[%i] into %legal[0] split 0 by 1 : !ring
      tileas.producer_commit %legal : !ring
    }
    scf.for %i = %c0 to %n step %step {
      tileas.producer_acquire %loops : !tileas.pipeline<1 x [<128xf32, #shared>]>
      tileas.tma_load %map[%i] into %loops[0] split 0 by 1 : !tileas.pipeline<1 x [<128xf32, #shared>]>
      tileas.producer_commit %loops : !tileas.pipeline<1 x [<128xf32, #shared>]>
    }
    scf.for %i = %c0 to %c5 step %c1 {
      tileas.producer_acquire %once : !tileas.pipeline<1 x [<128xf32, #shared>]>
      tileas.tma_load %map[%i] into %once[0] split 0 by 1 : !tileas.pipeline<1 x [<128xf32, #shared>]>
      tileas.producer_commit %once : !tileas.pipeline<1 x [<128xf32, #shared>]>
    }
  }
  return
}

// -----

// Nobody but the producer writes to its stage, and one buffer once.
#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @written() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 6192>} {
  %zero = arith.constant dense<0.0> : tensor<128xf32, #rows>
  %ring = tileas.create_pipeline of 1 at 0 : !ring
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'tileas.producer_write' op breaks the rule 'pipeline-side': stands outside of a producer}}
    tileas.producer_write %zero into %ring[0] : tensor<128xf32, #rows>, !ring
  }, {
  }
  return
}
