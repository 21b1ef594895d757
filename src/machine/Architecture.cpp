// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

template <typename... Features> constexpr uint32_t all(Features... features) {
  return (static_cast<uint32_t>(features) | ...);
}

constexpr uint32_t ampere = all(Feature::CpAsync);
constexpr uint32_t ada = ampere | all(Feature::Fp8Convert);
constexpr uint32_t hopper = ada | all(Feature::Tma, Feature::MbarrierTryWait, Feature::Clusters, Feature::Stmatrix,
                                      Feature::GridDependency, Feature::SetMaxRegisters);
constexpr uint32_t blackwell = hopper | all(Feature::PackedF32);

constexpr uint32_t kilobyte = 1024;

// Resources: CUDA programming guide, appendix "Compute capabilities"
// (docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/compute-capabilities.html), and for 8.8 and 10.7, which it
// does not have, CUDA's headers (cuda_occupancy.h; libcu++'s cuda/__device/arch_traits.h). ArchitectureTest asks an
// assembler, where there is one, for the threads and blocks of an SM. Features: the "Target ISA Notes" of each
// instruction in the PTX ISA. PTX versions: the same, release history; 9.0 added sm_88 and sm_110, 8.8 sm_103 and
// sm_121, 8.7 sm_120, 8.6 sm_100 and cp.async.bulk to shared::cta, 8.4 mma.sync of 8-bit floats.
//
// sm_107 is of the family of sm_100, whose PTX runs on it.
constexpr Architecture table[] = {
    {"sm_80", 80, "sm_80", {7, 8}, TensorCore::Warp, ampere, 164 * kilobyte, 2048, 32},
    {"sm_86", 86, "sm_86", {7, 8}, TensorCore::Warp, ampere, 100 * kilobyte, 1536, 16},
    {"sm_87", 87, "sm_87", {7, 8}, TensorCore::Warp, ampere, 164 * kilobyte, 1536, 16},
    {"sm_88", 88, "sm_88", {9, 0}, TensorCore::Warp, ampere, 100 * kilobyte, 1536, 16},
    {"sm_89", 89, "sm_89", {8, 4}, TensorCore::Warp, ada, 100 * kilobyte, 1536, 24},
    {"sm_90a", 90, "sm_90a", {8, 6}, TensorCore::Warpgroup, hopper, 228 * kilobyte, 2048, 32},
    {"sm_100a",
     100,
     "sm_100a",
     {8, 6},
     TensorCore::TensorMemory,
     blackwell | all(Feature::FloatRedux, Feature::Tcgen05Int8),
     228 * kilobyte,
     2048,
     32},
    {"sm_103a",
     103,
     "sm_103a",
     {8, 8},
     TensorCore::TensorMemory,
     blackwell | all(Feature::FloatRedux),
     228 * kilobyte,
     2048,
     32},
    {"sm_107a",
     107,
     "sm_100f",
     {8, 8},
     TensorCore::TensorMemory,
     blackwell | all(Feature::FloatRedux),
     328 * kilobyte,
     1024,
     16},
    {"sm_110a",
     110,
     "sm_110a",
     {9, 0},
     TensorCore::TensorMemory,
     blackwell | all(Feature::Tcgen05Int8),
     228 * kilobyte,
     1536,
     24},
    {"sm_120a", 120, "sm_120a", {8, 7}, TensorCore::WarpScaled, blackwell, 100 * kilobyte, 1536, 24},
    {"sm_121a", 121, "sm_121a", {8, 8}, TensorCore::WarpScaled, blackwell, 100 * kilobyte, 1536, 24},
};

// PTX ISA, "Warp-level matrix instructions": dense shapes, and the first architecture that has each. Of tensor cores
// with another way besides, these are the slower one.
struct MmaRow {
  MmaShape shape;
  unsigned since;
};
constexpr MmaRow mmaTable[] = {
    {{MmaType::F16, 16, 8, 8}, 80},   {{MmaType::F16, 16, 8, 16}, 80}, {{MmaType::BF16, 16, 8, 8}, 80},
    {{MmaType::BF16, 16, 8, 16}, 80}, {{MmaType::TF32, 16, 8, 4}, 80}, {{MmaType::TF32, 16, 8, 8}, 80},
    {{MmaType::F64, 8, 8, 4}, 80},    {{MmaType::F64, 16, 8, 4}, 90},  {{MmaType::F64, 16, 8, 8}, 90},
    {{MmaType::F64, 16, 8, 16}, 90},  {{MmaType::I8, 16, 8, 16}, 80},  {{MmaType::I8, 16, 8, 32}, 80},
    {{MmaType::F8, 16, 8, 32}, 89},
};
constexpr MmaShape scaledShapes[] = {{MmaType::ScaledF8F6F4, 16, 8, 32}, {MmaType::ScaledF4, 16, 8, 64}};

