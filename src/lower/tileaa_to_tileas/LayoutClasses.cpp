// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_tileas/LayoutClasses.h"

#include "lower/tileaa_to_tileas/AccessLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using layout::LinearLayout;

bool tilewright::hasOneForEachUse(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !isa<RankedTensorType>(tile.getType()))
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return cast<DenseElementsAttr>(constant.getValue()).isSplat();
  if (isa<tileaa::BroadcastOp, tileaa::ReshapeOp>(op))
    return !isa<RankedTensorType>(op->getOperand(0).getType());
  return isa<tileaa::IotaOp, ub::PoisonOp>(op);
}

LinearLayout tilewright::beforeBroadcast(const LinearLayout &result, ArrayRef<int64_t> source) {
  LinearLayout layout = result;
  for (auto [dim, extent] : llvm::enumerate(source))
    if (extent == 1 && layout.outputBits(layout::tileDim(dim)) != 0)
      layout = layout.slice(dim).expand(dim);
  return layout.withoutFreeRegisters();
}

SmallVector<unsigned> tilewright::inverseOrder(ArrayRef<int64_t> permutation) {
  SmallVector<unsigned> inverse(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation))
    inverse[dim] = index;
  return inverse;
}

unsigned LayoutClasses::find(unsigned id) const {
  while (classes[id].parent != id)
    id = classes[id].parent;
  return id;
}

int64_t LayoutClasses::elementsOf(unsigned id) const {
  return ShapedType::getNumElements(classes[id].shape);
}

void LayoutClasses::add(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || hasOneForEachUse(tile) || !ids.try_emplace(tile, classes.size()).second)
    return;
  Class &one = classes.emplace_back();
  one.parent = classes.size() - 1;
  one.shape = llvm::to_vector(type.getShape());
}

void LayoutClasses::unite(Value a, Value b) {
  if (!isKnown(a) || !isKnown(b))
    return;
  unsigned to = find(ids.lookup(a)), from = find(ids.lookup(b));
  assert(classes[to].shape == classes[from].shape && "tiles that are held alike have one shape");
  if (to == from)
    return;
  if (to > from)
    std::swap(to, from);
  classes[from].parent = to;
  if (classes[from].weight > classes[to].weight) {
    classes[to].weight = classes[from].weight;
    classes[to].proposal = classes[from].proposal;
  }
}

void LayoutClasses::link(Value from, Value to, Transfer transfer) {
  if (isKnown(from) && isKnown(to))
    links.push_back({ids.lookup(from), ids.lookup(to), std::move(transfer)});
}

LayoutClasses::LayoutClasses(func::FuncOp function) {
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      add(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          add(argument);
  });
  function.walk([&](Operation *op) { visit(op); });
  auto addStored = [&](Value tile) {
    if (isKnown(tile))
      stored.push_back(ids.lookup(tile));
  };
  function.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tileaa::StoreViewOp, tileaa::StorePtrOp>([&](auto store) { addStored(store.getTile()); })
        .Case<tileaa::AtomicRmwOp, tileaa::AtomicCasOp>([&](auto atomic) { addStored(atomic.getValue()); });
  });
}

void LayoutClasses::uniteAll(ValueRange a, ValueRange b) {
  for (auto [x, y] : llvm::zip(a, b))
    unite(x, y);
}

