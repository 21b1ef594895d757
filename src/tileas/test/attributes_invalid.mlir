// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of tileas at functions, loops and modules: which there are, what they say, and where they stand.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'tileas.warps' is no attribute of tileas, expected one of tileas.target, tileas.host_sites, tileas.cta, tileas.tma_descs, tileas.record_tracks, tileas.record_sites, tileas.plan, tileas.number, tileas.schedule, tileas.serial, tileas.cost}}
func.func @unknown() attributes {tileas.warps = 4 : i32} {
  return
}

// -----

func.func @misplaced(%x: i32) {
  // expected-error@+1 {{'tileas.cta' is at 'arith.addi', expected a function}}
  %0 = arith.addi %x, %x {tileas.cta = #tileas.cta<warps = 4>} : i32
  return
}

// -----

// expected-error@+1 {{parameter 0 has 'tileas.cta', expected no attribute of tileas there}}
func.func @of_a_parameter(%x: i32 {tileas.cta = #tileas.cta<warps = 4>}) {
  return
}

// -----

// expected-error@+1 {{'tileas.cta' is 4 : i64, expected #tileas.cta}}
func.func @number() attributes {tileas.cta = 4} {
  return
}

// -----

// expected-error@+1 {{a CTA of 3 warps, expected a power of two}}
func.func @three_warps() attributes {tileas.cta = #tileas.cta<warps = 3>} {
  return
}

// -----

// expected-error@+1 {{a CTA of 128 threads, expected a multiple of 32 above those of its 4 warps, 128}}
func.func @no_agents() attributes {tileas.cta = #tileas.cta<warps = 4, threads = 128>} {
  return
}

// -----

// expected-error@+1 {{a CTA with -1 bytes of shared memory}}
func.func @negative() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = -1>} {
  return
}

// -----

// expected-error@+1 {{a persistent CTA with 0 on each multiprocessor, expected one at least}}
func.func @none_on_each() attributes {tileas.cta = #tileas.cta<warps = 4, blocks_per_sm = 0>} {
  return
}

// -----

// expected-error@+1 {{a CTA with blocks_per_sm and first_blocks, expected one of them: either the launcher knows that it is persistent, or it launches the whole grid}}
func.func @persistent_twice() attributes {tileas.cta = #tileas.cta<warps = 4, blocks_per_sm = 1, first_blocks = true>} {
  return
}

// -----

// expected-error@+1 {{a CTA with a host_place at 100, expected 8 bytes of its 104 of shared memory}}
func.func @outside() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 104, host_place = 100>} {
  return
}

// -----

// expected-error@+1 {{'tileas.tma_descs' is [3], expected an array of #tileas.tma_desc}}
func.func @maps_as_numbers(%m: !tileas.tma_desc) attributes {tileas.tma_descs = [3]} {
  return
}

// -----

// expected-error@+1 {{has 1 tensor maps and 0 parameters, expected a parameter for each}}
func.func @no_parameter() attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [8], strides = [1], box = [8], element = f32, swizzle = 16>]} {
  return
}

// -----

// expected-error@+1 {{has a tensor map of parameter 1, expected one of the 1 before the tensor maps}}
func.func @of_itself(%p: i64, %m: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [arg 1], strides = [1], box = [8], element = f32, swizzle = 16>]} {
  return
}

// -----

// expected-error@+1 {{a tensor map of the array at 64, expected a parameter as its base}}
func.func @constant_base(%p: i64, %m: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = 64, shape = [8], strides = [1], box = [8], element = f32, swizzle = 16>]} {
  return
}

// -----

// expected-error@+1 {{a tensor map with 2 extents, 1 strides and a box of 2, expected as many of each}}
func.func @stride_missing(%p: i64, %m: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [8, 8], strides = [1], box = [8, 8], element = f32, swizzle = 16>]} {
  return
}

// -----

// expected-error@+1 {{a tensor map with a swizzle of 48 bytes, expected 16, 32, 64 or 128}}
func.func @swizzle(%p: i64, %m: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [8], strides = [1], box = [8], element = f32, swizzle = 48>]} {
  return
}

// -----

// expected-error@+1 {{unknown NVIDIA architecture 'sm_1', expected one of}}
module attributes {tileas.target = #tileas.target<"sm_1">} {
}

// -----

// expected-error@+1 {{a target 'sm_90', expected the whole name of the architecture, sm_90a}}
module attributes {tileas.target = #tileas.target<"sm_90">} {
}

// -----

// expected-error@+1 {{'tileas.target' is at 'func.func', expected a module}}
func.func @target() attributes {tileas.target = #tileas.target<"sm_90a">} {
  return
}

// -----

// expected-error@+1 {{'tileas.schedule' is at 'func.func', expected a loop}}
func.func @schedule() attributes {tileas.schedule = #tileas.schedule<"work">} {
  return
}

// -----