struct FeatureName {
  Feature feature;
  StringLiteral name;
};
constexpr FeatureName featureNames[] = {
    {Feature::CpAsync, "cp.async"},
    {Feature::Fp8Convert, "fp8"},
    {Feature::Tma, "tma"},
    {Feature::MbarrierTryWait, "mbarrier.try_wait"},
    {Feature::Clusters, "clusters"},
    {Feature::Stmatrix, "stmatrix"},
    {Feature::GridDependency, "griddepcontrol"},
    {Feature::SetMaxRegisters, "setmaxnreg"},
    {Feature::PackedF32, "f32x2"},
    {Feature::FloatRedux, "redux.f32"},
    {Feature::Tcgen05Int8, "tcgen05.i8"},
};

} // namespace

StringRef PtxVersion::cudaRelease() const {
  // PTX ISA, release history. Later versions count with CUDA's own.
  struct Row {
    unsigned ptx;
    StringLiteral cuda;
  };
  static constexpr Row rows[] = {{78, "11.8"}, {80, "12.0"}, {81, "12.1"}, {82, "12.2"}, {83, "12.3"}, {84, "12.4"},
                                 {85, "12.5"}, {86, "12.7"}, {87, "12.8"}, {88, "12.9"}, {90, "13.0"}};
  for (const Row &row : rows)
    if (number() <= row.ptx)
      return row.cuda;
  return "13";
}

SmallVector<MmaShape> Architecture::mmaShapes() const {
  SmallVector<MmaShape> shapes;
  for (const MmaRow &row : mmaTable)
    if (row.since <= number)
      shapes.push_back(row.shape);
  if (hasBlockScaledMma())
    shapes.append(std::begin(scaledShapes), std::end(scaledShapes));
  return shapes;
}

ArrayRef<Architecture> knownArchitectures() {
  return table;
}

bool isNvidiaTarget(StringRef target) {
  return target.starts_with("sm_") || target == "nvidia" || target.starts_with("nvidia:");
}

Expected<const Architecture *> parseArchitecture(StringRef target) {
  StringRef name = target;
  name.consume_front("nvidia:");
  for (const Architecture &architecture : table)
    if (name == architecture.name || name == architecture.name.rtrim('a'))
      return &architecture;
  std::string names;
  for (const Architecture &architecture : table)
    names += ", " + architecture.name.rtrim('a').str();
  return createStringError("unknown NVIDIA architecture '" + target + "', expected one of " +
                           StringRef(names).substr(2));
}

StringRef nameOf(TensorCore tensorCore) {
  switch (tensorCore) {
  case TensorCore::Warp:
    return "mma.sync";
  case TensorCore::Warpgroup:
    return "wgmma";
  case TensorCore::TensorMemory:
    return "tcgen05";
  case TensorCore::WarpScaled:
    return "mma.sync, block scales";
  }
  llvm_unreachable("all tensor cores are listed");
}

StringRef nameOf(MmaType type) {
  static constexpr StringLiteral names[] = {"f16", "bf16", "tf32", "f64", "i8", "f8", "mxf8f6f4", "mxf4"};
  return names[static_cast<unsigned>(type)];
}

void listArchitectures(raw_ostream &os) {
  os << formatv("{0,-9} {1,-4} {2,12} {3,11} {4,10}  {5,-23} {6}\n", "name", "PTX", "shared/block", "threads/SM",
                "blocks/SM", "tensor core", "features");
  for (const Architecture &architecture : table) {
    SmallVector<StringRef> names;
    for (const FeatureName &row : featureNames)
      if (architecture.has(row.feature))
        names.push_back(row.name);
    os << formatv("{0,-9} {1,-4} {2,12} {3,11} {4,10}  {5,-23} {6}\n", architecture.name, architecture.ptx.text(),
                  architecture.sharedBytesPerBlock(), architecture.threadsPerSm, unsigned(architecture.blocksPerSm),
                  nameOf(architecture.tensorCore), join(names, " "));
  }
}

} // namespace tilewright::nvidia
