// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the warp's tensor core with block scales. Of four neighbouring lanes the first two say the scales of the
// left operand's rows r and r + 8, and the first that of the right one's column, in the low bytes of a register, one
// byte for each block of K that the instruction has. PTX ISA 9.7.14.3, block scaling (byte and thread selectors 0).
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/mma/MmaPatterns.h"
#include "lower/tileas_to_nvvm/mma/MmaRegisters.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/verify/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::MmaOperand;

namespace {

// The low halves of eight bytes as a word.
Value packHalves(ArrayRef<Value> bytes, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  auto masked = [&](Value word, int64_t mask) -> Value {
    return arith::AndIOp::create(b, loc, word, thread.i32(mask));
  };
  auto joined = [&](Value word, int64_t shift) -> Value {
    return arith::OrIOp::create(b, loc, word, arith::ShRUIOp::create(b, loc, word, thread.i32(shift)));
  };
  Value halves[2];
  for (auto [half, word] : llvm::zip_equal(halves, packWords(bytes, thread))) {
    half = masked(joined(masked(word, 0x0F0F0F0F), 4), 0x00FF00FF);
    half = masked(joined(half, 8), 0xFFFF);
  }
  return arith::OrIOp::create(b, loc, halves[0], arith::ShLIOp::create(b, loc, halves[1], thread.i32(16)));
}

class ScaledProduct {
public:
  using Operands = tileas::ScaledMmaOp::GenericAdaptor<ArrayRef<ValueRange>>;

  ScaledProduct(tileas::ScaledMmaOp mma, Operands operands, ThreadBuilder &thread)
      : mma(mma), operands(operands), thread(thread), atom(mma.getAtom()), layout(tileas::layoutOf(mma.getAcc())),
        bits(mma.getFormat().getIntOrFloatBitWidth()) {
    depth = cast<RankedTensorType>(mma.getLhs().getType()).getShape().back();
    blocks = cast<RankedTensorType>(mma.getLhsScale().getType()).getShape().back();
  }

  SmallVector<Value> run() {
    LinearLayout lhsNeeded = tileas::operandLayout(atom, MmaOperand::A, layout, depth, bits);
    LinearLayout rhsNeeded = tileas::operandLayout(atom, MmaOperand::B, layout, depth, bits);
    LinearLayout lhsScaleNeeded = tileas::scaleLayout(atom, MmaOperand::A, layout, blocks, bits);
    LinearLayout rhsScaleNeeded = tileas::scaleLayout(atom, MmaOperand::B, layout, blocks, bits);
    LinearLayout lhsFragment = tileas::fragmentLayout(atom, MmaOperand::A, bits);
    LinearLayout rhsFragment = tileas::fragmentLayout(atom, MmaOperand::B, bits);
    Operand lhs(mma.getLhs().getType(), operands.getLhs(), lhsNeeded, thread);
    Operand rhs(mma.getRhs().getType(), operands.getRhs(), rhsNeeded, thread);
    Operand lhsScale(mma.getLhsScale().getType(), operands.getLhsScale(), lhsScaleNeeded, thread);
    Operand rhsScale(mma.getRhsScale().getType(), operands.getRhsScale(), rhsScaleNeeded, thread);
    Coordinates coordinates(layout);
    constexpr unsigned size = 4; // of m16n8
    SmallVector<Value> results(operands.getAcc());
    // Registers that are copies are computed once.
    llvm::DenseMap<uint64_t, unsigned> firstAt;
    for (unsigned reg = 0; reg != results.size(); reg += size) {
      auto [first, isNew] = firstAt.try_emplace(layout.applyFlat({{Dim::Register, reg}}), reg);
      MutableArrayRef<Value> sums = MutableArrayRef(results).slice(reg, size);
      if (!isNew) {
        llvm::copy(ArrayRef(results).slice(first->second, size), sums.begin());
        continue;
      }
      Place place = coordinates.at(reg);
      for (int64_t k = 0; k < depth; k += atom.getK()) {
        auto &a = rows[{place.batch, place.row, uint64_t(k)}], &b = columns[{place.batch, uint64_t(k), place.column}];
        if (a.empty()) {
          SmallVector<Value> elements, scales;
          for (uint64_t part = 0; part != lhsFragment.inputSize(Dim::Register); ++part) {
            SmallVector<int64_t> at = lhsFragment.apply({{Dim::Register, part}});
            elements.push_back(lhs.at({place.batch, place.row ^ uint64_t(at[0]), uint64_t(k + at[1])}));
          }
          for (int64_t block = 0; block != blocksOfStep(); ++block)
            scales.push_back(lhsScale.at({place.batch, place.row, uint64_t(blockAt(k) + block)}));
          a = pack(elements, scales);
        }
        if (b.empty()) {
          SmallVector<Value> elements, scales;
          for (uint64_t part = 0; part != rhsFragment.inputSize(Dim::Register); ++part) {
            SmallVector<int64_t> at = rhsFragment.apply({{Dim::Register, part}});
            elements.push_back(rhs.at({place.batch, uint64_t(k + at[0]), place.column ^ uint64_t(at[1])}));
          }
          for (int64_t block = 0; block != blocksOfStep(); ++block)
            scales.push_back(rhsScale.at({place.batch, uint64_t(blockAt(k) + block), place.column}));
          b = pack(elements, scales);
        }
        llvm::copy(emit(a, b, sums), sums.begin());
      }
    }
    return results;
  }

private:
  int64_t blockAt(int64_t k) const { return k * blocks / depth; }
  int64_t blocksOfStep() const { return atom.getK() * blocks / depth; }

