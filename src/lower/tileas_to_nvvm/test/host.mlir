// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints and asserts become records in the buffer that the launcher may have set.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --tileas-attach-target="arch=sm_80 abi=portable" --tileas-to-nvvm --canonicalize --cse | FileCheck %s --check-prefix=ANY

// Under any launcher the driver's vprintf says the same: its calls are functions of their own, over memory that is as
// large as the largest site, 32 + 128 + 16 bytes rounded up, and for one block at a time.
// CHECK-NOT: vprintf
// ANY-DAG: llvm.mlir.global internal @tilewright_print_lock(0 : i32) {addr_space = 1 : i32, alignment = 16 : i64} : i32
// ANY-DAG: llvm.mlir.global internal @tilewright_print_staging() {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<192 x i8>
// ANY-DAG: llvm.mlir.global internal constant @tilewright_print_text_0(", %u, %u, %u
// ANY-DAG: llvm.mlir.global internal constant @tilewright_print_text_1("[%u, %u, %u
// ANY-DAG: llvm.mlir.global internal constant @{{.*}}("] %f\0A\00")
// ANY-DAG: llvm.mlir.global internal constant @{{.*}}("k.py:7: tile block: [%d, %d, %d], position: [%d]: no\0A\00")

#x = #tileas.layout<"{register: 1 32, lane: 2 4 8 16 0, warp: 0 0} -> 64">

// What the host has to know stands at the module.
// CHECK-DAG: tileas.host_sites = [#tileas.host_site<print "%d %f\0A" : tensor<64xui16>, f32>
// CHECK-DAG: #tileas.host_site<assert "no" at "k.py" 7 : tensor<64xi1>>
// CHECK-DAG: llvm.mlir.global external @__tilewright_host_buffer(0 : i64) {addr_space = 1 : i32, alignment = 8 : i64} : i64
// CHECK-NOT: llvm.mlir.global {{.*}}addr_space = 3 : i32, alignment = 8

module {
  // One thread reserves 32 + 128 + 16 bytes, rounded up, and tells the others in the shared memory behind the buffers; a
  // lane that holds copies writes nothing.
  // CHECK-LABEL: func.func @print
  // CHECK-SAME: tileas.cta = #tileas.cta<warps = 4, shared_bytes = 112, host_place = 104>
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 192 : i64
  // CHECK: %[[BUFFER:.*]] = llvm.load {{.*}} : !llvm.ptr<1> -> i64
  // CHECK: scf.if
  // CHECK: nvvm.barrier
  // CHECK: scf.if
  // CHECK: llvm.atomicrmw add {{.*}}, %[[SIZE]] monotonic : !llvm.ptr<1>, i64
  // CHECK: nvvm.barrier
  // CHECK: arith.cmpi ule
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK-COUNT-4: llvm.store {{.*}} : i16, !llvm.ptr<1>
  // CHECK: scf.if
  // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
  // CHECK: nvvm.memory.barrier <sys>
  // CHECK-NEXT: nvvm.barrier
  // CHECK: nvvm.memory.barrier <sys>
  // CHECK: llvm.store volatile
  // CHECK-NOT: llvm.nvvm.exit
  // ANY-LABEL: func.func @print
  // ANY: %[[THERE:.*]] = arith.cmpi ne
  // ANY: scf.if %[[THERE]]
  // ANY: } else {
  // ANY: scf.while
  // ANY: llvm.atomicrmw xchg {{.*}} monotonic : !llvm.ptr<1>, i32
  // ANY: nvvm.memory.barrier <gpu>
  // ANY: nvvm.barrier
  // ANY-COUNT-4: llvm.store {{.*}} : i16, !llvm.ptr<1>
  // ANY: llvm.store {{.*}} : f32, !llvm.ptr<1>
  // ANY: nvvm.barrier
  // ANY: llvm.call @tilewright_print_0() : () -> ()
  // ANY-NEXT: nvvm.memory.barrier <gpu>
  // ANY-NEXT: llvm.atomicrmw xchg
  func.func @print(%n: i16, %f: f32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 100>} {
    %t = tileaa.make_token
    %iota = tileaa.iota : tensor<64xi16, #x>
    %u = tileaa.print "%d %f\0A" (%iota, %f : tensor<64xi16, #x>, f32) after %t {unsignedArgs = array<i1: true, false>}
    return
  }

  // All threads of the block agree on whether it failed; it then leaves the kernel, or traps where nobody listens.
  // CHECK-LABEL: func.func @assert
  // CHECK: nvvm.barrier #nvvm.reduction<or> {{.*}} -> i32
  // CHECK: scf.if
  // CHECK: llvm.atomicrmw add
  // CHECK: llvm.call_intrinsic "llvm.nvvm.exit"
  // CHECK: llvm.intr.trap
  // ANY-LABEL: func.func @assert
  // ANY: llvm.call_intrinsic "llvm.nvvm.exit"
  // ANY: llvm.call @tilewright_print_1() : () -> ()
  // ANY: nvvm.memory.barrier <sys>
  // ANY-NEXT: nvvm.barrier
  // ANY: llvm.intr.trap
  func.func @assert(%c: i16) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %iota = tileaa.iota : tensor<64xi16, #x>
    %twice = arith.addi %iota, %iota : tensor<64xi16, #x>
    %holds = arith.cmpi ule, %iota, %twice : tensor<64xi16, #x>
    tileaa.assert %holds, "no" : tensor<64xi1, #x> loc("k.py":7:3)
    return
  }

  // 32 elements a call, whose conversions are unsigned ones; then the scalar, as a double.
  // ANY-LABEL: llvm.func internal @tilewright_print_0() attributes {no_inline}
  // ANY: %[[PACKED:.*]] = llvm.alloca %{{.*}} x !llvm.array<128 x i8> {alignment = 8 : i64}
  // ANY: scf.for
  // ANY-COUNT-32: llvm.load volatile {{.*}} : !llvm.ptr<1> -> i16
  // ANY: arith.select
  // ANY: llvm.call @vprintf(%{{.*}}, %[[PACKED]]) : (!llvm.ptr, !llvm.ptr) -> i32
  // ANY: arith.extf {{.*}} : f32 to f64
  // ANY: llvm.call @vprintf

  // What failed is looked for.
  // ANY-LABEL: llvm.func internal @tilewright_print_1() attributes {no_inline}
  // ANY: scf.while
  // ANY: nvvm.read.ptx.sreg.ctaid.x
  // ANY: llvm.call @vprintf
}
