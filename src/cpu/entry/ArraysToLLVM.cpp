// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUARRAYSTOLLVM
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// Constant offsets stay offsets of a pointer: by sums of integers, LLVM could not distinguish buffers of scratch.
Value pointerTo(OpBuilder &builder, Location loc, Value address) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto sum = address.getDefiningOp<arith::AddIOp>();
  if (!sum || !matchPattern(sum.getRhs(), m_Constant()))
    return LLVM::IntToPtrOp::create(builder, loc, pointer, address);
  Value base = pointerTo(builder, loc, sum.getLhs());
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base, sum.getRhs());
}

struct CpuArraysToLLVM : tilewright::impl::CpuArraysToLLVMBase<CpuArraysToLLVM> {
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    Type i64 = IntegerType::get(&getContext(), 64);
    getOperation().walk([&](ArrayOp array) {
      OpBuilder builder(array);
      Location loc = array.getLoc();
      auto type = cast<MemRefType>(array.getResult().getType());
      auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
      Value start = pointerTo(builder, loc, array.getAddress());
      descriptor.setAllocatedPtr(builder, loc, start);
      descriptor.setAlignedPtr(builder, loc, start);
      descriptor.setConstantOffset(builder, loc, 0);
      SmallVector<int64_t> strides;
      int64_t offset;
      (void)type.getStridesAndOffset(strides, offset);
      auto toI64 = [&](Value value) { return arith::IndexCastOp::create(builder, loc, i64, value).getResult(); };
      unsigned nextSize = 0, nextStride = 0;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (type.isDynamicDim(dim))
          descriptor.setSize(builder, loc, dim, toI64(array.getSizes()[nextSize++]));
        else
          descriptor.setConstantSize(builder, loc, dim, type.getDimSize(dim));
        if (ShapedType::isDynamic(strides[dim]))
          descriptor.setStride(builder, loc, dim, toI64(array.getStrides()[nextStride++]));
        else
          descriptor.setConstantStride(builder, loc, dim, strides[dim]);
      }
      array.getResult().replaceAllUsesWith(
          UnrealizedConversionCastOp::create(builder, loc, type, Value(descriptor)).getResult(0));
      array.erase();
    });
  }
};
} // namespace
