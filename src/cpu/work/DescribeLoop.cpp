// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/work/DescribeLoop.h"

#include "cpu/work/ElementCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using predict::Pipe;
using predict::Step;

namespace {

double &at(Step &step, Pipe pipe) {
  return step.instructions[static_cast<unsigned>(pipe)];
}

double bytesOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? double(tile.getNumElements()) * elementBits(type) / 8 : 0;
}

// For each element of blocks that are transposed in registers: of 16 lines each, whatever the elements are.
double shufflesOfTransposed(const Plan &plan) {
  return plan.vectorBits >= 512 ? 0.5 : 2.5;
}

// Its elements go to an array as they are computed.
bool isStoredAtOnce(Value tile) {
  return tile.hasOneUse() && isa<tileaa::StoreViewOp>(*tile.user_begin());
}

class LoopCost {
public:
  LoopCost(linalg::GenericOp loop, const Plan &plan)
      : loop(loop), plan(plan), sizes(loop.getStaticLoopRanges()), masks() {
    lane = sizes.empty() ? 0 : sizes.size() - 1;
    while (lane > 0 && sizes[lane] == 1)
      --lane;
    inner = sizes.empty() ? 1 : sizes[lane];
    outer = sizes.empty() ? 1 : double(llvm::product_of(sizes)) / inner;
  }

  Step describe() {
    step.rows = inner > 1 ? outer : 1;
    for (OpOperand *input : loop.getDpsInputOperands())
      addInput(*input);
    for (OpOperand &output : loop.getDpsInitsMutable())
      addOutput(output);
    for (Operation &op : loop.getBody()->without_terminator())
      addOperation(op);
    step.chain = std::max(step.chain, body);
    return std::move(step);
  }

private:
  // On which dimensions of the loop a value depends: through elements of tiles, and through its own indices.
  struct Dims {
    uint64_t data = 0, index = 0;
  };
  bool hasLane(uint64_t mask) const { return mask >> lane & 1; }
  double vectors(double bits) const { return outer * std::ceil(inner * bits / plan.vectorBits); }
  double lanes(double bits) const { return std::min<double>(inner, plan.vectorBits / bits); }

  static uint64_t dimsOf(AffineMap map) {
    uint64_t mask = 0;
    for (AffineExpr result : map.getResults())
      for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
        mask |= uint64_t(result.isFunctionOfDim(dim)) << dim;
    return mask;
  }
  bool isAlongLanes(Value tile, AffineMap map) const {
    std::optional<unsigned> dim = contiguousDim(tile);
    return dim && *dim < map.getNumResults() && map.getResult(*dim).isFunctionOfDim(lane);
  }

  void addAccess(Value tile, AffineMap map, Pipe pipe) {
    unsigned bits = elementBits(tile.getType());
    at(step, pipe) += vectors(bits);
    if (!isAlongLanes(tile, map))
      at(step, Pipe::Shuffle) += shufflesOfTransposed(plan) * outer * inner;
  }

  void addInput(OpOperand &input) {
    AffineMap map = loop.getMatchingIndexingMap(&input);
    uint64_t dims = dimsOf(map);
    masks[loop.getMatchingBlockArgument(&input)] = {dims, 0};
    step.tileBytes += bytesOf(input.get().getType());
    if (loop.getMatchingBlockArgument(&input).use_empty())
      return;
    if (hasLane(dims))
      addAccess(input.get(), map, Pipe::Memory);
    else
      at(step, Pipe::Memory) += dims ? outer : 1;
  }

  void addOutput(OpOperand &output) {
    AffineMap map = loop.getMatchingIndexingMap(&output);
    uint64_t dims = dimsOf(map), all = (uint64_t(1) << sizes.size()) - 1, reduced = 0;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (sizes[dim] > 1)
        reduced |= uint64_t(1) << dim;
    reduced &= all & ~dims;
    masks[loop.getMatchingBlockArgument(&output)] = {reduced ? all : dims, 0};
    unsigned bits = std::max(32u, elementBits(output.get().getType()));
    Value result = loop.getTiedOpResult(&output);
    if (!reduced) {
      if (!isStoredAtOnce(result))
        step.tileBytes += bytesOf(result.getType());
      return addAccess(result, map, Pipe::Store);
    }
    // Some vectors of partial results, which are combined at the end of a row.
    double each = vectors(bits) / plan.loopVectors;
    if (!hasLane(reduced))
      return void(step.chain = std::max(step.chain, each));
    double steps = std::log2(std::max(1.0, lanes(bits)));
    at(step, Pipe::Shuffle) += outer * steps;
    at(step, Pipe::F32) += outer * steps;
    step.chain = std::max(step.chain, each + outer * 2 * steps);
  }

