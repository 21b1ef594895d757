// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines whose stages all CTAs of a cluster fill for each other. Each full mbarrier expects the bytes of its stage,
// of copies of any CTA, and each empty one the consumers of all CTAs; so that all come to each stage, their loops have
// to be of the same length.
#include "tileas/analysis/ClusterRank.h"
#include "tileas/verify/Verifier.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

class ClusterRules {
public:
  explicit ClusterRules(Verifier &verifier)
      : verifier(verifier), cluster(clusterOf(verifier.function)), ranks(differsInCtas) {}

  void check() {
    verifier.function.walk([&](Operation *op) {
      if (auto create = dyn_cast<CreatePipelineOp>(op))
        check(create);
      else if (auto load = dyn_cast<TmaLoadOp>(op); load && load.getShared())
        check(load);
      else if (auto sum = dyn_cast<ClusterSumOp>(op))
        check(sum);
      else if (isa<ClusterOp>(op) && cluster == 1)
        verifier.report(op, "cluster") << "is of a function without `cluster` in tileas.cta";
    });
    if (cluster > 1 && !verifier.architecture.has(nvidia::Feature::Clusters))
      verifier.report(verifier.function, "cluster")
          << "is for clusters of " << cluster << " CTAs, which " << verifier.architecture.name << " has not";
  }

private:
  static bool differsInCtas(Value value) {
    if (auto place = value.getDefiningOp<ClusterOp>())
      return value == place.getRank();
    return value.getDefiningOp<tileaa::BlockIdOp>() != nullptr;
  }

  void check(CreatePipelineOp create) {
    int64_t expected = create.getCluster();
    if (expected == 1)
      return;
    if (expected != cluster)
      verifier.report(create, "mbarrier-arrivals")
          << "waits for the consumers of " << expected << " CTAs to release a stage, and the cluster has " << cluster;
    for (Operation *user : create->getUsers())
      if (isa<PipelineStep>(user) && !ranks.isUniform(user, verifier.function))
        verifier.report(user, "cluster-rounds")
            << "stands in a loop or a branch that differs in CTAs of a cluster, and they fill its stages together";
  }

  void check(ClusterSumOp sum) {
    if (int64_t(2 * sum.getDistance()) > cluster)
      verifier.report(sum, "cluster") << "adds tiles of CTAs " << sum.getDistance() << " apart, and the cluster has "
                                      << cluster;
    auto agents = sum->getParentOfType<AgentsOp>();
    if (!agents || !agents.getConsumer().isAncestor(sum->getParentRegion()))
      verifier.report(sum, "cluster") << "stands outside of consumers, whose CTAs begin and end together";
    if (!ranks.isUniform(sum, verifier.function))
      verifier.report(sum, "cluster-rounds")
          << "stands in a loop or a branch that differs in CTAs of a cluster, and each waits for the other";
  }

  void check(TmaLoadOp load) {
    auto create = load.getPipeline().getDefiningOp<CreatePipelineOp>();
    if (!create || int64_t(create.getCluster()) != cluster || cluster == 1)
      verifier.report(load, "cluster") << "copies to all " << cluster
                                       << " CTAs of the cluster, expected a pipeline with `cluster` "
                                       << std::max<int64_t>(cluster, 2) << " between them";
    else if (load.getAllBoxes() % cluster != 0)
      verifier.report(load, "cluster") << "shares " << load.getAllBoxes() << " boxes among " << cluster
                                       << " CTAs, expected as many for each";
  }

  Verifier &verifier;
  int64_t cluster;
  ClusterRank ranks;
};

} // namespace

void tileas::checkClusters(Verifier &verifier) {
  ClusterRules(verifier).check();
}
