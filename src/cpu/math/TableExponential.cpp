// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// e^x and 2^x of f32 on vectors of 512 bits. The exponent is split into n, a multiple of 1/16 that is not above it, and
// what is left:
//
//   e^2 = 2^2.875 * e^0.0072  =  2^2 * T[14] * (1 + q(0.0072))   with T[i] = 2^(i/16) in one register
//
// So short a remainder wants a cubic, vpermps takes its index from the low bits of the sum that made n a multiple, and
// vscalefps takes the whole part of n itself: 11 instructions for 16 elements.
//
// The remainder is not negative, however large x is, so that what comes of a meaningless one is positive and goes to
// infinity with 2^n; that is why the sums round down. Of infinity it is a NaN, and vscalefps makes infinity of a NaN
// and an infinite n. Nothing has to be clamped.
#include "cpu/math/ExpandMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

constexpr int64_t lanesOfRegister = 16;

// The rounding of an instruction, as its intrinsic's last operand says it.
enum Rounding : int32_t { AsSet = 4, Down = 9 };

// A sum with it is a multiple of 1/16.
constexpr double sixteenths = 0x1.8p19;

// (e^r - 1 - r) / r^2 for r up to ln 2 / 16, and (2^r - 1 - r ln 2) / r^2 for r up to 1/16: e^r and 2^r to 2.8e-9.
constexpr double expTail[] = {0.4999541804415387, 0.16951032270740418};
constexpr double exp2Tail[] = {0.24020439996176784, 0.05645214616531957};
constexpr double ln2 = 0.6931471805599453, log2e = 1.4426950408889634;

// One register's part of the intrinsics' work.
class Register {
public:
  Register(const Arithmetic &a, int64_t at)
      : a(a), at(at), type(VectorType::get({lanesOfRegister}, getElementTypeOrSelf(a.type))) {}

  Value of(Value vector) const {
    return vector::ExtractStridedSliceOp::create(a.builder, a.loc, vector, at, lanesOfRegister, 1);
  }

  Value call(StringRef intrinsic, ValueRange operands) const {
    return LLVM::CallIntrinsicOp::create(a.builder, a.loc, type, a.builder.getStringAttr(intrinsic), operands)
        .getResult(0);
  }

  Value rounding(Rounding kind) const {
    return arith::ConstantOp::create(a.builder, a.loc, a.builder.getI32IntegerAttr(kind));
  }

  const Arithmetic &a;
  int64_t at;
  VectorType type;
};

// The vector whose registers `make` gives.
Value byRegisters(const Arithmetic &a, llvm::function_ref<Value(const Register &)> make) {
  auto type = cast<VectorType>(a.type);
  Value result = ub::PoisonOp::create(a.builder, a.loc, type);
  for (int64_t at = 0; at < type.getDimSize(0); at += lanesOfRegister)
    result = vector::InsertStridedSliceOp::create(a.builder, a.loc, make(Register(a, at)), result,
                                                  ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1});
  return result;
}

Value fmaDown(const Arithmetic &a, Value x, Value y, Value z) {
  return byRegisters(a, [&](const Register &part) {
    return part.call("llvm.x86.avx512.vfmadd.ps.512", {part.of(x), part.of(y), part.of(z), part.rounding(Down)});
  });
}

Value addDown(const Arithmetic &a, Value x, Value y) {
  return byRegisters(a, [&](const Register &part) {
    return part.call("llvm.x86.avx512.add.ps.512", {part.of(x), part.of(y), part.rounding(Down)});
  });
}

// 2^(i/16) where i are the low four bits of a lane.
Value powerOfSixteenths(const Arithmetic &a, Value index) {
  return byRegisters(a, [&](const Register &part) {
    SmallVector<float> powers;
    for (int i = 0; i < lanesOfRegister; ++i)
      powers.push_back(std::exp2(i / 16.0));
    Value table = arith::ConstantOp::create(a.builder, a.loc, DenseElementsAttr::get(part.type, ArrayRef(powers)));
    return part.call("llvm.x86.avx512.permvar.sf.512", {table, part.of(index)});
  });
}

} // namespace

bool cpu::WideVectorFunctions::scalesInOne(const Arithmetic &a) const {
  auto type = dyn_cast<VectorType>(a.type);
  return type && type.getRank() == 1 && type.getElementType().isF32() && type.getDimSize(0) % lanesOfRegister == 0;
}

Value cpu::WideVectorFunctions::scale(const Arithmetic &a, Value x, Value n, Value counts) const {
  // A product that rounds to zero takes the processor some 150 cycles (an attention kernel's masked scores spent a
  // seventeenth of its time there): those lanes are zero without it, whatever x is in them.
  if (!counts)
    counts = a.compare(arith::CmpFPredicate::UGE, n, -150);
  return byRegisters(a, [&](const Register &part) {
    Value zeros = arith::ConstantOp::create(a.builder, a.loc, a.builder.getZeroAttr(part.type));
    Value bits =
        vector::BitCastOp::create(a.builder, a.loc, VectorType::get({1}, a.builder.getI16Type()), part.of(counts));
    Value mask = vector::ExtractOp::create(a.builder, a.loc, bits, ArrayRef<int64_t>{0});
    return part.call("llvm.x86.avx512.mask.scalef.ps.512", {part.of(x), part.of(n), zeros, mask, part.rounding(AsSet)});
  });
}

Value cpu::WideVectorFunctions::exponential(const Arithmetic &a, Value x, bool natural, Value counts) const {
  Value base = a.constant(sixteenths);
  // log2 e as an f32 is below log2 e.
  Value sum = natural ? fmaDown(a, x, a.constant(log2e), base) : addDown(a, x, base);
  Value n = addDown(a, sum, a.constant(-sixteenths));
  // Not zero, so that the square of a tiny remainder is no subnormal number, which would take the processor long.
  Value tiny = a.constant(0x1p-80);
  Value q;
  if (natural) {
    // ln 2 in two parts, the first with enough trailing zeros that n times it is exact.
    constexpr double high = 0.693359375;
    Value r = a.fma(n, a.constant(high - ln2), a.fma(n, a.constant(-high), x));
    q = a.fma(a.fma(r, r, tiny), a.polynomial(r, expTail), r);
  } else {
    Value r = a.sub(x, n);
    double coefficients[] = {ln2, exp2Tail[0], exp2Tail[1]};
    q = a.mul(r, a.polynomial(r, coefficients));
  }
  Value power = powerOfSixteenths(a, a.bits(sum));
  return scale(a, a.fma(power, q, power), n, counts);
}
