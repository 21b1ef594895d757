// Reduced programs on which compiled code and the interpreter once disagreed, or that once did not compile.
// RUN: tilewright-programs --ways=checked,cpu/O0,cpu/O3,cpu:x86-64-v2/O3,nvidia:sm_80/O3/ptx,nvidia:sm_90/O3/ptx,tileas:sm_80,tileas:sm_90 %S/found/*.mlir
