// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to global memory that tokens or orderings put one after another: between two of them by different threads,
// of which one writes, every path has a barrier. Each access walks forward until a barrier stops it.
#include "tileas/memory/ValueFlow.h"
#include "tileas/verify/Paths.h"
#include "tileas/verify/Verifier.h"

#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;

namespace {

struct GlobalAccess {
  Value token;
  bool writes = false, acquires = false, releases = false;
};

GlobalAccess withOrdering(Operation *op, GlobalAccess access) {
  if (auto ordering = tileaa::orderingOf(op)) {
    access.writes = true; // two of one place keep their order, whatever they do
    access.acquires = tileaa::acquires(*ordering);
    access.releases = tileaa::releases(*ordering);
  }
  return access;
}

std::optional<GlobalAccess> describe(Operation *op) {
  using namespace tileaa;
  return llvm::TypeSwitch<Operation *, std::optional<GlobalAccess>>(op)
      .Case<LoadViewOp, LoadPtrOp>([&](auto load) { return withOrdering(op, {load.getToken()}); })
      .Case<AsyncLoadOp, AsyncLoadPtrOp>([](auto load) { return GlobalAccess{load.getToken()}; })
      .Case<StoreViewOp, StorePtrOp, AtomicRmwOp, AtomicCasOp>(
          [&](auto store) { return withOrdering(op, {store.getToken(), /*writes=*/true}); })
      .Case([](FenceOp fence) { return GlobalAccess{fence.getToken(), true, true, true}; })
      .Default(std::nullopt);
}

bool isOfProducer(Operation *op) {
  auto agents = op->getParentOfType<AgentsOp>();
  return agents && agents.getProducer().isAncestor(op->getParentRegion());
}
bool isBarrier(Operation *op) {
  auto wait = dyn_cast<AsyncWaitOp>(op);
  return isa<BarrierOp, AgentsOp>(op) || (wait && wait.isBarrier());
}

// The elements that an access reads or writes, in threads; none for an access by addresses.
struct Box {
  Value view;
  SmallVector<Value> offsets;
  ArrayRef<int64_t> dims;
  Type tile;
  bool operator==(const Box &other) const {
    return view == other.view && offsets == other.offsets && dims == other.dims && tile == other.tile;
  }
};
std::optional<Box> boxOfAccess(Operation *op) {
  if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
    return Box{load.getView(), load.getOffsets(), load.getDimMap(), load.getTile().getType()};
  if (auto store = dyn_cast<tileaa::StoreViewOp>(op))
    return Box{store.getView(), store.getOffsets(), store.getDimMap(), store.getTile().getType()};
  return std::nullopt;
}

class GlobalRules {
public:
  explicit GlobalRules(Verifier &verifier) : verifier(verifier), paths(verifier.function.getBody(), isEvent) {}

  void check() {
    verifier.function.walk([&](Operation *op) {
      if (std::optional<GlobalAccess> access = describe(op); access && !isOfProducer(op))
        check(op, *access);
    });
  }

private:
  static bool isEvent(Operation *op) { return isBarrier(op) || (describe(op) && !isOfProducer(op)); }

  void check(Operation *op, const GlobalAccess &access) {
    paths.from(op, 0, [&](Operation *other, int64_t state) -> std::optional<int64_t> {
      if (!other || isBarrier(other))
        return std::nullopt;
      std::optional<GlobalAccess> later = describe(other);
      if (!later || !dependsOn(other, *later, op, access))
        return state;
      if (reported.insert(other).second) {
        InFlightDiagnostic error = verifier.report(other, "global-order");
        error << "comes after an access of other threads to global memory without a barrier between them";
        error.attachNote(op->getLoc()) << "the earlier access";
      }
      return std::nullopt;
    });
  }

  bool dependsOn(Operation *op, const GlobalAccess &access, Operation *earlier, const GlobalAccess &other) {
    if (access.releases || other.acquires)
      return true;
    return (access.writes || other.writes) && comesAfter(op, access.token).contains(earlier) &&
           !areInSameThreads(op, earlier);
  }
  // Each thread has elements of its own, the same in both.
  bool areInSameThreads(Operation *op, Operation *other) {
    std::optional<Box> box = boxOfAccess(op), otherBox = boxOfAccess(other);
    auto tile = box ? dyn_cast<RankedTensorType>(box->tile) : RankedTensorType();
    if (!tile || !otherBox || !(*box == *otherBox))
      return false;
    const layout::LinearLayout &layout = layoutOf(tile);
    return layout.inputBits(Dim::Lane) == 5 && int64_t(layout.inputSize(Dim::Warp)) == verifier.warps &&
           !layout.redundantBits(Dim::Lane) && !layout.redundantBits(Dim::Warp);
  }

  // The operations before an access by its token.
  const llvm::SmallPtrSet<Operation *, 8> &comesAfter(Operation *op, Value token) {
    auto [found, isNew] = before.try_emplace(op);
    if (!isNew || !token)
      return found->second;
    llvm::SetVector<Value> tokens;
    tokens.insert(token);
    for (unsigned next = 0; next != tokens.size(); ++next)
      for (Value origin : originsOf(tokens[next]))
        if (Operation *source = origin.getDefiningOp(); source && found->second.insert(source).second)
          for (Value operand : source->getOperands())
            if (isa<tileaa::TokenType>(operand.getType()))
              tokens.insert(operand);
    return found->second;
  }

  Verifier &verifier;
  Paths paths;
  std::map<Operation *, llvm::SmallPtrSet<Operation *, 8>> before;
  llvm::SmallPtrSet<Operation *, 8> reported;
};

} // namespace

void tileas::checkGlobalOrder(Verifier &verifier) {
  GlobalRules(verifier).check();
}
