// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: pipelines whose stages the CTAs of a cluster fill for each other, and sums that they pass. The first
// functions are legal.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-carry-pipeline-state --verify-tileas --split-input-file --verify-diagnostics

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @legal(%base: i64, %n: index, %same: i1, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [64], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2080, blocks_per_sm = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tileas.create_pipeline of 1 cluster 2 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    scf.for %i = %c0 to %n step %c1 {
      tileas.consumer_wait %ring : !ring
      tileas.consumer_release %ring : !ring
    }
  }, {
    scf.for %i = %c0 to %n step %c1 {
      tileas.producer_acquire %ring : !ring
      tileas.tma_load %map[%c0] into %ring[0] split 0 by 2 shared %same : !ring
      tileas.producer_commit %ring : !ring
    }
  }
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @not_for_all(%base: i64, %same: i1, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [64], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2080, blocks_per_sm = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    tileas.consumer_wait %ring : !ring
    tileas.consumer_release %ring : !ring
  }, {
    tileas.producer_acquire %ring : !ring
    // expected-error@+1 {{'tileas.tma_load' op breaks the rule 'cluster': copies to all 2 CTAs of the cluster, expected a pipeline with `cluster` 2 between them}}
    tileas.tma_load %map[%c0] into %ring[0] split 0 by 2 shared %same : !ring
    tileas.producer_commit %ring : !ring
  }
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @of_others(%base: i64, %same: i1, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 6176, blocks_per_sm = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'mbarrier-arrivals': waits for the consumers of 4 CTAs to release a stage, and the cluster has 2}}
  %four = tileas.create_pipeline of 1 cluster 4 at 0 : <2 x [<128xf32, #shared>]>
  %ring = tileas.create_pipeline of 1 cluster 2 at 4096 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    tileas.consumer_wait %ring : !ring
    tileas.consumer_release %ring : !ring
  }, {
    tileas.producer_acquire %ring : !ring
    // expected-error@+1 {{'tileas.tma_load' op breaks the rule 'cluster': shares 1 boxes among 2 CTAs, expected as many for each}}
    tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 shared %same : !ring
    tileas.producer_commit %ring : !ring
  }
  return
}

// -----

// One CTA would fill stages more often than the other, whose consumers then wait for their part.
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @rounds(%base: i64, %n: i32, %same: i1, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [64], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2080, blocks_per_sm = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %number, %count, %rank = tileas.cluster
  %ring = tileas.create_pipeline of 1 cluster 2 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    scf.for %i = %rank to %n step %c1 : i32 {
      // expected-error@+1 {{'tileas.consumer_wait' op breaks the rule 'cluster-rounds': stands in a loop or a branch that differs in CTAs of a cluster}}
      tileas.consumer_wait %ring : !ring
      // expected-error@+1 {{'tileas.consumer_release' op breaks the rule 'cluster-rounds'}}
      tileas.consumer_release %ring : !ring
    }
  }, {
    scf.for %i = %rank to %n step %c1 : i32 {
      // expected-error@+1 {{'tileas.producer_acquire' op breaks the rule 'cluster-rounds'}}
      tileas.producer_acquire %ring : !ring
      // expected-error@+1 {{'tileas.tma_load' op breaks the rule 'cluster-rounds'}}
      tileas.tma_load %map[%c0] into %ring[0] split 0 by 2 shared %same : !ring
      // expected-error@+1 {{'tileas.producer_commit' op breaks the rule 'cluster-rounds'}}
      tileas.producer_commit %ring : !ring
    }
  }
  return
}

// -----

func.func @alone() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // expected-error@+1 {{'tileas.cluster' op breaks the rule 'cluster': is of a function without `cluster` in tileas.cta}}
  %number, %count, %rank = tileas.cluster
  return
}

// -----

#acc = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @legal_sum(%n: i32) attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 544, blocks_per_sm = 1, cluster = 2, split = 2>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = arith.constant dense<0> : tensor<128xi32, #acc>
  %exchange = tileas.create_exchange at 0 : <<128xi32, #shared>>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    scf.for %i = %zero to %n step %one : i32 {
      %sum = tileas.cluster_sum %tile through %exchange round %i : tensor<128xi32, #acc>, <<128xi32, #shared>>
    }
  }, {
  }
  return
}

// -----

#acc = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @sum_of_one_rank(%n: i32) attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 544, blocks_per_sm = 1, cluster = 2, split = 2>} {
  %zero = arith.constant 0 : i32
  %tile = arith.constant dense<0> : tensor<128xi32, #acc>
  %number, %count, %rank = tileas.cluster
  %is_first = arith.cmpi eq, %rank, %zero : i32
  %exchange = tileas.create_exchange at 0 : <<128xi32, #shared>>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    scf.if %is_first {
      // expected-error@+1 {{'tileas.cluster_sum' op breaks the rule 'cluster-rounds': stands in a loop or a branch that differs in CTAs of a cluster, and each waits for the other}}
      %sum = tileas.cluster_sum %tile through %exchange round %zero : tensor<128xi32, #acc>, <<128xi32, #shared>>
    }
  }, {
  }
  return
}

// -----

#acc = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @sum_without_cluster() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 544>} {
  %zero = arith.constant 0 : i32
  %tile = arith.constant dense<0> : tensor<128xi32, #acc>
  %exchange = tileas.create_exchange at 0 : <<128xi32, #shared>>
  // expected-error@+2 {{'tileas.cluster_sum' op breaks the rule 'cluster': adds tiles of CTAs 1 apart, and the cluster has 1}}
  // expected-error@+1 {{'tileas.cluster_sum' op breaks the rule 'cluster': stands outside of consumers, whose CTAs begin and end together}}
  %sum = tileas.cluster_sum %tile through %exchange round %zero : tensor<128xi32, #acc>, <<128xi32, #shared>>
  return
}

// -----

// Another CTA may write there at any time.
#acc = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @shared_exchange() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 544, blocks_per_sm = 1, cluster = 2, split = 2>} {
  %zero = arith.constant 0 : i32
  %tile = arith.constant dense<0> : tensor<128xi32, #acc>
  // expected-note@+1 {{by this buffer}}
  %exchange = tileas.create_exchange at 0 : <<128xi32, #shared>>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    %sum = tileas.cluster_sum %tile through %exchange round %zero : tensor<128xi32, #acc>, <<128xi32, #shared>>
    // expected-error@+1 {{'tileas.alloc' op breaks the rule 'memory-overlap': lies at 0 while the bytes up to 544 are in use}}
    %own = tileas.alloc at 0 : <128xi32, #shared>
    tileas.write %sum, %own : tensor<128xi32, #acc>, <128xi32, #shared>
  }, {
  }
  return
}
