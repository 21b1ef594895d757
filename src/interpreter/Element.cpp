// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Element.h"

#include "cuda_tile/ir/CudaTile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

enum class Kind { Integer, Float, Pointer };
struct Format {
  llvm::StringLiteral name;
  Kind kind;
  unsigned width;
};

// In the order of the enumeration.
constexpr Format formats[] = {
    {"i1", Kind::Integer, 1},     {"i4", Kind::Integer, 4},      {"i8", Kind::Integer, 8},
    {"i16", Kind::Integer, 16},   {"i32", Kind::Integer, 32},    {"i64", Kind::Integer, 64},
    {"f16", Kind::Float, 16},     {"bf16", Kind::Float, 16},     {"f32", Kind::Float, 32},
    {"f64", Kind::Float, 64},     {"tf32", Kind::Float, 32},     {"f8E4M3FN", Kind::Float, 8},
    {"f8E5M2", Kind::Float, 8},   {"f8E8M0FNU", Kind::Float, 8}, {"fnv8E5M3FNU", Kind::Float, 8},
    {"f4E2M1FN", Kind::Float, 4}, {"ptr", Kind::Pointer, 64},
};

const Format &formatOf(Element element) {
  return formats[static_cast<unsigned>(element)];
}

} // namespace

std::optional<Element> elementOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Element::I1;
    case 4:
      return Element::I4;
    case 8:
      return Element::I8;
    case 16:
      return Element::I16;
    case 32:
      return Element::I32;
    case 64:
      return Element::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<Element>>(type)
      .Case([](Float16Type) { return Element::F16; })
      .Case([](BFloat16Type) { return Element::BF16; })
      .Case([](FloatTF32Type) { return Element::TF32; })
      .Case([](Float32Type) { return Element::F32; })
      .Case([](Float64Type) { return Element::F64; })
      .Case([](Float8E4M3FNType) { return Element::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return Element::F8E5M2; })
      .Case([](Float8E8M0FNUType) { return Element::F8E8M0FNU; })
      .Case([](cuda_tile::F8E5M3FNUType) { return Element::F8E5M3FNU; })
      .Case([](Float4E2M1FNType) { return Element::F4E2M1FN; })
      .Case([](cuda_tile::PtrType) { return Element::Pointer; })
      .Default([](Type) { return std::nullopt; });
}

unsigned bitWidth(Element element) {
  return formatOf(element).width;
}
unsigned storageBytes(Element element) {
  return std::max(1u, bitWidth(element) / 8);
}
bool isInteger(Element element) {
  return formatOf(element).kind == Kind::Integer;
}
bool isFloat(Element element) {
  return formatOf(element).kind == Kind::Float;
}
llvm::StringRef elementName(Element element) {
  return formatOf(element).name;
}

int64_t signExtend(Bits bits, Element element) {
  return llvm::SignExtend64(bits, bitWidth(element));
}
Bits truncate(uint64_t value, Element element) {
  return value & llvm::maskTrailingOnes<uint64_t>(bitWidth(element));
}

} // namespace tilewright::interpreter
