// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/BlocksBeside.h"

#include "tileas/analysis/BlocksAsked.h"
#include "tileas/analysis/ProductRegisters.h"
#include "tileas/ir/RegisterPool.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using nvidia::Architecture;

namespace {

// Attention f16 of 64x64 queries and keys, 64 values, on an H200: 732 us with two CTAs, 646 with three, 644 with four;
// not causal 1349, 1234 and 1168.
constexpr int64_t mostBlocks = 4;

// Of fewer rows or columns, a product is bound by the loads of its operands: decoding of 64 requests by 8 columns takes
// a layer from 411 to 440 us with three CTAs of two stages in the place of two CTAs of three.
constexpr int64_t fewestLines = 32;

bool isBoundByLoads(RankedTensorType sums) {
  return llvm::any_of(sums.getShape().take_back(2), [](int64_t lines) { return lines < fewestLines; });
}

// Sums that only grow until the loop ends are not read in this sense.
template <typename Mma> bool isReadInLoop(Mma mma) {
  if (!isa<LoopLikeOpInterface>(mma->getParentOp()) || isBoundByLoads(cast<RankedTensorType>(mma.getType())))
    return false;
  return llvm::any_of(mma->getUses(), [](OpOperand &use) {
    auto next = dyn_cast<Mma>(use.getOwner());
    bool isAddedTo = next && next.getAcc() == use.get();
    return !isAddedTo && !use.getOwner()->template hasTrait<OpTrait::IsTerminator>();
  });
}

bool readsProducts(func::FuncOp function) {
  auto stop = [](Operation *op) {
    auto early = dyn_cast<tileaa::MmaOp>(op);
    auto planned = dyn_cast<tileas::MmaOp>(op);
    bool isRead = (early && isReadInLoop(early)) || (planned && isReadInLoop(planned));
    return isRead ? WalkResult::interrupt() : WalkResult::advance();
  };
  return function.walk(stop).wasInterrupted();
}

int64_t bytesOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && tile.getElementType().isIntOrFloat()
             ? llvm::divideCeil(tile.getNumElements() * tile.getElementTypeBitWidth(), 8)
             : 0;
}

// With two stages of the loop that loads the most, about: what is loaded is staged, and so is what is stored.
int64_t sharedBytes(func::FuncOp function) {
  DenseMap<Block *, int64_t> loaded;
  int64_t once = Architecture::reservedSharedBytes, stage = 0;
  function.walk([&](Operation *op) {
    if (isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op))
      (isa<LoopLikeOpInterface>(op->getParentOp()) ? loaded[op->getBlock()] : once) += bytesOf(op->getResult(0));
    else if (auto store = dyn_cast<tileaa::StoreViewOp>(op))
      once += bytesOf(store.getTile());
  });
  for (auto [block, bytes] : loaded)
    stage = std::max(stage, bytes);
  return once + 2 * stage;
}

} // namespace

int64_t tileas::blocksBeside(func::FuncOp function, int64_t warps, const Architecture &architecture) {
  if (occupancyAsked(function) == 1 || warps > 2 * warpsOfProducer || !readsProducts(function))
    return 1;
  int64_t needed = registersOfProducts(function, warps * Architecture::warpThreads), bytes = sharedBytes(function);
  int64_t blocks = mostBlocks;
  while (blocks > 1 && (registersForSums(warps, registersOfStarter, blocks) < needed ||
                        blocks * bytes > architecture.sharedBytesPerSm))
    --blocks;
  return blocks;
}
