// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by warpgroups: each warpgroup issues the instructions of its part of the tile, which read the right operand
// from shared memory by descriptors, the left one too or from registers, and waits for them.
#include "lower/tileas_to_nvvm/mma/MmaPatterns.h"
#include "lower/tileas_to_nvvm/mma/WgmmaOperands.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"
#include "tileaa/ir/Numbers.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/ir/RegisterPool.h"
#include "tileas/verify/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::F2Vector;
using layout::LinearLayout;
using layout::tileDim;

namespace {

// PTX, since LLVM's operation has both operands in memory. `acc` is a structure of the instruction's registers.
Value multiplyFromRegisters(StringRef name, ArrayRef<Value> lhs, Value rhs, StringRef immediates, Value acc,
                            bool accumulates, ThreadBuilder &thread) {
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
  return changeRegisters(text, std::string(lhs.size(), 'r') + "l", operands, acc, thread);
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
  using Operands = tileas::MmaOp::GenericAdaptor<ArrayRef<ValueRange>>;

  Product(tileas::MmaOp mma, Operands operands, bool startsAtZero, bool lhsIsReady, ThreadBuilder &thread)
      : mma(mma), operands(operands), thread(thread), atom(mma.getAtom()), acc(tileas::layoutOf(mma.getAcc())),
        rhsType(cast<tileas::BufferType>(mma.getRhs().getType())),
        bits(rhsType.getElementType().getIntOrFloatBitWidth()), startsAtZero(startsAtZero), lhsIsReady(lhsIsReady),
        element(mma.getFormat().value_or(rhsType.getElementType())),
        accElement(getElementTypeOrSelf(mma.getAcc().getType())), typeA(typeOf(element, mma.getUnsignedLhs())),
        typeB(typeOf(element, mma.getUnsignedRhs())), typeD(typeOf(accElement, false)), isPacked(accElement.isF16()),
        depth(rhsType.getShape()[0]), registers(operands.getAcc()),
        rhsDescriptor(describeOperand(rhsType, 1, {atom.getN(), atom.getK()})) {
    if (auto lhs = dyn_cast<tileas::BufferType>(mma.getLhs().getType()))
      lhsDescriptor = describeOperand(lhs, 0, {atom.getM(), atom.getK()});
    else
      lhsInRegisters.emplace(mma.getLhs(), operands.getLhs(), tileas::fragmentLayout(atom, layout::MmaOperand::A, bits),
                             thread);
  }

  LogicalResult check() {
    if (!typeA || !typeB || !typeD)
      return thread.fail(mma, "wgmma does not multiply elements of these types");
    if (!findInstructions())
      return thread.fail(mma, "the accumulator's layout is not the atom's");
    if (tileas::Fault fault = tileas::faultOfOperands(mma); !fault.empty())
      return thread.fail(mma, fault);
    return success();
  }

  // The registers of the result.
  SmallVector<Value> run() {
    rhs.emplace(*rhsDescriptor, operands.getRhs()[0], 1, acc, thread);
    if (lhsDescriptor)
      lhsInMemory.emplace(*lhsDescriptor, operands.getLhs()[0], 0, acc, thread);
    if (addsByParts())
      multiplyByParts();
    else if (isTooWide())
      multiplyInTurns();
    else
      multiplyAll();
    return registers;
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
  bool findInstructions() {
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
          return false;
        one.registers.push_back(*found);
        taken.insert(*found);
      }
      instructions.push_back(one);
    }
    return true;
  }

  LLVM::LLVMStructType structType() {
    int64_t slots = instructions.front().registers.size() / (isPacked ? 2 : 1);
    Type slot = isPacked ? Type(VectorType::get(2, accElement)) : accElement;
    return LLVM::LLVMStructType::getLiteral(mma.getContext(), SmallVector<Type>(slots, slot));
  }
  Value undefined() { return LLVM::UndefOp::create(thread.builder, thread.loc, structType()); }

  // The accumulator's registers as an instruction takes them, and the reverse.
  Value enter(const Instruction &one) {
    OpBuilder &b = thread.builder;
    LLVM::LLVMStructType type = structType();
    Value result = undefined();
    for (auto [index, slot] : llvm::enumerate(type.getBody())) {
      Value value;
      if (isPacked) {
        value = LLVM::UndefOp::create(b, thread.loc, slot);
        for (int64_t half : {0, 1})
          value = LLVM::InsertElementOp::create(b, thread.loc, value, registers[one.registers[2 * index + half]],
                                                thread.i32(half));
      } else {
        value = registers[one.registers[index]];
      }
      result = LLVM::InsertValueOp::create(b, thread.loc, result, value, index);
    }
    return result;
  }
  SmallVector<Value> leave(const Instruction &one) {
    OpBuilder &b = thread.builder;
    SmallVector<Value> values;
    for (size_t index = 0; index != structType().getBody().size(); ++index) {
      Value value = LLVM::ExtractValueOp::create(b, thread.loc, one.acc, index);
      if (isPacked)
        for (int64_t half : {0, 1})
          values.push_back(LLVM::ExtractElementOp::create(b, thread.loc, value, thread.i32(half)));
      else
        values.push_back(value);
    }
    return values;
  }

