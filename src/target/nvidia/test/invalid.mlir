// What the NVIDIA target refuses, in one line each.
// RUN: split-file %s %t
// RUN: not tilewright compile %t/call.mlir --target=nvidia:sm_90 --emit=ptx 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not tilewright compile %t/exponential.mlir --target=nvidia:sm_90 --emit=ptx 2>&1 | FileCheck %s --check-prefix=EXP
// RUN: not tilewright compile %t/call.mlir --target=nvidia:sm_70 --emit=ptx 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright compile %t/call.mlir --target=nvidia: --emit=ptx 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tilewright compile %t/call.mlir --target=sm_90 --emit=obj 2>&1 | FileCheck %s --check-prefix=LEVEL

// RUN: not tilewright compile %t/name.mlir --target=sm_90 --emit=ptx 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: tilewright: error: the entry 'a b' cannot have that name on a GPU, expected letters, digits, '_' and '$', and no digit in front{{$}}
// CALL: tilewright: error: the module calls 'expf', which it does not define; no library of the device is linked, expected its body
// EXP: tilewright: error: function 'rough' has a call of llvm.exp2.f32, for which a GPU has no exact instruction, expected arithmetic in its place
// UNKNOWN: tilewright: error: unknown NVIDIA architecture 'nvidia:sm_70', expected one of sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121
// EMPTY: tilewright: error: unknown NVIDIA architecture 'nvidia:', expected one of sm_80
// LEVEL: tilewright: error: target nvidia:sm_90a has no level 'obj', expected one of cuda_tile, {{.*}}, llvm, ptx, cubin

//--- call.mlir
llvm.func @expf(f32) -> f32
llvm.func @kernel(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %y = llvm.call @expf(%x) : (f32) -> f32
  llvm.store %y, %out : f32, !llvm.ptr<1>
  llvm.return
}

//--- exponential.mlir
llvm.func @rough(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %y = llvm.intr.exp2(%x) : (f32) -> f32
  llvm.store %y, %out : f32, !llvm.ptr<1>
  llvm.return
}

//--- name.mlir
cuda_tile.module @kernels {
  entry @"a b"() {
    return
  }
}
