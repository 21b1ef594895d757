// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

module {
  // CHECK-DAG: llvm.mlir.global external @counter("\00\00\00\00") {addr_space = 1 : i32, alignment = 4 : i64}
  // CHECK-DAG: llvm.mlir.global internal @hidden("abcd") {addr_space = 1 : i32, alignment = 16 : i64}
  tileaa.global @counter = "\00\00\00\00" aligned 4
  tileaa.global "private" @hidden = "abcd" aligned 16

  // CHECK-LABEL: func.func @globals
  // CHECK: %[[POINTER:.*]] = llvm.mlir.addressof @counter : !llvm.ptr<1>
  // CHECK: llvm.ptrtoint %[[POINTER]] : !llvm.ptr<1> to i64
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  func.func @globals(%x: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %p = tileaa.get_global @counter
    %t = tileaa.store_ptr %p, %x : i64, i32,
    %t1 = tileaa.fence after %t
    return
  }

  // Memory of the block is shared, and an address may be of it or not: pointers without a space, and so are the zeros that
  // stand for what a mask leaves out.
  // CHECK-LABEL: func.func @alloca
  // CHECK: %[[SHARED:.*]] = llvm.getelementptr inbounds {{.*}}!llvm.ptr<3>, i8
  // CHECK: %[[GENERIC:.*]] = llvm.addrspacecast %[[SHARED]] : !llvm.ptr<3> to !llvm.ptr
  // CHECK: llvm.ptrtoint %[[GENERIC]] : !llvm.ptr to i64
  // CHECK: llvm.addrspacecast %{{.*}} : !llvm.ptr<1> to !llvm.ptr
  // CHECK: llvm.inline_asm "mov.b64 $0, $1;", "=l,l" {{.*}} : (!llvm.ptr) -> !llvm.ptr
  // CHECK: llvm.load {{.*}} : !llvm.ptr -> i32
  // CHECK: llvm.inline_asm {{.*}} "@$0 st.b32 [$1], $2;", "b,l,r,~{memory}"
  func.func @alloca(%q: i64, %m: i1) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %p = tileaa.alloca 64 aligned 16 at 256
    %x, %t = tileaa.load_ptr %q mask %m : i64, i1 -> i32
    %t1 = tileaa.store_ptr %p, %x after %t : i64, i32,
    return
  }
}
