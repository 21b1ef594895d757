// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches on GPUs: the stream, arrays that have to be copied between host and GPU, and errors as Python exceptions.
#ifndef TILEWRIGHT_PYTHON_NATIVE_GPULAUNCH_H
#define TILEWRIGHT_PYTHON_NATIVE_GPULAUNCH_H

#include "arguments/Arguments.h"
#include "runtime/cuda/Staging.h"
#include "session/LoadEntry.h"

namespace tilewright::python {

// The driver's handle of a stream: of PyTorch, CuPy, cuda-core, objects with __cuda_stream__, or the handle as a number
// (JAX). None is the stream that the framework of the arrays works on, or else the default one.
cuda::StreamHandle readStream(const std::string &kernel, nanobind::handle stream, const ArgumentList &list);

// True for a stream of a GPU, not a bare number.
bool isStreamObject(nanobind::handle stream);

// Raises the exception for the kind of a cuda::DriverError; for another error TileCompilerExecutionError.
[[noreturn]] void raiseDriverError(llvm::Error error);

template <typename T> T valueOrRaise(llvm::Expected<T> value) {
  if (!value)
    raiseDriverError(value.takeError());
  return std::move(*value);
}
cuda::Device &deviceOrRaise(int ordinal);

// Copies of a launch's arrays on the device that runs its code; written ones are copied back.
class StagedArguments {
public:
  StagedArguments(ArgumentList &list, cuda::Device &device, cuda::Staging::To to,
                  llvm::function_ref<bool(size_t)> isWritten);
  void finish();

private:
  cuda::Device &device;
  cuda::Staging staging;
};

// Without the GIL.
LaunchResult launchOnGpu(const session::GpuCode &code, llvm::ArrayRef<void *> parameters, Grid grid,
                         const cuda::LaunchOptions &options);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_GPULAUNCH_H
