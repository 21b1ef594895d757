// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction is a loop that computes its source as it goes; a scan takes its source from memory.
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/Lowerings.h"
#include "lower/tileaa_to_linalg/TileExpression.h"

using namespace mlir;
using namespace tilewright;

namespace {

// With one accumulator and one operation there is no doubt about what is combined.
Value marked(OpBuilder &body, Value element, int64_t number, tileaa::ReduceOp reduce) {
  if (llvm::hasSingleElement(reduce.getBody().front().without_terminator()))
    return element;
  return cpu::ElementOp::create(body, reduce.getLoc(), element.getType(), element, number);
}

// The larger (smaller) of element and accumulator, the element first: of the first operand x86 looks whether it is NaN,
// which then waits for nothing, and takes it where the second is, as the accumulator is before the first number.
void cloneCombining(OpBuilder &body, Operation &op, IRMapping &mapping, tileaa::ReduceOp reduce) {
  Operation *cloned = body.clone(op, mapping);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op) && op.getOperand(0) == reduce.getBody().getArgument(0) &&
      op.getOperand(1) == reduce.getBody().getArgument(1))
    cloned->setOperands({cloned->getOperand(1), cloned->getOperand(0)});
}

// One step of the reduction: the new accumulators.
SmallVector<Value> combine(OpBuilder &body, tileaa::ReduceOp reduce, ValueRange accumulators, ValueRange elements) {
  Block &combiner = reduce.getBody().front();
  IRMapping mapping;
  for (auto [i, element] : llvm::enumerate(elements)) {
    mapping.map(combiner.getArgument(2 * i), accumulators[i]);
    mapping.map(combiner.getArgument(2 * i + 1), marked(body, element, i, reduce));
  }
  for (Operation &op : combiner.without_terminator())
    cloneCombining(body, op, mapping, reduce);
  return llvm::map_to_vector(combiner.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace

void tilewright::lowerReduce(tileaa::ReduceOp reduce, Materializer &tiles) {
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  int64_t rank = tileType(reduce.getSources()[0]).getRank();
  int64_t dim = reduce.getDim();
  SmallVector<AffineExpr> dims = loopDims(reduce.getContext(), rank);
  SmallVector<AffineExpr> kept(dims);
  kept.erase(kept.begin() + dim);
  AffineMap keptMap = AffineMap::get(rank, 0, kept, reduce.getContext());

  // The source itself is wanted too: write it as a further result.
  Value also;
  if (reduce.getSources().size() == 1) {
    Value source = reduce.getSources()[0];
    if (tiles.isAwaited(source))
      also = source;
  }
  auto exists = [&](Value value) { return value != also && tiles.isStored(value); };
  TileExpression expression(rank, exists);
  for (Value source : reduce.getSources())
    expression.collect(source, dims);

  SmallVector<Value> inits;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps(expression.getInputMaps());
  for (auto [result, identity] : llvm::zip(reduce.getResults(), reduce.getIdentities())) {
    SmallVector<int64_t> shape(tileType(reduce.getSources()[0]).getShape());
    shape.erase(shape.begin() + dim);
    auto type = RankedTensorType::get(shape, identity.getType());
    Value empty = tensor::EmptyOp::create(builder, loc, shape, identity.getType());
    auto fill = linalg::FillOp::create(builder, loc, ValueRange(identity), ValueRange(empty));
    inits.push_back(fill.getResult(0));
    types.push_back(type);
    maps.push_back(keptMap);
  }
  // Inputs that all come from coordinates (sums over an iota) do not tell how long the loop is; a tile does.
  bool isOpenEnded =
      !also && llvm::none_of(expression.getInputMaps(), [&](AffineMap map) { return map.isFunctionOfDim(dim); });
  if (also || isOpenEnded) {
    RankedTensorType type = tileType(reduce.getSources()[0]);
    inits.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType()));
    types.push_back(type);
    maps.push_back(builder.getMultiDimIdentityMap(rank));
  }
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[dim] = utils::IteratorType::reduction;
  SmallVector<Value> inputs =
      llvm::map_to_vector(expression.getInputs(), [&](Value input) { return tiles.stored(input); });
  auto generic = linalg::GenericOp::create(
      builder, loc, types, inputs, inits, maps, iterators, [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
        ValueRange inputArgs = args.take_front(expression.getInputs().size());
        ValueRange accumulators = args.drop_front(inputArgs.size());
        SmallVector<Value> elements = llvm::map_to_vector(
            reduce.getSources(), [&](Value source) { return expression.emit(body, source, dims, inputArgs); });
        SmallVector<Value> yielded = combine(body, reduce, accumulators, elements);
        if (also || isOpenEnded)
          yielded.push_back(elements.front());
        linalg::YieldOp::create(body, bodyLoc, yielded);
      });
  for (auto [result, tile] : llvm::zip(reduce.getResults(), generic.getResults())) {
    Value replacement = tile;
    if (!isa<RankedTensorType>(result.getType()))
      replacement = tensor::ExtractOp::create(builder, loc, tile, ValueRange());
    result.replaceAllUsesWith(replacement);
  }
  if (also)
    tiles.setLoop(also, generic.getResults().back());
  reduce.erase();
}

void tilewright::lowerScan(tileaa::ScanOp scan, Materializer &tiles) {
  OpBuilder builder(scan);
  SmallVector<Value> sources, destinations;
  for (auto [source, result] : llvm::zip_equal(scan.getSources(), scan.getResults())) {
    RankedTensorType type = tileType(result);
    sources.push_back(tiles.materialize(source, scan));
    destinations.push_back(tensor::EmptyOp::create(builder, scan.getLoc(), type.getShape(), type.getElementType()));
  }
  auto lowered = cpu::ScanOp::create(builder, scan.getLoc(), scan.getResultTypes(), sources, scan.getIdentities(),
                                     destinations, scan.getDim(), scan.getReverse());
  lowered.getBody().takeBody(scan.getBody());
  Operation *yield = lowered.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  cpu::YieldOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  scan.replaceAllUsesWith(lowered.getResults());
  scan.erase();
}
