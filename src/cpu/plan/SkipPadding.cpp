// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/place/EarlierValues.h"
#include "cpu/place/EdgeLoops.h"
#include "cpu/place/LoopInput.h"
#include "cpu/plan/PaddingTail.h"

#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUSKIPPADDING
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// The dimension of a loop along its lines, and the places up to which it is needed: the last one counts.
struct Need {
  int64_t dim;
  SmallVector<LineEnd> ends;
};

bool isConstant(Attribute value, int64_t number) {
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  auto real = dyn_cast_or_null<FloatAttr>(value);
  return (integer && integer.getInt() == number) || (real && real.getValue().isExactlyValue(number));
}

// Whether combining an element once more changes nothing: it is the identity, or NaN is the result already, or the
// combination is idempotent.
bool isNeutral(Operation *combiner, const PaddingTail &element) {
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp,
          arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(combiner))
    return element.isUniform();
  if (isa<arith::AddFOp>(combiner))
    return element.isZeroOrNan();
  if (isa<arith::AddIOp, arith::XOrIOp>(combiner))
    return isConstant(element.constant, 0);
  return isa<arith::MulFOp, arith::MulIOp>(combiner) && isConstant(element.constant, 1);
}

class PaddingSkipper {
public:
  explicit PaddingSkipper(func::FuncOp function) : function(function), plan(Plan::of(function)) {}

  void run() {
    SmallVector<linalg::GenericOp> loops;
    function.walk([&](linalg::GenericOp loop) { loops.push_back(loop); });
    // Readers of a tile come behind the operation that computes it; one that a loop carries is needed as a whole.
    for (linalg::GenericOp loop : llvm::reverse(loops))
      if (std::optional<Need> need = needOf(loop))
        needs[loop] = *need;
    for (linalg::GenericOp loop : loops)
      if (auto need = needs.find(loop); need != needs.end())
        end(loop, need->second);
  }

private:
  std::optional<Need> needOf(linalg::GenericOp loop) {
    std::optional<int64_t> dim = lineDim(loop, plan);
    if (!dim || !llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) { return isPure(&op); }))
      return std::nullopt;
    Need need{*dim, {}};
    for (OpResult result : loop->getResults())
      if (!addNeed(loop, result, need))
        return std::nullopt;
    DominanceInfo dominance;
    for (const LineEnd &end : need.ends)
      if (!canBeKnownBefore(end.inputs(), loop, dominance))
        return std::nullopt;
    return need.ends.empty() ? std::nullopt : std::optional(need);
  }

  bool addNeed(linalg::GenericOp loop, OpResult result, Need &need) {
    OpOperand *init = loop.getDpsInitOperand(result.getResultNumber());
    AffineMap map = loop.getMatchingIndexingMap(init);
    if (map.isFunctionOfDim(need.dim)) {
      std::optional<unsigned> along = map.getResultPosition(getAffineDimExpr(need.dim, loop.getContext()));
      return along && init->get().getDefiningOp<tensor::EmptyOp>() && addUses(result, *along, need);
    }
    return loop.getIteratorTypesArray()[need.dim] == utils::IteratorType::reduction &&
           addReduction(loop, result.getResultNumber(), need);
  }

  // A result is needed as far as everything that reads it needs it.
  bool addUses(Value tile, int64_t dim, Need &need) {
    return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
      if (auto store = dyn_cast<tileaa::StoreViewOp>(use.getOwner())) {
        need.ends.push_back({store, dim, {}});
        return store.getView().getDefiningOp<tileaa::MakeViewOp>() != nullptr;
      }
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      auto found = reader && reader.isDpsInput(&use) ? needs.find(reader) : needs.end();
      if (found == needs.end() || reader.getMatchingIndexingMap(&use).getResult(dim) !=
                                      getAffineDimExpr(found->second.dim, reader.getContext()))
        return false;
      llvm::append_range(need.ends, found->second.ends);
      return true;
    });
  }

  // A reduction ends where only neutral elements follow, one of which takes part: it may be NaN.
  bool addReduction(linalg::GenericOp loop, unsigned result, Need &need) {
    BlockArgument sum = loop.getRegionOutputArgs()[result];
    Operation *combiner = loop.getBody()->getTerminator()->getOperand(result).getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !sum.hasOneUse() ||
        !llvm::is_contained(combiner->getOperands(), sum))
      return false;
    Value element = combiner->getOperand(combiner->getOperand(0) == sum ? 1 : 0);
    PaddingTail tail = BodyTails(loop, need.dim).of(element);
    if (!isNeutral(combiner, tail))
      return false;
    for (LineEnd end : tail.ends) {
      ++end.more;
      need.ends.push_back(end);
    }
    return true;
  }

  void end(linalg::GenericOp loop, const Need &need) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
    Value last;
    for (const LineEnd &each : need.ends) {
      DominanceInfo dominance;
      if (failed(makeKnownBefore(each.inputs(), loop, dominance)))
        llvm_unreachable("what can be known before a loop can be moved there");
      Value end = each.build(builder, loc);
      last = last ? builder.createOrFold<arith::MaxSIOp>(loc, last, end) : end;
    }
    // Whole vectors of the narrowest elements, so that whatever a loop reads was computed.
    int64_t lanes = plan.lanes(narrowestBits());
    last = arith::AddIOp::create(builder, loc, last, constant(lanes - 1));
    last = arith::AndIOp::create(builder, loc, last, constant(-lanes));
    last = arith::MinSIOp::create(builder, loc, last, constant(loop.getStaticLoopRanges()[need.dim]));
    linalg::GenericOp shorter = withFirstInput(builder, loop, last);
    shorter->setAttr(endAttr, builder.getI64IntegerAttr(need.dim));
    loop->replaceAllUsesWith(shorter->getResults());
    loop.erase();
  }

  int64_t narrowestBits() {
    if (bits == 0) {
      bits = 32;
      function.walk([&](Operation *op) {
        for (Type type : op->getResultTypes())
          if (auto tensor = dyn_cast<RankedTensorType>(type);
              tensor && tensor.getElementType().isIntOrFloat() && tensor.getElementTypeBitWidth() >= 8)
            bits = std::min<int64_t>(bits, tensor.getElementTypeBitWidth());
      });
    }
    return bits;
  }

  func::FuncOp function;
  Plan plan;
  int64_t bits = 0;
  llvm::DenseMap<linalg::GenericOp, Need> needs;
};

struct CpuSkipPadding : tilewright::impl::CpuSkipPaddingBase<CpuSkipPadding> {
  void runOnOperation() override {
    if (tileaa::isKernel(getOperation()))
      PaddingSkipper(getOperation()).run();
  }
};

} // namespace
