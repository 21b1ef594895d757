// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction inside each warp: first a thread's own registers, as a tree, then lanes by shuffles. There is at least
// one element, so that no identity is taken in.
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/WarpValues.h"
#include "tileas/ir/LayoutParts.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

SmallVector<Value> tilewright::combineInBody(Block &body, ArrayRef<Value> a, ArrayRef<Value> b, TileRegisters &tiles) {
  IRMapping mapping;
  for (size_t source = 0; source != a.size(); ++source) {
    mapping.map(body.getArgument(2 * source), a[source]);
    mapping.map(body.getArgument(2 * source + 1), b[source]);
  }
  for (Operation &op : body.without_terminator())
    tiles.builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

LogicalResult tilewright::lowerReduce(tileaa::ReduceOp reduce, TileRegisters &tiles) {
  const LinearLayout &layout = tileas::layoutOf(reduce.getSources()[0]);
  unsigned axis = reduce.getDim();
  Dim along = layout::tileDim(axis);
  Block &body = reduce.getBody().front();
  size_t sources = reduce.getSources().size();
  for (unsigned bit = 0; bit != layout.inputBits(Dim::Warp); ++bit)
    if (layout.basis(Dim::Warp, bit, along) != 0)
      return reduce.emitError() << "internal error: several warps share what is reduced";

  // Elements of one thread that end in the same element of the result, each once: registers and lanes whose images
  // along the dimension are sums of others' hold copies.
  LinearLayout sliced = layout.slice(axis);
  SmallVector<SmallVector<Value>> registers;
  for (Value source : reduce.getSources())
    registers.push_back(tiles.get(source));
  auto partial = [&](uint64_t reg) {
    SmallVector<Value> values;
    for (size_t source = 0; source != sources; ++source)
      values.push_back(registers[source][reg]);
    return values;
  };

  // Registers that differ along the dimension alone are combined; a register that differs elsewhere too starts a group.
  uint64_t alongOnly = 0, copies = layout.redundantBits(Dim::Register);
  for (unsigned bit = 0; bit != layout.inputBits(Dim::Register); ++bit)
    if (sliced.basisOf(Dim::Register)[bit] == 0 && !(copies >> bit & 1))
      alongOnly |= uint64_t(1) << bit;
  uint64_t count = layout.inputSize(Dim::Register);
  std::vector<SmallVector<Value>> reduced(count);
  for (uint64_t reg = 0; reg != count; ++reg)
    if ((reg & (alongOnly | copies)) == 0)
      reduced[reg] = partial(reg);
  for (uint64_t group = 0; group != count; ++group) {
    if (reduced[group].empty())
      continue;
    SmallVector<SmallVector<Value>> tree;
    for (uint64_t part = 0;; part = (part - alongOnly) & alongOnly) {
      tree.push_back(partial(group | part));
      if (part == alongOnly)
        break;
    }
    for (size_t step = 1; step < tree.size(); step *= 2)
      for (size_t i = 0; i + step < tree.size(); i += 2 * step)
        tree[i] = combineInBody(body, tree[i], tree[i + step], tiles);
    reduced[group] = tree[0];
  }

  // Lanes: those whose number changes only the coordinate along the dimension.
  uint64_t laneCopies = layout.redundantBits(Dim::Lane);
  for (unsigned bit = 0; bit != layout.inputBits(Dim::Lane); ++bit) {
    if (layout.basis(Dim::Lane, bit, along) == 0 || laneCopies >> bit & 1)
      continue;
    if (sliced.basisOf(Dim::Lane)[bit] != 0)
      return reduce.emitError() << "internal error: a lane differs in more than what is reduced";
    for (SmallVector<Value> &values : reduced) {
      if (values.empty())
        continue;
      SmallVector<Value> others;
      for (Value value : values)
        others.push_back(shuffleXor(value, 1u << bit, tiles));
      values = combineInBody(body, values, others, tiles);
    }
  }

  for (size_t source = 0; source != sources; ++source) {
    Value result = reduce.getResult(source);
    SmallVector<Value> all;
    uint64_t owner = 0;
    for (uint64_t reg = 0; reg != count; ++reg) {
      owner = reg & ~(alongOnly | copies);
      all.push_back(reduced[owner].empty() ? registers[source][reg] : reduced[owner][source]);
    }
    if (!isa<RankedTensorType>(result.getType())) {
      result.replaceAllUsesWith(all[0]);
      continue;
    }
    auto picked = pickRegisters(all, sliced, tileas::layoutOf(result));
    if (!picked)
      return reduce.emitError() << "internal error: the result's layout is not what the reduction leaves";
    tiles.set(result, *picked);
  }
  return success();
}
