// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/AtomicInstruction.h"

using namespace mlir;
using namespace tilewright;
using Kind = arith::AtomicRMWKind;

namespace {

// The function and the suffix of its type, as in `add.s32`. PTX ISA 9.7.13.5.
std::string functionOf(Kind kind, Type element, const nvidia::Architecture &architecture) {
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isWord = bits == 32 || bits == 64;
  auto typed = [&](StringRef function, StringRef letter) {
    return isWord && (letter == "b" || isa<IntegerType>(element)) ? (function + "." + letter + Twine(bits)).str() : "";
  };
  switch (kind) {
  case Kind::addi:
    return typed("add", "u"); // of signed numbers the same
  case Kind::andi:
    return typed("and", "b");
  case Kind::ori:
    return typed("or", "b");
  case Kind::xori:
    return typed("xor", "b");
  case Kind::maxs:
    return typed("max", "s");
  case Kind::mins:
    return typed("min", "s");
  case Kind::maxu:
    return typed("max", "u");
  case Kind::minu:
    return typed("min", "u");
  case Kind::assign:
    return typed("exch", "b");
  case Kind::addf:
    if (element.isF16())
      return "add.noftz.f16";
    if (element.isBF16())
      return architecture.number >= 90 ? "add.noftz.bf16" : "";
    return element.isF32() ? "add.f32" : element.isF64() ? "add.f64" : "";
  default:
    return "";
  }
}

} // namespace

bool tilewright::hasAtomicInstruction(Kind kind, Type element, const nvidia::Architecture &architecture) {
  return !functionOf(kind, element, architecture).empty();
}

Value tilewright::atomicInstruction(Kind kind, tileaa::Ordering ordering, Value pointer, Value value, bool isUsed,
                                    ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Type element = value.getType();
  std::string function = functionOf(kind, element, thread.architecture);
  unsigned bits = element.getIntOrFloatBitWidth();
  Type word = b.getIntegerType(bits);
  Value operand = b.createOrFold<arith::BitcastOp>(thread.loc, word, value);
  // A reduction neither gives anything back nor acquires.
  bool reduces = !isUsed && kind != Kind::assign && !tileaa::acquires(ordering);
  bool isGlobal = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1;
  std::string letter = bits == 16 ? "h" : bits == 32 ? "r" : "l";
  std::string text = (Twine(reduces ? "red." : "atom.") + tileaa::stringifyOrdering(ordering) + ".sys" +
                      (isGlobal ? ".global." : ".") + function + (reduces ? " [$0], $1;" : " $0, [$1], $2;"))
                         .str();
  std::string constraints = (reduces ? "" : "=" + letter + ",") + "l," + letter + ",~{memory}";
  Value address = LLVM::PtrToIntOp::create(b, thread.loc, b.getI64Type(), pointer);
  auto instruction = LLVM::InlineAsmOp::create(b, thread.loc, reduces ? TypeRange() : TypeRange(word),
                                               ValueRange{address, operand}, text, constraints,
                                               /*has_side_effects=*/true, /*is_align_stack=*/false,
                                               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return reduces ? value : b.createOrFold<arith::BitcastOp>(thread.loc, element, instruction.getResult(0));
}
