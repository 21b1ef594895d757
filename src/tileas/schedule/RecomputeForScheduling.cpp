// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASRECOMPUTEFORSCHEDULING
#include "tileas/schedule/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

bool ofIntegers(Type type) {
  return getElementTypeOrSelf(type).isIntOrIndex();
}

// Renames registers, or has the same number in all of them.
bool isFree(Operation *op) {
  return isa<tileaa::BroadcastOp, tileaa::ReshapeOp, tileaa::PermuteOp, tileaa::AssumeDivByOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

// One instruction for a number.
bool isCheap(Operation *op) {
  if (isFree(op) || isa<tileaa::IotaOp>(op))
    return true;
  return op->hasTrait<OpTrait::Elementwise>() && isPure(op) && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperandTypes(), ofIntegers) && ofIntegers(op->getResult(0).getType()) &&
         !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
              arith::FloorDivSIOp>(op);
}

// Of a thread, while the tile is not used. Assemblers keep 32 of one bit in one.
int64_t registersOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (isFree(op))
    return op->getNumOperands() && isTile(op->getOperand(0)) ? registersOf(op->getOperand(0)) : 0;
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  int64_t count = tileas::layoutOf(tile).inputSize(layout::Dim::Register);
  int64_t bits = element.isInteger(1) ? 1 : std::max(32u, element.isIndex() ? 64u : element.getIntOrFloatBitWidth());
  return llvm::divideCeil(count * bits, 32);
}

// The expression that computes a tile from scalars and iotas, operands first.
struct Chain {
  llvm::SetVector<Operation *> ops;
  bool hasIota = false;

  bool add(Value value) {
    if (!isTile(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || !isCheap(op))
      return false;
    if (ops.contains(op))
      return true;
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); }))
      return false;
    hasIota |= isa<tileaa::IotaOp>(op);
    ops.insert(op);
    return ops.size() <= mostOps;
  }

  static constexpr size_t mostOps = 32;
};

class RecomputeForScheduling : public tilewright::impl::TileasRecomputeForSchedulingBase<RecomputeForScheduling> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (llvm::any_of(*loop.getBody(), llvm::IsaPred<tileas::MmaOp, tileas::ScaledMmaOp>))
        loops.push_back(loop);
    });
    llvm::SetVector<Operation *> before;
    for (scf::ForOp loop : loops)
      recomputeBehind(loop, before);
    for (Operation *op : llvm::reverse(before))
      if (op->use_empty())
        op->erase();
  }

  // Values defined before the loop and used after it, but not in it.
  static bool livesThrough(Value value, scf::ForOp loop) {
    Operation *op = value.getDefiningOp();
    Operation *atLoop = op ? loop->getBlock()->findAncestorOpInBlock(*op) : nullptr;
    return op && !(atLoop && loop->isBeforeInBlock(atLoop)) &&
           llvm::none_of(value.getUsers(), [&](Operation *user) { return loop->isAncestor(user); });
  }

  // A use of such a tile, the operation behind the loop in which it is, and what computes the tile.
  struct Use {
    OpOperand *operand;
    Operation *behind;
    Chain chain;
  };
  static SmallVector<Use> usesBehind(scf::ForOp loop) {
    SmallVector<Use> uses;
    for (Operation *behind = loop->getNextNode(); behind; behind = behind->getNextNode())
      behind->walk([&](Operation *user) {
        for (OpOperand &operand : user->getOpOperands()) {
          Chain chain;
          if (isTile(operand.get()) && livesThrough(operand.get(), loop) && chain.add(operand.get()) && chain.hasIota)
            uses.push_back({&operand, behind, std::move(chain)});
        }
      });
    return uses;
  }

  static void recomputeBehind(scf::ForOp loop, llvm::SetVector<Operation *> &before) {
    SmallVector<Use> uses = usesBehind(loop);
    if (llvm::all_of(uses, [](const Use &use) { return registersOf(use.operand->get()) <= fewRegisters; }))
      return;
    IRMapping again;
    for (Use &use : uses) {
      OpBuilder builder(use.behind);
      for (Operation *op : use.chain.ops) {
        if (again.contains(op->getResult(0)))
          continue;
        Operation *clone = builder.clone(*op, again);
        if (auto iota = dyn_cast<tileaa::IotaOp>(clone))
          iota.setRematerialized(true);
      }
      before.insert(use.chain.ops.begin(), use.chain.ops.end());
      use.operand->set(again.lookup(use.operand->get()));
    }
  }

  static constexpr int64_t fewRegisters = 8; // are not worth it
};

} // namespace
