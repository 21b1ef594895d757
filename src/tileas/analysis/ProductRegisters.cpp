// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/ProductRegisters.h"

#include "tileas/ir/Tileas.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

namespace {

int64_t bitsOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getElementType().isIntOrFloat() ? tile.getNumElements() * tile.getElementTypeBitWidth() : 0;
}

// Tiles that a loop carries besides the sums of its products, such as sums of products that begin at zero in each
// iteration. Of rows' maxima a thread has none or one.
int64_t bitsOfCarried(Block *block, int64_t threads) {
  auto loop = dyn_cast<LoopLikeOpInterface>(block->getParentOp());
  int64_t bits = 0;
  if (loop)
    for (Value yielded : loop.getYieldedValues())
      if (auto tile = dyn_cast<RankedTensorType>(yielded.getType());
          tile && tile.getNumElements() > threads &&
          !isa_and_nonnull<tileaa::MmaOp, tileas::MmaOp>(yielded.getDefiningOp()))
        bits += bitsOf(tile);
  return bits;
}

bool isComputedIn(Block *block, Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block && !isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op);
}

} // namespace

int64_t tileas::registersOfProducts(Operation *kernel, int64_t threads) {
  constexpr int64_t registerBits = 32;
  llvm::DenseMap<Block *, int64_t> bits;
  auto add = [&](auto mma) {
    Block *block = mma->getBlock();
    bits[block] += bitsOf(mma.getAcc().getType());
    if (isComputedIn(block, mma.getLhs()))
      bits[block] += bitsOf(mma.getLhs().getType());
  };
  kernel->walk([&](tileaa::MmaOp mma) { add(mma); });
  kernel->walk([&](tileas::MmaOp mma) { add(mma); });
  for (auto &[block, all] : bits)
    all += bitsOfCarried(block, threads);
  int64_t most = 0;
  for (auto [block, all] : bits)
    most = std::max(most, all);
  return llvm::divideCeil(most, registerBits * threads);
}
