// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by warpgroups: each warpgroup issues the instructions of its part of the tile, which read the right operand
// from shared memory by descriptors, the left one too or from registers, and waits for them.
#include "layout/MatrixDescriptor.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"
#include "tileas/ir/MmaAtom.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::F2Vector;
using layout::LinearLayout;
using layout::tileDim;

namespace {

// An operand in memory: the descriptor of its beginning, and how far from there each instruction begins.
class MemoryOperand {
public:
  // `mn` is the tile's dimension that is not K.
  MemoryOperand(Value buffer, unsigned mn, layout::OperandBox box, const LinearLayout &acc, TileRegisters &tiles)
      : mn(mn), tiles(tiles) {
    auto type = cast<tileas::BufferType>(buffer.getType());
    unsigned bits = type.getElementType().getIntOrFloatBitWidth();
    LinearLayout shared = type.getLayout().getLayout();
    descriptor = *layout::describeOperand(mn == 0 ? shared : shared.permute({1, 0}), bits, box);
    OpBuilder &b = tiles.builder;
    Location loc = tiles.loc;
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), tiles.sharedPointer(tiles.get(buffer)[0]));
    // What of the tile is this warpgroup's.
    SmallVector<F2Vector> bases;
    unsigned warpBits = acc.inputBits(Dim::Warp);
    for (unsigned bit = 0; bit != warpBits; ++bit)
      bases.push_back(bit < 2 ? 0 : descriptor.start.applyFlat({{tileDim(0), acc.basis(Dim::Warp, bit, tileDim(mn))}}));
    LinearLayout part({{Dim::Warp, warpBits}}, {{Dim::Offset, 20}}, bases);
    address = arith::AddIOp::create(b, loc, address, tiles.threadPart(part, Dim::Offset));
    Value units =
        arith::ShRUIOp::create(b, loc, arith::AndIOp::create(b, loc, address, tiles.i32(0x3FFFF)), tiles.i32(4));
    Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), units);
    first = arith::OrIOp::create(b, loc, wide, tiles.i64(layout::encodeForWgmma(descriptor, 0)));
  }

  // For the instruction that begins there, within the warpgroup's part.
  Value at(int64_t position, int64_t k) {
    uint64_t bytes = descriptor.start.applyFlat({{tileDim(0), uint64_t(position)}, {tileDim(1), uint64_t(k)}});
    if (bytes == 0)
      return first;
    return arith::AddIOp::create(tiles.builder, tiles.loc, first, tiles.i64(bytes >> 4));
  }
  NVVM::MMALayout order() const {
    bool isPlain = (descriptor.major == layout::Major::K) == (mn == 0);
    return isPlain ? NVVM::MMALayout::row : NVVM::MMALayout::col;
  }

private:
  unsigned mn;
  TileRegisters &tiles;
  layout::MatrixDescriptor descriptor;
  Value first;
};

// The left operand in registers, as words.
class RegisterOperand {
public:
  RegisterOperand(Value tile, const LinearLayout &fragment, TileRegisters &tiles)
      : layout(tileas::layoutOf(tile)), fragment(fragment), tiles(tiles), values(tiles.get(tile)),
        registersOf(layout.outputBits(), layout.basisOf(Dim::Register)) {}

  // Of the instruction that begins there; nothing where the thread has not what it needs.
  SmallVector<Value> at(int64_t m, int64_t k) {
    SmallVector<Value> elements;
    for (uint64_t reg = 0; reg != fragment.inputSize(Dim::Register); ++reg) {
      SmallVector<int64_t> inside = fragment.apply({{Dim::Register, reg}});
      auto found =
          registersOf.solve(layout.outputAt(tileDim(0), m ^ inside[0]) | layout.outputAt(tileDim(1), k ^ inside[1]));
      if (!found)
        return {};
      elements.push_back(values[*found]);
    }
    return packWords(elements, tiles);
  }

private:
  const LinearLayout &layout, &fragment;
  TileRegisters &tiles;
  SmallVector<Value> values;
  layout::F2Matrix registersOf;
};

