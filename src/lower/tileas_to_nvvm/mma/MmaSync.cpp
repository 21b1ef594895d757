// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the warp's tensor core (mma.sync).
//
// An instruction's registers are found by coordinates: results at (m, n) take what the thread has of the left operand
// at (m, k) and of the right one at (k, n), each as its fragment's layout counts registers. Lanes and warps add the
// same to all of these, so lane 0 of warp 0 speaks for all.
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/mma/MmaPatterns.h"
#include "lower/tileas_to_nvvm/mma/MmaRegisters.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/verify/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::MmaOperand;
using layout::tileDim;

namespace {

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
  MmaSync(tileas::MmaOp mma, ThreadBuilder &thread) : thread(thread) {
    tileas::AtomAttr atom = mma.getAtom();
    Type lhs = tilewright::elementOf(mma.getLhs()), rhs = tilewright::elementOf(mma.getRhs());
    result = getElementTypeOrSelf(mma.getAcc().getType());
    // Only newer PTX adds up 8-bit floats in f16.
    compute = mma.getFormat() && result.isF16() ? Type(thread.builder.getF32Type()) : result;
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
                                       : arith::ExtFOp::create(thread.builder, thread.loc, compute, value).getResult());
    return compute.isF16() ? packWords(wide, thread) : wide;
  }
  SmallVector<Value> leave(ArrayRef<Value> values) {
    SmallVector<Value> results;
    for (Value value : values) {
      if (compute.isF16())
        llvm::append_range(results, unpackWord(value, compute, thread));
      else
        results.push_back(
            compute == result ? value : arith::TruncFOp::create(thread.builder, thread.loc, result, value).getResult());
    }
    return results;
  }
  SmallVector<Value> operand(ArrayRef<Value> elements) {
    return elements[0].getType().isF64() ? SmallVector<Value>(elements) : packWords(elements, thread);
  }

  SmallVector<Value> emit(ArrayRef<Value> lhs, ArrayRef<Value> rhs, ArrayRef<Value> acc) {
    OpBuilder &b = thread.builder;
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
    return computeByPtx(text + ";", constraints, operands, SmallVector<Type>(acc.size(), acc[0].getType()), thread);
  }

private:
  // The registers of m16n8k16 begin with those of m16n8k8.
  SmallVector<Value> padded(ArrayRef<Value> words) {
    SmallVector<Value> all(words);
    if (isHalved)
      all.append(words.size(), thread.i32(0));
    return all;
  }

  ThreadBuilder &thread;
  Type result, compute;
  // m16n8k8 of halves is m16n8k16 with zeros: of operands that are constants and negative ptxas, 13.0 to 13.5 at least,
  // makes HMMA.1688 with a minus, which it takes for that of a word and the GPU for that of both halves.
  bool isHalved;
  std::string name;
};

struct MmaSyncPattern : TilePattern<tileas::MmaOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::MmaOp mma, Adaptor adaptor, ThreadBuilder &thread) const override {
    tileas::AtomAttr atom = mma.getAtom();
    if (atom.getKind() != tileas::AtomKind::MmaSync)
      return failure();
    if (tileas::Fault fault = tileas::faultOfOperands(mma); !fault.empty())
      return thread.fail(mma, fault);
    const LinearLayout &layout = tileas::layoutOf(mma.getAcc());
    unsigned bits = tilewright::elementOf(mma.getLhs()).getIntOrFloatBitWidth();
    int64_t depth = depthOf(mma);
    LinearLayout lhsNeeded = tileas::operandLayout(atom, MmaOperand::A, layout, depth, bits);
    LinearLayout rhsNeeded = tileas::operandLayout(atom, MmaOperand::B, layout, depth, bits);
    LinearLayout lhsFragment = tileas::fragmentLayout(atom, MmaOperand::A, bits);
    LinearLayout rhsFragment = tileas::fragmentLayout(atom, MmaOperand::B, bits);
    LinearLayout accFragment = tileas::fragmentLayout(atom, MmaOperand::Accumulator, bits);
    Operand lhs(mma.getLhs().getType(), adaptor.getLhs(), lhsNeeded, thread);
    Operand rhs(mma.getRhs().getType(), adaptor.getRhs(), rhsNeeded, thread);
    MmaSync instruction(mma, thread);
    Coordinates coordinates(layout);

    // Groups of results of one instruction; of equal ones, which registers that are copies have, only the first.
    struct Group {
      Place place;
      SmallVector<Value> values;
    };
    std::vector<Group> groups;
    llvm::DenseMap<uint64_t, unsigned> groupAt;
    unsigned size = accFragment.inputSize(Dim::Register);
    SmallVector<Value> acc(adaptor.getAcc());
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
    return thread.replace(mma, results);
  }
};

} // namespace

void tilewright::populateMmaSyncPattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<MmaSyncPattern>(kernel);
}
