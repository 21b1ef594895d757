// Text that nests without end is refused at the bracket that is one too many, by each tool.
// RUN: %python -c 'print("cuda_tile.module @m { entry @k(%%c: tile<i1>) {"); print("if %%c {\n" * 10000)' > %t
// RUN: not tilewright-opt %t 2>&1 | FileCheck %s
// RUN: not tilewright-translate --mlir-to-tilebc %t 2>&1 | FileCheck %s
// RUN: not tilewright compile %t 2>&1 | FileCheck %s
// CHECK: :512:7: error: expected brackets to nest at most 512 deep, got more
// CHECK-NEXT: if %c {
// CHECK-NEXT: {{^      \^$}}
// CHECK-NOT: error
