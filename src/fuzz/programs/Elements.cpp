// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Elements.h"

#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/ir/E5M3.h"
#include "fuzz/programs/Random.h"
#include "interpreter/FloatFormat.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace ct = tilewright::cuda_tile;

namespace tilewright::programs {
namespace {

const llvm::fltSemantics &getSemantics(Element element) {
  switch (element) {
  case Element::F16:
    return APFloat::IEEEhalf();
  case Element::BF16:
    return APFloat::BFloat();
  case Element::F64:
    return APFloat::IEEEdouble();
  case Element::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case Element::F8E5M2:
    return APFloat::Float8E5M2();
  case Element::F8E8M0FNU:
    return APFloat::Float8E8M0FNU();
  case Element::F4E2M1FN:
    return APFloat::Float4E2M1FN();
  default: // a tf32 is held as an f32
    return APFloat::IEEEsingle();
  }
}

uint64_t mask(Element element) {
  return llvm::maskTrailingOnes<uint64_t>(bitWidth(element));
}

uint64_t makeAnyFloat(Element element, Random &random) {
  switch (random.below(8)) {
  case 0:
  case 1: { // special numbers of the format
    if (element == Element::F8E5M3FNU)
      return random.pick<uint64_t>({0, 1, 7, 8, 0x7f, 0xfe, 0xff});
    const llvm::fltSemantics &format = getSemantics(element);
    bool negative = random.chance(50) && element != Element::F8E8M0FNU;
    APFloat number = APFloat::getLargest(format, negative);
    switch (random.below(7)) {
    case 0:
      if (APFloat::semanticsHasZero(format))
        number = APFloat::getZero(format, negative);
      break;
    case 1:
      if (APFloat::semanticsHasInf(format))
        number = APFloat::getInf(format, negative);
      break;
    case 2:
      if (APFloat::semanticsHasNaN(format))
        number = APFloat::getNaN(format, negative && element != Element::F8E8M0FNU);
      break;
    case 3:
      number = APFloat::getSmallest(format, negative);
      break;
    case 4:
      number = APFloat::getSmallestNormalized(format, negative);
      break;
    case 5: // a subnormal, where there are any
      number = APFloat::getSmallestNormalized(format, negative);
      number.next(/*nextDown=*/!negative);
      break;
    default:
      break;
    }
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    return element == Element::TF32 ? bits & ~0x1fffull : bits;
  }
  case 2: // ties of a rounding to integers, and numbers near 1
    return encode(element, random.pick({0.5, 1.5, 2.5, -0.5, -1.5, 1.0, -1.0, 0.75, 1.25, 127.5, -128.5, 255.5}));
  case 3:
  case 4:
    return encode(element, static_cast<double>(random.between(-8, 8)));
  case 5: { // any bits
    uint64_t bits = random.next() & mask(element);
    return element == Element::TF32 ? bits & ~0x1fffull : bits;
  }
  default: // reals of a moderate size
    return encode(element, std::ldexp(static_cast<double>(random.between(-(1ll << 40), 1ll << 40)),
                                      static_cast<int>(random.between(-46, -34))));
  }
}

uint64_t makeAnyInteger(Element element, Random &random) {
  uint64_t all = mask(element), top = (all >> 1) + 1;
  switch (random.below(4)) {
  case 0:
    return random.pick<uint64_t>({0, 1, all, top, top - 1, top + 1, all - 1, 2}) & all;
  case 1:
    return static_cast<uint64_t>(random.between(-16, 16)) & all;
  default:
    return random.next() & all;
  }
}

} // namespace

std::optional<Element> elementByName(StringRef name) {
  for (unsigned i = 0; i < numElements; ++i)
    if (elementName(static_cast<Element>(i)) == name)
      return static_cast<Element>(i);
  return std::nullopt;
}

Type getType(Element element, MLIRContext *context) {
  switch (element) {
  case Element::F16:
    return Float16Type::get(context);
  case Element::BF16:
    return BFloat16Type::get(context);
  case Element::F32:
    return Float32Type::get(context);
  case Element::F64:
    return Float64Type::get(context);
  case Element::TF32:
    return FloatTF32Type::get(context);
  case Element::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case Element::F8E5M2:
    return Float8E5M2Type::get(context);
  case Element::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case Element::F8E5M3FNU:
    return ct::F8E5M3FNUType::get(context);
  case Element::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  default:
    return IntegerType::get(context, bitWidth(element));
  }
}

Element getElement(Type type) {
  std::optional<Element> element = interpreter::elementOf(type);
  assert(element && *element != Element::Pointer && "not a number");
  return *element;
}

uint64_t encode(Element element, double value) {
  bool isUnsigned = element == Element::F8E8M0FNU || element == Element::F8E5M3FNU;
  APFloat number(isUnsigned ? std::fabs(value) : value);
  if (element == Element::F8E5M3FNU)
    return ct::encodeE5M3(number).value_or(0);
  bool losesInfo;
  number.convert(getSemantics(element), APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  return element == Element::TF32 ? bits & ~0x1fffull : bits;
}

uint64_t makeBits(Element element, Contents contents, uint64_t seed) {
  Random random(seed);
  if (contents == Contents::Zero && element != Element::F8E8M0FNU)
    return 0;
  if (contents == Contents::Small) {
    int64_t value = random.between(-4, 4);
    if (isFloat(element))
      return encode(element, static_cast<double>(value == 0 && element == Element::F8E8M0FNU ? 1 : value));
    return static_cast<uint64_t>(value) & mask(element);
  }
  return isFloat(element) ? makeAnyFloat(element, random) : makeAnyInteger(element, random);
}

bool isNan(Element element, uint64_t bits) {
  return isFloat(element) && interpreter::formatOf(element).isNaN(bits);
}

double toDouble(Element element, uint64_t bits) {
  return isFloat(element) ? interpreter::formatOf(element).decode(bits)
                          : static_cast<double>(interpreter::signExtend(bits, element));
}

uint64_t distance(Element element, uint64_t lhs, uint64_t rhs) {
  if (lhs == rhs)
    return 0;
  if (!isFloat(element))
    return lhs > rhs ? lhs - rhs : rhs - lhs;
  bool nan = isNan(element, lhs);
  if (nan != isNan(element, rhs))
    return ~0ull;
  if (nan)
    return 0;
  // Floats of one sign are ordered as their bits are.
  uint64_t sign = (mask(element) >> 1) + 1;
  auto place = [&](uint64_t bits) {
    int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
    return bits & sign ? -magnitude : magnitude;
  };
  int64_t a = place(lhs), b = place(rhs);
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

TypedAttr makeAttribute(Type type, uint64_t bits) {
  Element element = getElement(type);
  if (!isFloat(element))
    return IntegerAttr::get(type, APInt(bitWidth(element), bits & mask(element)));
  if (element == Element::TF32) // its 19 bits are the upper ones of the word
    return FloatAttr::get(type, APFloat(APFloat::FloatTF32(), APInt(19, bits >> 13)));
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  return FloatAttr::get(type, APFloat(format, APInt(bitWidth(element), bits & mask(element))));
}

} // namespace tilewright::programs
