// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/StageChoice.h"

#include "layout/Distributed.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/analysis/CopyWidth.h"
#include "tileas/analysis/PointerMemory.h"
#include "tileas/analysis/ViewMemory.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/StageLayout.h"
#include "tileas/plan/Tcgen05Choice.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::LinearLayout;

namespace {

// For what is exchanged of small tiles.
constexpr int64_t spareBytes = 1 << 10;
// Registers of a thread besides the loop-carried ones: fragments, addresses.
constexpr int64_t registersOfOthers = 64;

int64_t bytesOf(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

// Whether the buffer has nothing else in it, and nothing but products of this iteration read it.
bool isOwnBuffer(WriteOp write) {
  auto alloc = write.getBuffer().getDefiningOp<AllocOp>();
  return alloc && llvm::all_of(alloc->getUsers(), [&](Operation *user) {
           return user == write || (isa<MmaOp, TmemMmaOp>(user) && user->getBlock() == write->getBlock());
         });
}

// The register layouts in which a tile is used.
SmallVector<LinearLayout> wantedLayouts(TileLoad load) {
  SmallVector<LinearLayout> wanted;
  for (Operation *user : load.tile().getUsers())
    if (auto convert = dyn_cast<ConvertLayoutOp>(user))
      wanted.push_back(layoutOf(convert.getResult()));
  if (wanted.empty())
    wanted.push_back(layoutOf(load.tile()));
  return wanted;
}

class StageChooser {
public:
  StageChooser(scf::ForOp loop, const nvidia::Architecture &architecture)
      : loop(loop), function(loop->getParentOfType<func::FuncOp>()), architecture(architecture),
        threads(warpsOf(function) * 32) {
    for (Value carried : loop.getRegionIterArgs())
      if (auto tile = dyn_cast<RankedTensorType>(carried.getType()))
        registersCarried += tile.getNumElements() * tile.getElementTypeBitWidth() / 32 / threads;
  }

  std::optional<StageChoice> run(ArrayRef<TileLoad> loads, int64_t mostStages) {
    for (TileLoad load : loads)
      if (std::optional<StagedLoad> one = place(load))
        staged.push_back(*one);
    keepRegisters();
    if (staged.empty())
      return std::nullopt;
    MmaOp running = findRunning();
    std::optional<int64_t> stages = countStages(mostStages, running ? 2 : 1);
    if (!stages) {
      loop.emitRemark() << "has no room in shared memory for prefetching its loads";
      for (StagedLoad &one : staged)
        tileaa::declineHint(one.load, tileaa::hint::latency, "shared memory has no room for two stages");
      return std::nullopt;
    }
    StageChoice choice{staged, *stages, 0, *stages > 2 ? running : MmaOp()};
    choice.distance = choice.stages - (choice.running ? 2 : 1);
    // A thread waits with one tile in its registers, not with several.
    if (llvm::any_of(staged, [](StagedLoad &one) { return one.throughRegisters; })) {
      choice.stages -= choice.distance - 1;
      choice.distance = 1;
    }
    answerHints(choice);
    decide(loop, DecisionKind::Stages, choice.stages,
           choice.distance == 1
               ? Twine("loads come one iteration ahead")
               : "loads come " + Twine(choice.distance) + " iterations ahead, as shared memory has room");
    return choice;
  }

private:
  layout::LinearLayout copierOf(RankedTensorType tile, const layout::TileMemory &memory) const {
    return layout::blockedLayout(layout::chooseBlocked(tile.getShape(), memory, threads / 32), tile.getShape());
  }

  std::optional<StagedLoad> place(TileLoad load) {
    auto type = cast<RankedTensorType>(load.tile().getType());
    int64_t bytes = bytesOf(type.getElementType());
    StagedLoad one;
    one.load = load;
    layout::TileMemory memory;
    if (tileaa::LoadViewOp ofView = load.ofView()) {
      memory = memoryOf(ofView);
      one.copier = copierOf(type, memory);
      one.throughRegisters = bytes * elementsAtOnce(ofView, one.copier) < leastCopy;
      if (auto shifted = memoryOfShifted(ofView); shifted && one.throughRegisters)
        one.copier = copierOf(type, *shifted);
    } else {
      // The thread with an address copies from it.
      auto found = memoryAt(load.ofAddresses(), bytes);
      one.copier = layoutOf(load.ofAddresses().getAddresses());
      if (!found || (bytes << layout::vectorRegisters(one.copier, *found).size()) < leastCopy) {
        const char *why = "its elements are not known to be contiguous";
        load->emitRemark() << "is not prefetched: " << why;
        tileaa::declineHint(load, tileaa::hint::latency, why);
        return std::nullopt;
      }
      memory = *found;
    }
    for (Operation *user : load.tile().getUsers())
      if (auto write = dyn_cast<WriteOp>(user); write && isOwnBuffer(write))
        one.write = write;
    if (one.write) {
      one.buffer = one.write.getBuffer().getType();
    } else {
      auto layout = LayoutAttr::get(load->getContext(),
                                    chooseStageLayout(type.getShape(), orderOf(memory), bytes, wantedLayouts(load)));
      one.buffer = BufferType::get(load->getContext(), type.getShape(), type.getElementType(), layout);
    }
    return one;
  }

  static void answerHints(const StageChoice &choice) {
    bool isWaiting = llvm::any_of(choice.loads, [](const StagedLoad &one) { return one.throughRegisters; });
    for (const StagedLoad &one : choice.loads) {
      if (isWaiting && tileaa::numberHinted(one.load, tileaa::hint::latency).value_or(0) > choice.distance)
        tileaa::declineHint(one.load, tileaa::hint::latency,
                            "the loop has a tile that waits in registers, one iteration ahead");
      answerLatency(one.load, choice.distance);
      decide(one.load, DecisionKind::Way, one.throughRegisters ? way::threads : way::cpAsync,
             one.throughRegisters ? "its rows are not known to be aligned for asynchronous copies"
                                  : "threads copy the tile to a stage");
    }
  }

  std::optional<layout::TileMemory> memoryAt(tileaa::LoadPtrOp load, int64_t bytes) {
    if (!slopes)
      slopes.emplace(function);
    return memoryOf(load.getAddresses(), load.getMask(), bytes, *slopes);
  }

  // Loads that would be in registers while the product runs stay where they are if there are not as many.
  void keepRegisters() {
    int64_t needed = registersCarried + registersOfOthers;
    for (StagedLoad &one : staged)
      if (one.throughRegisters)
        needed += one.copier.inputSize(layout::Dim::Register);
    if (needed <= nvidia::Architecture::registersPerThread)
      return;
    llvm::erase_if(staged, [&](StagedLoad &one) {
      if (one.throughRegisters) {
        one.load->emitRemark() << "is not prefetched: a thread would need " << needed << " registers";
        tileaa::declineHint(one.load, tileaa::hint::latency, "a thread would need " + Twine(needed) + " registers");
      }
      return one.throughRegisters;
    });
  }

  // Bytes of other buffers that are live during the loop.
  int64_t bytesOfOthers() {
    int64_t all = 0, converted = 0;
    function.walk([&](Operation *op) {
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        bool isStaged = llvm::any_of(
            staged, [&](StagedLoad &one) { return one.write && one.write.getBuffer() == alloc.getBuffer(); });
        all += isStaged ? 0 : llvm::alignTo(alloc.getBuffer().getType().getBytes(), 1024);
      } else if (auto alloca = dyn_cast<tileaa::AllocaOp>(op)) {
        all += llvm::alignTo(alloca.getBytes(), 1024);
      } else if (auto inner = dyn_cast<CreatePipelineOp>(op); inner && loop->isAncestor(op)) {
        all += llvm::alignTo(inner.getPipeline().getType().getBytes(), 1024);
      } else if (auto convert = dyn_cast<ConvertLayoutOp>(op); convert && loop->isAncestor(op)) {
        auto type = cast<RankedTensorType>(convert.getType());
        converted = std::max(converted, type.getNumElements() * bytesOf(type.getElementType()));
      }
    });
    return all + llvm::alignTo(converted, 1024);
  }

  // As many as the block may have; where its registers leave room for a second block on the SM, so does its memory, if
  // that is enough to copy two iterations ahead with `inUse` stages being read. MoE bf16 with tiles of 128x128x64: 194
  // TFLOP/s with two blocks and one iteration ahead. Where the hint `latency` wants loads to come further ahead
  // than two blocks have room for, and one has, the memory is for one. The hint
  // `occupancy` comes first: so many blocks, if that leaves two stages.
  std::optional<int64_t> countStages(int64_t mostStages, int64_t inUse) {
    int64_t stageBytes = 16, ahead = 2; // iterations
    for (StagedLoad &one : staged) {
      stageBytes += llvm::alignTo(one.buffer.getBytes(), 1024);
      ahead = std::max(ahead, tileaa::numberHinted(one.load, tileaa::hint::latency).value_or(0));
    }
    if (ahead > 2)
      mostStages = std::max(mostStages, inUse + ahead);
    int64_t taken = bytesOfOthers() + spareBytes;
    std::optional<int64_t> asked = askedFor(loop, DecisionKind::Stages);
    mostStages = asked.value_or(mostStages);
    auto stagesIn = [&](int64_t room) { return std::min<int64_t>(mostStages, (room - taken) / stageBytes); };
    auto leavesRoom = [&](int64_t blocks) {
      return blocks * threads * (registersCarried + registersOfOthers) <= nvidia::Architecture::registersPerSm &&
             blocks * threads <= architecture.threadsPerSm;
    };
    auto stagesOf = [&](int64_t blocks) {
      return stagesIn(architecture.sharedBytesPerSm / blocks - nvidia::Architecture::reservedSharedBytes);
    };
    if (asked)
      return stagesOf(1) < 2 ? std::nullopt : std::optional(stagesOf(1));
    if (int64_t blocks = blocksAsked(function, threads, architecture); blocks > 1 && leavesRoom(blocks))
      if (int64_t stages = stagesOf(blocks); stages >= 2)
        return stages;
    int64_t half = stagesOf(2), all = stagesOf(1);
    bool isAskedFor = half < inUse + ahead && all >= inUse + ahead;
    int64_t stages = leavesRoom(2) && half >= inUse + 2 && !isAskedFor ? half : all;
    return stages < 2 ? std::nullopt : std::optional(stages);
  }

  // The loop's one product, if nothing of the loop but the next one wants its sums, and it reads stages or buffers that
  // the loop does not write.
  MmaOp findRunning() {
    SmallVector<MmaOp> products;
    loop.walk([&](MmaOp mma) { products.push_back(mma); });
    if (products.size() != 1 || products[0]->getBlock() != loop.getBody())
      return {};
    MmaOp mma = products[0];
    Type element = getElementTypeOrSelf(mma.getType());
    if (mma.getAtom().getKind() != AtomKind::Wgmma || !(element.isF32() || element.isInteger(32)))
      return {};
    for (Value operand : {mma.getLhs(), mma.getRhs()}) {
      bool isStaged =
          llvm::any_of(staged, [&](StagedLoad &one) { return one.write && one.write.getBuffer() == operand; });
      bool isFromOutside =
          isa<BufferType>(operand.getType()) && !loop.getRegion().isAncestor(operand.getParentRegion());
      if (!isStaged && !isFromOutside)
        return {};
    }
    return loopOfSums(mma, mma.getAcc()) == loop ? mma : MmaOp();
  }

  scf::ForOp loop;
  func::FuncOp function;
  const nvidia::Architecture &architecture;
  int64_t threads, registersCarried = 0;
  SmallVector<StagedLoad, 2> staged;
  std::optional<TileSlopes> slopes;
};

} // namespace

std::optional<StageChoice> tileas::chooseStages(scf::ForOp loop, ArrayRef<TileLoad> loads,
                                                const nvidia::Architecture &architecture, int64_t mostStages) {
  if (askedFor(loop, DecisionKind::Stages) == 1)
    return std::nullopt;
  return StageChooser(loop, architecture).run(loads, mostStages);
}
