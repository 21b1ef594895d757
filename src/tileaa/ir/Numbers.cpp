// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that arith does not have: formats, and the operations that name them.
#include "tileaa/ir/Numbers.h"
#include "cuda_tile/ir/Types.h"
#include "mlir/IR/Matchers.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright::tileaa;

Type tilewright::tileaa::storageOf(Type format) {
  MLIRContext *context = format.getContext();
  if (isa<FloatTF32Type>(format))
    return Float32Type::get(context);
  if (format.isSignlessInteger(4) || (isa<FloatType>(format) && format.getIntOrFloatBitWidth() <= 8))
    return IntegerType::get(context, 8);
  return format;
}

static constexpr uint64_t none = FloatFormat::none;

const FloatFormat &tilewright::tileaa::describe(Type format) {
  static constexpr FloatFormat f16{10, -14, 0x7BFF, 0x7C00, 0x7E00, 15};
  static constexpr FloatFormat bf16{7, -126, 0x7F7F, 0x7F80, 0x7FC0, 15};
  static constexpr FloatFormat tf32{10, -126, 0x3FBFF, 0x3FC00, 0x3FE00, 18, true, true, false, /*unusedBits=*/13};
  static constexpr FloatFormat f32{23, -126, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 31};
  static constexpr FloatFormat f64{52, -1022, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000, 63};
  static constexpr FloatFormat f8E4M3FN{3, -6, 0x7E, none, 0x7F, 7};
  static constexpr FloatFormat f8E5M2{2, -14, 0x7B, 0x7C, 0x7F, 7, true, true, /*saturates=*/true};
  static constexpr FloatFormat f8E8M0FNU{0, -127, 0xFE, none, 0xFF, 8, /*isSigned=*/false, /*hasZero=*/false};
  static constexpr FloatFormat f8E5M3FNU{3, -14, 0xFE, none, 0xFF, 8, /*isSigned=*/false};
  static constexpr FloatFormat f4E2M1FN{1, 0, 0x7, none, none, 3};
  if (format.isF16())
    return f16;
  if (format.isBF16())
    return bf16;
  if (isa<FloatTF32Type>(format))
    return tf32;
  if (format.isF32())
    return f32;
  if (format.isF64())
    return f64;
  if (isa<Float8E4M3FNType>(format))
    return f8E4M3FN;
  if (isa<Float8E5M2Type>(format))
    return f8E5M2;
  if (isa<Float8E8M0FNUType>(format))
    return f8E8M0FNU;
  if (isa<tilewright::cuda_tile::F8E5M3FNUType>(format))
    return f8E5M3FNU;
  assert(isa<Float4E2M1FNType>(format) && "a format of Tile IR");
  return f4E2M1FN;
}

TypedAttr tilewright::tileaa::store(Attribute number, Type format) {
  Type storage = storageOf(format);
  if (storage == format)
    return cast<TypedAttr>(number);
  APInt bits = isa<IntegerAttr>(number) ? cast<IntegerAttr>(number).getValue()
                                        : cast<FloatAttr>(number).getValue().bitcastToAPInt();
  bits = bits.zext(storage.getIntOrFloatBitWidth());
  auto floatType = dyn_cast<FloatType>(storage);
  if (!floatType)
    return IntegerAttr::get(storage, bits);
  return FloatAttr::get(storage, APFloat(floatType.getFloatSemantics(), bits << describe(format).unusedBits));
}

TypedAttr tilewright::tileaa::paddingOf(Padding padding, Type format) {
  Type storage = storageOf(format);
  uint64_t bits = 0;
  if (isa<FloatType>(format)) {
    const FloatFormat &f = describe(format);
    if (padding == Padding::Nan)
      bits = f.nan == FloatFormat::none ? f.largest : f.nan;
    else if (padding == Padding::PosInf || padding == Padding::NegInf)
      bits = f.hasInfinity() ? f.infinity : f.largest;
    if ((padding == Padding::NegZero || padding == Padding::NegInf) && f.isSigned)
      bits |= uint64_t(1) << f.codeBits;
    bits <<= f.unusedBits;
  }
  APInt value(storage.getIntOrFloatBitWidth(), bits);
  if (auto floatType = dyn_cast<FloatType>(storage))
    return FloatAttr::get(storage, APFloat(floatType.getFloatSemantics(), value));
  return IntegerAttr::get(storage, value);
}

LogicalResult FloatOp::verify() {
  size_t expected = 2;
  switch (getKind()) {
  case FloatKind::Sqrt:
  case FloatKind::Rsqrt:
  case FloatKind::Exp2:
    expected = 1;
    break;
  case FloatKind::Fma:
    expected = 3;
    break;
  default:
    break;
  }
  if (getOperands().size() != expected)
    return emitOpError() << stringifyFloatKind(getKind()) << " has " << getOperands().size() << " operands, expected "
                         << expected;
  bool isRounded = getKind() <= FloatKind::Sqrt;
  Rounding rounding = getRounding();
  if (rounding == Rounding::NearestAway || (rounding != Rounding::NearestEven && !isRounded))
    return emitOpError() << stringifyFloatKind(getKind()) << " does not round by " << stringifyRounding(rounding);
  Type element = getElementTypeOrSelf(getType());
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return emitOpError() << "computes in " << element << ", expected f16, bf16, f32 or f64";
  return success();
}

static LogicalResult verifyFormat(ConvertOp op, StringRef side, Type value, Type format) {
  if (!format.isSignlessInteger() && !isa<FloatType>(format))
    return op.emitOpError() << side << " " << format << ", expected an integer or a float";
  Type element = getElementTypeOrSelf(value);
  if (element != storageOf(format))
    return op.emitOpError() << side << " " << format << " in " << element << ", expected it in " << storageOf(format);
  return success();
}

LogicalResult ConvertOp::verify() {
  if (failed(verifyFormat(*this, "from", getSource().getType(), getFrom())) ||
      failed(verifyFormat(*this, "to", getType(), getTo())))
    return failure();
  if (getFrom().isSignlessInteger() && getTo().isSignlessInteger())
    return emitOpError() << "from " << getFrom() << " to " << getTo() << ", expected a float on one side";
  return success();
}

bool tilewright::tileaa::isZero(Value number) {
  return matchPattern(number, m_AnyZeroFloat()) || matchPattern(number, m_Zero());
}
