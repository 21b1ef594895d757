// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/SliceRegion.h"

#include "tileaa/transforms/SliceChain.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using tileaa::SlicedOperands;
using tileaa::TileSlice;

namespace {

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

// Of the accesses that may be done in slices.
bool isPlainLoad(Operation *op) {
  auto load = dyn_cast<tileaa::LoadPtrOp>(op);
  return isa<tileaa::LoadViewOp>(op) || (load && !load.getOrdering());
}

bool isPlainStore(Operation *op) {
  auto store = dyn_cast<tileaa::StorePtrOp>(op);
  auto atomic = dyn_cast<tileaa::AtomicRmwOp>(op);
  return isa<tileaa::StoreViewOp>(op) || (store && !store.getOrdering()) ||
         (atomic && atomic.getOrdering() == tileaa::Ordering::Relaxed);
}

SlicedOperands allTiles(Operation *op, TileSlice slice) {
  SlicedOperands operands;
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      operands.push_back({&operand, slice});
  return operands;
}

// Steps that can be done on tiles, element by element.
bool isElementwise(Block &step) {
  return llvm::all_of(step.without_terminator(), [](Operation &op) {
    return (op.hasTrait<OpTrait::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>()) && isPure(&op);
  });
}

// Whether a scan can go on where another one ended. Sums of less than 32 bits are not rounded on the way.
bool canGoOn(tileaa::ScanOp scan) {
  return !scan.getReverse() && scan.getKind() == tileaa::ScanKind::Inclusive && isElementwise(scan.getBody().front()) &&
         llvm::all_of(scan.getSources(), [](Value source) { return typeOf(source).getElementTypeBitWidth() >= 32; });
}

// As tileaa::slicedOperands, also of operations that combine elements, and for accesses that have no result.
std::optional<SlicedOperands> operandsOf(Operation *op, TileSlice slice) {
  if (auto mma = dyn_cast<tileaa::MmaOp>(op)) {
    SlicedOperands operands = {{&mma.getAccMutable(), slice}};
    int64_t rank = typeOf(mma.getAcc()).getRank();
    if (slice.dim != rank - 1)
      operands.push_back({&mma.getLhsMutable(), slice});
    if (slice.dim != rank - 2)
      operands.push_back({&mma.getRhsMutable(), slice});
    return operands;
  }
  if (auto reduce = dyn_cast<tileaa::ReduceOp>(op)) {
    int64_t along = reduce.getDim();
    return allTiles(op, {slice.dim < along ? slice.dim : slice.dim + 1, slice.size});
  }
  if (auto scan = dyn_cast<tileaa::ScanOp>(op))
    return slice.dim != int64_t(scan.getDim()) || canGoOn(scan) ? std::optional(allTiles(op, slice)) : std::nullopt;
  if (isPlainStore(op))
    return allTiles(op, slice);
  return tileaa::slicedOperands(op, slice);
}

// The operands that a branch passes on, each with the value that it becomes.
void addFlows(RegionBranchOpInterface branch, SmallVectorImpl<std::pair<OpOperand *, Value>> &flows) {
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      auto terminator = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(point.getTerminatorPredecessorOrNull());
      OperandRange operands =
          terminator ? terminator.getSuccessorOperands(successor) : branch.getEntrySuccessorOperands(successor);
      Operation *owner = terminator ? terminator.getOperation() : branch.getOperation();
      for (auto [index, input] : llvm::enumerate(successor.getSuccessorInputs()))
        flows.push_back({&owner->getOpOperand(operands.getBeginOperandIndex() + index), input});
    }
  }
}

} // namespace

tileaa::SliceRegion::SliceRegion(Value seed, TileSlice slice, int64_t smallElements)
    : block(seed.getParentBlock()), count(typeOf(seed).getDimSize(slice.dim) / slice.size),
      smallElements(smallElements) {
  canSlice = visit(seed, slice) && analyze();
}

bool tileaa::SliceRegion::analyze() {
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    TileSlice slice = sliceOf.lookup(value);
    if (!visitProducer(value, slice) ||
        !llvm::all_of(value.getUses(), [&](OpOperand &use) { return visitUse(use, slice); }))
      return false;
  }
  return includeBetween() && areEffectsSliced() && canEnter() && canLeave();
}