// PTX, since LLVM's operation has both operands in memory. `acc` is a structure of the instruction's registers.
Value multiplyFromRegisters(StringRef name, ArrayRef<Value> lhs, Value rhs, StringRef immediates, Value acc,
                            bool accumulates, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  auto type = cast<LLVM::LLVMStructType>(acc.getType());
  size_t slots = type.getBody().size(), next = slots;
  std::string text, constraints;
  llvm::raw_string_ostream out(text), of(constraints);
  auto list = [&](size_t first, size_t count) {
    out << "{";
    for (size_t index = 0; index != count; ++index)
      out << (index ? ", $" : "$") << first + index;
    out << "}";
  };
  out << "{ .reg .pred p; setp.ne.b32 p, " << int(accumulates) << ", 0; " << name << " ";
  list(0, slots);
  out << ", ";
  list(next, lhs.size());
  out << ", $" << next + lhs.size() << ", p" << immediates << "; }";

  SmallVector<Value> operands(lhs);
  operands.push_back(rhs);
  for (Type slot : type.getBody())
    of << (slot.isF32() ? "=f," : "=r,");
  for (size_t index = 0; index != lhs.size(); ++index)
    of << "r,";
  of << "l";
  for (size_t index = 0; index != slots; ++index) {
    of << "," << index;
    operands.push_back(LLVM::ExtractValueOp::create(b, tiles.loc, acc, index));
  }
  of << ",~{memory}";
  return LLVM::InlineAsmOp::create(b, tiles.loc, type, operands, text, constraints, /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
      .getResult(0);
}

std::optional<NVVM::WGMMATypes> typeOf(Type type, bool isUnsigned) {
  if (type.isF16())
    return NVVM::WGMMATypes::f16;
  if (type.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (isa<FloatTF32Type>(type))
    return NVVM::WGMMATypes::tf32;
  if (isa<Float8E4M3FNType>(type))
    return NVVM::WGMMATypes::e4m3;
  if (isa<Float8E5M2Type>(type))
    return NVVM::WGMMATypes::e5m2;
  if (type.isInteger(8))
    return isUnsigned ? NVVM::WGMMATypes::u8 : NVVM::WGMMATypes::s8;
  if (type.isF32())
    return NVVM::WGMMATypes::f32;
  if (type.isInteger(32))
    return NVVM::WGMMATypes::s32;
  return std::nullopt;
}

} // namespace

LogicalResult tilewright::lowerWgmma(tileas::MmaOp mma, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  MLIRContext *context = b.getContext();
  tileas::AtomAttr atom = mma.getAtom();
  const LinearLayout &acc = tileas::layoutOf(mma.getAcc());
  auto rhs = cast<tileas::BufferType>(mma.getRhs().getType());
  unsigned bits = rhs.getElementType().getIntOrFloatBitWidth();
  Type element = mma.getFormat().value_or(rhs.getElementType());
  Type accElement = getElementTypeOrSelf(mma.getAcc().getType());
  auto typeA = typeOf(element, mma.getUnsignedLhs()), typeB = typeOf(element, mma.getUnsignedRhs());
  auto typeD = typeOf(accElement, false);
  if (!typeA || !typeD)
    return mma.emitError() << "internal error: wgmma multiplies no " << element;
  int64_t depth = rhs.getShape()[0];

  LinearLayout lhsFragment = tileas::fragmentLayout(atom, layout::MmaOperand::A, bits);
  std::optional<MemoryOperand> lhsInMemory;
  std::optional<RegisterOperand> lhsInRegisters;
  if (isa<tileas::BufferType>(mma.getLhs().getType()))
    lhsInMemory.emplace(mma.getLhs(), 0, layout::OperandBox{atom.getM(), atom.getK()}, acc, tiles);
  else
    lhsInRegisters.emplace(mma.getLhs(), lhsFragment, tiles);
  MemoryOperand rhsInMemory(mma.getRhs(), 1, {atom.getN(), atom.getK()}, acc, tiles);

  // The registers of one instruction, and where the others of the warpgroup begin: each instruction's registers are
  // those whose elements differ from its beginning by what one instruction has.
  LinearLayout fragment = tileas::fragmentLayout(atom, layout::MmaOperand::Accumulator, bits);
  layout::F2Matrix registersOf(acc.outputBits(), acc.basisOf(Dim::Register));
  unsigned own = fragment.inputBits(Dim::Register), all = acc.inputBits(Dim::Register);
  // f16 accumulators come in pairs.
  bool isPacked = accElement.isF16();
  Type slot = isPacked ? Type(VectorType::get(2, accElement)) : accElement;
  int64_t slots = (int64_t(1) << own) / (isPacked ? 2 : 1);
  auto structType = LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(slots, slot));

  SmallVector<Value> registers = tiles.get(mma.getAcc());
  struct Instruction {
    int64_t m, n;
    SmallVector<unsigned> registers;
    Value acc;
  };
  SmallVector<Instruction> instructions;
  llvm::SmallDenseSet<unsigned> taken;
  for (unsigned start = 0; start != 1u << all; ++start) {
    if (taken.contains(start))
      continue;
    auto at = acc.apply({{Dim::Register, start}});
    Instruction one{at[0], at[1], {}, {}};
    for (unsigned reg = 0; reg != 1u << own; ++reg) {
      auto inside = fragment.apply({{Dim::Register, reg}});
      F2Vector image = acc.outputAt(tileDim(0), at[0] ^ inside[0]) | acc.outputAt(tileDim(1), at[1] ^ inside[1]);
      auto found = registersOf.solve(image);
      if (!found)
        return mma.emitError() << "internal error: the accumulator's layout is not that of " << atom;
      one.registers.push_back(*found);
      taken.insert(*found);
    }
    instructions.push_back(one);
  }

  // Zeros are not added: the first instruction writes what it computes.
  bool startsAtZero = matchPattern(mma.getAcc(), m_AnyZeroFloat()) || matchPattern(mma.getAcc(), m_Zero());
  for (Instruction &one : instructions) {
    one.acc = LLVM::UndefOp::create(b, loc, structType);
    if (startsAtZero)
      continue;
    for (int64_t slotIndex = 0; slotIndex != slots; ++slotIndex) {
      Value value;
      if (isPacked) {
        value = LLVM::UndefOp::create(b, loc, slot);
        for (int64_t half : {0, 1})
          value = LLVM::InsertElementOp::create(b, loc, value, registers[one.registers[2 * slotIndex + half]],
                                                tiles.i32(half));
      } else {
        value = registers[one.registers[slotIndex]];
      }
      one.acc = LLVM::InsertValueOp::create(b, loc, one.acc, value, slotIndex);
    }
  }
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  auto shape = NVVM::MMAShapeAttr::get(context, atom.getM(), atom.getN(), atom.getK());
  auto overflow = accElement.isInteger(32) ? NVVM::MMAIntOverflowAttr::get(context, NVVM::MMAIntOverflow::wrapped)
                                           : NVVM::MMAIntOverflowAttr();
  auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
  std::string name;
  llvm::raw_string_ostream(name) << "wgmma.mma_async.sync.aligned.m" << atom.getM() << "n" << atom.getN() << "k"
                                 << atom.getK() << "." << NVVM::stringifyWGMMATypes(*typeD) << "."
                                 << NVVM::stringifyWGMMATypes(*typeA) << "." << NVVM::stringifyWGMMATypes(*typeB);
  // Signs of the operands, and of types of 16 bits the order of the right one.
  std::string immediates;
  if (!accElement.isInteger(32))
    immediates = ", 1, 1";
  if (element.isF16() || element.isBF16())
    immediates += rhsInMemory.order() == NVVM::MMALayout::col ? ", 0" : ", 1";
  for (int64_t k = 0; k != depth; k += atom.getK())
    for (Instruction &each : instructions) {
      bool accumulates = k != 0 || !startsAtZero;
      if (lhsInRegisters) {
        SmallVector<Value> words = lhsInRegisters->at(each.m, k);
        if (words.empty())
          return mma.emitError() << "internal error: the left operand's layout is not what the accumulator's needs";
        each.acc =
            multiplyFromRegisters(name, words, rhsInMemory.at(each.n, k), immediates, each.acc, accumulates, tiles);
        continue;
      }
      auto scale = accumulates ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero;
      each.acc = NVVM::WgmmaMmaAsyncOp::create(
          b, loc, structType, each.acc, lhsInMemory->at(each.m, k), rhsInMemory.at(each.n, k), shape,
          NVVM::WGMMATypesAttr::get(context, *typeA), NVVM::WGMMATypesAttr::get(context, *typeB),
          NVVM::WGMMATypesAttr::get(context, *typeD), NVVM::WGMMAScaleOutAttr::get(context, scale), one, one,
          NVVM::MMALayoutAttr::get(context, lhsInMemory->order()),
          NVVM::MMALayoutAttr::get(context, rhsInMemory.order()), overflow);
    }
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  if (!mma.getRunning())
    NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 0);
  SmallVector<Value> results(registers.size());
  for (Instruction &each : instructions)
    for (int64_t slotIndex = 0; slotIndex != slots; ++slotIndex) {
      Value value = LLVM::ExtractValueOp::create(b, loc, each.acc, slotIndex);
      if (!isPacked) {
        results[each.registers[slotIndex]] = value;
        continue;
      }
      for (int64_t half : {0, 1})
        results[each.registers[2 * slotIndex + half]] = LLVM::ExtractElementOp::create(b, loc, value, tiles.i32(half));
    }
  tiles.set(mma.getResult(), results);
  return success();
}

// The wait names the accumulators, so that what uses them stays behind it.
LogicalResult tilewright::lowerMmaWait(tileas::MmaWaitOp wait, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  SmallVector<Value> registers = tiles.get(wait.getRunning());
  Type slot = registers[0].getType();
  if (!slot.isF32() && !slot.isInteger(32))
    return wait.emitError() << "internal error: products with sums of " << slot << " are not left running";
  std::string constraints;
  for (size_t index = 0; index != registers.size(); ++index)
    constraints += slot.isF32() ? "=f," : "=r,";
  for (size_t index = 0; index != registers.size(); ++index)
    constraints += std::to_string(index) + ",";
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(registers.size(), slot));
  Value all = LLVM::InlineAsmOp::create(b, tiles.loc, type, registers, "wgmma.wait_group.sync.aligned 0;",
                                        constraints + "~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
                                        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
                  .getResult(0);
  for (auto [index, value] : llvm::enumerate(registers))
    value = LLVM::ExtractValueOp::create(b, tiles.loc, all, index);
  tiles.set(wait.getResult(), registers);
  return success();
}
