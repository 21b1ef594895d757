// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/grid/BlockSteps.h"

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

std::optional<int64_t> BlockSteps::of(Value number) {
  if (auto found = known.find(number); found != known.end())
    return found->second;
  known[number] = std::nullopt; // of a number that depends on itself
  return known[number] = compute(number);
}

std::optional<int64_t> BlockSteps::compute(Value number) {
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent))
      return 0;
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && number == loop.getInductionVar() ? of(loop.getLowerBound()) : std::nullopt;
  }
  Operation *op = number.getDefiningOp();
  if (auto block = dyn_cast<tileaa::BlockIdOp>(op))
    return number == block->getResult(axis) ? 1 : 0;
  if (op->getNumRegions() != 0)
    return std::nullopt;
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, tileaa::BroadcastOp, tileaa::ReshapeOp,
          tileaa::PermuteOp, tileaa::AssumeDivByOp>(op))
    return of(op->getOperand(0));
  SmallVector<std::optional<int64_t>> steps;
  for (Value operand : op->getOperands())
    steps.push_back(of(operand));
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    if (!steps[0] || !steps[1])
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? *steps[0] + *steps[1] : *steps[0] - *steps[1];
  }
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (APInt factor; steps[side] && matchPattern(op->getOperand(1 - side), m_ConstantInt(&factor)))
        return *steps[side] * factor.getSExtValue();
  bool isSame = llvm::all_of(steps, [](std::optional<int64_t> step) { return step == 0; });
  return isSame && isMemoryEffectFree(op) ? std::optional<int64_t>(0) : std::nullopt;
}

std::optional<int64_t> BlockSteps::ofAddress(Operation *access) {
  if (auto load = dyn_cast<tileaa::LoadPtrOp>(access))
    return of(load.getAddresses());
  if (auto store = dyn_cast<tileaa::StorePtrOp>(access))
    return of(store.getAddresses());
  auto load = dyn_cast<tileaa::LoadViewOp>(access);
  auto store = dyn_cast<tileaa::StoreViewOp>(access);
  if (!load && !store)
    return std::nullopt;
  tileaa::ViewType view = load ? load.getView().getType() : store.getView().getType();
  int64_t sum = 0;
  for (auto [offset, stride] : llvm::zip_equal(load ? load.getOffsets() : store.getOffsets(), view.getStrides())) {
    std::optional<int64_t> step = of(offset);
    if (!step || (*step != 0 && ShapedType::isDynamic(stride)))
      return std::nullopt;
    sum += *step == 0 ? 0 : *step * stride;
  }
  return sum * std::max<int64_t>(1, view.getElementType().getIntOrFloatBitWidth() / 8);
}
