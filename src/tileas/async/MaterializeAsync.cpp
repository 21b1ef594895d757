// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/analysis/BlocksBeside.h"
#include "tileas/analysis/ProductRegisters.h"
#include "tileas/async/LoadUses.h"
#include "tileas/async/Passes.h"
#include "tileas/async/agents/ShareLoads.h"
#include "tileas/async/agents/SplitAgents.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/RegisterPool.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASMATERIALIZEASYNC
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileas::DecisionKind;

namespace {

class MaterializeAsync : public tilewright::impl::TileasMaterializeAsyncBase<MaterializeAsync> {
public:
  using TileasMaterializeAsyncBase::TileasMaterializeAsyncBase;

  void runOnOperation() override {
    architecture = tileas::architectureOf(getOperation());
    if (!architecture || !tileas::expectCta(getOperation()))
      return signalPassFailure();
    std::string why = bring();
    tileas::AgentsOp agents;
    getOperation().walk([&](tileas::AgentsOp op) { agents = op; });
    bool hasAgent = agents != nullptr;
    if (tileas::splitOf(getOperation()) > 1) {
      if (!agents)
        tileas::decide(getOperation(), DecisionKind::Split, 1, "no producer loads for it: " + why);
    } else if (tileas::clusterOf(getOperation()) > 1)
      answerCluster(agents ? tileas::shareLoads(getOperation(), agents) : "no producer loads for it: " + why);
    if (hasAgent)
      tileas::decide(getOperation(), DecisionKind::Producer, tileas::producer::agent, "it loads operands of products");
    else
      tileas::decide(getOperation(), DecisionKind::Producer, tileas::producer::threads, why);
    recordOccupancy(hasAgent);
    getOperation().walk([&](Operation *op) {
      if (tileas::TileLoad::classof(op))
        tileaa::answerWithoutTma(op, why);
    });
  }

private:
  // A hint, or a plan file in its place, asks for CTAs of a multiprocessor.
  void recordOccupancy(bool hasAgent) {
    int64_t asked = tileaa::numberHinted(getOperation(), tileaa::hint::occupancy).value_or(1);
    int64_t given = hasAgent ? blocks : asked;
    const char *why = given > asked   ? "the products of a CTA run beside the work of others"
                      : given < asked ? limit
                      : asked > 1     ? "the hint occupancy asks for it"
                      : hasAgent      ? alone
                                      : "registers are not limited for more";
    tileas::decide(getOperation(), DecisionKind::Occupancy, given, why);
  }

  // A plan file asks for what CTAs share. A hint asks for the cluster, of which they make nothing then.
  void answerCluster(const std::string &obstacle) {
    using tileaa::hint::blocksOfCluster;
    func::FuncOp function = getOperation();
    int64_t cluster = tileas::clusterOf(function);
    if (obstacle.empty()) {
      tileas::decide(function, DecisionKind::Cluster, cluster, "the hint num_ctas asks for it");
      tileaa::followHint(function, blocksOfCluster, "CTAs of a cluster copy tiles together that they load alike");
      return;
    }
    bool isOfPlan = tileas::askedFor(function, DecisionKind::Cluster).has_value();
    tileas::decide(function, DecisionKind::Cluster, isOfPlan ? 1 : cluster, obstacle);
    tileaa::declineHint(function, blocksOfCluster, obstacle);
  }

  // CTAs of a multiprocessor, where they come one after another and have two warpgroups at most besides the producer:
  // those that are asked for, or whose products run beside the work of others, as far as these leave the threads that
  // multiply the registers for their products.
  int64_t blocksOfAgents(int32_t forLoads) {
    func::FuncOp function = getOperation();
    tileas::CtaAttr cta = tileas::ctaOf(function);
    int32_t warps = tileas::warpsOf(function), threads = (warps + tileas::warpsOfProducer) * 32;
    limit = alone;
    if (cta.getBlocksPerSm() || cta.getFirstBlocks() || warps > 2 * tileas::warpsOfProducer)
      return 1;
    int64_t asked = tileas::blocksAsked(function, threads, *architecture);
    int64_t blocks = std::max<int64_t>(1, asked);
    // A hint is taken as the least, where more are better.
    if (!tileas::askedFor(function, DecisionKind::Occupancy))
      blocks = std::max(blocks, tileas::blocksBeside(function, warps, *architecture));
    int32_t kept = tileas::registersOfProducer(function, forLoads);
    int64_t needed = tileas::registersOfProducts(function, int64_t(warps) * 32);
    while (blocks > 1 && tileas::registersForSums(warps, kept, blocks) < needed)
      --blocks;
    limit = "products need the registers that more would have";
    return blocks;
  }

