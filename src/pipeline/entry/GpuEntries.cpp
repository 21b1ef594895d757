// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/entry/GpuEntries.h"

#include "lower/tileas_to_nvvm/memory/HostRecords.h"
#include "machine/Architecture.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tileas/ir/Tileas.h"

using namespace mlir;

namespace tilewright {
namespace {

ArrayRef<int32_t> extents(LLVM::LLVMFuncOp kernel, StringRef name) {
  auto attribute = kernel->getAttrOfType<DenseI32ArrayAttr>(name);
  return attribute ? attribute.asArrayRef() : ArrayRef<int32_t>();
}

cuda::LaunchNumber numberOf(const tileas::LaunchValue &value, int64_t factor = 1) {
  return value.parameter ? cuda::LaunchNumber::ofParameter(*value.parameter, factor)
                         : cuda::LaunchNumber::of(value.constant * factor);
}

cuda::TensorMapInfo::Element elementOf(Type type) {
  using Element = cuda::TensorMapInfo::Element;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (type.isF64())
    return Element::F64;
  if (type.isTF32())
    return Element::TF32; // rounds
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return Element::U8;
  case 16:
    return Element::U16;
  case 32:
    return Element::U32;
  default:
    return Element::U64;
  }
}

// The driver counts dimensions from the innermost, and wants no stride of that one.
cuda::TensorMapInfo describeTensorMap(tileas::TmaDescAttr map) {
  cuda::TensorMapInfo info;
  Type element = map.getElement();
  int64_t bytes = element.isTF32() ? 4 : element.getIntOrFloatBitWidth() / 8;
  info.pointer = *map.getBase().parameter;
  info.element = elementOf(element);
  for (const tileas::LaunchValue &extent : llvm::reverse(map.getShape()))
    info.shape.push_back(numberOf(extent));
  for (const tileas::LaunchValue &stride : llvm::drop_begin(llvm::reverse(map.getStrides())))
    info.strides.push_back(numberOf(stride, bytes));
  for (int64_t extent : llvm::reverse(map.getBox()))
    info.box.push_back(extent);
  switch (map.getSwizzle()) {
  case 32:
    info.swizzle = cuda::TensorMapInfo::Swizzle::B32;
    break;
  case 64:
    info.swizzle = cuda::TensorMapInfo::Swizzle::B64;
    break;
  case 128:
    info.swizzle = cuda::TensorMapInfo::Swizzle::B128;
    break;
  }
  info.l2Promotion = cuda::TensorMapInfo::L2Promotion::B128;
  return info;
}

void describeRecords(LLVM::LLVMFuncOp kernel, cuda::GpuEntry &made) {
  auto tracks = kernel->getAttrOfType<ArrayAttr>(tileas::recordTracksAttr);
  auto sites = kernel->getAttrOfType<ArrayAttr>(tileas::recordSitesAttr);
  if (!tracks || !sites)
    return;
  using Kind = cuda::HiddenParameter::Kind;
  made.hidden.push_back({Kind::RecordBuffer, 0});
  made.hidden.push_back({Kind::RecordCapacity, 0});
  for (auto track : tracks.getAsRange<StringAttr>())
    made.recordTracks.push_back(track.str());
  for (auto site : sites.getAsRange<tileas::RecordSiteAttr>())
    made.recordSites.push_back({site.getKind().str(), site.getFile().str(), site.getLine()});
}

} // namespace

std::vector<cuda::GpuEntry> describeGpuEntries(ModuleOp module, ArrayRef<EntryInfo> entries) {
  std::vector<cuda::GpuEntry> kernels;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    cuda::GpuEntry &made = kernels.emplace_back();
    made.name = kernel.getName().str();
    for (const EntryInfo &entry : entries)
      if (entry.name == made.name)
        made.parameters = entry.parameters;
    ArrayRef<int32_t> threads = extents(kernel, NVVM::NVVMDialect::getReqntidAttrName());
    made.threads = 1;
    for (int32_t extent : threads)
      made.threads *= extent;
    for (auto [axis, extent] : llvm::enumerate(extents(kernel, NVVM::NVVMDialect::getClusterDimAttrName())))
      made.cluster[axis] = extent;
    // None in a module that began as LLVM.
    tileas::CtaAttr cta = tileas::ctaOf(kernel);
    made.usesHostBuffer = cta && cta.getHostPlace();
    made.dynamicSharedBytes = tileas::sharedBytesOf(kernel);
    if (cta && cta.getBlocksPerSm()) {
      using Kind = cuda::HiddenParameter::Kind;
      made.blocksPerSm = *cta.getBlocksPerSm();
      made.split = cta.getSplit();
      made.hidden = {{Kind::GridX, 0}, {Kind::GridY, 0}, {Kind::GridZ, 0}};
    }
    describeRecords(kernel, made);
    for (tileas::TmaDescAttr map : tileas::tmaDescsOf(kernel)) {
      made.hidden.push_back({cuda::HiddenParameter::Kind::TensorMap, unsigned(made.tensorMaps.size())});
      made.tensorMaps.push_back(describeTensorMap(map));
    }
  }
  return kernels;
}

} // namespace tilewright
