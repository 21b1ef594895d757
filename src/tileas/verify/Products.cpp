// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/verify/Products.h"

#include "layout/memory/MatrixDescriptor.h"
#include "layout/memory/TensorMemory.h"
#include "tileas/ir/MmaAtom.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::F2Space;
using layout::F2Vector;
using layout::LinearLayout;
using layout::MmaOperand;
using layout::tileDim;

namespace {

Type elementOf(Value operand) {
  if (auto buffer = dyn_cast<BufferType>(operand.getType()))
    return buffer.getElementType();
  return getElementTypeOrSelf(operand.getType());
}
unsigned bitsOf(Value operand) {
  return elementOf(operand).getIntOrFloatBitWidth();
}
int64_t depthOf(Value lhs) {
  if (auto buffer = dyn_cast<BufferType>(lhs.getType()))
    return buffer.getShape().back();
  return cast<RankedTensorType>(lhs.getType()).getShape().back();
}

// Of operands, whether by wgmma or tcgen05.
bool isOperandOfWarpgroups(Type type) {
  return isa<Float16Type, BFloat16Type, FloatTF32Type, Float8E4M3FNType, Float8E5M2Type>(type) || type.isInteger(8);
}

// `mn` is the buffer's dimension that is not K.
bool hasDescriptor(BufferType buffer, unsigned mn, layout::OperandBox box) {
  const LinearLayout &shared = buffer.getLayout().getLayout();
  return layout::describeOperand(mn == 0 ? shared : shared.permute({1, 0}),
                                 buffer.getElementType().getIntOrFloatBitWidth(), box)
      .has_value();
}

std::string textOf(AtomAttr atom) {
  std::string text;
  llvm::raw_string_ostream(text) << atom;
  return text;
}

Fault faultOfRegisters(bool legal, StringRef operand) {
  return legal ? "" : ("has " + operand + " whose layout is not what the accumulator needs").str();
}
Fault faultOfDescriptor(bool legal, StringRef operand) {
  return legal ? "" : ("has " + operand + " in a buffer that no descriptor of a matrix can name").str();
}

} // namespace

bool tileas::agrees(const LinearLayout &tile, const LinearLayout &needed) {
  if (tile.basisOf(Dim::Lane) != needed.basisOf(Dim::Lane) || tile.basisOf(Dim::Warp) != needed.basisOf(Dim::Warp))
    return false;
  F2Space span(tile.basisOf(Dim::Register));
  return llvm::all_of(needed.basisOf(Dim::Register), [&](F2Vector basis) { return span.contains(basis); });
}

Fault tileas::faultOfAtom(AtomAttr atom, unsigned elementBits, const nvidia::Architecture &architecture) {
  auto isThis = [&](nvidia::MmaShape shape) {
    return shape.m == atom.getM() && shape.n == atom.getN() && shape.k == atom.getK();
  };
  bool exists = true;
  switch (atom.getKind()) {
  case AtomKind::Fma:
    break;
  case AtomKind::MmaSync:
    exists = llvm::any_of(architecture.mmaShapes(), isThis) &&
             layout::isMmaSync({atom.getM(), atom.getN(), atom.getK(), elementBits});
    break;
  case AtomKind::Wgmma:
    exists = architecture.hasWgmma() && atom.getM() == 64 && atom.getK() * elementBits == 256;
    break;
  case AtomKind::Tcgen05:
    exists = architecture.hasTcgen05();
    break;
  }
  if (exists)
    return "";
  return ("multiplies elements of " + Twine(elementBits) + " bits by " + textOf(atom) + ", which " + architecture.name +
          " does not have")
      .str();
}

Fault tileas::faultOfType(MmaOp mma) {
  Type element = mma.getFormat().value_or(elementOf(mma.getRhs()));
  bool legal = mma.getAtom().getKind() != AtomKind::Wgmma || isOperandOfWarpgroups(element);
  return legal ? "" : "multiplies elements that wgmma does not multiply";
}
Fault tileas::faultOfType(TmemMmaOp mma) {
  bool legal = isOperandOfWarpgroups(mma.getFormat().value_or(mma.getLhs().getType().getElementType()));
  return legal ? "" : "multiplies elements that tcgen05 does not multiply";
}