  void addOperation(Operation &op) {
    Dims dims;
    for (Value operand : op.getOperands()) {
      Dims of = masks.lookup(operand);
      dims.data |= of.data;
      dims.index |= of.index;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      dims.index |= uint64_t(1) << index.getDim();
    addCost(op, dims);
    if (isa<PtrLoadOp>(op))
      dims.data |= dims.index;
    for (Value result : op.getResults())
      masks[result] = dims;
  }

  void addCost(Operation &op, Dims dims) {
    if (isa<PtrLoadOp, PtrStoreOp, AtomicRmwOp, AtomicCasOp>(op))
      return addElements(op);
    bool isInteger = op.getNumResults() && op.getResult(0).getType().isIntOrIndex();
    // Counted up with the loop, as addresses are.
    if (isInteger && !hasLane(dims.data))
      return;
    std::optional<ElementCost> cost = costOf(&op, plan.unit());
    if (!cost)
      return;
    double times = hasLane(dims.data | dims.index) ? vectors(cost->bits) : dims.data ? outer : 1;
    at(step, cost->pipe) += times * cost->count;
    at(step, Pipe::Divide) += times * cost->divisions;
    body += cost->count + 3 * cost->divisions;
  }

  // Elements at addresses: side by side, or each by itself.
  void addElements(Operation &op) {
    Value address = isa<PtrStoreOp>(op) ? op.getOperand(1) : op.getOperand(0);
    Dims dims = masks.lookup(address);
    unsigned bits = elementBits(isa<PtrStoreOp>(op) ? op.getOperand(0).getType() : op.getResult(0).getType());
    if (isa<AtomicRmwOp, AtomicCasOp>(op))
      at(step, Pipe::Gather) += outer * inner * 20;
    else if (plan.vectorBits < 512 || (hasLane(dims.data) && inner > 1))
      at(step, Pipe::Gather) += outer * inner * (plan.unit().hasMasks(bits) ? 1 : 2);
    else
      at(step, isa<PtrLoadOp>(op) ? Pipe::Memory : Pipe::Store) += vectors(bits);
  }

  linalg::GenericOp loop;
  const Plan &plan;
  SmallVector<int64_t> sizes;
  llvm::DenseMap<Value, Dims> masks;
  unsigned lane;
  double inner, outer;
  double body = 0; // instructions that an element waits for
  Step step;
};

} // namespace

std::optional<unsigned> cpu::contiguousDim(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (auto load = tile.getDefiningOp<tileaa::LoadViewOp>()) {
    ArrayRef<int64_t> strides = cast<tileaa::ViewType>(load.getView().getType()).getStrides();
    for (auto [dim, of] : llvm::enumerate(load.getDimMap()))
      if (strides[of] == 1)
        return dim;
    return std::nullopt;
  }
  for (unsigned dim = type.getRank(); dim > 0; --dim)
    if (type.getDimSize(dim - 1) > 1)
      return dim - 1;
  return type.getRank() ? std::optional<unsigned>(type.getRank() - 1) : std::nullopt;
}

Step cpu::describeLoop(linalg::GenericOp loop, const Plan &plan) {
  return LoopCost(loop, plan).describe();
}

Step cpu::describeFill(linalg::FillOp fill, const Plan &plan) {
  Step step;
  for (Value result : fill.getResults())
    at(step, Pipe::Store) += std::ceil(bytesOf(result.getType()) * 8 / plan.vectorBits);
  return step;
}

