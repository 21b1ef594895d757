// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/work/LiveRegisters.h"

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;

namespace {

class Registers {
public:
  // Origins are found in the order of the program, as chains of operations may be longer than a stack is deep.
  explicit Registers(func::FuncOp kernel) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        if (registersOf(result) > 0)
          originsOf(result);
    });
  }

  // Behind the last operation of a block `after` are live; the most that are live in it at a time.
  double mostLive(Block &block, const llvm::SetVector<Value> &after) {
    llvm::SetVector<Value> live(after);
    double most = sum(live);
    for (Operation &op : llvm::reverse(block)) {
      // Values from outside that regions use are live in all iterations.
      llvm::SetVector<Value> used;
      getUsedValuesDefinedAbove(op.getRegions(), used);
      llvm::SetVector<Value> around(live);
      for (Value result : op.getResults())
        around.remove(result);
      for (Value value : used)
        insert(value, around);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (!isa<tileaa::ReduceOp, tileaa::ScanOp>(op))
            most = std::max(most, mostLive(inner, around));
      for (Value operand : op.getOperands())
        insert(operand, around);
      // Registers of operands whose last use this is hold results.
      most = std::max({most, sum(live), sum(around)});
      live = std::move(around);
    }
    return most;
  }

private:
  static double registersOf(Value tile) {
    if (!tileas::hasLayout(tile.getType()))
      return 0;
    auto type = cast<RankedTensorType>(tile.getType());
    const layout::LinearLayout &layout = tileas::layoutOf(type);
    double elements = layout.inputSize(Dim::Register) >> llvm::popcount(layout.freeBits(Dim::Register));
    unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
    return std::max(1.0, elements * std::max(8u, bits) / 32);
  }

  static double sum(const llvm::SetVector<Value> &tiles) {
    double registers = 0;
    for (Value tile : tiles)
      registers += registersOf(tile);
    return registers;
  }

  // The tiles that are live where a value is.
  void insert(Value value, llvm::SetVector<Value> &live) {
    if (registersOf(value) == 0)
      return;
    const llvm::SetVector<Value> &origins = originsOf(value);
    live.insert(origins.begin(), origins.end());
  }

  const llvm::SetVector<Value> &originsOf(Value value) {
    if (auto found = origins.find(value); found != origins.end())
      return found->second;
    llvm::SetVector<Value> made;
    Operation *op = value.getDefiningOp();
    bool isFree = isa_and_nonnull<arith::ConstantOp, tileaa::IotaOp, ub::PoisonOp>(op);
    bool isRepeated = isa_and_nonnull<tileaa::BroadcastOp, tileaa::ReshapeOp>(op);
    bool isByElement = op && OpTrait::hasElementwiseMappableTraits(op) && value.hasOneUse() &&
                       value.getUsers().begin()->getBlock() == op->getBlock();
    if (isRepeated || isByElement)
      for (Value operand : op->getOperands())
        insert(operand, made);
    if (!isFree && !isRepeated && (!isByElement || sum(made) > registersOf(value))) {
      made.clear();
      made.insert(value);
    }
    return origins[value] = std::move(made);
  }

  DenseMap<Value, llvm::SetVector<Value>> origins;
};

} // namespace

double tileas::liveRegisters(func::FuncOp kernel) {
  return Registers(kernel).mostLive(kernel.getBody().front(), {});
}
