// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tilewright {
#define GEN_PASS_DEF_BUBBLEUPEXTRACTSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::TilePart;

namespace {

// A sector of global memory: loads of less would read it several times.
constexpr int64_t leastBytes = 32;

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
}

class BubbleUpExtracts : public tilewright::impl::BubbleUpExtractsPassBase<BubbleUpExtracts> {
public:
  using BubbleUpExtractsPassBase::BubbleUpExtractsPassBase;

private:
  void runOnOperation() override {
    SmallVector<tileaa::ExtractOp> extracts;
    getOperation().walk([&](tileaa::ExtractOp extract) { extracts.push_back(extract); });
    for (tileaa::ExtractOp extract : extracts)
      bubbleUp(extract);
  }

  void bubbleUp(tileaa::ExtractOp extract) {
    auto source = cast<RankedTensorType>(extract.getSource().getType()),
         type = cast<RankedTensorType>(extract.getType());
    int64_t run = type.getShape().back(), whole = source.getShape().back();
    if (bytesOf(source) <= sharedBytes || (run != whole && run * bytesOf(type) / type.getNumElements() < leastBytes))
      return;
    TilePart part = {{}, SmallVector<int64_t>(type.getShape())};
    for (Value offset : extract.getOffsets()) {
      std::optional<int64_t> constant = getConstantIntValue(offset);
      part.offsets.push_back(constant ? TilePart::Offset{Value(), *constant} : TilePart::Offset{offset, 0});
    }
    // Small tiles stay in shared memory, of which they leave half to others.
    tileaa::PartialTile tile(/*repeatsProducts=*/false, sharedBytes / 2);
    Value from = extract.getSource();
    if (!tile.add(from, part))
      return;
    OpBuilder builder(extract);
    extract.replaceAllUsesWith(tile.take(from, part, builder));
    extract.erase();
    tileaa::eraseUnusedTiles(from);
  }
};

} // namespace
