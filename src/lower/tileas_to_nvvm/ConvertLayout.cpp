// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions inside a warp, from their plan; those through shared memory were made buffers before.
#include "layout/conversion/Conversion.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/WarpValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;
using layout::Mask;

namespace {

unsigned sumOf(ArrayRef<Mask> masks, unsigned number) {
  unsigned sum = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    sum ^= number >> bit & 1 ? mask : 0;
  return sum;
}

// The parity of the bits of a number under a mask, as i1.
Value parity(Value number, Mask mask, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value bits = arith::AndIOp::create(b, tiles.loc, number, tiles.i32(mask));
  for (unsigned shift : {16, 8, 4, 2, 1})
    if (mask >> shift)
      bits = arith::XOrIOp::create(b, tiles.loc, bits, arith::ShRUIOp::create(b, tiles.loc, bits, tiles.i32(shift)));
  return arith::TruncIOp::create(b, tiles.loc, b.getI1Type(), bits);
}

void select(SmallVector<Value> &registers, ArrayRef<layout::SelectStage> stages, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  for (const layout::SelectStage &stage : stages) {
    Value swap;
    for (auto [number, mask] : {std::pair(tiles.lane(), stage.lanes), std::pair(tiles.warp(), stage.warps)})
      if (mask) {
        Value odd = parity(number, mask, tiles);
        swap = swap ? arith::XOrIOp::create(b, tiles.loc, swap, odd).getResult() : odd;
      }
    if (!swap)
      continue;
    SmallVector<Value> old = registers;
    for (unsigned reg = 0; reg != registers.size(); ++reg)
      registers[reg] = arith::SelectOp::create(b, tiles.loc, swap, old[reg ^ stage.registers], old[reg]);
  }
}

// The lane that lane l of warp w reads from, but for a round's mask: linear in both numbers.
Value sourceLane(const layout::WarpExchange &plan, TileRegisters &tiles) {
  using namespace layout;
  SmallVector<DimSize> inputs{{Dim::Lane, unsigned(plan.sourceOfLane.size())},
                              {Dim::Warp, unsigned(plan.sourceOfWarp.size())}};
  SmallVector<F2Vector> bases(plan.sourceOfLane.begin(), plan.sourceOfLane.end());
  llvm::append_range(bases, plan.sourceOfWarp);
  return tiles.threadPart(LinearLayout(inputs, {{tileDim(0), 5}}, bases), tileDim(0));
}

bool isIdentity(const layout::WarpExchange &plan) {
  for (auto [bit, mask] : llvm::enumerate(plan.sourceOfLane))
    if (mask != 1u << bit)
      return false;
  return llvm::all_of(plan.sourceOfWarp, [](Mask mask) { return mask == 0; });
}

} // namespace

LogicalResult tilewright::lowerConvertLayout(tileas::ConvertLayoutOp convert, TileRegisters &tiles) {
  auto type = cast<RankedTensorType>(convert.getType());
  layout::ConversionOptions options;
  options.elementBits = bytesOf(type.getElementType()) * 8;
  options.sharedMemory = false;
  auto plan = layout::planConversion(tileas::layoutOf(convert.getSource()), tileas::layoutOf(type), options);
  if (!plan)
    return convert.emitError() << "internal error: a conversion through shared memory was not made buffers";

  SmallVector<Value> source = tiles.get(convert.getSource()), moved;
  SmallVector<Mask> sourceBits;
  for (unsigned bit : plan->source)
    sourceBits.push_back(Mask(1) << bit);
  for (unsigned reg = 0; reg != 1u << plan->source.size(); ++reg)
    moved.push_back(source[sumOf(sourceBits, reg)]);

  select(moved, plan->warp.before, tiles);
  Mask numbers = 0;
  for (Mask mask : plan->result)
    numbers |= mask;
  SmallVector<Value> come(numbers + 1);
  Value lane = isIdentity(plan->warp) ? Value() : sourceLane(plan->warp, tiles);
  for (const layout::ShuffleRound &round : plan->warp.rounds) {
    Value value = moved[round.from];
    if (plan->warp.isShuffle(round)) {
      if (!lane) {
        value = shuffleXor(value, round.laneXor, tiles);
      } else {
        Value from =
            round.laneXor ? arith::XOrIOp::create(tiles.builder, tiles.loc, lane, tiles.i32(round.laneXor)) : lane;
        value = shuffleIndex(value, from, tiles);
      }
    }
    come[round.to] = value;
  }
  select(come, plan->warp.after, tiles);
  SmallVector<Value> result;
  for (unsigned reg = 0; reg != 1u << plan->result.size(); ++reg)
    result.push_back(come[sumOf(plan->result, reg)]);
  tiles.set(convert, result);
  return success();
}