// Rows and columns of the atom that the tile does not have wrap: their places hold copies.
Fault tileas::faultOfAccumulator(AtomAttr atom, RankedTensorType acc, unsigned elementBits) {
  if (atom.getKind() == AtomKind::Fma)
    return "";
  const LinearLayout &layout = layoutOf(acc);
  LinearLayout own = fragmentLayout(atom, MmaOperand::Accumulator, elementBits);
  unsigned lead = layout.outputs().size() - 2;
  auto wrapped = [&](F2Vector basis, unsigned dim) {
    return own.coordinate(basis, tileDim(dim)) & (layout.outputSize(tileDim(lead + dim)) - 1);
  };
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (auto [bit, basis] : llvm::enumerate(own.basisOf(in))) {
      F2Vector expected =
          layout.outputAt(tileDim(lead), wrapped(basis, 0)) | layout.outputAt(tileDim(lead + 1), wrapped(basis, 1));
      if (bit >= layout.inputBits(in) ? expected != 0 : layout.basisOf(in)[bit] != expected)
        return "has an accumulator whose layout is not that of " + textOf(atom);
    }
  return "";
}

Fault tileas::faultOfOperands(MmaOp mma) {
  AtomAttr atom = mma.getAtom();
  const LinearLayout &acc = layoutOf(mma.getAcc());
  auto lhs = dyn_cast<BufferType>(mma.getLhs().getType()), rhs = dyn_cast<BufferType>(mma.getRhs().getType());
  auto fits = [&](Value operand, MmaOperand which) {
    return agrees(layoutOf(operand), operandLayout(atom, which, acc, depthOf(mma.getLhs()), bitsOf(mma.getLhs())));
  };
  switch (atom.getKind()) {
  case AtomKind::Tcgen05:
    return "multiplies by tcgen05 in registers, expected tileas.tmem_mma";
  case AtomKind::Fma:
    return lhs && rhs ? "" : "has an operand in registers, expected both in buffers: fma reads its operands from there";
  case AtomKind::MmaSync:
    if (Fault fault = faultOfRegisters(lhs || fits(mma.getLhs(), MmaOperand::A), "a left operand"); !fault.empty())
      return fault;
    return faultOfRegisters(rhs || fits(mma.getRhs(), MmaOperand::B), "a right operand");
  case AtomKind::Wgmma:
    break;
  }
  if (!rhs)
    return "has its right operand in registers, expected a buffer: wgmma reads it from there";
  if (Fault fault = faultOfDescriptor(hasDescriptor(rhs, 1, {atom.getN(), atom.getK()}), "a right operand");
      !fault.empty())
    return fault;
  return lhs ? faultOfDescriptor(hasDescriptor(lhs, 0, {atom.getM(), atom.getK()}), "a left operand")
             : faultOfRegisters(fits(mma.getLhs(), MmaOperand::A), "a left operand");
}

Fault tileas::faultOfOperands(ScaledMmaOp mma) {
  AtomAttr atom = mma.getAtom();
  const LinearLayout &acc = layoutOf(mma.getAcc());
  unsigned bits = mma.getFormat().getIntOrFloatBitWidth();
  int64_t depth = depthOf(mma.getLhs()), blocks = depthOf(mma.getLhsScale());
  bool legal = agrees(layoutOf(mma.getLhs()), operandLayout(atom, MmaOperand::A, acc, depth, bits)) &&
               agrees(layoutOf(mma.getRhs()), operandLayout(atom, MmaOperand::B, acc, depth, bits));
  if (!legal)
    return faultOfRegisters(false, "an operand");
  legal = agrees(layoutOf(mma.getLhsScale()), scaleLayout(atom, MmaOperand::A, acc, blocks, bits)) &&
          agrees(layoutOf(mma.getRhsScale()), scaleLayout(atom, MmaOperand::B, acc, blocks, bits));
  return faultOfRegisters(legal, "a scale");
}

