// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module compiled for an NVIDIA GPU: a cubin or PTX, and the properties of its kernels that a launcher needs. It is
// the contract between compiler and launcher.
//
// A kernel takes the parameters of the bytecode's entry, in order: pointers as 64 bits, i1 as a byte, other numbers as
// they are. Hidden parameters follow (none in the `portable` launch ABI): values that the launcher adds, in the order
// of GpuEntry::hidden.
//
//   .entry gemm(.u64 a, .u32 m, .u32 k, .u64 c, .u32 n,      the bytecode's
//               .u32 grid_x, .u32 grid_y, .u32 grid_z,       hidden: GridX, GridY, GridZ
//               .align 64 .b8 map[128])                      hidden: TensorMap
#ifndef TILEWRIGHT_RUNTIME_CUDA_GPUIMAGE_H
#define TILEWRIGHT_RUNTIME_CUDA_GPUIMAGE_H

#include "abi/HostBuffer.h"
#include "runtime/Image.h"

namespace tilewright::cuda {

// A number that is known when a kernel is launched:
//   parameter * factor / divisor, rounded up, + constant        or, without a parameter, the constant
struct LaunchNumber {
  int parameter = -1; // an integer among the entry's parameters
  int64_t factor = 1, divisor = 1, constant = 0;

  static LaunchNumber of(int64_t constant) { return {-1, 1, 1, constant}; }
  static LaunchNumber ofParameter(int parameter, int64_t factor = 1) { return {parameter, factor, 1, 0}; }
};

// Of an array that is accessed by a tensor map: coordinates have 32 bits, with room behind them for a box.
constexpr uint64_t mostTensorMapExtent = (uint64_t(1) << 31) - (1 << 16);

// A tensor map that the launcher encodes (cuTensorMapEncodeTiled) and passes by value: 128 bytes at a multiple of 64,
// `.param .align 64 .b8 map[128]`. Dimensions count from the innermost, as the driver takes them. The values of the
// enumerations are the driver's.
struct TensorMapInfo {
  enum class Element : uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz };
  enum class Interleave : uint8_t { None, B16, B32 };
  enum class Swizzle : uint8_t { None, B32, B64, B128 };
  enum class L2Promotion : uint8_t { None, B64, B128, B256 };
  enum class Fill : uint8_t { Zero, Nan }; // the padding outside of the tensor

  unsigned pointer = 0; // the parameter with the tensor's address
  LaunchNumber offset;  // bytes added to it
  Element element = Element::F32;
  std::vector<LaunchNumber> shape;   // elements, one to five
  std::vector<LaunchNumber> strides; // bytes, of all dimensions but the innermost, whose elements are neighbours
  std::vector<uint32_t> box;         // elements
  std::vector<uint32_t> steps;       // every how many elements; empty if every one
  Interleave interleave = Interleave::None;
  Swizzle swizzle = Swizzle::None;
  L2Promotion l2Promotion = L2Promotion::None;
  Fill fill = Fill::Zero;
};

struct HiddenParameter {
  enum class Kind : uint8_t {
    GridX, // the extents of the grid of tile blocks as it was asked for, 32 bits
    GridY,
    GridZ,
    TensorMap,      // number `index` of the entry's tensor maps
    RecordBuffer,   // the address of the memory for records of agents (abi/AgentRecords.h), 64 bits
    RecordCapacity, // of an agent, 32 bits; 0 for none
  } kind = Kind::GridX;
  unsigned index = 0;
};

// The meaning of a word of records: the kind of work, and where in the source.
struct RecordSite {
  std::string kind, file;
  int64_t line = 0;
};

struct GpuEntry {
  std::string name; // of the kernel in the code
  std::vector<EntryParameter> parameters;
  unsigned threads = 128; // of a thread block, along x
  // Thread blocks of a cluster. The launcher rounds the grid up to multiples of it: a kernel with a cluster takes the
  // grid as hidden parameters and does nothing in blocks outside.
  unsigned cluster[3] = {1, 1, 1};
  // Thread blocks that work on a tile block of a persistent kernel: 1, or all of a cluster.
  unsigned split = 1;
  uint32_t dynamicSharedBytes = 0;
  // 0: a thread block for each tile block. Otherwise the kernel is persistent: at most as many thread blocks for each
  // SM are launched, along x, and share the tile blocks of the grid, whose extents are hidden parameters.
  unsigned blocksPerSm = 0;
  std::vector<TensorMapInfo> tensorMaps;
  std::vector<HiddenParameter> hidden;
  // The entry of this image, with the same parameters, that is launched where a tensor map cannot be encoded: its
  // address or a stride is no multiple of 16 bytes, or an extent is too large. Empty: such a launch is refused.
  std::string fallback;
  bool usesHostBuffer = false;
  // Of a kernel that notes what its agents do: these, and the words of their records.
  std::vector<std::string> recordTracks;
  std::vector<RecordSite> recordSites;
};

struct GpuImage {
  std::string architecture; // that the code is for, as in sm_90a
  std::vector<GpuEntry> entries;
  std::vector<HostSite> hostSites; // indexed by the records of the host buffer
  std::string remarks;             // warnings and remarks of the compilation
  std::string code;                // a cubin, or PTX, which the driver assembles when it loads it

  bool isPtx() const;
  std::string serialize() const;
  // Refuses bytes that are truncated, altered, or of another version, and numbers that name nothing.
  static llvm::Expected<GpuImage> deserialize(llvm::StringRef bytes);
  // The entry of that name; the only one that is no fallback for an empty name. Null if there is none.
  const GpuEntry *find(llvm::StringRef name) const;
};

// From a description as `serialize` writes it, and the code.
llvm::Expected<GpuImage> readGpuImage(const llvm::json::Value &description, std::string code);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_GPUIMAGE_H
