// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions inside a warp; those through shared memory were made buffers before.
#include "layout/conversion/Conversion.h"
#include "lower/tileas_to_nvvm/shape/ShapePatterns.h"
#include "lower/tileas_to_nvvm/shape/WarpShuffle.h"

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
Value parity(Value number, Mask mask, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value bits = arith::AndIOp::create(b, thread.loc, number, thread.i32(mask));
  for (unsigned shift : {16, 8, 4, 2, 1})
    if (mask >> shift)
      bits = arith::XOrIOp::create(b, thread.loc, bits, arith::ShRUIOp::create(b, thread.loc, bits, thread.i32(shift)));
  return arith::TruncIOp::create(b, thread.loc, b.getI1Type(), bits);
}

void select(SmallVector<Value> &registers, ArrayRef<layout::SelectStage> stages, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  for (const layout::SelectStage &stage : stages) {
    Value swap;
    for (auto [number, mask] : {std::pair(thread.lane(), stage.lanes), std::pair(thread.warp(), stage.warps)})
      if (mask) {
        Value odd = parity(number, mask, thread);
        swap = swap ? arith::XOrIOp::create(b, thread.loc, swap, odd).getResult() : odd;
      }
    if (!swap)
      continue;
    SmallVector<Value> old = registers;
    for (unsigned reg = 0; reg != registers.size(); ++reg)
      registers[reg] = arith::SelectOp::create(b, thread.loc, swap, old[reg ^ stage.registers], old[reg]);
  }
}

// The lane that lane l of warp w reads from, but for a round's mask: linear in both numbers.
Value sourceLane(const layout::WarpExchange &exchange, ThreadBuilder &thread) {
  using namespace layout;
  SmallVector<DimSize> inputs{{Dim::Lane, unsigned(exchange.sourceOfLane.size())},
                              {Dim::Warp, unsigned(exchange.sourceOfWarp.size())}};
  SmallVector<F2Vector> bases(exchange.sourceOfLane.begin(), exchange.sourceOfLane.end());
  llvm::append_range(bases, exchange.sourceOfWarp);
  return thread.threadPart(LinearLayout(inputs, {{tileDim(0), 5}}, bases), tileDim(0));
}

bool isIdentity(const layout::WarpExchange &exchange) {
  for (auto [bit, mask] : llvm::enumerate(exchange.sourceOfLane))
    if (mask != 1u << bit)
      return false;
  return llvm::all_of(exchange.sourceOfWarp, [](Mask mask) { return mask == 0; });
}

struct ConvertLayoutPattern : TilePattern<tileas::ConvertLayoutOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ConvertLayoutOp convert, Adaptor adaptor, ThreadBuilder &thread) const override {
    auto type = cast<RankedTensorType>(convert.getType());
    layout::ConversionOptions options;
    options.elementBits = bytesOf(type.getElementType()) * 8;
    options.sharedMemory = false;
    auto conversion = layout::chooseConversion(tileas::layoutOf(convert.getSource()), tileas::layoutOf(type), options);
    if (!conversion)
      return thread.fail(convert, "it needs shared memory"); // tileas-materialize-convert-layout leaves none

    ValueRange source = adaptor.getSource();
    SmallVector<Value> moved;
    SmallVector<Mask> sourceBits;
    for (unsigned bit : conversion->source)
      sourceBits.push_back(Mask(1) << bit);
    for (unsigned reg = 0; reg != 1u << conversion->source.size(); ++reg)
      moved.push_back(source[sumOf(sourceBits, reg)]);

    select(moved, conversion->warp.before, thread);
    Mask numbers = 0;
    for (Mask mask : conversion->result)
      numbers |= mask;
    SmallVector<Value> come(numbers + 1);
    Value lane = isIdentity(conversion->warp) ? Value() : sourceLane(conversion->warp, thread);
    for (const layout::ShuffleRound &round : conversion->warp.rounds) {
      Value value = moved[round.from];
      if (conversion->warp.isShuffle(round)) {
        if (!lane) {
          value = shuffleXor(value, round.laneXor, thread);
        } else {
          Value from =
              round.laneXor ? arith::XOrIOp::create(thread.builder, thread.loc, lane, thread.i32(round.laneXor)) : lane;
          value = shuffleIndex(value, from, thread);
        }
      }
      come[round.to] = value;
    }
    select(come, conversion->warp.after, thread);
    SmallVector<Value> result;
    for (unsigned reg = 0; reg != 1u << conversion->result.size(); ++reg)
      result.push_back(come[sumOf(conversion->result, reg)]);
    return thread.replace(convert, result);
  }
};

} // namespace

void tilewright::populateConvertLayoutPattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ConvertLayoutPattern>(kernel);
}
