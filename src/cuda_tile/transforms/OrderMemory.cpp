// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace tilewright {

#define GEN_PASS_DEF_CUDATILEORDERMEMORY
#include "cuda_tile/transforms/Passes.h.inc"

namespace {

bool isAddress(Type type) {
  return isPtrTile(type) || isa<TensorViewType, TileView>(type);
}

std::optional<MutableOperandRange> tokenOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<MutableOperandRange>>(op)
      .Case<LoadPtrTkoOp, StorePtrTkoOp, LoadViewTkoOp, StoreViewTkoOp, AtomicCASTkoOp, AtomicRMWTkoOp,
            AtomicRedViewTkoOp, MultimemLoadReduceViewTkoOp, MultimemReduceViewTkoOp, MultimemStoreViewTkoOp>(
          [](auto access) { return access.getTokenMutable(); })
      .Default([](Operation *) { return std::nullopt; });
}

bool isWeakLoad(Operation *op) {
  auto isWeak = [](auto load) { return load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::WEAK; };
  return TypeSwitch<Operation *, bool>(op).Case<LoadPtrTkoOp, LoadViewTkoOp>(isWeak).Default(false);
}

/// Hands two tokens through an entry in program order: that of the last write, after which reads come, and that of all
/// accesses since, after which the next write comes.
///
///   %a, %t = load_ptr_tko weak %p          %t0 = make_token
///   store_ptr_tko weak %p, %b       -->    %a, %t = load_ptr_tko weak %p token = %t0
///                                          %all = join_tokens %t0, %t
///                                          store_ptr_tko weak %p, %b token = %all
class MemoryOrder {
public:
  MemoryOrder(EntryOp entry, ArrayRef<int64_t> parameters, bool globals)
      : entry(entry), parameters(parameters), globals(globals) {}

  void run() {
    entry.getBody().walk([&](Operation *op) {
      if (!tokenOf(op) || !llvm::any_of(op->getOperands(), [&](Value value) { return mayReach(value); }))
        return;
      for (Operation *at = op; at != entry; at = at->getParentOp())
        ordered.insert(at);
    });
    // Reads come in any order.
    if (llvm::none_of(ordered, [](Operation *op) { return tokenOf(op) && !isWeakLoad(op); }))
      return;
    Block &body = entry.getBody().front();
    auto builder = OpBuilder::atBlockBegin(&body);
    Value first = MakeTokenOp::create(builder, entry.getLoc(), TokenType::get(entry.getContext()));
    order(body, {first, first});
  }

private:
  struct Tokens {
    Value written, all;
  };

  // Whether an address may lead to the memory of one of the parameters.
  bool mayReach(Value address) {
    llvm::SetVector<Value> worklist;
    if (isAddress(address.getType()))
      worklist.insert(address);
    for (unsigned next = 0; next != worklist.size(); ++next) {
      Operation *op = worklist[next].getDefiningOp();
      if (!op) {
        auto argument = cast<BlockArgument>(worklist[next]);
        if (argument.getOwner()->getParentOp() != entry || llvm::is_contained(parameters, argument.getArgNumber()))
          return true;
        continue;
      }
      if (globals && isa<GetGlobalOp>(op))
        return true;
      if (isa<AllocaOp, GetGlobalOp>(op))
        continue;
      // An address that control flow passes on, that was loaded, or made from an integer may be any.
      if (op->getNumRegions() || !isPure(op) || isa<IntToPtrOp>(op))
        return true;
      for (Value operand : op->getOperands())
        if (isAddress(operand.getType()))
          worklist.insert(operand);
    }
    return false;
  }