bool tileaa::SliceRegion::contains(Value value) const {
  Operation *root = block->findAncestorOpInBlock(*value.getParentBlock()->getParentOp());
  if (Operation *op = value.getDefiningOp())
    root = rootOf(op);
  return root && roots.contains(root);
}

// With all that is in it. The block's terminator would take slices out of the region.
bool tileaa::SliceRegion::include(Operation *op) {
  Operation *root = rootOf(op);
  if (!root || root->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (roots.insert(root))
    root->walk([&](RegionBranchOpInterface branch) { addFlows(branch, flows); });
  return true;
}

bool tileaa::SliceRegion::visit(Value value, TileSlice slice) {
  auto [place, isNew] = sliceOf.insert({value, slice});
  if (isNew)
    pending.push_back(value);
  return place->second == slice && typeOf(value).getDimSize(slice.dim) == count * slice.size;
}

bool tileaa::SliceRegion::require(OpOperand *operand, TileSlice slice) {
  Value value = operand->get();
  if (sliceOf.contains(value) || contains(value))
    return visit(value, slice);
  // A load that others come after, and what is not made of loads element by element, belong to the region.
  Operation *op = value.getDefiningOp();
  bool isLarge = typeOf(value).getNumElements() > smallElements;
  if (op && op->getBlock() == block && isLarge &&
      ((isPlainLoad(op) && !op->getResult(1).use_empty()) || !tileaa::slicedOperands(op, slice)))
    return visit(value, slice);
  entries.push_back({operand, slice});
  return true;
}

bool tileaa::SliceRegion::visitProducer(Value value, TileSlice slice) {
  Operation *op = value.getDefiningOp();
  Operation *owner = op ? op : value.getParentBlock()->getParentOp();
  if (!include(owner))
    return false;
  if (isa<RegionBranchOpInterface>(owner))
    return llvm::all_of(flows, [&](Flow flow) { return flow.second != value || require(flow.first, slice); });
  return op && relate(op, slice);
}

bool tileaa::SliceRegion::visitUse(OpOperand &use, TileSlice slice) {
  Operation *user = use.getOwner();
  if (!include(user))
    return false;
  if (isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(user) && !isa<tileaa::YieldOp>(user))
    return llvm::all_of(flows, [&](Flow flow) { return flow.first != &use || visit(flow.second, slice); });
  if (auto reduce = dyn_cast<tileaa::ReduceOp>(user); reduce && int64_t(reduce.getDim()) == slice.dim) {
    partial.insert(reduce);
    return llvm::all_of(reduce.getSourcesMutable(), [&](OpOperand &source) { return require(&source, slice); });
  }
  if (isPlainStore(user))
    return relate(user, slice);
  auto result = user->getNumResults() ? dyn_cast<RankedTensorType>(user->getResult(0).getType()) : RankedTensorType();
  if (!result)
    return false;
  for (auto [dim, extent] : llvm::enumerate(result.getShape())) {
    TileSlice ofResult = {int64_t(dim), extent / count};
    std::optional<SlicedOperands> operands;
    if (extent % count == 0)
      operands = operandsOf(user, ofResult);
    if (operands && llvm::is_contained(*operands, std::pair(&use, slice)))
      return relate(user, ofResult);
  }
  return false;
}

// All operands and results of an operation, by the slice of its results.
bool tileaa::SliceRegion::relate(Operation *op, TileSlice ofResult) {
  std::optional<SlicedOperands> operands = operandsOf(op, ofResult);
  if (!operands)
    return false;
  if (auto scan = dyn_cast<tileaa::ScanOp>(op); scan && ofResult.dim == int64_t(scan.getDim())) {
    if (scan->getBlock() != block)
      return false;
    sequential.insert(scan);
  }
  if (isPlainLoad(op) || isPlainStore(op))
    sliceOfAccess.insert({op, ofResult});
  for (Value result : op->getResults())
    if (isTile(result) && !visit(result, ofResult))
      return false;
  return llvm::all_of(*operands, [&](auto &operand) { return require(operand.first, operand.second); });
}

// The region is done where its last operation stands, so that what uses its results comes into it.
bool tileaa::SliceRegion::includeBetween() {
  auto before = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
  sorted = roots.takeVector();
  llvm::sort(sorted, before);
  roots.insert(sorted.begin(), sorted.end());
  for (Operation *op = sorted.front(); op != sorted.back(); op = op->getNextNode())
    if (!roots.contains(op) && op->walk([&](Operation *inner) {
                                   return llvm::any_of(inner->getOperands(),
                                                       [&](Value operand) { return contains(operand); })
                                              ? WalkResult::interrupt()
                                              : WalkResult::advance();
                                 }).wasInterrupted())
      include(op);
  sorted = SmallVector<Operation *>(roots.begin(), roots.end());
  llvm::sort(sorted, before);
  return true;
}

// Nothing but loads may be done more than once, and slices may be done one after another.
bool tileaa::SliceRegion::areEffectsSliced() {
  return llvm::all_of(sorted, [&](Operation *root) {
    return !root->walk([&](Operation *op) {
                  if (op->getNumRegions() || isMemoryEffectFree(op))
                    return WalkResult::advance();
                  bool isSliced = isPlainLoad(op) || (isPlainStore(op) && sliceOfAccess.contains(op));
                  return isSliced && isOrderKept(op) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  });
}

// Whether each access of the region that this one comes after by its token touches this slice's bytes for no other
// slice.
bool tileaa::SliceRegion::isOrderKept(Operation *op) {
  llvm::SetVector<Value> tokens;
  auto add = [&](Operation *from) {
    for (Value operand : from->getOperands())
      if (isa<tileaa::TokenType>(operand.getType()))
        tokens.insert(operand);
  };
  add(op);
  for (unsigned next = 0; next != tokens.size(); ++next) {
    Value token = tokens[next];
    if (!contains(token))
      continue;
    for (Flow flow : flows)
      if (flow.second == token)
        tokens.insert(flow.first->get());
    Operation *earlier = token.getDefiningOp();
    if (!earlier || earlier->getNumRegions())
      continue;
    if (!isMemoryEffectFree(earlier) && !(isPlainLoad(op) && isPlainLoad(earlier)) && !haveDisjointSlices(op, earlier))
      return false;
    add(earlier);
  }
  return true;
}

bool tileaa::SliceRegion::haveDisjointSlices(Operation *a, Operation *b) const {
  struct Place {
    Value view, offset;
    int64_t dim, size;
    bool operator==(const Place &other) const {
      return std::tie(view, offset, dim, size) == std::tie(other.view, other.offset, other.dim, other.size);
    }
  };
  auto placeOf = [&](Operation *op) -> std::optional<Place> {
    auto slice = sliceOfAccess.find(op);
    if (slice == sliceOfAccess.end())
      return std::nullopt;
    auto place = [&](auto access) {
      int64_t dim = access.getDimMap()[slice->second.dim];
      return Place{access.getView(), access.getOffsets()[dim], dim, slice->second.size};
    };
    if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
      return place(load);
    if (auto store = dyn_cast<tileaa::StoreViewOp>(op))
      return place(store);
    return std::nullopt;
  };
  std::optional<Place> first = placeOf(a), second = placeOf(b);
  return first && second && *first == *second && !contains(first->view) && !contains(first->offset);
}

bool tileaa::SliceRegion::canEnter() {
  llvm::erase_if(entries, [&](const auto &entry) { return sliceOf.contains(entry.first->get()); });
  return llvm::all_of(entries, [&](const auto &entry) {
    if (contains(entry.first->get()))
      return false;
    SliceChain chain(sorted.back(), entry.first->get(), entry.second, smallElements, /*mayLoadAgain=*/true);
    return bool(chain) && !chain.isAfterLoads() && !chain.hasLaterAccesses();
  });
}

bool tileaa::SliceRegion::canLeave() {
  for (Operation *reduction : partial)
    if (reduction->getBlock() != block || !isTile(reduction->getResult(0)) ||
        !isElementwise(cast<tileaa::ReduceOp>(reduction).getBody().front()))
      return false;
  for (Operation *root : sorted)
    for (Value result : root->getResults()) {
      bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *owner = rootOf(user);
        return !owner || !roots.contains(owner);
      });
      // A partial result is none yet for what is in the region.
      if (partial.contains(root) && llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *owner = rootOf(user);
            return owner && roots.contains(owner);
          }))
        return false;
      if (isUsed && !isa<tileaa::TokenType, RankedTensorType, FloatType, IntegerType, IndexType>(result.getType()))
        return false;
      if (isUsed)
        results.push_back(result);
    }
  return true;
}
