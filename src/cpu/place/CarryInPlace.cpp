// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUCARRYINPLACE
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace {

bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

bool hasTiles(ValueRange values) {
  return llvm::any_of(values, isTile);
}

// Its result is memory of its operand, in another shape.
bool isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op);
}

// The buffer that certainly holds a value, found through views.
Value bufferOf(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto toTensor = dyn_cast<ToTensorOp>(op))
      return toTensor.getBuffer();
    if (!isView(op))
      return {};
    tile = op->getOperand(0);
  }
  return {};
}

// Everything that reads the memory of a tile: uses of the tile and of its views. A view itself reads nothing.
void collectReads(Value tile, SmallVectorImpl<OpOperand *> &reads) {
  for (OpOperand &use : tile.getUses()) {
    if (isView(use.getOwner()))
      collectReads(use.getOwner()->getResult(0), reads);
    else
      reads.push_back(&use);
  }
}

SmallVector<OpOperand *> readsOf(Value tile) {
  SmallVector<OpOperand *> reads;
  collectReads(tile, reads);
  return reads;
}

class Carrier {
public:
  explicit Carrier(func::FuncOp function) : function(function) {}

  void run() {
    // Outer ops first: an inner `if` may then use the buffer of the loop around it.
    SmallVector<Operation *> carriers;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && (hasTiles(op->getResults()) || hasTiles(op->getOperands())))
        carriers.push_back(op);
    });
    for (Operation *op : carriers) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryFor(loop);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        carryWhile(loop);
      else
        carryIf(cast<scf::IfOp>(op));
    }
  }