  void multiplyAll() {
    for (Instruction &one : instructions)
      one.acc = startsAtZero ? undefined() : enter(one);
    begin(instructions);
    for (int64_t k = 0; k != depth; k += atom.getK())
      for (Instruction &one : instructions)
        issue(one, k, k != 0 || !startsAtZero);
    end(instructions);
    for (Instruction &one : instructions)
      for (auto [reg, value] : llvm::zip_equal(one.registers, leave(one)))
        registers[reg] = value;
  }

  // One instruction's sums after another's: the others are in local memory meanwhile.
  void multiplyInTurns() {
    for (Instruction &one : instructions) {
      one.acc = startsAtZero ? undefined() : enter(one);
      begin(one);
      for (int64_t k = 0; k != depth; k += atom.getK())
        issue(one, k, k != 0 || !startsAtZero);
      end(one);
      for (auto [reg, value] : llvm::zip_equal(one.registers, leave(one)))
        registers[reg] = value;
    }
  }

  void multiplyByParts() {
    OpBuilder &b = thread.builder;
    for (int64_t first = 0; first < depth; first += instructionsOfPart * atom.getK())
      for (Instruction &one : instructions) {
        one.acc = undefined();
        begin(one);
        for (int64_t k = first; k != std::min(depth, first + instructionsOfPart * atom.getK()); k += atom.getK())
          issue(one, k, k != first);
        end(one);
        for (auto [reg, value] : llvm::zip_equal(one.registers, leave(one)))
          registers[reg] = first == 0 && startsAtZero
                               ? value
                               : arith::AddFOp::create(b, thread.loc, registers[reg], value).getResult();
      }
  }

  // Registers are written before the fence, and LLVM knows of no register that the instruction orders.
  void begin(MutableArrayRef<Instruction> issued) {
    ordered.clear();
    if (!lhsInMemory)
      for (Instruction &one : issued)
        one.acc = changeRegisters("", "", {}, one.acc, thread);
    if (lhsInRegisters && lhsIsReady)
      for (Instruction &one : issued)
        for (int64_t k = 0; k != depth; k += atom.getK())
          (void)orderedLhs(one.m, k);
    if (lhsInMemory || lhsIsReady)
      NVVM::WgmmaFenceAlignedOp::create(thread.builder, thread.loc);
  }
  // Where operands are computed for this product, each step has a fence, so that they are computed while the step
  // before multiplies. Where there is none behind them ptxas inserts one, and in loops that it takes to be divergent
  // waits for each instruction (C7520).
  //
  // Operands that are ready have one fence for all steps: for ptxas instructions with fences between them are groups,
  // and a wait for all products but the last was one for all instructions but its last. Attention of 128 values, full,
  // ran at 612 and runs at 706 TFLOP/s on an H200.
  ArrayRef<Value> orderedLhs(int64_t m, int64_t k) {
    SmallVector<Value> &words = ordered[{m, k}];
    if (words.empty())
      words = passThrough(lhsIsReady ? "" : "wgmma.fence.sync.aligned;", lhsInRegisters->at(m, k), thread);
    return words;
  }
  // The wait names no registers: nothing else keeps their uses behind it.
  void end(MutableArrayRef<Instruction> issued) {
    NVVM::WgmmaGroupSyncAlignedOp::create(thread.builder, thread.loc);
    if (mma.getRunning() && !addsByParts() && !isTooWide())
      return;
    NVVM::WgmmaWaitGroupSyncOp::create(thread.builder, thread.loc, 0);
    for (Instruction &one : issued)
      one.acc = changeRegisters("", "", {}, one.acc, thread);
  }

