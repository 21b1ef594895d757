// Tensor cores of three generations, and asynchronous copies.
// RUN: split-file %s %t
// RUN: tilewright compile %t/warp.mlir --target=nvidia:sm_80 --emit=ptx | FileCheck %t/warp.mlir
// RUN: tilewright compile %t/warpgroup.mlir --target=nvidia:sm_90 --emit=ptx | FileCheck %t/warpgroup.mlir
// RUN: tilewright compile %t/copy.mlir --target=nvidia:sm_86 --emit=ptx | FileCheck %t/copy.mlir
// RUN: tilewright compile %t/tensor_memory.mlir --target=nvidia:sm_103 --emit=ptx | FileCheck %t/tensor_memory.mlir
// RUN: not tilewright compile %t/tensor_memory.mlir --target=nvidia:sm_90 --emit=ptx 2>&1 \
// RUN:   | FileCheck %t/tensor_memory.mlir --check-prefix=LACKS

//--- warp.mlir
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
llvm.func @warp(%a: vector<2xf16>, %c: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c, %c, %c]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
    : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %x = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}

//--- warpgroup.mlir
// CHECK: .target sm_90a
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
llvm.func @warpgroup(%a: i64, %b: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %zero = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.fence.aligned
  %d = nvvm.wgmma.mma_async %a, %b, %zero, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, <zero>],
    A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
    : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %x = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}

//--- copy.mlir
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 0
// CHECK: bar.sync 0
llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
llvm.func @copy(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 16>} {
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  nvvm.cp.async.shared.global %tile, %in, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  nvvm.barrier0
  %x = llvm.load %tile : !llvm.ptr<3> -> f32
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}

//--- tensor_memory.mlir
// CHECK: .target sm_103a
// CHECK: tcgen05.alloc
// LACKS: error: sm_90a has no instruction for llvm.nvvm.tcgen05.alloc{{.*}}, expected an architecture that has
llvm.mlir.global internal @address() {addr_space = 3 : i32, alignment = 16 : i64} : i32
llvm.func @tensor_memory() attributes {nvvm.kernel} {
  %columns = llvm.mlir.constant(64 : i32) : i32
  %address = llvm.mlir.addressof @address : !llvm.ptr<3>
  nvvm.tcgen05.alloc %address, %columns : !llvm.ptr<3>, i32
  llvm.return
}
