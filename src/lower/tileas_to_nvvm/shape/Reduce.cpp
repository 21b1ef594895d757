// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction inside each warp: first a thread's own registers, as a tree, then lanes by shuffles. There is at least
// one element, so that no identity is taken in.
#include "lower/tileas_to_nvvm/shape/ShapePatterns.h"
#include "lower/tileas_to_nvvm/shape/WarpShuffle.h"
#include "tileas/verify/ThreadElements.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

SmallVector<Value> tilewright::combineInBody(Block &body, ArrayRef<Value> a, ArrayRef<Value> b, ThreadBuilder &thread) {
  IRMapping mapping;
  for (size_t source = 0; source != a.size(); ++source) {
    mapping.map(body.getArgument(2 * source), a[source]);
    mapping.map(body.getArgument(2 * source + 1), b[source]);
  }
  for (Operation &op : body.without_terminator())
    thread.builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

namespace {

using Values = SmallVector<Value>; // one for each source

class WarpReduction {
public:
  WarpReduction(tileaa::ReduceOp reduce, ArrayRef<ValueRange> sources, ThreadBuilder &thread)
      : reduce(reduce), thread(thread), layout(tileas::layoutOf(reduce.getSources()[0])),
        sliced(layout.slice(reduce.getDim())), sources(sources), reduced(layout.inputSize(Dim::Register)) {
    // Registers that differ along the dimension alone are combined; a register that differs elsewhere too starts a
    // group. Registers whose images along the dimension are sums of others' hold copies.
    copies = layout.redundantBits(Dim::Register);
    for (unsigned bit = 0; bit != layout.inputBits(Dim::Register); ++bit)
      if (sliced.basisOf(Dim::Register)[bit] == 0 && !(copies >> bit & 1))
        alongOnly |= uint64_t(1) << bit;
  }

  void run() {
    for (uint64_t reg = 0; reg != reduced.size(); ++reg)
      if ((reg & (alongOnly | copies)) == 0)
        reduced[reg] = reduceRegisters(reg);
    for (unsigned bit = 0; bit != layout.inputBits(Dim::Lane); ++bit)
      if (isReduced(bit))
        reduceLanes(1u << bit);
  }

  // The registers of a result.
  Values resultOf(size_t source) {
    Values all;
    for (uint64_t reg = 0; reg != reduced.size(); ++reg) {
      uint64_t owner = reg & ~(alongOnly | copies);
      all.push_back(reduced[owner].empty() ? sources[source][reg] : reduced[owner][source]);
    }
    auto result = dyn_cast<RankedTensorType>(reduce.getResult(source).getType());
    if (!result)
      return Values{all[0]};
    return *pickRegisters(all, sliced, tileas::layoutOf(result));
  }

private:
  bool isAlong(Dim in, unsigned bit) { return layout.basis(in, bit, layout::tileDim(reduce.getDim())) != 0; }
  // Lanes whose number changes only the coordinate along the dimension.
  bool isReduced(unsigned laneBit) {
    return isAlong(Dim::Lane, laneBit) && !(layout.redundantBits(Dim::Lane) >> laneBit & 1);
  }
  Values combine(const Values &a, const Values &b) { return combineInBody(reduce.getBody().front(), a, b, thread); }
  Values elementsOf(uint64_t reg) const {
    return llvm::map_to_vector(sources, [&](ValueRange source) { return Value(source[reg]); });
  }

  // As a tree.
  Values reduceRegisters(uint64_t group) {
    SmallVector<Values> tree;
    for (uint64_t part = 0;; part = (part - alongOnly) & alongOnly) {
      tree.push_back(elementsOf(group | part));
      if (part == alongOnly)
        break;
    }
    for (size_t step = 1; step < tree.size(); step *= 2)
      for (size_t i = 0; i + step < tree.size(); i += 2 * step)
        tree[i] = combine(tree[i], tree[i + step]);
    return tree[0];
  }
  void reduceLanes(unsigned mask) {
    for (Values &values : reduced) {
      if (values.empty())
        continue;
      Values others = llvm::map_to_vector(values, [&](Value value) { return shuffleXor(value, mask, thread); });
      values = combine(values, others);
    }
  }

  tileaa::ReduceOp reduce;
  ThreadBuilder &thread;
  const LinearLayout &layout;
  LinearLayout sliced;
  ArrayRef<ValueRange> sources;
  std::vector<Values> reduced; // by the first register of a group
  uint64_t alongOnly = 0, copies = 0;
};

struct ReducePattern : TilePattern<tileaa::ReduceOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::ReduceOp reduce, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (tileas::Fault fault = tileas::faultOf(reduce); !fault.empty())
      return thread.fail(reduce, fault);
    WarpReduction reduction(reduce, adaptor.getSources(), thread);
    reduction.run();
    SmallVector<SmallVector<Value>> results;
    for (size_t source = 0; source != reduce.getSources().size(); ++source)
      results.push_back(reduction.resultOf(source));
    thread.builder.replaceOpWithMultiple(reduce, std::move(results));
    return success();
  }
};

} // namespace

void tilewright::populateReducePattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ReducePattern>(kernel);
}
