// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the warp's tensor core (mma.sync) and of each thread for itself (fma).
//
// An instruction's registers are found by coordinates: results at (m, n) take what the thread has of the left operand
// at (m, k) and of the right one at (k, n), each as its fragment's layout counts registers. Lanes and warps add the
// same to all of these, so lane 0 of warp 0 speaks for all.
#include "lower/tileas_to_nvvm/InlinePtx.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/MmaRegisters.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"
#include "tileaa/transforms/legalize/Formats.h"
#include "tileas/ir/MmaAtom.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::MmaOperand;
using layout::tileDim;

namespace {

unsigned storedBits(Value operand) {
  if (auto buffer = dyn_cast<tileas::BufferType>(operand.getType()))
    return buffer.getElementType().getIntOrFloatBitWidth();
  return getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth();
}
Type elementOf(Value operand) {
  if (auto buffer = dyn_cast<tileas::BufferType>(operand.getType()))
    return buffer.getElementType();
  return getElementTypeOrSelf(operand.getType());
}
int64_t depthOf(tileas::MmaOp mma) {
  if (auto buffer = dyn_cast<tileas::BufferType>(mma.getLhs().getType()))
    return buffer.getShape().back();
  return cast<RankedTensorType>(mma.getLhs().getType()).getShape().back();
}

//===-- mma.sync ----------------------------------------------------------===//

// PTX's name of an operand's type.
StringRef ptxType(Type type, bool isUnsigned) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](FloatTF32Type) { return "tf32"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Default([&](Type type) { return type.isInteger(32) ? "s32"
                                       : isUnsigned       ? "u8"
                                                          : "s8"; });
}

// Instructions of one shape and type. PTX, since LLVM has no operation for some of them (8-bit floats, f64 of sm_90).
class MmaSync {
public:
  MmaSync(tileas::MmaOp mma, TileRegisters &tiles) : tiles(tiles) {
    tileas::AtomAttr atom = mma.getAtom();
    Type lhs = elementOf(mma.getLhs()), rhs = elementOf(mma.getRhs());
    result = getElementTypeOrSelf(mma.getAcc().getType());
    // Only newer PTX adds up 8-bit floats in f16.
    compute = mma.getFormat() && result.isF16() ? Type(tiles.builder.getF32Type()) : result;
    if (std::optional<Type> format = mma.getFormat())
      lhs = rhs = *format;
    isHalved = atom.getK() == 8 && lhs.getIntOrFloatBitWidth() == 16;
    StringRef acc = ptxType(compute, false);
    llvm::raw_string_ostream(name) << "mma.sync.aligned.m" << atom.getM() << "n" << atom.getN() << "k"
                                   << (isHalved ? 16 : atom.getK()) << ".row.col." << acc << "."
                                   << ptxType(lhs, mma.getUnsignedLhs()) << "." << ptxType(rhs, mma.getUnsignedRhs())
                                   << "." << acc;
  }

  // Accumulators as the instruction has them, and the reverse.
  SmallVector<Value> enter(ArrayRef<Value> values) {
    SmallVector<Value> wide;
    for (Value value : values)
      wide.push_back(compute == result ? value
                                       : arith::ExtFOp::create(tiles.builder, tiles.loc, compute, value).getResult());
    return compute.isF16() ? packWords(wide, tiles) : wide;
  }
  SmallVector<Value> leave(ArrayRef<Value> values) {
    SmallVector<Value> results;
    for (Value value : values) {
      if (compute.isF16())
        llvm::append_range(results, unpackWord(value, compute, tiles));
      else
        results.push_back(
            compute == result ? value : arith::TruncFOp::create(tiles.builder, tiles.loc, result, value).getResult());
    }
    return results;
  }
  SmallVector<Value> operand(ArrayRef<Value> elements) {
    return elements[0].getType().isF64() ? SmallVector<Value>(elements) : packWords(elements, tiles);
  }

