// RUN: tilewright-opt %s --split-input-file --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90a},func.func(tileas-prepare-for-scheduling))' | FileCheck %s --check-prefix=MARKS
// RUN: tilewright-opt %s --split-input-file --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90a},func.func(tileas-prepare-for-scheduling,tileas-generate-schedule))' | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90a},func.func(tileas-prepare-for-scheduling,tileas-generate-schedule{kind=serial}))' | FileCheck %s --check-prefix=SERIAL
// RUN: tilewright-opt %s --split-input-file --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_80},func.func(tileas-prepare-for-scheduling,tileas-generate-schedule))' | FileCheck %s --check-prefix=SERIAL
// RUN: not tilewright-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tileas-generate-schedule{kind=fast}))' 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: tileas-generate-schedule: kind is 'fast', expected serial or cost-based

// Without a schedule everything is as it was.
// SERIAL-NOT: tileas.cost
// SERIAL-NOT: tileas.schedule
// SERIAL-NOT: running
// SERIAL-NOT: tileas.mma_wait

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
#row = #tileas.layout<"{register: (8,0), lane: (0,0) (0,0) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x1">
#line = #tileas.layout<"{register: 8, lane: 0 0 1 2 4, warp: 16 32 64} -> 128">
!tile = tensor<128x128xf32, #acc>
!half = tensor<128x128xbf16, #acc>
!keys = !tileas.pipeline<3 x[<128x128xbf16, #km>]>
!buffer = !tileas.buffer<128x128xbf16, #km>

// Two products, and work on the result of the first of which the second needs the result. Both are started at the begin
// of a turn, the second for the iteration before, and the work is done meanwhile; what needs the second, and what has its
// operand's registers, comes last.
// A product of 128x128x128 by two warpgroups takes each 512 cycles, 64 powers of a thread as many of another unit.
// MARKS-LABEL: func.func @attention(
// MARKS: tileas.mma {{.*}}running, tileas.cost = #tileas.cost<unit = tensor, issue = 32, cycles = 512, latency = 576>
// MARKS-NEXT: tileas.mma_wait
// MARKS: tileaa.reduce
// MARKS: tileas.cost = #tileas.cost<unit = thread, issue = 148, cycles = 0, latency = 190>
// MARKS: math.fma {{.*}}issue = 64, cycles = 0
// MARKS: tileaa.float exp2 {{.*}}unit = special, issue = 64, cycles = 512, latency = 536
// CHECK-LABEL: func.func @attention(
// CHECK: tileas.mma {{.*}} {running}
// CHECK-NEXT: tileas.mma_wait
// CHECK-NOT: tileas.cost
// CHECK: {tileas.schedule = #tileas.schedule<"start product.0, start product.1(i-1), wait product.0, work, wait product.1", cycles = 1{{[0-9]+}}, serial_cycles = 2{{[0-9]+}}>}
// SERIAL-LABEL: func.func @attention(
// SERIAL: {tileas.serial = "{{schedules are switched off|times of the architecture.s units are not known}}"}
func.func @attention(%n: i32, %scale: f32) attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %blank = arith.constant dense<0.0> : !tile
  %first = tileaa.broadcast %scale : f32 -> tensor<128x1xf32, #row>
  %scales = tileaa.broadcast %scale : f32 -> !tile
  %pk = tileas.create_pipeline of 2 : !keys
  %pv = tileas.create_pipeline of 2 : !keys
  %q = tileas.alloc : !buffer
  tileas.agents warps = [8, 4], registers = [240, 24] {
    %r = scf.for %i = %0 to %n step %1 iter_args(%acc = %blank) -> (!tile) : i32 {
      tileas.consumer_wait %pk : !keys
      %k = tileas.consumer_read %pk[0] : !keys -> !buffer
      %s = tileas.mma <wgmma m64n128k16> %q, %k, %blank : !buffer, !buffer, !tile
      tileas.consumer_release %pk : !keys
      %m = tileaa.reduce %s from %none along 1 {
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        tileaa.yield %c : f32
      } : (!tile, f32) -> tensor<128xf32, #line>
      %mr = tileaa.reshape %m : tensor<128xf32, #line> -> tensor<128x1xf32, #row>
      %mt = tileaa.broadcast %mr : tensor<128x1xf32, #row> -> !tile
      %x = math.fma %s, %scales, %mt : !tile
      %e = tileaa.float exp2 %x flush : !tile
      %p = arith.truncf %e : !tile to !half
      %scaled = arith.mulf %acc, %mt : !tile
      tileas.consumer_wait %pv : !keys
      %v = tileas.consumer_read %pv[0] : !keys -> !buffer
      %d = tileas.mma <wgmma m64n128k16> %p, %v, %scaled : !half, !buffer, !tile
      tileas.consumer_release %pv : !keys
      scf.yield %d : !tile
    }
  }, {
  }
  return
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!keys = !tileas.pipeline<3 x[<128x128xbf16, #km>]>
!buffer = !tileas.buffer<128x128xbf16, #km>

// Sums that only the next product wants leave nothing to do meanwhile. A loop that goes on where another one ends is short.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: running
// CHECK-NOT: tileas.schedule
// CHECK: {tileas.serial = "an iteration is estimated at {{[0-9]+}} cycles, a step that overlaps iterations at {{[0-9]+}}"}
// CHECK-NOT: running
// CHECK-NOT: tileas.schedule
// CHECK: {tileas.serial = "it is the rest of the loop before, and has few iterations"}
// SERIAL-LABEL: func.func @left_alone(
func.func @left_alone(%n: i32, %m: i32) attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %pk = tileas.create_pipeline of 2 : !keys
  %q = tileas.alloc : !buffer
  tileas.agents warps = [8, 4], registers = [240, 24] {
    %r = scf.for %i = %0 to %n step %1 iter_args(%acc = %blank) -> (!tile) : i32 {
      tileas.consumer_wait %pk : !keys
      %k = tileas.consumer_read %pk[0] : !keys -> !buffer
      %s = tileas.mma <wgmma m64n128k16> %q, %k, %acc : !buffer, !buffer, !tile
      tileas.consumer_release %pk : !keys
      scf.yield %s : !tile
    }
    %t = scf.for %i = %n to %m step %1 iter_args(%acc = %r) -> (!tile) : i32 {
      tileas.consumer_wait %pk : !keys
      %k = tileas.consumer_read %pk[0] : !keys -> !buffer
      %s = tileas.mma <wgmma m64n128k16> %q, %k, %blank : !buffer, !buffer, !tile
      tileas.consumer_release %pk : !keys
      %e = tileaa.float exp2 %s flush : !tile
      %a = arith.addf %acc, %e : !tile
      scf.yield %a : !tile
    }
  }, {
  }
  return
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!keys = !tileas.pipeline<3 x[<128x128xbf16, #km>]>
!buffer = !tileas.buffer<128x128xbf16, #km>

// What writes memory keeps its place.
// MARKS-LABEL: func.func @stores(
// MARKS-NOT: tileas.cost
// CHECK-LABEL: func.func @stores(
// CHECK-NOT: tileas.schedule
// SERIAL-LABEL: func.func @stores(
func.func @stores(%n: i32, %y: i64) attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %blank = arith.constant dense<0.0> : !tile
  %t = tileaa.make_token
  %view = tileaa.make_view %y, shape[], strides[] : <[128, 128], f32, strides = [128, 1]>
  %pk = tileas.create_pipeline of 2 : !keys
  %q = tileas.alloc : !buffer
  tileas.agents warps = [8, 4], registers = [240, 24] {
    scf.for %i = %0 to %n step %1 : i32 {
      tileas.consumer_wait %pk : !keys
      %k = tileas.consumer_read %pk[0] : !keys -> !buffer
      %s = tileas.mma <wgmma m64n128k16> %q, %k, %blank : !buffer, !buffer, !tile
      tileas.consumer_release %pk : !keys
      %e = tileaa.float exp2 %s flush : !tile
      %u = tileaa.store_view %e, %view[%c0, %c0] after %t dims [0, 1] : !tile, !tileaa.view<[128, 128], f32, strides = [128, 1]>
    }
  }, {
  }
  return
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!half = tensor<128x128xf16, #acc>
!keys = !tileas.pipeline<3 x[<128x128xf16, #km>]>
!buffer = !tileas.buffer<128x128xf16, #km>

// Products with sums of f16 are waited for where they are: there is nothing to schedule beside them.
// MARKS-LABEL: func.func @halves(
// MARKS-NOT: tileas.cost
// CHECK-LABEL: func.func @halves(
// CHECK-NOT: tileas.schedule
// CHECK: {tileas.serial = "threads add the sums of its products, and wait for them"}
// SERIAL-LABEL: func.func @halves(
func.func @halves(%n: i32) attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %none = arith.constant dense<0.0> : !half
  %pk = tileas.create_pipeline of 2 : !keys
  %q = tileas.alloc : !buffer
  tileas.agents warps = [8, 4], registers = [240, 24] {
    %r = scf.for %i = %0 to %n step %1 iter_args(%acc = %blank) -> (!tile) : i32 {
      %unused = arith.index_cast %i : i32 to index
      tileas.consumer_wait %pk : !keys
      %k = tileas.consumer_read %pk[0] : !keys -> !buffer
      %s = tileas.mma <wgmma m64n128k16> %q, %k, %none : !buffer, !buffer, !half
      tileas.consumer_release %pk : !keys
      %w = arith.extf %s : !half to !tile
      %a = arith.addf %acc, %w : !tile
      scf.yield %a : !tile
    }
  }, {
  }
  return
}
