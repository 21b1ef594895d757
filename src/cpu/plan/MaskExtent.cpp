// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/MaskExtent.h"

#include "cpu/ir/Cpu.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

/// The operations of the gather's body that one conjunct of its mask needs, and what they read from outside.
struct Conjunct {
  Value condition;
  SetVector<Operation *> slice;
  SmallVector<Value> outside;
};

} // namespace

static PtrLoadOp findZeroPaddedLoad(linalg::GenericOp gather) {
  if (gather.getNumDpsInits() != 1 || gather.getNumReductionLoops() != 0 ||
      !gather.getIndexingMapsArray().back().isIdentity())
    return nullptr;
  auto load = gather.getBody()->getTerminator()->getOperand(0).getDefiningOp<PtrLoadOp>();
  if (!load || load->getBlock() != gather.getBody())
    return nullptr;
  return tileaa::isZero(load.getOther()) ? load : nullptr;
}

static void flatten(Value mask, SmallVectorImpl<Value> &conjuncts) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    flatten(both.getLhs(), conjuncts);
    flatten(both.getRhs(), conjuncts);
  } else {
    conjuncts.push_back(mask);
  }
}

/// The conjunct, if it is computed without side effects from `dim` and values of the whole tile.
static std::optional<Conjunct> dependOnlyOn(Value condition, int64_t dim, linalg::GenericOp gather) {
  Conjunct conjunct{condition, {}, {}};
  bool isOfDim = false, isOther = false;
  auto visit = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == gather.getBody()) {
      if (argument.getArgNumber() >= gather.getNumDpsInputs()) {
        isOther = true;
        return;
      }
      for (AffineExpr result : gather.getIndexingMapsArray()[argument.getArgNumber()].getResults()) {
        auto along = dyn_cast<AffineDimExpr>(result);
        isOfDim |= along && along.getPosition() == dim;
        isOther |= (along && along.getPosition() != dim) || (!along && !isa<AffineConstantExpr>(result));
      }
      conjunct.outside.push_back(gather.getDpsInputs()[argument.getArgNumber()]);
    } else if (Operation *op = value.getDefiningOp(); !op || op->getBlock() != gather.getBody()) {
      conjunct.outside.push_back(value);
    } else if (auto at = dyn_cast<linalg::IndexOp>(op)) {
      (static_cast<int64_t>(at.getDim()) == dim ? isOfDim : isOther) = true;
    } else {
      isOther |= !isPure(op) || op->getNumRegions() != 0;
    }
  };
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == gather.getBody(); };
  if (!condition.getDefiningOp() || failed(getBackwardSlice(condition, &conjunct.slice, options)))
    return std::nullopt;
  visit(condition);
  for (Operation *op : conjunct.slice)
    for (Value operand : op->getOperands())
      visit(operand);
  for (Value value : conjunct.outside)
    isOther |= isa<ShapedType>(value.getType()) && !isa<RankedTensorType>(value.getType());
  return isOfDim && !isOther ? std::optional(std::move(conjunct)) : std::nullopt;
}

static Value emitAt(OpBuilder &builder, const Conjunct &conjunct, linalg::GenericOp gather, Value index) {
  Location loc = gather.getLoc();
  IRMapping mapping;
  for (OpOperand *input : gather.getDpsInputOperands()) {
    Value inBody = gather.getMatchingBlockArgument(input);
    if (!llvm::is_contained(conjunct.outside, input->get()))
      continue;
    Value element = input->get();
    if (isa<RankedTensorType>(element.getType())) {
      SmallVector<Value> at;
      for (AffineExpr result : gather.getMatchingIndexingMap(input).getResults()) {
        auto constant = dyn_cast<AffineConstantExpr>(result);
        at.push_back(constant ? arith::ConstantIndexOp::create(builder, loc, constant.getValue()).getResult() : index);
      }
      element = tensor::ExtractOp::create(builder, loc, element, at);
    }
    mapping.map(inBody, element);
  }
  for (Operation *op : conjunct.slice) {
    if (isa<linalg::IndexOp>(op))
      mapping.map(op->getResult(0), index);
    else
      builder.clone(*op, mapping);
  }
  return mapping.lookupOrDefault(conjunct.condition);
}

Value cpu::getMaskExtent(linalg::GenericOp gather, int64_t dim, Operation *user) {
  PtrLoadOp load = findZeroPaddedLoad(gather);
  if (!load)
    return {};
  SmallVector<Value> conditions;
  flatten(load.getMask(), conditions);
  SmallVector<Conjunct> conjuncts;
  for (Value condition : conditions)
    if (std::optional<Conjunct> conjunct = dependOnlyOn(condition, dim, gather))
      conjuncts.push_back(std::move(*conjunct));
  if (conjuncts.empty())
    return {};

  auto isOutside = [&](LoopLikeOpInterface loop) {
    return llvm::all_of(conjuncts, [&](const Conjunct &conjunct) {
      return llvm::all_of(conjunct.outside, [&](Value value) { return loop.isDefinedOutsideOfLoop(value); });
    });
  };
  for (auto loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp()); loop && isOutside(loop);
       loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp()))
    user = loop;
  OpBuilder builder(user);
  Location loc = gather.getLoc();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value).getResult(); };
  int64_t size = cast<RankedTensorType>(gather.getResult(0).getType()).getDimSize(dim);
  auto count = scf::ForOp::create(builder, loc, constant(0), constant(size), constant(1), ValueRange{constant(0)});
  OpBuilder inner = OpBuilder::atBlockEnd(count.getBody());
  Value index = count.getInductionVar(), holds;
  for (const Conjunct &conjunct : conjuncts) {
    Value one = emitAt(inner, conjunct, gather, index);
    holds = holds ? arith::AndIOp::create(inner, loc, holds, one).getResult() : one;
  }
  Value next = arith::AddIOp::create(inner, loc, index, arith::ConstantIndexOp::create(inner, loc, 1));
  Value last = arith::SelectOp::create(inner, loc, holds, next, count.getRegionIterArg(0));
  scf::YieldOp::create(inner, loc, last);
  return count.getResult(0);
}
