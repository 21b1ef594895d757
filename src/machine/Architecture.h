// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a generation of NVIDIA's GPUs: its instructions and the resources of a CTA. Properties that differ
// between products of one generation (numbers of SMs, caches) are not here: the driver reports them.
#ifndef TILEWRIGHT_MACHINE_ARCHITECTURE_H
#define TILEWRIGHT_MACHINE_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilewright::nvidia {

// A version of PTX, as in 8.6.
struct PtxVersion {
  unsigned major = 0, minor = 0;

  unsigned number() const { return major * 10 + minor; }
  bool operator<(PtxVersion other) const { return number() < other.number(); }
  bool operator==(PtxVersion other) const { return number() == other.number(); }
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
  // The first CUDA release whose assembler reads it, as in 12.7.
  llvm::StringRef cudaRelease() const;
};

// The newest version that LLVM 22 writes.
constexpr PtxVersion newestPtx{9, 0};

// How matrices are multiplied, weakest first. Each but wgmma includes what mma.sync of the table below has.
enum class TensorCore {
  Warp,         // mma.sync: operands and accumulator in the registers of a warp
  Warpgroup,    // wgmma besides: B, and A if wanted, in shared memory; accumulator in the registers of four warps
  TensorMemory, // tcgen05 besides: accumulator in tensor memory, started by one thread
  WarpScaled,   // mma.sync with block scales; neither wgmma nor tcgen05
};

enum class Feature : uint32_t {
  CpAsync = 1 << 0,         // cp.async: global to shared memory, 4 to 16 bytes a thread
  Fp8Convert = 1 << 1,      // cvt between f32 or f16 and f8E4M3FN, f8E5M2
  Tma = 1 << 2,             // cp.async.bulk.tensor with tensor maps
  MbarrierTryWait = 1 << 3, // mbarrier.try_wait, expect_tx (mbarrier itself is on every architecture here)
  Clusters = 1 << 4,        // clusters of thread blocks, distributed shared memory
  Stmatrix = 1 << 5,
  GridDependency = 1 << 6,  // griddepcontrol: programmatic dependent launch
  SetMaxRegisters = 1 << 7, // setmaxnreg: registers move between warpgroups
  PackedF32 = 1 << 8,       // add, mul, fma on two f32 at once
  FloatRedux = 1 << 9,      // redux.sync of f32 minimum and maximum
  Tcgen05Int8 = 1 << 10,    // tcgen05.mma of kind::i8
};

enum class MmaType { F16, BF16, TF32, F64, I8, F8, ScaledF8F6F4, ScaledF4 };

// One shape of mma.sync.
struct MmaShape {
  MmaType type;
  uint8_t m, n, k;
};

struct Architecture {
  llvm::StringLiteral name;    // the target of the assembler, as in sm_90a
  unsigned number;             // as in 90
  llvm::StringLiteral llvmCpu; // LLVM's target for PTX; not `name` if LLVM does not have it
  PtxVersion ptx;              // the version that LLVM writes: the oldest with every instruction we use
  TensorCore tensorCore;
  uint32_t features;
  uint32_t sharedBytesPerSm;
  uint16_t threadsPerSm;
  uint8_t blocksPerSm;

  bool has(Feature feature) const { return features & static_cast<uint32_t>(feature); }
  bool hasWgmma() const { return tensorCore == TensorCore::Warpgroup; }
  bool hasTcgen05() const { return tensorCore == TensorCore::TensorMemory; }
  bool hasBlockScaledMma() const { return tensorCore == TensorCore::WarpScaled; }
  bool isKnownToLlvm() const { return name == llvmCpu; }
  // Compute capability, as in 9 and 0.
  unsigned major() const { return number / 10; }
  unsigned minor() const { return number % 10; }

  // The system takes a kilobyte of each block.
  uint32_t sharedBytesPerBlock() const { return sharedBytesPerSm - reservedSharedBytes; }
  unsigned warpsPerSm() const { return threadsPerSm / warpThreads; }
  // Columns of 32 bits times 128 lanes.
  unsigned tensorMemoryColumns() const { return hasTcgen05() ? 512 : 0; }
  llvm::SmallVector<MmaShape> mmaShapes() const;

  // Properties that all of them have in common.
  static constexpr uint32_t reservedSharedBytes = 1024;
  static constexpr uint32_t staticSharedBytes = 48 << 10; // more has to be asked for at launch
  static constexpr unsigned warpThreads = 32;
  static constexpr unsigned threadsPerBlock = 1024;
  static constexpr unsigned registersPerSm = 64 << 10;
  static constexpr unsigned registersPerThread = 255;
  static constexpr unsigned blocksPerCluster = 8; // that every device of an architecture with clusters takes
};

// Oldest first.
llvm::ArrayRef<Architecture> knownArchitectures();

// True for what parseArchitecture takes in place of a CPU's target: `nvidia:...` and `sm_...`.
bool isNvidiaTarget(llvm::StringRef target);

// `sm_90`, `sm_90a`, `nvidia:sm_90`, `nvidia:sm_90a`: all the same, since code for the plain one may use less of it.
llvm::Expected<const Architecture *> parseArchitecture(llvm::StringRef target);

// A line for each architecture: name, PTX, resources, features.
void listArchitectures(llvm::raw_ostream &os);
llvm::StringRef nameOf(TensorCore tensorCore);
llvm::StringRef nameOf(MmaType type);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_MACHINE_ARCHITECTURE_H
