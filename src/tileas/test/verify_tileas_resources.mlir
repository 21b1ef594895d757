// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: places and totals of shared memory, threads, registers and barriers.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --verify-tileas --split-input-file --verify-diagnostics
// RUN: not tilewright-opt %s --tileas-attach-target=arch=sm_80 --verify-tileas --split-input-file 2>&1 | FileCheck %s
// CHECK: error: 'tileas.agents' op breaks the rule 'registers': redistributes registers, which sm_80 cannot

#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
#memory = #tileas.layout<"{row: (1,0) (2,0) (4,0) (8,0) (0,0) (16,0) (32,0), column: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32)} -> 64x64">
func.func @no_places() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 512>} {
  // expected-error@+1 {{'tileas.alloc' op breaks the rule 'memory-place': has no offset, expected one from tileas-allocate-shared}}
  %0 = tileas.alloc : <128xf32, #shared>
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'memory-place': has no offset}}
  %1 = tileas.create_pipeline of 0 : <2 x [<128xf32, #shared>]>
  // expected-error@+1 {{'tileaa.alloca' op breaks the rule 'memory-place': has no offset}}
  %2 = tileaa.alloca 64 aligned 16
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @wrong_places() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 1024>} {
  // expected-error@+1 {{'tileas.alloc' op breaks the rule 'memory-place': lies at 64, expected a multiple of 128 bytes}}
  %0 = tileas.alloc at 64 : <128xf32, #shared>
  // expected-error@+1 {{'tileas.alloc' op breaks the rule 'memory-place': takes the bytes from 640 to 1152 of shared memory, and the function has 1024}}
  %1 = tileas.alloc at 640 : <128xf32, #shared>
  return
}

// -----

// One after another they may have the same place, at one time not.
#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @overlap() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 1024>} {
  %x = tileaa.iota : tensor<128xi32, #x>
  // expected-note@+1 {{by this buffer}}
  %0 = tileas.alloc at 0 : <128xi32, #shared>
  // expected-error@+1 {{'tileas.alloc' op breaks the rule 'memory-overlap': lies at 256 while the bytes up to 512 are in use}}
  %1 = tileas.alloc at 256 : <128xi32, #shared>
  %2 = tileas.alloc at 512 : <128xi32, #shared>
  %3 = tileas.alloc at 512 : <128xi32, #shared>
  tileas.write %x, %0 : tensor<128xi32, #x>, <128xi32, #shared>
  tileas.barrier
  tileas.write %x, %1 : tensor<128xi32, #x>, <128xi32, #shared>
  tileas.barrier
  tileas.write %x, %2 : tensor<128xi32, #x>, <128xi32, #shared>
  tileas.barrier
  %r = tileas.read %0 : <128xi32, #shared> -> tensor<128xi32, #x>
  %s = tileas.read %2 : <128xi32, #shared> -> tensor<128xi32, #x>
  tileas.barrier
  tileas.write %x, %3 : tensor<128xi32, #x>, <128xi32, #shared>
  return
}

// -----

// expected-error@+1 {{'func.func' op breaks the rule 'memory-limit': takes 262144 bytes of shared memory, and sm_90a has 232448}}
func.func @limit() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 262144>} {
  return
}

// -----

// expected-error@+1 {{'func.func' op breaks the rule 'threads': has 2048 threads, expected at most 1024}}
func.func @many_warps() attributes {tileas.cta = #tileas.cta<warps = 64>} {
  return
}

// -----

// expected-error@+1 {{'func.func' op breaks the rule 'threads': is launched with 384 threads, and its agents have 256}}
func.func @agents() attributes {tileas.cta = #tileas.cta<warps = 8, threads = 384>} {
  // expected-error@+1 {{'tileas.agents' op breaks the rule 'threads': has 4 warps of consumers, and the function's tiles 8}}
  tileas.agents warps = [4, 4], registers = [0, 0] {
  }, {
  }
  return
}

// -----

func.func @registers() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 160>} {
  // expected-error@+1 {{'tileas.agents' op breaks the rule 'registers': redistributes registers of 1 warps, expected whole warpgroups of 4}}
  tileas.agents warps = [4, 1], registers = [240, 24] {
  }, {
  }
  return
}

// -----

// 504 registers for three threads of three warpgroups, and not the 512 that the multiprocessor has.
func.func @register_file() attributes {tileas.cta = #tileas.cta<warps = 8, threads = 384>} {
  tileas.agents warps = [8, 4], registers = [216, 72] {
  }, {
  }
  return
}
// Of half of the multiprocessor 256 for two threads of two warpgroups.
func.func @half_a_register_file() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256, resident = 2>} {
  tileas.agents warps = [4, 4], registers = [232, 24] {
  }, {
  }
  return
}
func.func @more_than_half() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 256, resident = 2>} {
  // expected-error@+1 {{'tileas.agents' op breaks the rule 'register-file': requests 33792 registers, 240 for each thread of 4 warps and 24 for each of 4, and the CTA is launched with 32768, 128 a thread where its SM has 2}}
  tileas.agents warps = [4, 4], registers = [240, 24] {
  }, {
  }
  return
}
func.func @more_registers() attributes {tileas.cta = #tileas.cta<warps = 8, threads = 384>} {
  // expected-error@+1 {{'tileas.agents' op breaks the rule 'register-file': requests 65536 registers, 224 for each thread of 8 warps and 64 for each of 4, and the CTA is launched with 64512, 168 a thread}}
  tileas.agents warps = [8, 4], registers = [224, 64] {
  }, {
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op breaks the rule 'threads': has 2176 threads, expected at most 1024}}
func.func @barriers() attributes {tileas.cta = #tileas.cta<warps = 64, threads = 2176>} {
  // expected-error@+1 {{'tileas.agents' op breaks the rule 'named-barriers': has 16 warpgroups of consumers, expected at most 8: each needs one of the sixteen barriers of a CTA}}
  tileas.agents warps = [64, 4], registers = [0, 0] {
  }, {
  }
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @arrivals() attributes {tileas.cta = #tileas.cta<warps = 8, threads = 384, shared_bytes = 2080>} {
  // expected-error@+1 {{'tileas.create_pipeline' op breaks the rule 'mbarrier-arrivals': waits for 1 consumers to release a stage, and 2 do}}
  %0 = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [8, 4], registers = [0, 0] {
  }, {
  }
  return
}
