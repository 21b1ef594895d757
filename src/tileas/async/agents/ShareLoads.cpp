// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/agents/ShareLoads.h"

#include "tileas/analysis/ClusterRank.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// Rows of a box after which the swizzle begins again: a part of a box is swizzled as the whole one is.
constexpr int64_t rowsOfSwizzle = 8;

class Sharer {
public:
  Sharer(ClusterOp place, AgentsOp agents, int64_t cluster)
      : place(place), agents(agents), cluster(cluster),
        ranks([place = place.getRank()](Value value) { return value == place; }) {}

  std::string share() {
    std::string why = "no operand of a product is loaded by the tensor memory accelerator";
    bool isShared = false;
    SmallVector<TmaLoadOp> loads;
    agents.getProducer().walk([&](TmaLoadOp load) { loads.push_back(load); });
    for (TmaLoadOp load : loads) {
      auto create = load.getPipeline().getDefiningOp<CreatePipelineOp>();
      if (!isUniform(create)) {
        why = "CTAs of a cluster would not load equally often";
        continue;
      }
      Block *block = blockAround(load);
      auto deciding = ranks.decidingValues(load.getOffsets(), block);
      if (!deciding) {
        why = "adjacent tile blocks load no tile that is the same";
        continue;
      }
      if (!divide(load)) {
        why = "a box is too small for CTAs to share it";
        continue;
      }
      OpBuilder builder(block->findAncestorOpInBlock(*load));
      load.getSharedMutable().assign(areEqual(*deciding, load.getLoc(), builder));
      create.setCluster(cluster);
      isShared = true;
    }
    return isShared ? "" : why;
  }

private:
  // The body of the loop over tile blocks.
  Block *blockAround(Operation *op) {
    Operation *outermost = op;
    while (outermost->getParentOp() != agents)
      outermost = outermost->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(outermost);
    return loop ? loop.getBody() : outermost->getBlock();
  }

  bool isUniform(CreatePipelineOp create) {
    return llvm::all_of(create->getUsers(), [&](Operation *user) { return ranks.isUniform(user, agents); });
  }

  // As many boxes as CTAs, or a multiple.
  bool divide(TmaLoadOp load) {
    int64_t boxes = load.getBoxes(), parts = cluster / std::gcd(boxes, cluster);
    if (parts == 1)
      return true;
    auto make = load.getDesc().getDefiningOp<MakeTmaDescOp>();
    SmallVector<int64_t> box(make.getBox());
    // The slowest in the buffer, as in the array.
    unsigned rowDim = llvm::find_if(box, [](int64_t extent) { return extent > 1; }) - box.begin();
    if (rowDim >= load.getSplitDim() || box[rowDim] % parts != 0)
      return false;
    int64_t bytes = load.getPipeline().getType().getBuffers()[load.getIndex()].getBytes() / boxes / parts;
    if (bytes % (rowsOfSwizzle * int64_t(make.getSwizzle())) != 0)
      return false;
    box[rowDim] /= parts;
    make.setBox(box);
    load.setRowDim(rowDim);
    load.setRowBoxes(parts);
    return true;
  }

  Value areEqual(ArrayRef<Value> values, Location loc, OpBuilder &builder) {
    Value all;
    for (int64_t distance = 1; distance != cluster; ++distance) {
      Value by = arith::ConstantIntOp::create(builder, loc, place.getRank().getType(), distance);
      Value other = arith::XOrIOp::create(builder, loc, place.getRank(), by);
      for (Value value : values) {
        Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                           ranks.ofOtherRank(value, other, builder));
        all = all ? arith::AndIOp::create(builder, loc, all, same).getResult() : same;
      }
    }
    return all ? all : arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1).getResult();
  }

  ClusterOp place;
  AgentsOp agents;
  int64_t cluster;
  ClusterRank ranks;
};

} // namespace

std::string tileas::shareLoads(func::FuncOp function, AgentsOp agents) {
  ClusterOp place;
  function.walk([&](ClusterOp op) { place = op; });
  return Sharer(place, agents, clusterOf(function)).share();
}
