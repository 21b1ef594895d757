// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that change what a register's place is called, and move nothing between threads.
#include "lower/tileas_to_nvvm/shape/ShapePatterns.h"

#include "tileas/ir/LayoutParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

// As if there were so many lanes and warps, those that are new holding copies.
LinearLayout padded(const LinearLayout &layout, const LinearLayout &like) {
  LinearLayout result = layout;
  for (Dim dim : {Dim::Lane, Dim::Warp})
    if (unsigned more = std::max(like.inputBits(dim), layout.inputBits(dim)) - layout.inputBits(dim))
      result = result * LinearLayout::zeros(uint64_t(1) << more, dim, layout::tileDim(0));
  return result;
}

} // namespace

std::optional<SmallVector<Value>> tilewright::pickRegisters(ArrayRef<Value> registers, const LinearLayout &source,
                                                            const LinearLayout &result) {
  LinearLayout from = padded(source, result), to = padded(result, source);
  // Lanes and warps have to agree, then each register's element differs from the thread's first by one that the
  // source's registers have too.
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit != from.inputBits(dim); ++bit)
      if (from.basisOf(dim)[bit] != to.basisOf(dim)[bit]) {
        // The thread may hold the difference in another register, but then which one depends on the thread.
        return std::nullopt;
      }
  layout::F2Matrix matrix(from.outputBits(), from.basisOf(Dim::Register));
  SmallVector<Value> picked;
  for (uint64_t reg = 0; reg != to.inputSize(Dim::Register); ++reg) {
    auto found = matrix.solve(to.applyFlat({{Dim::Register, reg}}));
    if (!found)
      return std::nullopt;
    picked.push_back(registers[*found]);
  }
  return picked;
}

namespace {

struct IotaPattern : TilePattern<tileaa::IotaOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::IotaOp iota, Adaptor, ThreadBuilder &thread) const override {
    SmallVector<Value> registers;
    auto compute = [&](ThreadBuilder &thread) { registers = count(iota, thread); };
    if (iota.getRematerialized())
      thread.readThreadAgain(compute);
    else
      compute(thread);
    return thread.replace(iota, registers);
  }

private:
  static SmallVector<Value> count(tileaa::IotaOp iota, ThreadBuilder &thread) {
    const LinearLayout &layout = tileas::layoutOf(iota.getResult());
    Type element = getElementTypeOrSelf(iota.getType()), i32 = thread.builder.getI32Type();
    SmallVector<Value> registers;
    for (uint64_t reg = 0; reg != layout.inputSize(Dim::Register); ++reg) {
      Value index = thread.coordinate(layout, 0, reg);
      if (element.getIntOrFloatBitWidth() > 32)
        index = arith::ExtUIOp::create(thread.builder, thread.loc, element, index);
      else if (element != i32)
        index = arith::TruncIOp::create(thread.builder, thread.loc, element, index);
      registers.push_back(index);
    }
    return registers;
  }
};

// An operation whose result has the source's elements under other coordinates: those are in registers of the same
// thread (tileaa-to-tileas). A scalar source is all elements.
template <typename Op> struct RenamePattern : TilePattern<Op> {
  using TilePattern<Op>::TilePattern;
  LogicalResult lower(Op op, typename TilePattern<Op>::Adaptor adaptor, ThreadBuilder &thread) const override {
    ValueRange source = adaptor.getSource();
    if (!isa<RankedTensorType>(op.getSource().getType()) || !isa<RankedTensorType>(op.getType()))
      return thread.replace(op, SmallVector<Value>(registerCount(op.getType()), source[0]));
    auto [from, to] = layoutsOf(op);
    auto registers = pickRegisters(llvm::to_vector(source), from, to);
    if (!registers)
      return thread.fail(op, "the result's layout needs elements of other threads");
    return thread.replace(op, *registers);
  }

private:
  using Layouts = std::pair<LinearLayout, LinearLayout>;

  // The result as its elements are called in the source: repeated dimensions have one coordinate. It still counts the
  // registers of the result.
  static Layouts layoutsOf(tileaa::BroadcastOp broadcast) {
    auto source = cast<RankedTensorType>(broadcast.getSource().getType());
    LinearLayout to = tileas::layoutOf(broadcast.getResult());
    for (auto [dim, extent] : llvm::enumerate(source.getShape()))
      if (extent == 1 && to.outputBits(layout::tileDim(dim)) != 0)
        to = to.slice(dim).expand(dim);
    return {tileas::layoutOf(source), to};
  }
  static Layouts layoutsOf(tileaa::ReshapeOp reshape) {
    auto result = cast<RankedTensorType>(reshape.getResult().getType());
    return {tileas::layoutOf(reshape.getSource()).reshape(result.getShape()), tileas::layoutOf(result)};
  }
  static Layouts layoutsOf(tileaa::PermuteOp permute) {
    SmallVector<unsigned> order(permute.getPermutation());
    return {tileas::layoutOf(permute.getSource()).permute(order), tileas::layoutOf(permute.getResult())};
  }
  static Layouts layoutsOf(tileas::SplitWarpsOp split) {
    return {tileas::splitWarps(tileas::layoutOf(split.getSource()), split.getDim()),
            tileas::layoutOf(split.getResult())};
  }
};

} // namespace

void tilewright::populateReshapePatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<IotaPattern, RenamePattern<tileaa::BroadcastOp>, RenamePattern<tileaa::ReshapeOp>,
               RenamePattern<tileaa::PermuteOp>, RenamePattern<tileas::SplitWarpsOp>>(kernel);
}
