// A module without entries has every level, and nothing in it.
// RUN: tilewright compile %s --emit=tileaa | FileCheck %s --implicit-check-not=cuda_tile
// CHECK: module
// RUN: tilewright compile %s --emit=obj | llvm-nm - 2>&1 | FileCheck %s --check-prefix=SYMBOLS --allow-empty --implicit-check-not=" T "
// SYMBOLS-NOT: error

cuda_tile.module @kernels {
}
