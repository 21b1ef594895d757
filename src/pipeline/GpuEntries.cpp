// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/GpuEntries.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "target/nvidia/Architecture.h"

using namespace mlir;

namespace tilewright {
namespace {

// Bytes of dynamic shared memory, on a kernel that has some.
constexpr llvm::StringLiteral sharedBytesAttr = "tilewright.shared_bytes";

ArrayRef<int32_t> extents(LLVM::LLVMFuncOp kernel, StringRef name) {
  auto attribute = kernel->getAttrOfType<DenseI32ArrayAttr>(name);
  return attribute ? attribute.asArrayRef() : ArrayRef<int32_t>();
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
    if (auto bytes = kernel->getAttrOfType<IntegerAttr>(sharedBytesAttr))
      made.dynamicSharedBytes = bytes.getInt();
  }
  return kernels;
}

} // namespace tilewright
