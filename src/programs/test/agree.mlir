// Programs of the first seeds: the interpreter and compiled code, without and with LLVM's optimizer, agree.
// RUN: tilewright-programs --count=100 --jobs=2 --ways=checked,cpu/O0,cpu/O3 --found=%t.found | FileCheck %s
// CHECK: programs agree
// CHECK-SAME: 0 failed
