// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Decisions.h"
#include "tileas/legalize/Passes.h"
#include "tileas/plan/ReduceForms.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZEREDUCE
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::LinearLayout;

namespace {

// The same reduction of other tiles.
tileaa::ReduceOp reduceAgain(tileaa::ReduceOp reduce, ValueRange sources, unsigned axis, OpBuilder &builder) {
  SmallVector<Type> types;
  for (Value source : sources) {
    auto type = cast<RankedTensorType>(source.getType());
    LinearLayout left = tileas::layoutOf(type).slice(axis);
    types.push_back(type.getRank() == 1 ? type.getElementType() : Type(tileas::typeWith(type.getElementType(), left)));
  }
  auto again = tileaa::ReduceOp::create(builder, reduce.getLoc(), types, sources, reduce.getIdentities(), axis);
  IRMapping mapping;
  reduce.getBody().cloneInto(&again.getBody(), mapping);
  return again;
}

// Each warp reduces its part of a line.
SmallVector<Value> reduceParts(tileaa::ReduceOp reduce, OpBuilder &builder) {
  unsigned axis = reduce.getDim();
  SmallVector<Value> split;
  for (Value source : reduce.getSources()) {
    Type element = getElementTypeOrSelf(source.getType());
    Type type = tileas::typeWith(element, tileas::splitWarps(tileas::layoutOf(source), axis));
    split.push_back(tileas::SplitWarpsOp::create(builder, reduce.getLoc(), type, source, axis));
  }
  return llvm::to_vector_of<Value>(reduceAgain(reduce, split, axis + 1, builder).getResults());
}

// The partial results are combined by threads that have them in that layout.
void legalize(tileaa::ReduceOp reduce, const LinearLayout &ofParts) {
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  SmallVector<Value> partial = reduceParts(reduce, builder);
  for (Value &value : partial) {
    Type type = tileas::typeWith(getElementTypeOrSelf(value.getType()), ofParts);
    value = tileas::ConvertLayoutOp::create(builder, loc, type, value);
  }
  for (auto [old, now] :
       llvm::zip_equal(reduce.getResults(),
                       SmallVector<Value>(reduceAgain(reduce, partial, reduce.getDim(), builder).getResults()))) {
    if (old.getType() != now.getType())
      now = tileas::ConvertLayoutOp::create(builder, loc, old.getType(), now);
    old.replaceAllUsesWith(now);
  }
  reduce.erase();
}

// A form with its reason, and the layout of partial results where warps have any.
struct Choice {
  int64_t form;
  std::string reason;
  std::optional<LinearLayout> ofParts;
};

// Why the lines of a tile do not each lie within a warp, though a plan file asks for it.
std::string whyShared(const LinearLayout &tile, unsigned axis) {
  if (tileas::linesInWarps(tile, axis))
    return "a product, or another operation with more weight, decides how its tile is held";
  return ("its tile has " + Twine(uint64_t(1) << (tile.outputBits() - tile.outputBits(layout::tileDim(axis)))) +
          " lines, too few for each warp to have lines of its own")
      .str();
}

Choice choose(tileaa::ReduceOp reduce) {
  namespace form = tileas::form;
  unsigned axis = reduce.getDim();
  const LinearLayout &tile = tileas::layoutOf(reduce.getSources()[0]);
  if (!tileas::areLinesShared(tile, axis))
    return {form::warp, "each line lies within a warp, and nothing passes between warps", std::nullopt};
  LinearLayout partial = tileas::splitWarps(tile, axis).slice(axis + 1);
  int64_t asked = tileas::askedFor(reduce, tileas::DecisionKind::Form).value_or(form::registers);
  std::string why = ("lines are spread over " + Twine(partial.outputSize(layout::tileDim(axis))) +
                     " warps, and a thread combines their partial results without waiting for other lanes")
                        .str();
  if (asked == form::lanes) {
    if (auto lanes = tileas::partsInLanes(partial, axis))
      return {form::lanes, why, lanes};
    why = "all lanes have lines of their own, and none is left for partial results";
  } else if (asked == form::twoSteps) {
    if (auto others = tileas::partsInOtherThreads(partial, axis))
      return {form::twoSteps, why, others};
    why = "no thread would have fewer lines than it has of the result";
  } else if (asked == form::warp) {
    why = whyShared(tile, axis);
  }
  return {form::registers, why, tileas::partsInRegisters(partial, axis)};
}

class LegalizeReduce : public tilewright::impl::TileasLegalizeReduceBase<LegalizeReduce> {
  void runOnOperation() override {
    tileas::DecisionTable table(getOperation());
    SmallVector<std::pair<tileaa::ReduceOp, LinearLayout>> shared;
    getOperation().walk([&](tileaa::ReduceOp reduce) {
      Choice choice = choose(reduce);
      table.decide(reduce, tileas::DecisionKind::Form, choice.form, choice.reason);
      // Nothing is decided on it any more, and equal ones may be merged.
      reduce->removeAttr(tileas::numberAttr);
      if (choice.ofParts)
        shared.emplace_back(reduce, *choice.ofParts);
    });
    table.write();
    for (auto &[reduce, ofParts] : shared)
      legalize(reduce, ofParts);
  }
};

} // namespace
