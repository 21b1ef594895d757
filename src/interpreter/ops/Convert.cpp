// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types, and the same bits under another type.
#include "interpreter/FloatFormat.h"
#include "interpreter/ops/Elementwise.h"
#include <cmath>

using namespace tilewright::cuda_tile;
using llvm::Error;

namespace tilewright::interpreter {

//===- Integers -------------------------------------------------------------------------===//

static Error handleExtI(ExtIOp op, Context &context) {
  const Tile &from = context.tile(op.getFrom());
  if (op.getSignedness() == Signedness::Unsigned) {
    return setElements(context, op.getTo(), [&](int64_t i) { return from.bits[i]; });
  }
  unsigned width = bitWidth(from.element);
  return setElements(context, op.getTo(),
                     [&](int64_t i) { return static_cast<Bits>(llvm::SignExtend64(from.bits[i], width)); });
}

static Error handleTruncI(TruncIOp op, Context &context) {
  const Tile &from = context.tile(op.getFrom());
  unsigned width = bitWidth(from.element), kept = op.getTo().getType().getElementType().getIntOrFloatBitWidth();
  IntegerOverflow promises = op.getOverflow();
  if (promises == IntegerOverflow::NSW || promises == IntegerOverflow::NW) {
    reportUndefined(context, op, "signed overflow, which the operation promised would not happen,", [&](int64_t i) {
      return llvm::SignExtend64(from.bits[i], kept) != llvm::SignExtend64(from.bits[i], width);
    });
  }
  if (promises == IntegerOverflow::NUW || promises == IntegerOverflow::NW) {
    reportUndefined(context, op, "unsigned overflow, which the operation promised would not happen,",
                    [&](int64_t i) { return from.bits[i] >> kept != 0; });
  }
  return setElements(context, op.getTo(), [&](int64_t i) { return from.bits[i]; });
}

//===- Floats ---------------------------------------------------------------------------===//

static Error handleFToF(FToFOp op, Context &context) {
  const Tile &source = context.tile(op.getFrom());
  const FloatFormat &from = formatOf(source.element);
  const FloatFormat &to = formatOf(*elementOf(op.getTo().getType().getElementType()));
  Rounding mode = op.getRoundingMode();
  return setElements(context, op.getTo(), [&](int64_t i) { return to.encode(from.decode(source.bits[i]), mode); });
}

static Error handleIToF(IToFOp op, Context &context) {
  const Tile &source = context.tile(op.getFrom());
  const FloatFormat &to = formatOf(*elementOf(op.getTo().getType().getElementType()));
  bool isSigned = op.getSignedness() == Signedness::Signed;
  unsigned width = bitWidth(source.element);
  return setElements(context, op.getTo(), [&](int64_t i) {
    bool isNegative = isSigned && llvm::SignExtend64(source.bits[i], width) < 0;
    uint64_t magnitude = isNegative ? -llvm::SignExtend64(source.bits[i], width) : source.bits[i];
    return magnitude ? to.encode(Exact{isNegative, magnitude, 0}) : to.getZero(/*isNegative=*/false);
  });
}

/// Truncates; to i1, compares with zero. A number out of range saturates, but the upper end is the largest integer that
/// a float of the source's type (f32 for narrower ones) holds, unless the operation saturates: docs/semantics.md.
static Error handleFToI(FToIOp op, Context &context) {
  const Tile &source = context.tile(op.getFrom());
  const FloatFormat &format = formatOf(source.element);
  unsigned width = op.getTo().getType().getElementType().getIntOrFloatBitWidth();
  if (width == 1) {
    return setElements(context, op.getTo(), [&](int64_t i) { return Bits(format.decode(source.bits[i]) != 0); });
  }
  bool isSigned = op.getSignedness() == Signedness::Signed;
  // The magnitudes above zero have so many bits; all integers lie in [low, end).
  unsigned used = isSigned ? width - 1 : width;
  double end = std::ldexp(1, used), low = isSigned ? -end : 0;
  Bits smallest = isSigned ? Bits(1) << used : 0;
  bool saturates = op.getSaturating();
  if (!saturates) {
    reportUndefined(context, op, "a float that does not fit the integer,", [&](int64_t i) {
      double integer = std::trunc(format.decode(source.bits[i]));
      return !(low <= integer && integer < end);
    });
  }
  Bits largest = llvm::maskTrailingOnes<Bits>(used);
  unsigned precision = source.element == Element::F64 ? 53 : 24;
  if (!saturates && used > precision) {
    largest &= ~llvm::maskTrailingOnes<Bits>(used - precision);
  }
  return setElements(context, op.getTo(), [&](int64_t i) {
    double value = format.decode(source.bits[i]);
    if (std::isnan(value)) {
      return saturates ? 0 : smallest;
    }
    if (value >= end) {
      return largest;
    }
    double integer = std::trunc(value);
    if (integer <= low) {
      return smallest;
    }
    return integer < 0 ? -static_cast<Bits>(-integer) : static_cast<Bits>(integer);
  });
}

//===- The same bits --------------------------------------------------------------------===//

template <typename Op> static Error recast(Op op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  return setElements(context, op.getResult(), [&](int64_t i) { return source.bits[i]; });
}

static Error handleBitcast(BitcastOp op, Context &context) {
  return recast(op, context);
}
static Error handleIntToPtr(IntToPtrOp op, Context &context) {
  return recast(op, context);
}
static Error handlePtrToInt(PtrToIntOp op, Context &context) {
  return recast(op, context);
}
static Error handlePtrToPtr(PtrToPtrOp op, Context &context) {
  return recast(op, context);
}

/// Both tiles are one string of bits, low ones first, cut to elements of the one width and of the other.
template <typename Op> static Error recut(Op op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  Tile result(op.getType());
  unsigned from = bitWidth(source.element), to = bitWidth(result.element);
  Bits mask = llvm::maskTrailingOnes<Bits>(to);
  for (int64_t i = 0, size = result.size(); i < size; ++i) {
    int64_t first = i * to;
    for (int64_t bit = first; bit < first + to; bit += std::min(from, to)) {
      result.bits[i] |= (source.bits[bit / from] >> (bit % from) << (bit - first)) & mask;
    }
  }
  context.set(op.getResult(), std::move(result));
  return Error::success();
}

static Error handlePack(PackOp op, Context &context) {
  return recut(op, context);
}
static Error handleUnpack(UnpackOp op, Context &context) {
  return recut(op, context);
}

void registerConvertOps(HandlerTable &table) {
  table.add<handleExtI>();
  table.add<handleTruncI>();
  table.add<handleFToF>();
  table.add<handleIToF>();
  table.add<handleFToI>();
  table.add<handleBitcast>();
  table.add<handleIntToPtr>();
  table.add<handlePtrToInt>();
  table.add<handlePtrToPtr>();
  table.add<handlePack>();
  table.add<handleUnpack>();
}

} // namespace tilewright::interpreter