  // Words of elements, and one of scales behind them.
  SmallVector<Value> pack(ArrayRef<Value> elements, SmallVector<Value> scales) {
    SmallVector<Value> words;
    if (bits == 8)
      words = packWords(elements, thread);
    else
      for (; !elements.empty(); elements = elements.drop_front(8))
        words.push_back(packHalves(elements.take_front(8), thread));
    scales.resize(4, thread.constant(scales[0].getType(), 0));
    words.push_back(packWords(scales, thread)[0]);
    return words;
  }

  std::string name() {
    StringRef type = llvm::TypeSwitch<Type, StringRef>(mma.getFormat())
                         .Case([](Float8E4M3FNType) { return StringRef("e4m3"); })
                         .Case([](Float8E5M2Type) { return StringRef("e5m2"); })
                         .Default(StringRef("e2m1"));
    bool isExponent = isa<Float8E8M0FNUType>(mma.getScaleFormat());
    StringRef kind = bits == 8 ? "mxf8f6f4" : blocksOfStep() == 2 ? "mxf4" : "mxf4nvf4";
    return llvm::formatv("mma.sync.aligned.m16n8k{0}.row.col.kind::{1}.block_scale.scale_vec::{2}X.f32.{3}.{3}.f32.{4}",
                         atom.getK(), kind, blocksOfStep(), type, isExponent ? "ue8m0" : "ue4m3")
        .str();
  }

  SmallVector<Value> emit(ArrayRef<Value> lhs, ArrayRef<Value> rhs, ArrayRef<Value> acc) {
    OpBuilder &b = thread.builder;
    unsigned number = 0;
    auto list = [&](size_t count) {
      std::string text = "{";
      for (size_t index = 0; index != count; ++index)
        text += (index ? ", $" : "$") + std::to_string(number++);
      return text + "}";
    };
    std::string text = name() + " " + list(acc.size()), constraints;
    text += ", " + list(lhs.size() - 1) + ", " + list(rhs.size() - 1) + ", " + list(acc.size());
    for (int side = 0; side != 2; ++side)
      text += ", $" + std::to_string(number++) + ", {0, 0}";
    SmallVector<Value> operands;
    for (size_t index = 0; index != acc.size(); ++index)
      constraints += index ? ",=f" : "=f";
    auto add = [&](ArrayRef<Value> values, const char *kind) {
      for (Value value : values) {
        constraints += kind;
        operands.push_back(value);
      }
    };
    add(lhs.drop_back(), ",r"), add(rhs.drop_back(), ",r"), add(acc, ",f");
    add(lhs.take_back(), ",r"), add(rhs.take_back(), ",r");
    return computeByPtx(text + ";", constraints, operands, SmallVector<Type>(acc.size(), acc[0].getType()), thread);
  }

  tileas::ScaledMmaOp mma;
  Operands operands;
  ThreadBuilder &thread;
  tileas::AtomAttr atom;
  const LinearLayout &layout;
  unsigned bits;
  int64_t depth, blocks;
  using Key = std::tuple<uint64_t, uint64_t, uint64_t>;
  std::map<Key, SmallVector<Value>> rows, columns;
};

struct ScaledMmaPattern : TilePattern<tileas::ScaledMmaOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ScaledMmaOp mma, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (tileas::Fault fault = tileas::faultOfOperands(mma); !fault.empty())
      return thread.fail(mma, fault);
    return thread.replace(mma, ScaledProduct(mma, adaptor, thread).run());
  }
};

} // namespace

void tilewright::populateScaledMmaPattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ScaledMmaPattern>(kernel);
}
