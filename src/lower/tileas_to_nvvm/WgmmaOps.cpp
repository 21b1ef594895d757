// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by warpgroups: each warpgroup issues the instructions of its part of the tile, which read the right operand
// from shared memory by descriptors, the left one too or from registers, and waits for them.
#include "layout/memory/MatrixDescriptor.h"
#include "lower/tileas_to_nvvm/InlinePtx.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"
#include "tileaa/ir/Numbers.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/ir/RegisterPool.h"

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
    // The origin of this warpgroup's part of the tile.
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
  RegisterOperand(Value tile, LinearLayout part, TileRegisters &tiles)
      : layout(tileas::layoutOf(tile)), fragment(std::move(part)), tiles(tiles), values(tiles.get(tile)),
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
  const LinearLayout &layout;
  LinearLayout fragment;
  TileRegisters &tiles;
  SmallVector<Value> values;
  layout::F2Matrix registersOf;
};

// PTX, since LLVM's operation has both operands in memory. `acc` is a structure of the instruction's registers.
Value multiplyFromRegisters(StringRef name, ArrayRef<Value> lhs, Value rhs, StringRef immediates, Value acc,
                            bool accumulates, TileRegisters &tiles) {
  size_t slots = cast<LLVM::LLVMStructType>(acc.getType()).getBody().size();
  std::string text;
  llvm::raw_string_ostream out(text);
  auto list = [&](size_t first, size_t count) {
    out << "{";
    for (size_t index = 0; index != count; ++index)
      out << (index ? ", $" : "$") << first + index;
    out << "}";
  };
  out << "{ .reg .pred p; setp.ne.b32 p, " << int(accumulates) << ", 0; " << name << " ";
  list(0, slots);
  out << ", ";
  list(slots, lhs.size());
  out << ", $" << slots + lhs.size() << ", p" << immediates << "; }";

  SmallVector<Value> operands(lhs);
  operands.push_back(rhs);
  return changeRegisters(text, std::string(lhs.size(), 'r') + "l", operands, acc, tiles);
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

class Product {
public:
  Product(tileas::MmaOp mma, TileRegisters &tiles)
      : mma(mma), tiles(tiles), atom(mma.getAtom()), acc(tileas::layoutOf(mma.getAcc())),
        rhs(mma.getRhs(), 1, {atom.getN(), atom.getK()}, acc, tiles) {}

  LogicalResult run() {
    auto buffer = cast<tileas::BufferType>(mma.getRhs().getType());
    unsigned bits = buffer.getElementType().getIntOrFloatBitWidth();
    element = mma.getFormat().value_or(buffer.getElementType());
    accElement = getElementTypeOrSelf(mma.getAcc().getType());
    typeA = typeOf(element, mma.getUnsignedLhs());
    typeB = typeOf(element, mma.getUnsignedRhs());
    typeD = typeOf(accElement, false);
    if (!typeA || !typeB || !typeD)
      return mma.emitError() << "internal error: wgmma multiplies no " << element;
    LinearLayout lhsFragment = tileas::fragmentLayout(atom, layout::MmaOperand::A, bits);
    if (isa<tileas::BufferType>(mma.getLhs().getType()))
      lhsInMemory.emplace(mma.getLhs(), 0, layout::OperandBox{atom.getM(), atom.getK()}, acc, tiles);
    else
      lhsInRegisters.emplace(mma.getLhs(), lhsFragment, tiles);
    // f16 accumulators come in pairs.
    isPacked = accElement.isF16();
    if (failed(findInstructions(bits)))
      return failure();

    registers = tiles.get(mma.getAcc());
    int64_t depth = buffer.getShape()[0];
    LogicalResult result = addsByParts() ? multiplyByParts(depth)
                           : isTooWide() ? multiplyInTurns(depth)
                                         : multiplyAll(depth);
    tiles.set(mma.getResult(), registers);
    return result;
  }

private:
  // One of the warpgroup's: where it begins in the tile, and its registers among the accumulator's.
  struct Instruction {
    int64_t m, n;
    SmallVector<unsigned> registers;
    Value acc; // as a structure
  };

  // Whether the sums of all instructions are too many for the registers of a thread.
  bool isTooWide() {
    size_t slots = structType().getBody().size() * instructions.size();
    return instructions.size() > 1 && int64_t(slots) > tileas::registersForSums(1 << acc.inputBits(Dim::Warp));
  }
  bool addsByParts() { return tileas::addsByParts(element, accElement, mma.getFastAcc()); }

  // The registers of one instruction are those whose elements differ from its beginning by what one instruction has.
  LogicalResult findInstructions(unsigned bits) {
    LinearLayout fragment = tileas::fragmentLayout(atom, layout::MmaOperand::Accumulator, bits);
    layout::F2Matrix registersOf(acc.outputBits(), acc.basisOf(Dim::Register));
    unsigned own = fragment.inputSize(Dim::Register);
    llvm::SmallDenseSet<unsigned> taken;
    for (unsigned start = 0; start != acc.inputSize(Dim::Register); ++start) {
      if (taken.contains(start))
        continue;
      auto at = acc.apply({{Dim::Register, start}});
      Instruction one{at[0], at[1], {}, {}};
      for (unsigned reg = 0; reg != own; ++reg) {
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
    return success();
  }

  LLVM::LLVMStructType structType() {
    int64_t slots = instructions.front().registers.size() / (isPacked ? 2 : 1);
    Type slot = isPacked ? Type(VectorType::get(2, accElement)) : accElement;
    return LLVM::LLVMStructType::getLiteral(mma.getContext(), SmallVector<Type>(slots, slot));
  }
  Value undefined() { return LLVM::UndefOp::create(tiles.builder, tiles.loc, structType()); }

  // The accumulator's registers as an instruction takes them, and the reverse.
  Value enter(const Instruction &one) {
    OpBuilder &b = tiles.builder;
    LLVM::LLVMStructType type = structType();
    Value result = undefined();
    for (auto [index, slot] : llvm::enumerate(type.getBody())) {
      Value value;
      if (isPacked) {
        value = LLVM::UndefOp::create(b, tiles.loc, slot);
        for (int64_t half : {0, 1})
          value = LLVM::InsertElementOp::create(b, tiles.loc, value, registers[one.registers[2 * index + half]],
                                                tiles.i32(half));
      } else {
        value = registers[one.registers[index]];
      }
      result = LLVM::InsertValueOp::create(b, tiles.loc, result, value, index);
    }
    return result;
  }
  SmallVector<Value> leave(const Instruction &one) {
    OpBuilder &b = tiles.builder;
    SmallVector<Value> values;
    for (size_t index = 0; index != structType().getBody().size(); ++index) {
      Value value = LLVM::ExtractValueOp::create(b, tiles.loc, one.acc, index);
      if (isPacked)
        for (int64_t half : {0, 1})
          values.push_back(LLVM::ExtractElementOp::create(b, tiles.loc, value, tiles.i32(half)));
      else
        values.push_back(value);
    }
    return values;
  }

  // Zeros are not added: the first instruction writes what it computes.
  bool startsAtZero() { return tileaa::isZero(mma.getAcc()); }

  LogicalResult multiplyAll(int64_t depth) {
    for (Instruction &one : instructions)
      one.acc = startsAtZero() ? undefined() : enter(one);
    begin();
    for (int64_t k = 0; k != depth; k += atom.getK())
      for (Instruction &one : instructions)
        if (failed(issue(one, k, k != 0 || !startsAtZero())))
          return failure();
    end(instructions);
    for (Instruction &one : instructions)
      for (auto [reg, value] : llvm::zip_equal(one.registers, leave(one)))
        registers[reg] = value;
    return success();
  }

  // One instruction's sums after another's: the others are in local memory meanwhile.
  LogicalResult multiplyInTurns(int64_t depth) {
    for (Instruction &one : instructions) {
      one.acc = startsAtZero() ? undefined() : enter(one);
      begin();
      for (int64_t k = 0; k != depth; k += atom.getK())
        if (failed(issue(one, k, k != 0 || !startsAtZero())))
          return failure();
      end(one);
      for (auto [reg, value] : llvm::zip_equal(one.registers, leave(one)))
        registers[reg] = value;
    }
    return success();
  }

  LogicalResult multiplyByParts(int64_t depth) {
    OpBuilder &b = tiles.builder;
    for (int64_t first = 0; first < depth; first += instructionsOfPart * atom.getK())
      for (Instruction &one : instructions) {
        one.acc = undefined();
        begin();
        for (int64_t k = first; k != std::min(depth, first + instructionsOfPart * atom.getK()); k += atom.getK())
          if (failed(issue(one, k, k != first)))
            return failure();
        end(one);
        for (auto [reg, value] : llvm::zip_equal(one.registers, leave(one)))
          registers[reg] = first == 0 && startsAtZero()
                               ? value
                               : arith::AddFOp::create(b, tiles.loc, registers[reg], value).getResult();
      }
    return success();
  }

  void begin() { NVVM::WgmmaFenceAlignedOp::create(tiles.builder, tiles.loc); }
  // The wait names no registers: nothing else keeps their uses behind it.
  void end(MutableArrayRef<Instruction> issued) {
    NVVM::WgmmaGroupSyncAlignedOp::create(tiles.builder, tiles.loc);
    if (mma.getRunning() && !addsByParts() && !isTooWide())
      return;
    NVVM::WgmmaWaitGroupSyncOp::create(tiles.builder, tiles.loc, 0);
    for (Instruction &one : issued)
      one.acc = changeRegisters("", "", {}, one.acc, tiles);
  }

  LogicalResult issue(Instruction &one, int64_t k, bool accumulates) {
    if (lhsInMemory) {
      issueFromMemory(one, k, accumulates);
      return success();
    }
    SmallVector<Value> words = lhsInRegisters->at(one.m, k);
    if (words.empty())
      return mma.emitError() << "internal error: the left operand's layout is not what the accumulator's needs";
    std::string name;
    llvm::raw_string_ostream(name) << "wgmma.mma_async.sync.aligned.m" << atom.getM() << "n" << atom.getN() << "k"
                                   << atom.getK() << "." << NVVM::stringifyWGMMATypes(*typeD) << "."
                                   << NVVM::stringifyWGMMATypes(*typeA) << "." << NVVM::stringifyWGMMATypes(*typeB);
    // Signs of the operands, and of types of 16 bits the order of the right one.
    std::string immediates;
    if (!accElement.isInteger(32))
      immediates = ", 1, 1";
    if (element.isF16() || element.isBF16())
      immediates += rhs.order() == NVVM::MMALayout::col ? ", 0" : ", 1";
    one.acc = multiplyFromRegisters(name, words, rhs.at(one.n, k), immediates, one.acc, accumulates, tiles);
    return success();
  }

  void issueFromMemory(Instruction &one, int64_t k, bool accumulates) {
    MLIRContext *context = mma.getContext();
    auto overflow = accElement.isInteger(32) ? NVVM::MMAIntOverflowAttr::get(context, NVVM::MMAIntOverflow::wrapped)
                                             : NVVM::MMAIntOverflowAttr();
    auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto scale = accumulates ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero;
    auto type = [&](NVVM::WGMMATypes value) { return NVVM::WGMMATypesAttr::get(context, value); };
    one.acc = NVVM::WgmmaMmaAsyncOp::create(
        tiles.builder, tiles.loc, structType(), one.acc, lhsInMemory->at(one.m, k), rhs.at(one.n, k),
        NVVM::MMAShapeAttr::get(context, atom.getM(), atom.getN(), atom.getK()), type(*typeA), type(*typeB),
        type(*typeD), NVVM::WGMMAScaleOutAttr::get(context, scale), plus, plus,
        NVVM::MMALayoutAttr::get(context, lhsInMemory->order()), NVVM::MMALayoutAttr::get(context, rhs.order()),
        overflow);
  }

  static constexpr int64_t instructionsOfPart = 4; // 128 elements deep
  tileas::MmaOp mma;
  TileRegisters &tiles;
  tileas::AtomAttr atom;
  const LinearLayout &acc;
  MemoryOperand rhs;
  std::optional<MemoryOperand> lhsInMemory;
  std::optional<RegisterOperand> lhsInRegisters;
  Type element, accElement;
  std::optional<NVVM::WGMMATypes> typeA, typeB, typeD;
  bool isPacked = false;
  SmallVector<Instruction> instructions;
  SmallVector<Value> registers;
};

} // namespace

LogicalResult tilewright::lowerWgmma(tileas::MmaOp mma, TileRegisters &tiles) {
  return Product(mma, tiles).run();
}

// The wait names the accumulators, so that what uses them stays behind it.
LogicalResult tilewright::lowerMmaWait(tileas::MmaWaitOp wait, TileRegisters &tiles) {
  SmallVector<Value> registers = tiles.get(wait.getRunning());
  Type slot = registers[0].getType();
  if (!slot.isF32() && !slot.isInteger(32))
    return wait.emitError() << "internal error: products with sums of " << slot << " are not left running";
  registers = passThrough("wgmma.wait_group.sync.aligned " + std::to_string(wait.getPending()) + ";", registers, tiles);
  tiles.set(wait.getResult(), registers);
  return success();
}
