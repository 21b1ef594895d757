// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/OwnStageChoice.h"

#include "layout/Distributed.h"
#include "layout/memory/SharedLayouts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileaa/ir/Hints.h"
#include "tileaa/ir/Numbers.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/analysis/CopyWidth.h"
#include "tileas/analysis/PointerMemory.h"
#include "tileas/analysis/ViewMemory.h"
#include "tileas/ir/Decisions.h"
#include "tileas/memory/SharedPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::LinearLayout;

namespace {

// So many blocks have room on a multiprocessor if their registers have, unless the hint `occupancy` asks for more.
constexpr int64_t usualBlocks = 4;
// Registers of a thread besides those of the tiles, each of which is there twice: as loaded and as computed with.
constexpr int64_t registersOfOthers = 32;
constexpr int64_t farthest = 7; // iterations
// For what is exchanged of small tiles, beside known buffers.
constexpr int64_t spareBytes = 1 << 10;

int64_t bytesOf(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

// Whether a write may depend on the token of a load, or the token leaves its block: without a barrier between the two,
// a thread might overwrite what another one has not loaded yet.
bool comesBeforeWrite(TileLoad load) {
  llvm::SetVector<Value> tokens;
  tokens.insert(load.tokenAfter());
  for (unsigned next = 0; next != tokens.size(); ++next)
    for (OpOperand &use : tokens[next].getUses()) {
      Operation *user = use.getOwner();
      bool isLoad = isa<tileaa::LoadViewOp>(user) ||
                    (isa<tileaa::LoadPtrOp>(user) && !cast<tileaa::LoadPtrOp>(user).getOrdering());
      if (!isLoad && !isa<tileaa::JoinTokensOp>(user))
        return true;
      for (Value result : user->getResults())
        if (isa<tileaa::TokenType>(result.getType()))
          tokens.insert(result);
    }
  return false;
}

class OwnStageChooser {
public:
  OwnStageChooser(scf::ForOp loop, const nvidia::Architecture &architecture)
      : loop(loop), function(loop->getParentOfType<func::FuncOp>()), architecture(architecture),
        warps(warpsOf(function)) {}

  std::optional<OwnStageChoice> run(ArrayRef<TileLoad> loads) {
    OwnStageChoice choice;
    int64_t stageBytes = 0, tileRegisters = 0;
    for (TileLoad load : loads) {
      if (const char *why = obstacle(load)) {
        load->emitRemark() << "is not prefetched: " << why;
        tileaa::declineHint(load, tileaa::hint::latency, why);
        continue;
      }
      auto type = cast<RankedTensorType>(load.tile().getType());
      choice.loads.push_back(load);
      choice.buffers.push_back(BufferType::get(load->getContext(), type.getShape(), type.getElementType(),
                                               LayoutAttr::get(load->getContext(), stageLayout(load))));
      stageBytes += llvm::alignTo(choice.buffers.back().getBytes(), 1024);
      // Narrow elements are computed with as f32.
      tileRegisters +=
          layoutOf(load.tile()).inputSize(Dim::Register) * llvm::divideCeil(type.getElementTypeBitWidth(), 32);
    }
    if (choice.loads.empty())
      return std::nullopt;
    choice.distance = chooseDistance(stageBytes, tileRegisters);
    if (choice.distance < 1) {
      loop.emitRemark() << "has no room in shared memory for prefetching its loads";
      for (TileLoad load : choice.loads)
        tileaa::declineHint(load, tileaa::hint::latency, "shared memory has no room for a stage");
      return std::nullopt;
    }
    for (TileLoad load : choice.loads) {
      answerLatency(load, choice.distance);
      decide(load, DecisionKind::Way, way::cpAsync, "each thread copies its own elements to a stage");
    }
    decide(loop, DecisionKind::Stages, choice.distance + 1,
           "loads come " + Twine(choice.distance) + (choice.distance == 1 ? " iteration" : " iterations") +
               " ahead, and one tile is in registers");
    return choice;
  }

private:
  const char *obstacle(TileLoad load) {
    auto type = cast<RankedTensorType>(load.tile().getType());
    const LinearLayout &layout = layoutOf(load.tile());
    if (askedFor(load, DecisionKind::Cache) && askedFor(load, DecisionKind::Way) != way::cpAsync)
      return "the plan file says how caches treat the loads of threads";
    if (layout.inputBits(Dim::Lane) != 5 || int64_t(layout.inputSize(Dim::Warp)) != warps ||
        layout.redundantBits(Dim::Lane) || layout.redundantBits(Dim::Warp))
      return "several threads hold the same elements";
    if (comesBeforeWrite(load))
      return "a write depends on it";
    if (widthOf(load, type) < leastCopy)
      return "no 4 contiguous bytes are known to be aligned";
    return nullptr;
  }

  // The bytes of one copy.
  int64_t widthOf(TileLoad load, RankedTensorType type) {
    int64_t bytes = bytesOf(type.getElementType());
    if (tileaa::LoadViewOp ofView = load.ofView()) {
      bool isPadded = ofView.getPadding() && *ofView.getPadding() != tileaa::Padding::Zero;
      return isPadded ? 0 : bytes * elementsAtOnce(ofView, layoutOf(load.tile()));
    }
    tileaa::LoadPtrOp ofAddresses = load.ofAddresses();
    if (layoutOf(ofAddresses.getAddresses()) != layoutOf(load.tile()))
      return 0;
    auto memory = memoryAt(ofAddresses, bytes);
    return memory ? bytes << layout::vectorRegisters(layoutOf(load.tile()), *memory).size() : bytes;
  }

  // As in memory: the vectors of neighbouring lanes are neighbours.
  LinearLayout stageLayout(TileLoad load) {
    auto type = cast<RankedTensorType>(load.tile().getType());
    if (tileaa::LoadViewOp ofView = load.ofView())
      return layout::plainShared(type.getShape(), orderOf(memoryOf(ofView)));
    auto memory = memoryAt(load.ofAddresses(), bytesOf(type.getElementType()));
    return layout::plainShared(type.getShape(), memory ? orderOf(*memory) : layout::rowMajorOrder(type.getRank()));
  }

  std::optional<layout::TileMemory> memoryAt(tileaa::LoadPtrOp load, int64_t bytes) {
    if (!slopes)
      slopes.emplace(function);
    return memoryOf(load.getAddresses(), load.getMask(), bytes, *slopes);
  }

  // A plan file may ask for the whole block's memory. Otherwise a block takes a share of the multiprocessor's, so that
  // as many blocks as before hide what prefetching does not: exchanges between warps, stores.
  int64_t chooseDistance(int64_t stageBytes, int64_t tileRegisters) {
    int64_t taken = SharedPlaces(function, {}).total() + spareBytes;
    auto distanceIn = [&](int64_t room) { return (room - taken) / stageBytes; };
    if (std::optional<int64_t> stages = askedFor(loop, DecisionKind::Stages))
      return std::min(*stages - 1, distanceIn(sharedLimit(function, architecture)));
    int64_t threads = warps * nvidia::Architecture::warpThreads;
    int64_t byRegisters = nvidia::Architecture::registersPerSm / (threads * (registersOfOthers + 2 * tileRegisters));
    int64_t asked = blocksAsked(function, threads, architecture);
    int64_t blocks = std::max<int64_t>(1, std::min(std::max(usualBlocks, asked), byRegisters));
    int64_t share = architecture.sharedBytesPerSm / blocks - nvidia::Architecture::reservedSharedBytes;
    return std::min(farthest, distanceIn(std::min(share, sharedLimit(function, architecture))));
  }

  scf::ForOp loop;
  func::FuncOp function;
  const nvidia::Architecture &architecture;
  int64_t warps;
  std::optional<TileSlopes> slopes;
};

// The number of blocks, in any type, and with the guard of a front end against a step of 0.
bool isNumBlocks(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return isNumBlocks(select.getTrueValue()) || isNumBlocks(select.getFalseValue());
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return isNumBlocks(op->getOperand(0));
  return isa_and_nonnull<tileaa::NumBlocksOp>(op);
}

} // namespace

bool tileas::mayPrefetchRows(scf::ForOp loop) {
  if (std::optional<int64_t> asked = askedFor(loop, DecisionKind::Stages))
    return *asked > 1;
  return isa<func::FuncOp>(loop->getParentOp()) && isNumBlocks(loop.getStep());
}

std::optional<OwnStageChoice> tileas::chooseOwnStages(scf::ForOp loop, ArrayRef<TileLoad> loads,
                                                      const nvidia::Architecture &architecture) {
  return OwnStageChooser(loop, architecture).run(loads);
}