Fault tileas::faultOfOperands(TmemMmaOp mma) {
  AtomAttr atom = mma.getAtom();
  if (Fault fault =
          faultOfDescriptor(hasDescriptor(mma.getLhs().getType(), 0, {atom.getM(), atom.getK()}), "a left operand");
      !fault.empty())
    return fault;
  return faultOfDescriptor(hasDescriptor(mma.getRhs().getType(), 1, {atom.getN(), atom.getK()}), "a right operand");
}

Fault tileas::faultOf(MmaWaitOp wait) {
  Type sum = elementOf(wait.getRunning());
  return sum.isF32() || sum.isInteger(32) ? "" : "waits for sums of fewer than 32 bits, which are not left running";
}

Fault tileas::faultOfAccess(RankedTensorType tile, TmemType tmem, int64_t warps) {
  const LinearLayout &memory = tmem.getLayout().getLayout();
  bool legal = warps % 4 == 0 && layout::tensorMemoryPlaces(memory, warps / 4).then(memory) == layoutOf(tile);
  return legal ? "" : "moves a tile whose layout is not that of an access to tensor memory";
}

namespace {

void checkProduct(Verifier &verifier, MmaOp mma) {
  unsigned bits = bitsOf(mma.getLhs());
  if (Fault fault = faultOfAtom(mma.getAtom(), bits, verifier.architecture); !fault.empty())
    return verifier.check(mma, "product-atom", fault);
  verifier.check(mma, "product-type", faultOfType(mma));
  if (mma.getAtom().getKind() != AtomKind::Tcgen05)
    verifier.check(mma, "product-accumulator",
                   faultOfAccumulator(mma.getAtom(), cast<RankedTensorType>(mma.getAcc().getType()), bits));
  verifier.check(mma, "product-operand", faultOfOperands(mma));
}

void checkProduct(Verifier &verifier, ScaledMmaOp mma) {
  unsigned bits = mma.getFormat().getIntOrFloatBitWidth();
  Fault fault = faultOfAtom(mma.getAtom(), bits, verifier.architecture);
  if (fault.empty() && !verifier.architecture.hasBlockScaledMma())
    fault = ("multiplies with scales, which " + verifier.architecture.name + " does not").str();
  if (!fault.empty())
    return verifier.check(mma, "product-atom", fault);
  verifier.check(mma, "product-accumulator",
                 faultOfAccumulator(mma.getAtom(), cast<RankedTensorType>(mma.getAcc().getType()), bits));
  verifier.check(mma, "product-operand", faultOfOperands(mma));
}

void checkProduct(Verifier &verifier, TmemMmaOp mma) {
  unsigned bits = mma.getLhs().getType().getElementType().getIntOrFloatBitWidth();
  if (Fault fault = faultOfAtom(mma.getAtom(), bits, verifier.architecture); !fault.empty())
    return verifier.check(mma, "product-atom", fault);
  verifier.check(mma, "product-type", faultOfType(mma));
  verifier.check(mma, "product-operand", faultOfOperands(mma));
}

} // namespace

void tileas::checkProducts(Verifier &verifier) {
  verifier.function.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<MmaOp, ScaledMmaOp, TmemMmaOp>([&](auto mma) { checkProduct(verifier, mma); })
        .Case([&](MmaWaitOp wait) { verifier.check(wait, "product-wait", faultOf(wait)); })
        .Case<TmemLoadOp, TmemStoreOp>([&](auto access) {
          verifier.check(access, "tmem-access",
                         faultOfAccess(cast<RankedTensorType>(access.getTile().getType()), access.getTmem().getType(),
                                       verifier.warps));
        });
  });
}
