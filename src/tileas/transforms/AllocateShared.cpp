// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in shared memory. Operations are numbered as they stand; a buffer needs its bytes from its first access to its
// last, and where these are in a loop that its alloc is not in, as long as the loop runs. Large buffers choose first,
// each the lowest place that no other has at the same time.
#include "tileas/analysis/ArchitectureOption.h"
#include "tileas/ir/Tileas.h"
#include "tileas/transforms/Passes.h"
#include "tileas/transforms/ValueFlow.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASALLOCATESHARED
#include "tileas/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

struct Lifetime {
  unsigned begin = ~0u, end = 0;

  void include(Lifetime other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
  bool meets(Lifetime other) const { return begin <= other.end && other.begin <= end; }
};

struct Place {
  Operation *op;
  int64_t bytes, alignment;
  Lifetime life;
  int64_t offset = 0;
};

// What the hardware accesses may be swizzled, by addresses: units of 16 bytes change their places within 1024 bytes.
int64_t alignmentOf(tileas::AllocOp alloc) {
  bool byHardware = llvm::any_of(alloc->getUsers(), llvm::IsaPred<tileas::TmaStoreOp, tileas::MmaOp>);
  return byHardware ? 1024 : 128;
}

class Allocation {
public:
  explicit Allocation(func::FuncOp function) : function(function) { number(function.getBody()); }

  void run() {
    function.walk([&](Operation *op) {
      if (auto alloc = dyn_cast<tileas::AllocOp>(op)) {
        add(op, alloc.getType().getBytes(), alignmentOf(alloc), {});
      } else if (auto pipeline = dyn_cast<tileas::CreatePipelineOp>(op)) {
        // Until the last stage has been read: nobody fills one that is not.
        Lifetime life = lives.lookup(op);
        for (Operation *user : op->getUsers()) {
          if (isa<tileas::ConsumerReleaseOp, tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp>(user))
            life.include(lifeOf(user, op->getParentOp()));
          if (isa<tileas::StageOp>(user))
            for (Operation *reader : user->getUsers())
              life.include(lifeOf(reader, op->getParentOp()));
        }
        add(op, pipeline.getPipeline().getType().getBytes(), 1024, life);
      } else if (auto alloca = dyn_cast<tileaa::AllocaOp>(op)) {
        // Its address may go anywhere.
        Lifetime life = lifeOf(op, function);
        life.end = count;
        add(op, alloca.getBytes(), alloca.getAlignment(), life);
      }
    });
    function.walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<RegionBranchOpInterface>(op))
        for (Value operand : op->getOperands())
          if (isa<tileas::BufferType>(operand.getType()))
            for (Value origin : originsOf(operand))
              if (auto found = numbers.find(origin.getDefiningOp()); found != numbers.end())
                places[found->second].life.include(lifeOf(op, origin.getDefiningOp()->getParentOp()));
    });
    place();
    for (Place &place : places) {
      Attribute offset = Builder(function.getContext()).getI64IntegerAttr(place.offset);
      if (auto alloc = dyn_cast<tileas::AllocOp>(place.op))
        alloc.setOffsetAttr(cast<IntegerAttr>(offset));
      else if (auto pipeline = dyn_cast<tileas::CreatePipelineOp>(place.op))
        pipeline.setOffsetAttr(cast<IntegerAttr>(offset));
      else
        place.op->setAttr(tileas::offsetAttr, offset);
    }
  }

  int64_t total() const {
    int64_t end = 0;
    for (const Place &place : places)
      end = std::max(end, place.offset + place.bytes);
    return end;
  }
  const Place &largest() const {
    return *llvm::max_element(places, [](const Place &a, const Place &b) { return a.bytes < b.bytes; });
  }

private:
  void number(Region &region) {
    for (Block &block : region)
      for (Operation &op : block) {
        unsigned begin = ++count;
        for (Region &inner : op.getRegions())
          number(inner);
        lives[&op] = {begin, count};
      }
  }

  // Of the operation, or of the outermost loop around it that is inside `owner`.
  Lifetime lifeOf(Operation *op, Operation *owner) {
    Operation *outermost = op;
    for (Operation *parent = op->getParentOp(); parent && parent != owner; parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface>(parent))
        outermost = parent;
    return lives.lookup(outermost);
  }

  void add(Operation *op, int64_t bytes, int64_t alignment, Lifetime life) {
    numbers[op] = places.size();
    places.push_back({op, bytes, alignment, life});
  }

  void place() {
    SmallVector<Place *> order;
    for (Place &place : places)
      order.push_back(&place);
    llvm::sort(order, [](Place *a, Place *b) {
      return std::tuple(b->bytes, a->life.begin) < std::tuple(a->bytes, b->life.begin);
    });
    SmallVector<Place *> placed; // by offset
    for (Place *place : order) {
      for (Place *other : placed) {
        if (!other->life.meets(place->life) || other->offset + other->bytes <= place->offset)
          continue;
        if (place->offset + place->bytes <= other->offset)
          break;
        place->offset = llvm::alignTo(other->offset + other->bytes, place->alignment);
      }
      placed.insert(llvm::upper_bound(placed, place, [](Place *a, Place *b) { return a->offset < b->offset; }), place);
    }
  }

  func::FuncOp function;
  DenseMap<Operation *, Lifetime> lives;
  unsigned count = 0;
  std::vector<Place> places;
  DenseMap<Operation *, size_t> numbers;
};

class AllocateShared : public tilewright::impl::TileasAllocateSharedBase<AllocateShared> {
public:
  using TileasAllocateSharedBase::TileasAllocateSharedBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const nvidia::Architecture *architecture = tileas::architectureOf(arch, getOperation());
    if (!architecture)
      return signalPassFailure();
    Allocation allocation(function);
    allocation.run();
    int64_t limit = architecture->sharedBytesPerBlock();
    if (allocation.total() > limit) {
      allocation.largest().op->emitError()
          << "kernel '" << function.getName() << "' needs " << allocation.total()
          << " bytes of shared memory in a block, and " << architecture->name << " has " << limit << "; the most, "
          << allocation.largest().bytes << ", are needed here: use smaller tiles";
      return signalPassFailure();
    }
    function->setAttr(tileas::sharedBytesAttr, Builder(&getContext()).getI64IntegerAttr(allocation.total()));
  }
};

} // namespace