  Tokens order(Block &block, Tokens tokens) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<ForOp, LoopOp>(op) && ordered.contains(&op))
        tokens = orderLoop(&op, tokens);
      else if (isa<ForOp, LoopOp>(op))
        continue; // its jumps stay inside of it
      else if (auto branch = dyn_cast<IfOp>(op))
        tokens = orderBranch(branch, tokens);
      else if (isa<YieldOp, ContinueOp, BreakOp>(op))
        handOn(&op, tokens);
      else if (ordered.contains(&op))
        tokens = orderAccess(&op, tokens);
    }
    return tokens;
  }

  Tokens orderAccess(Operation *op, Tokens tokens) {
    bool isRead = isWeakLoad(op);
    OpBuilder builder(op);
    MutableOperandRange token = *tokenOf(op);
    Value before = isRead ? tokens.written : tokens.all;
    if (!token.empty())
      before = join(builder, op->getLoc(), before, token[0].get());
    token.assign(before);
    Value after = op->getResults().back();
    builder.setInsertionPointAfter(op);
    if (isRead)
      return {tokens.written, join(builder, op->getLoc(), tokens.all, after)};
    return {after, after};
  }

  Tokens orderLoop(Operation *loop, Tokens tokens) {
    Operation *made = withTokens(loop, {tokens.written, tokens.all});
    Block &body = made->getRegion(0).front();
    Type type = tokens.all.getType();
    Value written = body.addArgument(type, made->getLoc()), all = body.addArgument(type, made->getLoc());
    order(body, {written, all});
    return lastTwo(made);
  }

  Tokens orderBranch(IfOp branch, Tokens tokens) {
    bool isOrdered = ordered.contains(branch);
    Operation *made = isOrdered ? withTokens(branch, {}) : branch.getOperation();
    if (isOrdered && made->getRegion(1).empty()) {
      auto builder = OpBuilder::atBlockBegin(&made->getRegion(1).emplaceBlock());
      YieldOp::create(builder, made->getLoc());
    }
    for (Region &region : made->getRegions())
      for (Block &block : region)
        order(block, tokens);
    return isOrdered ? lastTwo(made) : tokens;
  }

  // The operation again, with two tokens behind its operands, if there are any, and two behind its results.
  Operation *withTokens(Operation *op, ValueRange tokens) {
    OpBuilder builder(op);
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(op->getOperands());
    state.addOperands(tokens);
    state.addTypes(op->getResultTypes());
    state.addTypes(SmallVector<Type>(2, TokenType::get(op->getContext())));
    state.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *made = builder.create(state);
    ordered.insert(made);
    op->replaceAllUsesWith(made->getResults().drop_back(2));
    op->erase();
    return made;
  }

  // To the branch or loop that it ends or continues, if that has tokens.
  void handOn(Operation *jump, Tokens tokens) {
    Operation *target = jump->getParentOp();
    if (!isa<YieldOp>(jump))
      while (!isa<ForOp, LoopOp>(target))
        target = target->getParentOp();
    if (ordered.contains(target))
      jump->insertOperands(jump->getNumOperands(), {tokens.written, tokens.all});
  }

  static Tokens lastTwo(Operation *op) {
    return {op->getResult(op->getNumResults() - 2), op->getResult(op->getNumResults() - 1)};
  }

  static Value join(OpBuilder &builder, Location loc, Value a, Value b) {
    return a == b ? a : JoinTokensOp::create(builder, loc, a.getType(), ValueRange{a, b}).getResult();
  }

  EntryOp entry;
  ArrayRef<int64_t> parameters;
  bool globals;                               // whether their memory is ordered, too
  llvm::SmallPtrSet<Operation *, 16> ordered; // accesses of that memory, and what they lie in
};

struct OrderMemory : impl::CudaTileOrderMemoryBase<OrderMemory> {
  using CudaTileOrderMemoryBase::CudaTileOrderMemoryBase;
  void runOnOperation() override { orderMemory(getOperation(), parameters); }
};

} // namespace

void orderMemory(EntryOp entry, ArrayRef<int64_t> parameters, bool globals) {
  MemoryOrder(entry, parameters, globals).run();
}

} // namespace tilewright