private:
  Value allocate(Value like) {
    OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
    auto type = cast<RankedTensorType>(like.getType());
    return memref::AllocOp::create(entry, like.getLoc(), MemRefType::get(type.getShape(), type.getElementType()));
  }

  static Value read(OpBuilder &builder, Location loc, Value buffer, bool writable) {
    auto type = cast<MemRefType>(buffer.getType());
    return ToTensorOp::create(builder, loc, RankedTensorType::get(type.getShape(), type.getElementType()), buffer,
                              /*restrict=*/true, writable);
  }

  static void write(OpBuilder &builder, Location loc, Value tile, Value buffer) {
    auto op = MaterializeInDestinationOp::create(builder, loc, TypeRange(), tile, buffer);
    op.setRestrict(true);
    op.setWritable(true);
  }

  //===-- destinations ----------------------------------------------------===//

  static bool readsOnlyInPlace(Operation *op, Value tile, OpOperand *init) {
    auto loop = dyn_cast<linalg::GenericOp>(op);
    if (!loop)
      return false;
    AffineMap out = loop.getMatchingIndexingMap(init);
    for (OpOperand *input : loop.getDpsInputOperands())
      if (input->get() == tile && loop.getMatchingIndexingMap(input) != out)
        return false;
    // A reduction reads its input again after it has begun to write.
    return out.isPermutation();
  }

  // Makes the op that computes `tile` write into `destination`, whose buffer holds `old` until then; `old` may be null.
  static void aim(Value tile, Value buffer, Value old) {
    auto op = tile.getDefiningOp<DestinationStyleOpInterface>();
    if (!op)
      return;
    OpOperand *init = op.getTiedOpOperand(cast<OpResult>(tile));
    if (auto source = init->get().getDefiningOp<DestinationStyleOpInterface>(); source && init->get().hasOneUse()) {
      // A value that each iteration reads from outside of the loop must not lie where the loop writes.
      if (source->getBlock() == op->getBlock())
        aim(init->get(), buffer, old);
      return;
    }
    if (!init->get().getDefiningOp<tensor::EmptyOp>())
      return;
    // Every value in the buffer must be dead by then.
    for (Operation *reader : buffer.getUsers()) {
      auto view = dyn_cast<ToTensorOp>(reader);
      if (!view)
        continue;
      for (OpOperand *read : readsOf(view)) {
        Operation *user = read->getOwner();
        if (user == op) {
          if (read->get() != view.getResult() || !readsOnlyInPlace(op, view.getResult(), init))
            return;
          continue;
        }
        Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
        auto write = dyn_cast_or_null<MaterializeInDestinationOp>(here);
        bool ontoItself = write && write.getDest() == buffer;
        if (here && (here == op || op->isBeforeInBlock(here)) && !ontoItself)
          return;
      }
    }
    OpBuilder builder(op);
    if (old && old.getParentBlock() == op->getBlock())
      init->set(old);
    else
      init->set(read(builder, op.getLoc(), buffer, /*writable=*/true));
  }

  struct Update {
    Value tile;   // the value to settle
    Value buffer; // where
    Value old;    // the tile that was there, if the block reads it as one
  };

  // At the end of a block: every tile into its buffer. A tile that lies in a buffer about to be overwritten is moved
  // out of the way first.
  static void settle(Operation *terminator, ArrayRef<Update> updates) {
    OpBuilder builder(terminator);
    SmallVector<Value> tiles;
    for (const Update &update : updates) {
      Value from = bufferOf(update.tile);
      bool overwritten = from && from != update.buffer &&
                         llvm::any_of(updates, [&](const Update &other) { return other.buffer == from; });
      if (!overwritten) {
        tiles.push_back(update.tile);
        continue;
      }
      auto type = cast<RankedTensorType>(update.tile.getType());
      Value empty = tensor::EmptyOp::create(builder, terminator->getLoc(), type.getShape(), type.getElementType());
      tiles.push_back(linalg::CopyOp::create(builder, terminator->getLoc(), update.tile, empty).getResult(0));
    }
    for (auto [tile, update] : llvm::zip(tiles, updates)) {
      if (bufferOf(update.tile) == update.buffer && update.tile.getDefiningOp<ToTensorOp>())
        continue;
      write(builder, terminator->getLoc(), tile, update.buffer);
    }
    for (const Update &update : updates)
      if (update.tile.getDefiningOp() && update.tile.getDefiningOp()->getBlock() == terminator->getBlock() &&
          isDeadFrom(update.tile, terminator))
        aim(update.tile, update.buffer, update.old);
  }

  // Nothing reads the tile or a view of it in `point` or after it; that `point` takes the tile as an operand is no
  // read.
  static bool isDeadFrom(Value tile, Operation *point) {
    return llvm::all_of(readsOf(tile), [&](OpOperand *read) {
      Operation *here = point->getBlock()->findAncestorOpInBlock(*read->getOwner());
      return (read->getOwner() == point && read->get() == tile) || (here && here->isBeforeInBlock(point));
    });
  }

  static void enter(Operation *op, Value init, Value buffer) { settle(op, Update{init, buffer, Value()}); }

  //===-- for -------------------------------------------------------------===//

  void carryFor(scf::ForOp loop) {
    Location loc = loop.getLoc();
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    OpBuilder after(loop->getContext());
    after.setInsertionPointAfter(loop);
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    SmallVector<Update> updates;
    SmallVector<unsigned> tiles;
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      if (!isTile(argument))
        continue;
      Value buffer = allocate(argument);
      enter(loop, loop.getInitArgs()[i], buffer);
      Value old = read(inside, loc, buffer, /*writable=*/true);
      argument.replaceAllUsesWith(old);
      updates.push_back({Value(), buffer, old});
      loop.getResult(i).replaceAllUsesWith(read(after, loc, buffer, /*writable=*/false));
      tiles.push_back(i);
    }
    // A yielded value may be another of the carried tiles, replaced by now.
    for (auto [update, i] : llvm::zip(updates, tiles))
      update.tile = yield.getOperand(i);
    settle(yield, updates);
    for (unsigned i : llvm::reverse(tiles))
      yield->eraseOperand(i);

    SmallVector<Value> inits;
    for (Value init : loop.getInitArgs())
      if (!isTile(init))
        inits.push_back(init);
    OpBuilder builder(loop);
    auto slim = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits,
                                   nullptr, loop.getUnsignedCmp());
    slim->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = slim.getBody();
    body->clear();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    loop.getInductionVar().replaceAllUsesWith(slim.getInductionVar());
    unsigned next = 0;
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      if (isTile(argument))
        continue;
      argument.replaceAllUsesWith(slim.getRegionIterArg(next));
      loop.getResult(i).replaceAllUsesWith(slim.getResult(next));
      ++next;
    }
    loop.erase();
  }

  //===-- while -----------------------------------------------------------===//

  void carryWhile(scf::WhileOp loop) {
    Location loc = loop.getLoc();
    OpBuilder before = OpBuilder::atBlockBegin(loop.getBeforeBody());
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getAfterBody());
    OpBuilder after(loop->getContext());
    after.setInsertionPointAfter(loop);
    auto condition = loop.getConditionOp();
    auto yield = loop.getYieldOp();

    SmallVector<Update> atYield, atCondition;
    SmallVector<unsigned> initTiles, passedTiles;
    DenseMap<Value, Value> buffers;
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments())) {
      if (!isTile(argument))
        continue;
      Value buffer = allocate(argument);
      enter(loop, loop.getInits()[i], buffer);
      Value old = read(before, loc, buffer, /*writable=*/true);
      argument.replaceAllUsesWith(old);
      buffers[old] = buffer;
      atYield.push_back({yield.getOperand(i), buffer, Value()});
      initTiles.push_back(i);
    }
    for (auto [i, passed] : llvm::enumerate(condition.getArgs())) {
      if (!isTile(passed))
        continue;
      // A tile that is yielded unchanged stays where it is.
      Value buffer = buffers.lookup(passed);
      if (!buffer) {
        buffer = allocate(passed);
        atCondition.push_back({passed, buffer, Value()});
      }
      Value inner = read(inside, loc, buffer, /*writable=*/true);
      loop.getAfterArguments()[i].replaceAllUsesWith(inner);
      loop.getResult(i).replaceAllUsesWith(read(after, loc, buffer, /*writable=*/false));
      passedTiles.push_back(i);
    }
    // The operands may be after-arguments, replaced just now.
    for (auto [update, i] : llvm::zip(atYield, initTiles))
      update.tile = yield.getOperand(i);
    settle(condition, atCondition);
    settle(yield, atYield);
    for (unsigned i : llvm::reverse(initTiles)) {
      yield->eraseOperand(i);
      loop.getBeforeBody()->eraseArgument(i);
    }
    SmallVector<Type> types;
    for (unsigned i : llvm::reverse(passedTiles)) {
      condition->eraseOperand(i + 1);
      loop.getAfterBody()->eraseArgument(i);
    }
    SmallVector<Value> inits;
    for (Value init : loop.getInits())
      if (!isTile(init))
        inits.push_back(init);
    for (Value result : loop.getResults())
      if (!isTile(result))
        types.push_back(result.getType());
    OpBuilder builder(loop);
    auto slim = scf::WhileOp::create(builder, loc, types, inits);
    slim.getBefore().takeBody(loop.getBefore());
    slim.getAfter().takeBody(loop.getAfter());
    unsigned next = 0;
    for (Value result : loop.getResults())
      if (!isTile(result))
        result.replaceAllUsesWith(slim.getResult(next++));
    loop.erase();
  }

  //===-- if --------------------------------------------------------------===//

  // The buffer the result is copied into next anyway, if nothing reads that buffer's old contents in between.
  Value onwardBuffer(scf::IfOp choice, Value result) {
    if (!result.hasOneUse())
      return {};
    auto onward = dyn_cast<MaterializeInDestinationOp>(*result.getUsers().begin());
    if (!onward || onward->getBlock() != choice->getBlock())
      return {};
    Value buffer = onward.getDest();
    for (Operation *reader : buffer.getUsers()) {
      auto view = dyn_cast<ToTensorOp>(reader);
      if (!view)
        continue;
      for (OpOperand *read : readsOf(view)) {
        Operation *here = choice->getBlock()->findAncestorOpInBlock(*read->getOwner());
        if (here && choice->isBeforeInBlock(here) && here != onward)
          return {};
      }
    }
    onward.erase();
    return buffer;
  }

  void carryIf(scf::IfOp choice) {
    Location loc = choice.getLoc();
    OpBuilder after(choice->getContext());
    SmallVector<unsigned> tiles;
    SmallVector<Value> buffers;
    for (auto [i, result] : llvm::enumerate(choice.getResults())) {
      if (!isTile(result))
        continue;
      Value buffer = onwardBuffer(choice, result);
      if (!buffer)
        buffer = allocate(result);
      after.setInsertionPointAfter(choice); // the next operation may just have been erased
      result.replaceAllUsesWith(read(after, loc, buffer, /*writable=*/false));
      tiles.push_back(i);
      buffers.push_back(buffer);
    }
    for (scf::YieldOp yield : {choice.thenYield(), choice.elseYield()}) {
      SmallVector<Update> updates;
      for (auto [i, buffer] : llvm::zip(tiles, buffers))
        updates.push_back({yield.getOperand(i), buffer, Value()});
      settle(yield, updates);
      for (unsigned i : llvm::reverse(tiles))
        yield->eraseOperand(i);
    }
    SmallVector<Type> types;
    for (Value result : choice.getResults())
      if (!isTile(result))
        types.push_back(result.getType());
    OpBuilder builder(choice);
    auto slim = scf::IfOp::create(builder, loc, types, choice.getCondition(), /*withElseRegion=*/true);
    slim.getThenRegion().takeBody(choice.getThenRegion());
    slim.getElseRegion().takeBody(choice.getElseRegion());
    unsigned next = 0;
    for (Value result : choice.getResults())
      if (!isTile(result))
        result.replaceAllUsesWith(slim.getResult(next++));
    choice.erase();
  }

  func::FuncOp function;
};

struct CpuCarryInPlace : tilewright::impl::CpuCarryInPlaceBase<CpuCarryInPlace> {
  void runOnOperation() override {
    if (tileaa::isKernel(getOperation()))
      Carrier(getOperation()).run();
  }
};

} // namespace
