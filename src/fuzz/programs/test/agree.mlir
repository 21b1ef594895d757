// Programs of the first seeds: the interpreter and compiled code, without and with LLVM's optimizer, agree.
// RUN: tilewright-programs --count=100 --jobs=2 --ways=checked,cpu/O0,cpu/O3 --found=%t.found | FileCheck %s
// CHECK: programs agree
// CHECK-SAME: 0 failed

// A seed whose program once was not ordered: a loop's limit was read after the tokens that the loop takes.
// RUN: tilewright-programs --first=10998 --count=1 --found=%t.found | FileCheck %s