// All tiles of an operation, but those that each use has for itself.
void LayoutClasses::uniteKnown(Operation *op) {
  Value first;
  for (Value tile : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
    if (isKnown(tile)) {
      first = first ? first : tile;
      unite(first, tile);
    }
}

static SmallVector<int64_t> shapeOf(Value tile) {
  return llvm::to_vector(cast<RankedTensorType>(tile.getType()).getShape());
}

void LayoutClasses::visit(scf::ForOp loop) {
  uniteAll(loop.getRegionIterArgs(), loop.getInitArgs());
  uniteAll(loop.getRegionIterArgs(), loop.getYieldedValues());
  uniteAll(loop.getRegionIterArgs(), loop.getResults());
}
void LayoutClasses::visit(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return;
  uniteAll(branch.getResults(), branch.thenYield().getOperands());
  uniteAll(branch.getResults(), branch.elseYield().getOperands());
}
void LayoutClasses::visit(scf::WhileOp loop) {
  uniteAll(loop.getBeforeArguments(), loop.getInits());
  uniteAll(loop.getBeforeArguments(), loop.getYieldOp().getOperands());
  uniteAll(loop.getAfterArguments(), loop.getConditionOp().getArgs());
  uniteAll(loop.getAfterArguments(), loop.getResults());
}

void LayoutClasses::visit(tileaa::BroadcastOp broadcast) {
  if (isa<RankedTensorType>(broadcast.getSource().getType()))
    link(broadcast.getResult(), broadcast.getSource(),
         [shape = shapeOf(broadcast.getSource())](const LinearLayout &layout) {
           return beforeBroadcast(layout, shape);
         });
}
void LayoutClasses::visit(tileaa::ReshapeOp reshape) {
  if (!isa<RankedTensorType>(reshape.getSource().getType()) || !isa<RankedTensorType>(reshape.getResult().getType()))
    return;
  auto to = [](SmallVector<int64_t> shape) {
    return [shape](const LinearLayout &layout) { return layout.reshape(shape); };
  };
  link(reshape.getSource(), reshape.getResult(), to(shapeOf(reshape.getResult())));
  link(reshape.getResult(), reshape.getSource(), to(shapeOf(reshape.getSource())));
}
void LayoutClasses::visit(tileaa::PermuteOp permute) {
  SmallVector<unsigned> order(permute.getPermutation()), back = inverseOrder(permute.getPermutation());
  link(permute.getSource(), permute.getResult(), [order](const LinearLayout &layout) { return layout.permute(order); });
  link(permute.getResult(), permute.getSource(), [back](const LinearLayout &layout) { return layout.permute(back); });
}
void LayoutClasses::visit(tileaa::ReduceOp reduce) {
  for (Value source : reduce.getSources())
    unite(reduce.getSources()[0], source);
  for (Value result : reduce.getResults())
    if (isa<RankedTensorType>(result.getType()))
      link(reduce.getSources()[0], result,
           [axis = reduce.getDim()](const LinearLayout &layout) { return layout.slice(axis).withoutFreeRegisters(); });
}

void LayoutClasses::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp, tileaa::BroadcastOp, tileaa::ReshapeOp, tileaa::PermuteOp,
            tileaa::ReduceOp>([&](auto op) { visit(op); })
      .Case([&](tileaa::StorePtrOp store) {
        if (store.getMask())
          unite(store.getAddresses(), store.getMask());
      })
      .Case<tileaa::LoadPtrOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp, tileaa::ScanOp>(
          [&](auto op) { uniteKnown(op); })
      .Case<tileaa::MmaOp, tileaa::MmaScaledOp>([&](auto mma) { unite(mma.getAcc(), mma.getResult()); })
      .Case([&](tileaa::InsertOp insert) { unite(insert.getDestination(), insert.getResult()); })
      .Default([&](Operation *op) {
        if (op->hasTrait<OpTrait::Elementwise>() || isa<tileaa::AssumeDivByOp>(op))
          uniteKnown(op);
      });
}

bool LayoutClasses::isStored(Value tile) const {
  if (!isKnown(tile))
    return true;
  llvm::SetVector<unsigned> reached;
  reached.insert(find(ids.lookup(tile)));
  for (size_t next = 0; next != reached.size(); ++next)
    for (const Link &link : links) {
      unsigned from = find(link.from), to = find(link.to);
      if (elementsOf(from) == elementsOf(to) && (from == reached[next] || to == reached[next]))
        reached.insert(from == reached[next] ? to : from);
    }
  return llvm::any_of(stored, [&](unsigned id) { return reached.contains(find(id)); });
}

void LayoutClasses::propose(Value tile, const LinearLayout &layout, double weight) {
  if (!isKnown(tile))
    return;
  Class &one = classes[find(ids.lookup(tile))];
  if (weight <= one.weight)
    return;
  one.weight = weight;
  one.proposal = layout;
}

// Layouts of other classes that follow from it are computed when they are asked for.
void LayoutClasses::assign(unsigned id, const LinearLayout &layout) {
  classes[id].layout = layout;
  for (const Link &link : links) {
    unsigned to = find(link.to);
    if (find(link.from) == id && !classes[to].layout)
      assign(to, link.transfer(layout));
  }
}

void LayoutClasses::solve(int64_t warps) {
  SmallVector<unsigned> order;
  for (unsigned id = 0; id != classes.size(); ++id) {
    classes[id].layout.reset();
    if (find(id) == id)
      order.push_back(id);
  }
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    if (classes[a].weight != classes[b].weight)
      return classes[a].weight > classes[b].weight;
    return elementsOf(a) > elementsOf(b);
  });
  for (unsigned id : order) {
    Class &one = classes[id];
    if (one.layout)
      continue;
    assign(id, one.proposal ? *one.proposal : defaultLayout(one.shape, warps));
  }
}
