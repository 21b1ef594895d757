// LLVM does not know sm_107; its family's PTX is what it gets, and that is said.
// RUN: tilewright compile %s --target=nvidia:sm_107 --emit=ptx 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err

// CHECK: .target sm_100f
// REMARK: remark: this compiler's LLVM does not know sm_107a, its PTX is that of the family, sm_100f
llvm.func @kernel() attributes {nvvm.kernel} {
  llvm.return
}
