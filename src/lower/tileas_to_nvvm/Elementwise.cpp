// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

// A table of the module, and each thread takes its elements from it.
static LogicalResult lowerTable(arith::ConstantOp constant, DenseElementsAttr values, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  const LinearLayout &layout = tileas::layoutOf(constant.getResult());
  Type element = values.getElementType(), memory = memoryType(element);
  if (element != memory) {
    SmallVector<APInt> wide;
    for (APInt value : values.getValues<APInt>())
      wide.push_back(value.zext(memory.getIntOrFloatBitWidth()));
    values = DenseElementsAttr::get(RankedTensorType::get(values.getType().getShape(), memory), wide);
  }
  auto flat = RankedTensorType::get({values.getNumElements()}, memory);
  Value table = tiles.constantTable(cast<DenseElementsAttr>(values.reshape(flat)));
  LinearLayout place = layout.flatten();
  SmallVector<Value> registers;
  for (uint64_t reg = 0; reg != layout.inputSize(Dim::Register); ++reg) {
    Value index = tiles.output(place, layout::tileDim(0), reg);
    Value pointer = LLVM::GEPOp::create(b, tiles.loc, table.getType(), memory, table, ArrayRef<LLVM::GEPArg>{index});
    Value value = LLVM::LoadOp::create(b, tiles.loc, memory, pointer);
    registers.push_back(element == memory ? value : arith::TruncIOp::create(b, tiles.loc, element, value).getResult());
  }
  tiles.set(constant, registers);
  return success();
}

LogicalResult tilewright::lowerConstant(arith::ConstantOp constant, TileRegisters &tiles) {
  auto values = cast<DenseElementsAttr>(constant.getValue());
  if (!values.isSplat())
    return lowerTable(constant, values, tiles);
  Value scalar = arith::ConstantOp::create(tiles.builder, tiles.loc, values.getSplatValue<TypedAttr>());
  tiles.set(constant, SmallVector<Value>(tiles.typesOf(constant.getType()).size(), scalar));
  return success();
}

LogicalResult tilewright::lowerElementwise(Operation *op, TileRegisters &tiles) {
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tiles.get(operand));
  size_t count = tiles.typesOf(op->getResult(0).getType()).size();
  for (auto [operand, registers] : llvm::zip_equal(op->getOperands(), operands))
    if (isa<RankedTensorType>(operand.getType()) && registers.size() != count)
      return op->emitError() << "internal error: operands of " << op->getName() << " have " << registers.size()
                             << " and " << count << " registers";
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (size_t reg = 0; reg != count; ++reg) {
    IRMapping mapping;
    for (auto [operand, registers] : llvm::zip_equal(op->getOperands(), operands))
      mapping.map(operand, isa<RankedTensorType>(operand.getType()) ? registers[reg] : registers[0]);
    Operation *clone = tiles.builder.clone(*op, mapping);
    for (auto [index, result] : llvm::enumerate(clone->getResults())) {
      result.setType(getElementTypeOrSelf(result.getType()));
      results[index].push_back(result);
    }
  }
  for (auto [result, registers] : llvm::zip_equal(op->getResults(), results))
    tiles.set(result, registers);
  return success();
}
