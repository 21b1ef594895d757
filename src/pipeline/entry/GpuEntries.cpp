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

// Encoded as in tileas.tma_descs: the index of a parameter, or a constant in an array of its own.
cuda::LaunchNumber numberOf(Attribute number, int64_t factor = 1) {
  if (auto parameter = dyn_cast<IntegerAttr>(number))
    return cuda::LaunchNumber::ofParameter(parameter.getInt(), factor);
  return cuda::LaunchNumber::of(cast<IntegerAttr>(cast<ArrayAttr>(number)[0]).getInt() * factor);
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
cuda::TensorMapInfo describeTensorMap(DictionaryAttr map) {
  cuda::TensorMapInfo info;
  Type element = map.getAs<TypeAttr>("element").getValue();
  int64_t bytes = element.isTF32() ? 4 : element.getIntOrFloatBitWidth() / 8;
  info.pointer = map.getAs<IntegerAttr>("base").getInt();
  info.element = elementOf(element);
  for (Attribute extent : llvm::reverse(map.getAs<ArrayAttr>("shape")))
    info.shape.push_back(numberOf(extent));
  for (Attribute stride : llvm::drop_begin(llvm::reverse(map.getAs<ArrayAttr>("strides"))))
    info.strides.push_back(numberOf(stride, bytes));
  for (int64_t extent : llvm::reverse(map.getAs<DenseI64ArrayAttr>("box").asArrayRef()))
    info.box.push_back(extent);
  switch (map.getAs<IntegerAttr>("swizzle").getInt()) {
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
    made.usesHostBuffer = kernel->hasAttr(hostBufferAttr);
    made.threads = 1;
    for (int32_t extent : threads)
      made.threads *= extent;
    for (auto [axis, extent] : llvm::enumerate(extents(kernel, NVVM::NVVMDialect::getClusterDimAttrName())))
      made.cluster[axis] = extent;
    if (auto bytes = kernel->getAttrOfType<IntegerAttr>(tileas::sharedBytesAttr))
      made.dynamicSharedBytes = bytes.getInt();
    if (auto blocks = kernel->getAttrOfType<IntegerAttr>(tileas::blocksPerSmAttr)) {
      using Kind = cuda::HiddenParameter::Kind;
      made.blocksPerSm = blocks.getInt();
      made.hidden = {{Kind::GridX, 0}, {Kind::GridY, 0}, {Kind::GridZ, 0}};
    }
    if (auto maps = kernel->getAttrOfType<ArrayAttr>(tileas::tmaDescsAttr))
      for (Attribute map : maps) {
        made.hidden.push_back({cuda::HiddenParameter::Kind::TensorMap, unsigned(made.tensorMaps.size())});
        made.tensorMaps.push_back(describeTensorMap(cast<DictionaryAttr>(map)));
      }
  }
  return kernels;
}

} // namespace tilewright