  SmallVector<Value> emit(ArrayRef<Value> lhs, ArrayRef<Value> rhs, ArrayRef<Value> acc) {
    OpBuilder &b = tiles.builder;
    std::string text = name, constraints;
    unsigned number = 0;
    SmallVector<Value> operands;
    auto group = [&](ArrayRef<Value> values, bool isResult) {
      text += number ? ", {" : " {";
      for (auto [index, value] : llvm::enumerate(values)) {
        text += (index ? ", $" : "$") + std::to_string(number);
        Type type = value.getType();
        constraints += number++ ? "," : "";
        constraints += isResult ? "=" : "";
        constraints += type.isF32() ? "f" : type.isF64() ? "d" : "r";
        if (!isResult)
          operands.push_back(value);
      }
      text += "}";
    };
    group(acc, /*isResult=*/true);
    group(padded(lhs), false), group(padded(rhs), false), group(acc, false);
    return computeByPtx(text + ";", constraints, operands, SmallVector<Type>(acc.size(), acc[0].getType()), tiles);
  }

private:
  // The registers of m16n8k16 begin with those of m16n8k8.
  SmallVector<Value> padded(ArrayRef<Value> words) {
    SmallVector<Value> all(words);
    if (isHalved)
      all.append(words.size(), tiles.i32(0));
    return all;
  }

  TileRegisters &tiles;
  Type result, compute;
  // m16n8k8 of halves is m16n8k16 with zeros: of operands that are constants and negative ptxas, 13.0 to 13.5 at least,
  // makes HMMA.1688 with a minus, which it takes for that of a word and the GPU for that of both halves.
  bool isHalved;
  std::string name;
};

LogicalResult lowerMmaSync(tileas::MmaOp mma, TileRegisters &tiles) {
  tileas::AtomAttr atom = mma.getAtom();
  const LinearLayout &layout = tileas::layoutOf(mma.getAcc());
  unsigned bits = storedBits(mma.getLhs());
  int64_t depth = depthOf(mma);
  LinearLayout lhsNeeded = tileas::operandLayout(atom, MmaOperand::A, layout, depth, bits);
  LinearLayout rhsNeeded = tileas::operandLayout(atom, MmaOperand::B, layout, depth, bits);
  if (!agrees(mma.getLhs(), lhsNeeded) || !agrees(mma.getRhs(), rhsNeeded))
    return mma.emitError() << "internal error: an operand's layout is not what the accumulator's needs";
  LinearLayout lhsFragment = tileas::fragmentLayout(atom, MmaOperand::A, bits);
  LinearLayout rhsFragment = tileas::fragmentLayout(atom, MmaOperand::B, bits);
  LinearLayout accFragment = tileas::fragmentLayout(atom, MmaOperand::Accumulator, bits);
  Operand lhs(mma.getLhs(), lhsNeeded, tiles), rhs(mma.getRhs(), rhsNeeded, tiles);
  MmaSync instruction(mma, tiles);
  Coordinates coordinates(layout);

  // Groups of results of one instruction; of equal ones, which registers that are copies have, only the first.
  struct Group {
    Place place;
    SmallVector<Value> values;
  };
  std::vector<Group> groups;
  llvm::DenseMap<uint64_t, unsigned> groupAt;
  unsigned size = accFragment.inputSize(Dim::Register);
  SmallVector<Value> acc = tiles.get(mma.getAcc());
  for (uint64_t reg = 0; reg < acc.size(); reg += size)
    if (groupAt.try_emplace(layout.applyFlat({{Dim::Register, reg}}), groups.size()).second)
      groups.push_back({coordinates.at(reg), instruction.enter(ArrayRef(acc).slice(reg, size))});

  for (int64_t k = 0; k < depth; k += atom.getK()) {
    using Key = std::pair<uint64_t, uint64_t>;
    llvm::DenseMap<Key, SmallVector<Value>> rows, columns;
    for (Group &group : groups) {
      SmallVector<Value> &a = rows[{group.place.batch, group.place.row}];
      SmallVector<Value> elements;
      for (uint64_t reg = 0; a.empty() && reg != lhsFragment.inputSize(Dim::Register); ++reg) {
        SmallVector<int64_t> at = lhsFragment.apply({{Dim::Register, reg}});
        elements.push_back(lhs.at({group.place.batch, group.place.row ^ uint64_t(at[0]), uint64_t(k + at[1])}));
      }
      if (a.empty())
        a = instruction.operand(elements);
      SmallVector<Value> &b = columns[{group.place.batch, group.place.column}];
      elements.clear();
      for (uint64_t reg = 0; b.empty() && reg != rhsFragment.inputSize(Dim::Register); ++reg) {
        SmallVector<int64_t> at = rhsFragment.apply({{Dim::Register, reg}});
        elements.push_back(rhs.at({group.place.batch, uint64_t(k + at[0]), group.place.column ^ uint64_t(at[1])}));
      }
      if (b.empty())
        b = instruction.operand(elements);
      group.values = instruction.emit(a, b, group.values);
    }
  }

  for (Group &group : groups)
    group.values = instruction.leave(group.values);
  SmallVector<Value> results;
  for (uint64_t reg = 0; reg != acc.size(); ++reg) {
    uint64_t first = layout.applyFlat({{Dim::Register, reg / size * size}});
    results.push_back(groups[groupAt.at(first)].values[reg % size]);
  }
  tiles.set(mma.getResult(), results);
  return success();
}

