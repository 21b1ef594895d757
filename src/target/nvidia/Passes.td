// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TARGET_NVIDIA_PASSES
#define TILEWRIGHT_TARGET_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def NvidiaStaticSharedMemory : Pass<"nvidia-static-shared-memory", "::mlir::ModuleOp"> {
  let summary = "allocate shared memory statically, for any launcher";
  let description = [{
    A launcher that knows nothing of a kernel gives it no dynamic shared memory. So the module's array of shared memory
    gets the bytes that the largest kernel needs, and `shared_bytes` in `tileas.cta` of kernels goes.

    ```
    llvm.mlir.global external @tilewright_shared_memory() : array<0 x i8>     --> internal ... : array<512 x i8>
    llvm.func @k() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 512>}
                                                                              --> ... {tileas.cta = #tileas.cta<warps = 4>}
    ```
    Precondition: kernels are of the llvm dialect (nvidia-kernel-entry).
  }];
}

#endif