  // Why what threads still load is loaded by them, as the end of a sentence.
  std::string bring() {
    if (!architecture->has(nvidia::Feature::Tma))
      return "the architecture has no tensor memory accelerator";
    if (!architecture->hasWgmma() && !architecture->hasTcgen05())
      return "it loads tiles for products by wgmma and tcgen05 only";
    if (!multiplies())
      return "no product by wgmma or tcgen05 reads it";
    using nvidia::Architecture;
    if ((tileas::warpsOf(getOperation()) + tileas::warpsOfProducer) * Architecture::warpThreads >
        Architecture::threadsPerBlock)
      return "all warps that a block may have work on tiles, and a producer needs some besides";
    std::optional<int64_t> asked = tileas::askedFor(getOperation(), DecisionKind::Producer);
    if (asked == tileas::producer::threads)
      return "the plan file has threads load it";
    if (!asked && tileas::targetOf(getOperation()).isPortable() && !tileas::multipliesInLoop(getOperation()))
      return "without a product in a loop it takes longer to encode the tensor map than to load the tile";
    if (isForbiddenInLoop())
      return "threads load all tiles of a loop, as they must load another operand of its product";
    getOperation().walk([](scf::ForOp loop) { tileas::bringLoadsToUses(loop); });
    std::vector<tileas::ProducerGroup> groups = tileas::findProducerGroups(getOperation());
    llvm::erase_if(groups, [&](const tileas::ProducerGroup &group) { return isForThreads(group) && !isKnown(group); });
    std::string why = specialize(groups);
    // Operands that threads compute leave no room, or no agent, to those that products read as they are.
    if (!why.empty() && llvm::any_of(groups, isForThreads)) {
      llvm::erase_if(groups, isForThreads);
      why = specialize(groups);
    }
    return why.empty() ? asLoaded : why;
  }

  static constexpr const char *asLoaded = "no product reads the tile as it was loaded";

  static bool isForThreads(const tileas::ProducerGroup &group) {
    return llvm::any_of(group.loads,
                        [](const tileas::ProducerLoad &staged) { return staged.read && !staged.rounding; });
  }

  // Whether a producer can know where the loads are.
  bool isKnown(const tileas::ProducerGroup &group) {
    return llvm::all_of(group.loads, [&](const tileas::ProducerLoad &staged) {
      return tileas::ProducerSlice(getOperation(), /*hasTiles=*/false).addLoad(staged.load());
    });
  }

  // Splits the function into agents; why it does not, if so.
  std::string specialize(std::vector<tileas::ProducerGroup> &groups) {
    if (groups.empty())
      return asLoaded;
    int32_t forLoads = tileas::registersForLoads(groups);
    tileas::ProducerSlice slice(getOperation(), /*hasTiles=*/forLoads != 0);
    if (!addLoads(slice, groups))
      return "threads have to load another operand of a product";
    std::vector<tileas::Ring> rings = tileas::shareRings(groups);
    auto stagesFor = [&](int64_t blocks) {
      return tileas::countStages(getOperation(), *architecture, groups, rings, numStages, blocks);
    };
    blocks = blocksOfAgents(forLoads);
    std::optional<int64_t> stages = stagesFor(blocks);
    for (; !stages && blocks > 1; stages = stagesFor(blocks)) {
      --blocks;
      limit = "shared memory has no room for more";
    }
    if (!stages)
      return "shared memory has no room for two stages";
    tileas::setCta(getOperation(), tileas::ctaOf(getOperation()).withResident(blocks));
    recordStages(groups, rings, *stages);
    tileas::splitAgents(getOperation(), *architecture, groups, rings, slice, *stages);
    return "";
  }

  static void recordStages(ArrayRef<tileas::ProducerGroup> groups, ArrayRef<tileas::Ring> rings, int64_t stages) {
    for (const tileas::ProducerGroup &group : groups)
      if (const tileas::Ring &ring = rings[group.ring]; !ring.isOnce)
        tileas::decide(group.block()->getParentOp(), DecisionKind::Stages, stages,
                       "of " + Twine(ring.type(1).getBytes()) +
                           " bytes each; so many are in shared memory beside other buffers, or are enough");
  }

  // False, with a remark, where the producer cannot compute whether or where one of the loads is.
  static bool addLoads(tileas::ProducerSlice &slice, ArrayRef<tileas::ProducerGroup> groups) {
    for (const tileas::ProducerGroup &group : groups)
      for (const tileas::ProducerLoad &staged : group.loads)
        if (!slice.addLoad(staged.load())) {
          const char *why = "its offsets or its condition are computed from tiles or read from memory";
          if (!staged.gathered)
            staged.load()->emitRemark() << "is not copied by the tensor memory accelerator: " << why;
          tileaa::answerWithoutTma(staged.load(), why);
          return false;
        }
    return true;
  }

  // Whether a hint forbids TMA for an operand of a product in the same loop. The consumers would wait for that tile
  // after the producer has loaded the other; instead they prefetch both, and the other loads of the loop.
  bool isForbiddenInLoop() {
    auto multipliesHere = [](tileaa::LoadViewOp load) {
      auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
      return loop && tileas::feedsProduct(load.getTile(), loop, /*inside=*/false);
    };
    auto stop = [&](tileaa::LoadViewOp load) {
      return !tileas::mayUseTma(load) && multipliesHere(load) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return getOperation().walk(stop).wasInterrupted();
  }

  bool multiplies() {
    auto stopAtProduct = [](Operation *op) {
      return tileas::multipliesByHardware(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return getOperation().walk(stopAtProduct).wasInterrupted();
  }

  static constexpr const char *alone = "the agents of a CTA share all registers";
  const nvidia::Architecture *architecture = nullptr;
  int64_t blocks = 1;     // with agents that a multiprocessor has at a time
  const char *limit = ""; // why they are not as many as asked for
};

} // namespace
