// A file that ends too early: one diagnostic with the byte, and exit status 1. ReaderTest.cpp has all the others.
// RUN: tilewright-translate --mlir-to-tilebc %s -o %t
// RUN: %python -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1], "rb").read()[:20])' %t > %t.short
// RUN: not tilewright-translate --tilebc-to-mlir %t.short 2>&1 | FileCheck %s
// CHECK: error: byte 0xd: expected section Func to end inside of the file, got {{[0-9]+}} bytes of which 4 are there
// CHECK-NOT: error
cuda_tile.module @m {
  entry @k() {
    return
  }
}
