// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

// A table of the module, and each thread takes its elements from it.
static SmallVector<Value> loadFromTable(RankedTensorType type, DenseElementsAttr values, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  const LinearLayout &layout = tileas::layoutOf(type);
  Type element = values.getElementType(), memory = memoryType(element);
  if (element != memory) {
    SmallVector<APInt> wide;
    for (APInt value : values.getValues<APInt>())
      wide.push_back(value.zext(memory.getIntOrFloatBitWidth()));
    values = DenseElementsAttr::get(RankedTensorType::get(values.getType().getShape(), memory), wide);
  }
  auto flat = RankedTensorType::get({values.getNumElements()}, memory);
  Value table = thread.constantTable(cast<DenseElementsAttr>(values.reshape(flat)));
  LinearLayout place = layout.flatten();
  SmallVector<Value> registers;
  for (uint64_t reg = 0; reg != layout.inputSize(Dim::Register); ++reg) {
    Value index = thread.output(place, layout::tileDim(0), reg);
    Value pointer = LLVM::GEPOp::create(b, thread.loc, table.getType(), memory, table, ArrayRef<LLVM::GEPArg>{index});
    Value value = LLVM::LoadOp::create(b, thread.loc, memory, pointer);
    registers.push_back(element == memory ? value : arith::TruncIOp::create(b, thread.loc, element, value).getResult());
  }
  return registers;
}

namespace {

struct ConstantPattern : TilePattern<arith::ConstantOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(arith::ConstantOp constant, Adaptor, ThreadBuilder &thread) const override {
    auto type = cast<RankedTensorType>(constant.getType());
    auto values = cast<DenseElementsAttr>(constant.getValue());
    if (!values.isSplat())
      return thread.replace(constant, loadFromTable(type, values, thread));
    Value scalar = arith::ConstantOp::create(thread.builder, thread.loc, values.getSplatValue<TypedAttr>());
    return thread.replace(constant, SmallVector<Value>(registerCount(type), scalar));
  }
};

struct PoisonPattern : TilePattern<ub::PoisonOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(ub::PoisonOp poison, Adaptor, ThreadBuilder &thread) const override {
    SmallVector<Type> types;
    if (failed(kernel.types.convertType(poison.getType(), types)))
      return thread.fail(poison, "its type has no registers");
    SmallVector<Value> registers;
    for (Type type : types)
      registers.push_back(ub::PoisonOp::create(thread.builder, thread.loc, type));
    return thread.replace(poison, registers);
  }
};

} // namespace

void tilewright::populateConstantPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ConstantPattern, PoisonPattern>(kernel);
}