func.func @schedule_as_text(%n: index, %c: index) {
  // expected-error@+1 {{'tileas.schedule' is "work", expected #tileas.schedule}}
  scf.for %i = %c to %n step %c {
    %a = arith.addi %n, %i : index
  } {tileas.schedule = "work"}
  return
}

// -----

func.func @other_product(%n: index, %c: index) {
  // expected-error@+1 {{has an impossible schedule: 'start product.0': the loop has no product.0; it has no products, reductions and loads}}
  scf.for %i = %c to %n step %c {
    %a = arith.addi %n, %i : index
  } {tileas.schedule = #tileas.schedule<"start product.0, wait product.0">}
  return
}

// -----

// expected-error@+1 {{'begin product.0' of a schedule: found 'begin', expected start, wait or do with a part, or work}}
func.func @verb() attributes {tileas.schedule = #tileas.schedule<"begin product.0">} { return }

// -----

// expected-error@+1 {{'start produkt.0' of a schedule: found 'produkt.0', did you mean 'product'?, expected a part as in product.0, reduction.0 or load.0}}
func.func @name() attributes {tileas.schedule = #tileas.schedule<"start produkt.0">} { return }

// -----

// expected-error@+1 {{'start product.x' of a schedule: found 'product.x', expected a part as in product.0, reduction.0 or load.0}}
func.func @number() attributes {tileas.schedule = #tileas.schedule<"start product.x">} { return }

// -----

// expected-error@+1 {{'work product.0' of a schedule: expected work without a part}}
func.func @work_of_a_part() attributes {tileas.schedule = #tileas.schedule<"work product.0">} { return }

// -----

// expected-error@+1 {{'work(i+1)' of a schedule: expected an iteration as in (i-1)}}
func.func @next() attributes {tileas.schedule = #tileas.schedule<"work(i+1)">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'work(i-9)': iteration i-9, expected i-7 at the earliest}}
func.func @late_stage() attributes {tileas.schedule = #tileas.schedule<"work(i-9)">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'work': work is of one iteration, found another before it}}
func.func @two_iterations() attributes {tileas.schedule = #tileas.schedule<"work(i-1), work">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'start product.0': it is named twice}}
func.func @twice() attributes {tileas.schedule = #tileas.schedule<"start product.0, start product.0, wait product.0">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'start product.0': expected 'wait product.0' behind it}}
func.func @no_wait() attributes {tileas.schedule = #tileas.schedule<"start product.0, work">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'wait product.0': expected 'start product.0' before it}}
func.func @wait_first() attributes {tileas.schedule = #tileas.schedule<"wait product.0, start product.0">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'start load.0': only products start and are waited for}}
func.func @start_of_a_load() attributes {tileas.schedule = #tileas.schedule<"start load.0, wait load.0">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'do store.0': a step does products, reductions and loads}}
func.func @store() attributes {tileas.schedule = #tileas.schedule<"do store.0">} { return }

// -----

// expected-error@+1 {{an impossible schedule: 'wait product.0(i-1)': its iteration is that of its start or of the work, expected none}}
func.func @wait_elsewhere() attributes {tileas.schedule = #tileas.schedule<"start product.0, wait product.0(i-1)">} { return }

// -----

// expected-error@+1 {{an impossible schedule: nothing in it is of iteration i, expected work or a start without (i-1)}}
func.func @no_first() attributes {tileas.schedule = #tileas.schedule<"start product.0(i-1), wait product.0, work(i-1)">} { return }

// -----

func.func @cost_outside(%n: index) {
  // expected-error@+1 {{'tileas.cost' is at 'arith.addi', expected an operation of a loop}}
  %a = arith.addi %n, %n {tileas.cost = #tileas.cost<unit = thread, issue = 1, cycles = 0, latency = 6>} : index
  return
}

// -----

// expected-error@+1 {{'tileas.host_sites' is [3], expected an array of #tileas.host_site}}
module attributes {tileas.host_sites = [3]} {
}

// -----

// expected-error @+1 {{found 'wgmm', expected fma, mma_sync, wgmma or tcgen05}}
func.func @word() attributes {tileas.plan = [#tileas.decision<product 0 atom = wgmm>]} { return }

// -----

// expected-error @+1 {{warps of a kernel is expected to be a power of two of at most 32}}
func.func @warps() attributes {tileas.plan = [#tileas.decision<kernel 0 warps = 12>]} { return }

// -----

// expected-error @+1 {{a load has no stages}}
func.func @part() attributes {tileas.plan = [#tileas.decision<load 0 stages = 2>]} { return }

// -----

// expected-error @+1 {{a decision without a value}}
func.func @nothing() attributes {tileas.plan = [#tileas.decision<kernel 0 warps>]} { return }

// -----

// expected-error @+1 {{way of a store is expected to be threads or tma}}
func.func @store() attributes {tileas.plan = [#tileas.decision<store 0 way = cp_async>]} { return }

// -----

// expected-error @+1 {{'tileas.number' is at 'func.return', expected a loop, product, reduction, load or store}}
func.func @number() { return {tileas.number = 1} }