  void issue(Instruction &one, int64_t k, bool accumulates) {
    if (lhsInMemory)
      return issueFromMemory(one, k, accumulates);
    std::string name;
    llvm::raw_string_ostream(name) << "wgmma.mma_async.sync.aligned.m" << atom.getM() << "n" << atom.getN() << "k"
                                   << atom.getK() << "." << NVVM::stringifyWGMMATypes(*typeD) << "."
                                   << NVVM::stringifyWGMMATypes(*typeA) << "." << NVVM::stringifyWGMMATypes(*typeB);
    // Signs of the operands, and of types of 16 bits the order of the right one.
    std::string immediates;
    if (!accElement.isInteger(32))
      immediates = ", 1, 1";
    if (element.isF16() || element.isBF16())
      immediates += rhs->order() == NVVM::MMALayout::col ? ", 0" : ", 1";
    one.acc =
        multiplyFromRegisters(name, orderedLhs(one.m, k), rhs->at(one.n, k), immediates, one.acc, accumulates, thread);
  }

  void issueFromMemory(Instruction &one, int64_t k, bool accumulates) {
    MLIRContext *context = mma.getContext();
    auto overflow = accElement.isInteger(32) ? NVVM::MMAIntOverflowAttr::get(context, NVVM::MMAIntOverflow::wrapped)
                                             : NVVM::MMAIntOverflowAttr();
    auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto scale = accumulates ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero;
    auto type = [&](NVVM::WGMMATypes value) { return NVVM::WGMMATypesAttr::get(context, value); };
    one.acc = NVVM::WgmmaMmaAsyncOp::create(
        thread.builder, thread.loc, structType(), one.acc, lhsInMemory->at(one.m, k), rhs->at(one.n, k),
        NVVM::MMAShapeAttr::get(context, atom.getM(), atom.getN(), atom.getK()), type(*typeA), type(*typeB),
        type(*typeD), NVVM::WGMMAScaleOutAttr::get(context, scale), plus, plus,
        NVVM::MMALayoutAttr::get(context, lhsInMemory->order()), NVVM::MMALayoutAttr::get(context, rhs->order()),
        overflow);
  }

  static constexpr int64_t instructionsOfPart = 4; // 128 elements deep
  tileas::MmaOp mma;
  Operands operands;
  ThreadBuilder &thread;
  tileas::AtomAttr atom;
  const LinearLayout &acc;
  tileas::BufferType rhsType;
  unsigned bits;
  bool startsAtZero; // zeros are not added: the first instruction writes what it computes
  bool lhsIsReady;   // nothing is computed for it between the products of an iteration
  Type element, accElement;
  std::optional<NVVM::WGMMATypes> typeA, typeB, typeD;
  bool isPacked; // f16 accumulators come in pairs
  int64_t depth;
  std::optional<MemoryOperand> rhs, lhsInMemory;
  std::optional<RegisterOperand> lhsInRegisters;
  llvm::DenseMap<std::pair<int64_t, int64_t>, SmallVector<Value>> ordered; // its words
  SmallVector<Instruction> instructions;
  SmallVector<Value> registers;
  std::optional<layout::MatrixDescriptor> lhsDescriptor, rhsDescriptor;
};

// Operands of products, as the original IR gives them.
class GivenOperands {
public:
  explicit GivenOperands(Operation *function) {
    function->walk([&](tileas::MmaOp mma) {
      if (tileaa::isZero(mma.getAcc()))
        fromZero.insert(mma);
      // The value of the iteration before, or of a whole loop. Others are computed in front of the product.
      Operation *computed = mma.getLhs().getDefiningOp();
      if (!computed || computed->getBlock() != mma->getBlock() || computed->getNumRegions() != 0)
        lhsReady.insert(mma);
    });
  }
  bool startsAtZero(tileas::MmaOp mma) const { return fromZero.contains(mma); }
  bool lhsIsReady(tileas::MmaOp mma) const { return lhsReady.contains(mma); }

private:
  DenseSet<Operation *> fromZero, lhsReady;
};

struct WgmmaPattern : TilePatternWith<tileas::MmaOp, GivenOperands> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::MmaOp mma, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (mma.getAtom().getKind() != tileas::AtomKind::Wgmma)
      return failure();
    Product product(mma, adaptor, facts->startsAtZero(mma), facts->lhsIsReady(mma), thread);
    if (failed(product.check()))
      return failure();
    return thread.replace(mma, product.run());
  }
};

// The wait names the accumulators, so that what uses them stays behind it.
struct MmaWaitPattern : TilePattern<tileas::MmaWaitOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::MmaWaitOp wait, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (tileas::Fault fault = tileas::faultOf(wait); !fault.empty())
      return thread.fail(wait, fault);
    std::string text = "wgmma.wait_group.sync.aligned " + std::to_string(wait.getPending()) + ";";
    return thread.replace(wait, passThrough(text, llvm::to_vector(adaptor.getRunning()), thread));
  }
};

} // namespace

void tilewright::populateWgmmaPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<WgmmaPattern>(kernel, std::make_shared<GivenOperands>(kernel.function));
  patterns.add<MmaWaitPattern>(kernel);
}