Step cpu::describeScan(ScanOp scan, const Plan &plan) {
  Step step;
  auto type = cast<RankedTensorType>(scan.getSources()[0].getType());
  ArrayRef<int64_t> shape = type.getShape();
  bool isAlongLanes = scan.getDim() == uint64_t(type.getRank() - 1);
  double operations = std::max<double>(1, scan.getBody().front().getOperations().size() - 1);
  for (Value source : scan.getSources()) {
    unsigned bits = elementBits(source.getType());
    double lanes = std::min<double>(shape.back(), plan.lanes(bits)), steps = isAlongLanes ? std::log2(lanes) : 0;
    double vectors = std::ceil(bytesOf(source.getType()) * 8 / plan.vectorBits);
    at(step, Pipe::Memory) += vectors;
    at(step, Pipe::Store) += vectors;
    at(step, Pipe::Shuffle) += vectors * (steps + (isAlongLanes ? 1 : 0));
    at(step, Pipe::F32) += vectors * (steps + 1) * operations;
    step.tileBytes += 2 * bytesOf(source.getType());
    // The sum so far is added to all lanes, and the last of them is the next one.
    step.chain = std::max(step.chain, vectors * (isAlongLanes ? 2 : 1) * operations);
  }
  step.rows = double(type.getNumElements()) / shape[scan.getDim()];
  return step;
}

Step cpu::describePack(PackWordsOp pack, const Plan &plan) {
  Step step;
  Type to = pack.getDestination().getType();
  double vectors = std::ceil(bytesOf(to) * 8 / plan.vectorBits);
  at(step, Pipe::Memory) = vectors;
  at(step, Pipe::Store) = vectors;
  at(step, Pipe::Shuffle) = vectors;
  at(step, Pipe::Convert) = elementBits(pack.getSource().getType()) < elementBits(to) ? vectors : 0;
  step.rows = cast<RankedTensorType>(to).getNumElements() / cast<RankedTensorType>(to).getShape().back();
  step.tileBytes = bytesOf(pack.getSource().getType()) + bytesOf(to);
  return step;
}

Step cpu::describeCopy(Value tile, std::optional<unsigned> along, const Plan &plan) {
  Step step;
  auto type = cast<RankedTensorType>(tile.getType());
  double vectors = std::ceil(bytesOf(type) * 8 / plan.vectorBits);
  at(step, Pipe::Memory) = vectors;
  at(step, Pipe::Store) = vectors;
  step.tileBytes = bytesOf(type);
  std::optional<unsigned> from = contiguousDim(tile);
  step.rows = from ? double(type.getNumElements()) / type.getDimSize(*from) : type.getNumElements();
  if (type.getNumElements() > 1 && from != along)
    at(step, Pipe::Shuffle) = shufflesOfTransposed(plan) * type.getNumElements();
  return step;
}

Step cpu::describePartial(Value tile, const Plan &plan) {
  Step step = describeCopy(tile, contiguousDim(tile), plan);
  auto type = cast<RankedTensorType>(tile.getType());
  if (!plan.unit().hasMasks(elementBits(type)))
    at(step, Pipe::Gather) += type.getNumElements() / 4.0;
  return step;
}

Step cpu::describeProduct(MmaOp mma, const Plan &plan) {
  Step step;
  step.kind = Step::Kind::Product;
  auto acc = cast<RankedTensorType>(mma.getAcc().getType());
  auto left = cast<RankedTensorType>(mma.getLhs().getType());
  Type element = left.getElementType();
  int64_t depth = mma.getDepth();
  double results = acc.getNumElements(), accBits = elementBits(acc);
  step.operations = 2 * results * depth;
  step.type = element.isF64()                                         ? predict::ProductType::F64
              : isa<FloatType>(element) && elementBits(element) == 16 ? predict::ProductType::Bits16
              : isa<FloatType>(element)                               ? predict::ProductType::F32
                                                                      : predict::ProductType::Bits8;
  // For each k vectors of the right operand for each row of register blocks, and broadcasts for each column of them.
  double word = mma.getWordElements(), lanes = plan.vectorBits / accBits;
  double blockColumns = std::min<double>(plan.microTileN * 32 / accBits, acc.getShape().back());
  double blockRows = std::min<double>(acc.getShape()[acc.getRank() - 2],
                                      double(plan.microTileM) * plan.microTileN * 32 / accBits / blockColumns);
  at(step, Pipe::Memory) = results * depth / word * (1 / (blockRows * lanes) + 1 / blockColumns);
  step.rows = results / (blockRows * blockColumns);
  double passes = 2.0 / mma.getMergedSteps(plan);
  step.tileBytes = bytesOf(left) + bytesOf(mma.getRhs().getType()) + bytesOf(acc) * passes;
  return step;
}