//===-- fma ---------------------------------------------------------------===//

// A thread's own sums. Steps along K are unrolled, and a loop goes through groups of them.
class ThreadProduct {
public:
  ThreadProduct(tileas::MmaOp mma, TileRegisters &tiles)
      : mma(mma), tiles(tiles), layout(tileas::layoutOf(mma.getAcc())), coordinates(layout), depth(depthOf(mma)) {
    result = getElementTypeOrSelf(mma.getAcc().getType());
    compute = result.isF16() || result.isBF16() ? Type(tiles.builder.getF32Type()) : result;
    // Results that are copies of others are computed once.
    for (uint64_t reg = 0; reg != layout.inputSize(Dim::Register); ++reg)
      if (numberAt.try_emplace(layout.applyFlat({{Dim::Register, reg}}), places.size()).second) {
        places.push_back(coordinates.at(reg));
        own.push_back(reg);
      }
  }

  void run() {
    OpBuilder &b = tiles.builder;
    SmallVector<Value> acc = tiles.get(mma.getAcc()), sums;
    for (uint64_t reg : own)
      sums.push_back(widen(acc[reg]));
    Value lhsBase = tiles.get(mma.getLhs())[0], rhsBase = tiles.get(mma.getRhs())[0];
    std::optional<int64_t> lhsStep = stepOf(mma.getLhs(), MmaOperand::A);
    std::optional<int64_t> rhsStep = stepOf(mma.getRhs(), MmaOperand::B);
    if (depth <= unrolled || !lhsStep || !rhsStep) {
      sums = add(sums, lhsBase, rhsBase, depth);
    } else {
      auto loop = scf::ForOp::create(b, tiles.loc, tiles.i32(0), tiles.i32(depth / unrolled), tiles.i32(1), sums);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      auto moved = [&](Value base, int64_t step) -> Value {
        Value by = arith::MulIOp::create(b, tiles.loc, loop.getInductionVar(), tiles.i32(step));
        return arith::AddIOp::create(b, tiles.loc, base, by);
      };
      SmallVector<Value> inside(loop.getRegionIterArgs());
      inside = add(inside, moved(lhsBase, *lhsStep), moved(rhsBase, *rhsStep), unrolled);
      scf::YieldOp::create(b, tiles.loc, inside);
      sums.assign(loop.getResults().begin(), loop.getResults().end());
    }
    SmallVector<Value> results;
    for (Value &sum : sums)
      if (compute != result)
        sum = arith::TruncFOp::create(b, tiles.loc, result, sum);
    for (uint64_t reg = 0; reg != acc.size(); ++reg)
      results.push_back(sums[numberAt.at(layout.applyFlat({{Dim::Register, reg}}))]);
    tiles.set(mma.getResult(), results);
  }

private:
  static constexpr int64_t unrolled = 8;

  LinearLayout needed(MmaOperand operand) {
    return tileas::operandLayout(mma.getAtom(), operand, layout, depth, storedBits(mma.getLhs()));
  }

  // The bytes from one group of steps to the next, if that many are added to every address: the bits of k above a
  // group's go to bits of the offset that no others go to, in their order.
  std::optional<int64_t> stepOf(Value operand, MmaOperand which) {
    auto buffer = cast<tileas::BufferType>(operand.getType());
    LinearLayout map = needed(which).then(buffer.getLayout().getLayout().inverse());
    unsigned low = llvm::Log2_64(unrolled), high = llvm::Log2_64(depth);
    uint64_t above = 0, others = 0, first = 0;
    for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
      for (auto [bit, basis] : llvm::enumerate(map.basisOf(in))) {
        // Registers go along k first.
        if (in != Dim::Register || bit < low || bit >= high) {
          others |= basis;
          continue;
        }
        if (bit == low)
          first = basis;
        if (basis != first << (bit - low))
          return std::nullopt;
        above |= basis;
      }
    if (above & others || !llvm::isPowerOf2_64(std::max<uint64_t>(first, 1)))
      return std::nullopt;
    return first * bytesOf(buffer.getElementType());
  }

