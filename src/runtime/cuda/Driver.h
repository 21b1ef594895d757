// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver, loaded when a GPU is first asked for: neither a toolkit nor a GPU is needed to build or import.
// TILEWRIGHT_CUDA_DRIVER names another library than libcuda.so.1.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVER_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVER_H

#include "runtime/cuda/DriverTypes.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright::cuda {

// Member, symbol, parameters. A suffix _v2 is that of the interface since CUDA 3 or 4.
#define TILEWRIGHT_CUDA_REQUIRED(FUNCTION)                                                                             \
  FUNCTION(init, "cuInit", (unsigned flags))                                                                           \
  FUNCTION(driverVersion, "cuDriverGetVersion", (int *version))                                                        \
  FUNCTION(errorName, "cuGetErrorName", (Status status, const char **text))                                            \
  FUNCTION(deviceCount, "cuDeviceGetCount", (int *count))                                                              \
  FUNCTION(deviceName, "cuDeviceGetName", (char *name, int bytes, DeviceHandle device))                                \
  FUNCTION(deviceGet, "cuDeviceGet", (DeviceHandle * device, int ordinal))                                             \
  FUNCTION(deviceAttribute, "cuDeviceGetAttribute", (int *value, DeviceAttribute attribute, DeviceHandle device))      \
  FUNCTION(primaryContextRetain, "cuDevicePrimaryCtxRetain", (ContextHandle * context, DeviceHandle device))           \
  FUNCTION(contextGetCurrent, "cuCtxGetCurrent", (ContextHandle * context))                                            \
  FUNCTION(contextPush, "cuCtxPushCurrent_v2", (ContextHandle context))                                                \
  FUNCTION(contextPop, "cuCtxPopCurrent_v2", (ContextHandle * context))                                                \
  FUNCTION(contextSynchronize, "cuCtxSynchronize", ())                                                                 \
  FUNCTION(moduleLoad, "cuModuleLoadDataEx",                                                                           \
           (ModuleHandle * module, const void *image, unsigned numOptions, JitOption *options, void **values))         \
  FUNCTION(moduleUnload, "cuModuleUnload", (ModuleHandle module))                                                      \
  FUNCTION(moduleFunction, "cuModuleGetFunction", (FunctionHandle * function, ModuleHandle module, const char *name))  \
  FUNCTION(moduleGlobal, "cuModuleGetGlobal_v2",                                                                       \
           (DeviceAddress * address, size_t *bytes, ModuleHandle module, const char *name))                            \
  FUNCTION(functionSetAttribute, "cuFuncSetAttribute",                                                                 \
           (FunctionHandle function, FunctionAttribute attribute, int value))                                          \
  FUNCTION(launch, "cuLaunchKernelEx",                                                                                 \
           (const LaunchConfig *config, FunctionHandle function, void **parameters, void **extra))                     \
  FUNCTION(memoryAllocate, "cuMemAlloc_v2", (DeviceAddress * address, size_t bytes))                                   \
  FUNCTION(memoryAllocateManaged, "cuMemAllocManaged", (DeviceAddress * address, size_t bytes, unsigned flags))        \
  FUNCTION(memoryFree, "cuMemFree_v2", (DeviceAddress address))                                                        \
  FUNCTION(copyToDevice, "cuMemcpyHtoD_v2", (DeviceAddress to, const void *from, size_t bytes))                        \
  FUNCTION(copyToHost, "cuMemcpyDtoH_v2", (void *to, DeviceAddress from, size_t bytes))                                \
  FUNCTION(copyToDeviceAsync, "cuMemcpyHtoDAsync_v2",                                                                  \
           (DeviceAddress to, const void *from, size_t bytes, StreamHandle stream))                                    \
  FUNCTION(hostAllocate, "cuMemHostAlloc", (void **address, size_t bytes, unsigned flags))                             \
  FUNCTION(hostFree, "cuMemFreeHost", (void *address))                                                                 \
  FUNCTION(hostDeviceAddress, "cuMemHostGetDevicePointer_v2", (DeviceAddress * address, void *host, unsigned flags))   \
  FUNCTION(pointerAttribute, "cuPointerGetAttribute", (void *value, PointerAttribute attribute, DeviceAddress at))     \
  FUNCTION(streamCreate, "cuStreamCreate", (StreamHandle * stream, unsigned flags))                                    \
  FUNCTION(streamSynchronize, "cuStreamSynchronize", (StreamHandle stream))                                            \
  FUNCTION(streamIsCapturing, "cuStreamIsCapturing", (StreamHandle stream, int *status))                               \
  FUNCTION(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", (CaptureMode * mode))                             \
  FUNCTION(fillAsync, "cuMemsetD32Async", (DeviceAddress at, unsigned value, size_t words, StreamHandle stream))       \
  FUNCTION(eventCreate, "cuEventCreate", (EventHandle * event, unsigned flags))                                        \
  FUNCTION(eventDestroy, "cuEventDestroy_v2", (EventHandle event))                                                     \
  FUNCTION(eventRecord, "cuEventRecord", (EventHandle event, StreamHandle stream))                                     \
  FUNCTION(eventQuery, "cuEventQuery", (EventHandle event))                                                            \
  FUNCTION(eventElapsed, "cuEventElapsedTime", (float *milliseconds, EventHandle begin, EventHandle end))

// Of CUDA 12; null in older drivers.
#define TILEWRIGHT_CUDA_OPTIONAL(FUNCTION)                                                                             \
  FUNCTION(libraryLoad, "cuLibraryLoadData",                                                                           \
           (LibraryHandle * library, const void *code, int *jitOptions, void **jitValues, unsigned numJitOptions,      \
            int *options, void **values, unsigned numOptions))                                                         \
  FUNCTION(libraryUnload, "cuLibraryUnload", (LibraryHandle library))                                                  \
  FUNCTION(libraryKernel, "cuLibraryGetKernel", (KernelHandle * kernel, LibraryHandle library, const char *name))      \
  FUNCTION(libraryGlobal, "cuLibraryGetGlobal",                                                                        \
           (DeviceAddress * address, size_t *bytes, LibraryHandle library, const char *name))                          \
  FUNCTION(kernelFunction, "cuKernelGetFunction", (FunctionHandle * function, KernelHandle kernel))                    \
  FUNCTION(mostActiveClusters, "cuOccupancyMaxActiveClusters",                                                         \
           (int *clusters, FunctionHandle function, const LaunchConfig *config))                                       \
  FUNCTION(tensorMapEncode, "cuTensorMapEncodeTiled",                                                                  \
           (TensorMap * map, int element, uint32_t rank, void *address, const uint64_t *shape,                         \
            const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,          \
            int l2Promotion, int fill))

struct Driver {
#define MEMBER(member, symbol, parameters) Status(*member) parameters = nullptr;
  TILEWRIGHT_CUDA_REQUIRED(MEMBER)
  TILEWRIGHT_CUDA_OPTIONAL(MEMBER)
#undef MEMBER
  int version = 0; // as in 13000

  // Initialized; the same every time, and so is the reason why there is none.
  static llvm::Expected<const Driver &> get();
  // Of a library, without caching.
  static llvm::Expected<Driver> load(const std::string &path);

  bool hasLibraries() const { return libraryLoad && libraryUnload && libraryKernel && libraryGlobal && kernelFunction; }
};

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVER_H
