// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/RematerializeTiles.h"

#include "mlir/IR/IRMapping.h"
#include "tileas/async/LoopLoads.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::LinearLayout;

namespace {

// Registers of a thread for a load and the operations on it. A layout conversion costs two barriers and as many
// accesses to shared memory.
constexpr uint64_t mostRegisters = 8;

bool isSmall(const LinearLayout &layout) {
  return layout.withoutFreeRegisters().inputSize(layout::Dim::Register) <= mostRegisters;
}

// The layout of an operand from that of the result.
LinearLayout operandLayout(Operation *op, RankedTensorType operand, const LinearLayout &wanted) {
  if (isa<tileaa::ReshapeOp>(op))
    return wanted.reshape(operand.getShape());
  LinearLayout layout = wanted;
  if (isa<tileaa::BroadcastOp>(op))
    for (auto [dim, extent] : llvm::enumerate(operand.getShape()))
      if (extent == 1 && layout.outputBits(layout::tileDim(dim)) != 0)
        layout = layout.slice(dim).expand(dim);
  return layout.withoutFreeRegisters();
}

class Rematerializer {
public:
  // Whether the tile can be rematerialized in that layout without a layout conversion.
  static bool canCompute(Value tile, const LinearLayout &wanted) {
    Operation *op = tile.getDefiningOp();
    if (!op || !isSmall(wanted))
      return false;
    if (isa<tileaa::LoadViewOp>(op))
      return true;
    if (isa<tileaa::PermuteOp>(op) || op->getNumResults() != 1 || !isPure(op) || !staysInThreads(op))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      return !type || canCompute(operand, operandLayout(op, type, wanted));
    });
  }

  // After the original operation, so that a load is issued as early.
  Value compute(Value tile, const LinearLayout &wanted) {
    auto type = cast<RankedTensorType>(tile.getType());
    RankedTensorType now = typeWith(type.getElementType(), wanted);
    if (now == type)
      return tile;
    Operation *op = tile.getDefiningOp();
    Value &known = made[{tile, now}];
    if (known)
      return known;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (auto part = dyn_cast<RankedTensorType>(operand.getType()))
        mapping.map(operand, compute(operand, operandLayout(op, part, wanted)));
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op, mapping);
    retype(copy->getResult(0), now);
    return made[{tile, now}] = copy->getResult(0);
  }

private:
  llvm::DenseMap<std::pair<Value, Type>, Value> made;
};

} // namespace

void tileas::rematerializeSmallTiles(func::FuncOp function) {
  Rematerializer rematerializer;
  function.walk([&](ConvertLayoutOp convert) {
    const LinearLayout &wanted = layoutOf(convert.getResult());
    if (!Rematerializer::canCompute(convert.getSource(), wanted))
      return;
    convert.replaceAllUsesWith(rematerializer.compute(convert.getSource(), wanted));
    convert.erase();
  });
}
