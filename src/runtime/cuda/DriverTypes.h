// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver's binary interface that is used here, declared by ourselves so that no toolkit is needed
// to build: handles, numbers and structures as its documentation has them (docs.nvidia.com/cuda/cuda-driver-api). The
// driver keeps them from version to version.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

namespace tilewright::cuda {

using DeviceHandle = int;
using ContextHandle = struct ContextObject *;
using ModuleHandle = struct ModuleObject *;
using LibraryHandle = struct LibraryObject *;
using KernelHandle = struct KernelObject *;
using FunctionHandle = struct FunctionObject *; // a kernel may stand for it in a launch
using StreamHandle = struct StreamObject *;
using EventHandle = struct EventObject *;
using DeviceAddress = uint64_t;

// CUresult
enum class Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  JitCompilationDisabled = 223,
  SymbolNotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidProgramCounter = 718,
  LaunchFailed = 719,
  TensorMemoryLeak = 721,
  SystemDriverMismatch = 803,
  CaptureUnsupported = 900,
  CaptureInvalidated = 901,
};

// CUdevice_attribute
enum class DeviceAttribute : int {
  MultiprocessorCount = 16,
  L2CacheBytes = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  SharedBytesPerBlockOptin = 97,
};

// CUfunction_attribute
enum class FunctionAttribute : int { DynamicSharedBytes = 8, NonPortableClusterSize = 14 };

// CUjit_option
enum class JitOption : int { ErrorLog = 5, ErrorLogBytes = 6, GenerateDebugInfo = 11, GenerateLineInfo = 13 };

// CUpointer_attribute
enum class PointerAttribute : int { MemoryType = 2, DeviceOrdinal = 9 };

// CUlaunchAttribute
enum class LaunchAttributeId : int { ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };

struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    uint32_t cluster[3];
    int isAllowed;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  uint32_t grid[3], block[3];
  uint32_t sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  uint32_t numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56);

struct alignas(64) TensorMap {
  uint64_t words[16];
};

// CUstreamCaptureMode
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
// CUstreamCaptureStatus: 0 where nothing is captured.

constexpr unsigned hostMemoryPortable = 1, hostMemoryDeviceMap = 2; // of cuMemHostAlloc
constexpr unsigned streamNonBlocking = 1;                           // of cuStreamCreate

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H
