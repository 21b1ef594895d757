// NVIDIA's modules, where they are: read, verified and written, each within three seconds.
// RUN: %python %S/corpus.py tilewright-tests | FileCheck %s
// CHECK: {{skipped: no corpus|[0-9]+ modules, [0-9]+ bytes: read in}}
