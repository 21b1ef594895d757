// --lineinfo says where each instruction is from, and nothing else changes; -g is for a debugger.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx | FileCheck %s --check-prefix=NONE
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx --lineinfo | FileCheck %s --check-prefix=LINES
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -g | FileCheck %s --check-prefix=DEBUG

// NONE-NOT: .loc
// LINES: .target sm_90a{{$}}
// LINES: .loc [[FILE:[0-9]+]] 7 3
// LINES: .file [[FILE]] "{{.*}}kernel.py"
// LINES-NOT: .debug_info
// DEBUG: .target sm_90a, debug
// DEBUG: .section .debug_info
#line = loc("kernel.py":7:3)
#function = loc("kernel.py":5:1)
llvm.func @kernel(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  llvm.store %x, %out : f32, !llvm.ptr<1> loc(#line)
  llvm.return loc(#line)
} loc(#function)