  Value widen(Value value) {
    return value.getType() == compute ? value
                                      : arith::ExtFOp::create(tiles.builder, tiles.loc, compute, value).getResult();
  }
  Value number(Value element, bool isUnsigned) {
    OpBuilder &b = tiles.builder;
    if (isa<IntegerType>(compute)) {
      if (isUnsigned)
        return arith::ExtUIOp::create(b, tiles.loc, compute, element);
      return arith::ExtSIOp::create(b, tiles.loc, compute, element);
    }
    if (std::optional<Type> format = mma.getFormat())
      element = legalize::readFloat(legalize::Expr(b, tiles.loc, element), *format);
    return widen(element);
  }

  SmallVector<Value> add(SmallVector<Value> sums, Value lhsBase, Value rhsBase, int64_t steps) {
    OpBuilder &b = tiles.builder;
    LinearLayout lhsLayout = needed(MmaOperand::A), rhsLayout = needed(MmaOperand::B);
    SharedLoader lhs(lhsLayout, cast<tileas::BufferType>(mma.getLhs().getType()), lhsBase, tiles);
    SharedLoader rhs(rhsLayout, cast<tileas::BufferType>(mma.getRhs().getType()), rhsBase, tiles);
    Coordinates lhsPlaces(lhsLayout), rhsPlaces(rhsLayout);
    llvm::DenseMap<uint64_t, uint64_t> lhsAt, rhsAt;
    for (uint64_t reg = 0; reg != lhsLayout.inputSize(Dim::Register); ++reg)
      lhsAt.try_emplace(lhsLayout.applyFlat({{Dim::Register, reg}}), reg);
    for (uint64_t reg = 0; reg != rhsLayout.inputSize(Dim::Register); ++reg)
      rhsAt.try_emplace(rhsLayout.applyFlat({{Dim::Register, reg}}), reg);
    for (int64_t k = 0; k != steps; ++k) {
      llvm::DenseMap<uint64_t, Value> rows, columns;
      for (auto [place, sum] : llvm::zip_equal(places, sums)) {
        uint64_t row = lhsPlaces.flat({place.batch, place.row, uint64_t(k)});
        uint64_t column = rhsPlaces.flat({place.batch, uint64_t(k), place.column});
        Value &x = rows[row];
        if (!x)
          x = number(lhs.get(lhsAt.at(row)), mma.getUnsignedLhs());
        Value &y = columns[column];
        if (!y)
          y = number(rhs.get(rhsAt.at(column)), mma.getUnsignedRhs());
        if (isa<IntegerType>(compute))
          sum = arith::AddIOp::create(b, tiles.loc, sum, arith::MulIOp::create(b, tiles.loc, x, y));
        else
          sum = math::FmaOp::create(b, tiles.loc, x, y, sum);
      }
    }
    return sums;
  }

  tileas::MmaOp mma;
  TileRegisters &tiles;
  const LinearLayout &layout;
  Coordinates coordinates;
  int64_t depth;
  Type result, compute;
  SmallVector<Place> places;
  SmallVector<uint64_t> own;
  llvm::DenseMap<uint64_t, unsigned> numberAt;
};

} // namespace

LogicalResult tilewright::lowerMma(tileas::MmaOp mma, TileRegisters &tiles) {
  switch (mma.getAtom().getKind()) {
  case tileas::AtomKind::MmaSync:
    return lowerMmaSync(mma, tiles);
  case tileas::AtomKind::Fma:
    for (Value operand : {mma.getLhs(), mma.getRhs()})
      if (!isa<tileas::BufferType>(operand.getType()))
        return mma.emitError() << "internal error: an operand of fma is not in a buffer";
    ThreadProduct(mma, tiles).run();
    return success();
  default:
    return mma.emitError() << "internal error: " << mma.getAtom() << " has no form in registers";
  }
}
