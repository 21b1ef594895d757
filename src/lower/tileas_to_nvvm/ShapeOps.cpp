// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that change what a register's place is called, and move nothing between threads.
#include "lower/tileas_to_nvvm/Lowerings.h"

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

LogicalResult disagree(Operation *op) {
  return op->emitError() << "internal error: " << op->getName()
                         << " has a result whose layout needs elements of other threads";
}

LogicalResult pick(Value source, const LinearLayout &from, Value result, TileRegisters &tiles) {
  auto registers = pickRegisters(tiles.get(source), from, tileas::layoutOf(result));
  if (!registers)
    return disagree(result.getDefiningOp());
  tiles.set(result, *registers);
  return success();
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

LogicalResult tilewright::lowerIota(tileaa::IotaOp iota, TileRegisters &tiles) {
  const LinearLayout &layout = tileas::layoutOf(iota.getResult());
  Type element = getElementTypeOrSelf(iota.getType()), i32 = tiles.builder.getI32Type();
  SmallVector<Value> registers;
  auto compute = [&] {
    for (uint64_t reg = 0; reg != layout.inputSize(Dim::Register); ++reg) {
      Value index = tiles.coordinate(layout, 0, reg);
      if (element.getIntOrFloatBitWidth() > 32)
        index = arith::ExtUIOp::create(tiles.builder, tiles.loc, element, index);
      else if (element != i32)
        index = arith::TruncIOp::create(tiles.builder, tiles.loc, element, index);
      registers.push_back(index);
    }
  };
  if (iota->hasAttr(tileas::againAttr))
    tiles.readThreadAgain(compute);
  else
    compute();
  tiles.set(iota, registers);
  return success();
}

LogicalResult tilewright::lowerBroadcast(tileaa::BroadcastOp broadcast, TileRegisters &tiles) {
  auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
  if (!source) {
    tiles.set(broadcast, SmallVector<Value>(tiles.typesOf(broadcast.getType()).size(), broadcast.getSource()));
    return success();
  }
  // The result as its elements are called in the source: repeated dimensions have one coordinate.
  const LinearLayout &from = tileas::layoutOf(source);
  LinearLayout to = tileas::layoutOf(broadcast.getResult());
  for (auto [dim, extent] : llvm::enumerate(source.getShape()))
    if (extent == 1 && to.outputBits(layout::tileDim(dim)) != 0)
      to = to.slice(dim).expand(dim);
  auto registers = pickRegisters(tiles.get(broadcast.getSource()), from, to);
  if (!registers)
    return disagree(broadcast);
  // `to` still counts the registers of the result.
  tiles.set(broadcast, *registers);
  return success();
}

LogicalResult tilewright::lowerReshape(tileaa::ReshapeOp reshape, TileRegisters &tiles) {
  auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
  auto result = dyn_cast<RankedTensorType>(reshape.getResult().getType());
  if (!result) {
    reshape.replaceAllUsesWith(tiles.get(reshape.getSource())[0]);
    return success();
  }
  if (!source) {
    tiles.set(reshape, SmallVector<Value>(tiles.typesOf(result).size(), reshape.getSource()));
    return success();
  }
  return pick(reshape.getSource(), tileas::layoutOf(source).reshape(result.getShape()), reshape.getResult(), tiles);
}

LogicalResult tilewright::lowerPermute(tileaa::PermuteOp permute, TileRegisters &tiles) {
  SmallVector<unsigned> order(permute.getPermutation());
  return pick(permute.getSource(), tileas::layoutOf(permute.getSource()).permute(order), permute.getResult(), tiles);
}

LogicalResult tilewright::lowerSplitWarps(tileas::SplitWarpsOp split, TileRegisters &tiles) {
  return pick(split.getSource(), tileas::splitWarps(tileas::layoutOf(split.getSource()), split.getDim()),
              split.getResult(), tiles);
}
