// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/agents/LoadAhead.h"

#include "tileas/ir/RegisterPool.h"

#include "machine/Architecture.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// A load of a loop of the producer, and the operations of its body that compute where it is.
class AheadLoad {
public:
  AheadLoad(tileaa::LoadViewOp load, scf::ForOp loop) : load(load), loop(loop) {
    BackwardSliceOptions options;
    options.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
    options.inclusive = true;
    (void)getBackwardSlice(load.getOperation(), &slice, options);
  }

  // Whether the number of an iteration is all that it depends on.
  bool isByCounter() {
    return llvm::all_of(slice, [&](Operation *op) {
      return op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
               auto argument = dyn_cast<BlockArgument>(operand);
               return !argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar();
             });
    });
  }

  void rotate() {
    IRRewriter rewriter(loop);
    Location loc = load.getLoc();
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(load.getTile().getType()));
    Value first = loadIf(loop.getLowerBound(), zero, rewriter);
    (void)loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
          // The body is still the old loop's.
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPointToStart(loop.getBody());
          Value number = arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep());
          Value next = loadIf(number, arguments.front(), builder);
          rewriter.replaceAllUsesWith(load.getTile(), arguments.front());
          return {next};
        });
    for (Operation *op : llvm::reverse(slice))
      if (isOpTriviallyDead(op) || op == load)
        rewriter.eraseOp(op);
  }

private:
  // The tile of an iteration, if there is one of that number.
  Value loadIf(Value number, Value otherwise, OpBuilder &builder) {
    Location loc = load.getLoc();
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value isInside = arith::CmpIOp::create(builder, loc, less, number, loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loc, load.getTile().getType(), isInside, /*withElseRegion=*/true);
    OpBuilder inside = branch.getThenBodyBuilder();
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), number);
    for (Operation *op : slice)
      inside.clone(*op, mapping);
    scf::YieldOp::create(inside, loc, mapping.lookup(load.getTile()));
    OpBuilder outside = branch.getElseBodyBuilder();
    scf::YieldOp::create(outside, loc, otherwise);
    return branch.getResult(0);
  }

  tileaa::LoadViewOp load;
  scf::ForOp loop;
  SetVector<Operation *> slice;
};

} // namespace

int64_t tileas::registersOfTile(BufferType buffer) {
  return llvm::divideCeil(buffer.getBytes(), 4 * warpsOfProducer * nvidia::Architecture::warpThreads);
}

bool tileas::isLoadedAhead(BufferType buffer) {
  constexpr int64_t most = 32;
  return registersOfTile(buffer) <= most;
}

void tileas::loadAhead(AgentsOp agents) {
  SmallVector<ProducerWriteOp> writes;
  agents.getProducer().walk([&](ProducerWriteOp write) { writes.push_back(write); });
  for (ProducerWriteOp write : writes) {
    auto load = write.getTile().getDefiningOp<tileaa::LoadViewOp>();
    auto loop = dyn_cast<scf::ForOp>(write->getParentOp());
    if (!load || !loop || load->getParentOp() != loop || !isLoadedAhead(write.getBufferType()))
      continue;
    AheadLoad ahead(load, loop);
    if (ahead.isByCounter())
      ahead.rotate();
  }
}
