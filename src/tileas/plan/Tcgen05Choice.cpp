// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/Tcgen05Choice.h"

#include "layout/memory/MatrixDescriptor.h"
#include "layout/memory/TensorMemory.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/plan/WgmmaChoice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::LinearLayout;

namespace {

// PTX ISA 9.7.16.2.1, shapes of tcgen05.mma by one block.
constexpr int64_t fewestRows = 64, mostRows = 128, widestAtom = 256, bytesOfDepth = 32, warpsOfGroup = 4;
constexpr int64_t mostRegisters = 128; // of a thread's part of the accumulator; the rest is for other values
constexpr int64_t leastColumns = 32;   // that can be taken

bool isMultiplied(tileaa::MmaOp mma, Type lhs, Type acc, const nvidia::Architecture &architecture) {
  if (std::optional<Type> format = mma.getFormat())
    return acc.isF32() && isa<FloatTF32Type, Float8E4M3FNType, Float8E5M2Type>(*format);
  if (lhs.isInteger(8))
    return acc.isInteger(32) && architecture.has(nvidia::Feature::Tcgen05Int8);
  return (lhs.isF16() || lhs.isBF16()) && acc.isF32();
}

// Sums that are loaded and stored again in every iteration are better in registers.
bool staysInTensorMemory(tileaa::MmaOp mma) {
  if (loopOfSums(mma, mma.getAcc()))
    return true;
  return !mma->getParentOfType<LoopLikeOpInterface>() && tileaa::isZero(mma.getAcc());
}

} // namespace

scf::ForOp tileas::loopOfSums(Operation *mma, Value acc) {
  auto argument = dyn_cast<BlockArgument>(acc);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop || mma->getBlock() != loop.getBody() || argument.getArgNumber() == 0 || !argument.hasOneUse() ||
      !mma->getResult(0).hasOneUse() || loop.getYieldedValues()[argument.getArgNumber() - 1] != mma->getResult(0))
    return {};
  return loop;
}

LinearLayout tileas::tmemLayout(ArrayRef<int64_t> shape) {
  return layout::tensorMemoryTile(shape[0], shape[1]);
}

int64_t tileas::tmemColumns(ArrayRef<int64_t> shape) {
  return std::max(leastColumns, shape[1] * std::max<int64_t>(1, shape[0] / mostRows));
}

std::optional<MmaChoice> tileas::chooseTcgen05(tileaa::MmaOp mma, const nvidia::Architecture &architecture,
                                               int64_t warps, std::optional<SmallVector<unsigned>> lhsOrder,
                                               std::optional<SmallVector<unsigned>> rhsOrder, int64_t columns) {
  auto lhs = cast<RankedTensorType>(mma.getLhs().getType()), rhs = cast<RankedTensorType>(mma.getRhs().getType());
  auto acc = cast<RankedTensorType>(mma.getAcc().getType());
  Type element = lhs.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (!architecture.hasTcgen05() || acc.getRank() != 2 || warps % warpsOfGroup != 0 ||
      element != rhs.getElementType() || !isMultiplied(mma, element, acc.getElementType(), architecture) ||
      !staysInTensorMemory(mma))
    return std::nullopt;
  int64_t m = acc.getDimSize(0), n = acc.getDimSize(1), k = lhs.getDimSize(1), depth = bytesOfDepth * 8 / bits;
  if (!llvm::isPowerOf2_64(m) || !llvm::isPowerOf2_64(n) || !llvm::isPowerOf2_64(k) || m < fewestRows ||
      n < (m == fewestRows ? 8 : 16) || k < depth || tmemColumns(acc.getShape()) > columns)
    return std::nullopt;
  if ((m + n) * k * bits / 8 > architecture.sharedBytesPerBlock())
    return std::nullopt; // both operands are read from shared memory; in registers they are split instead
  if (!lhsOrder)
    lhsOrder = SmallVector<unsigned>{1, 0};
  if (!rhsOrder)
    rhsOrder = takesAnyOrder(element) ? SmallVector<unsigned>{1, 0} : SmallVector<unsigned>{0, 1};
  // Of 8 bits and tf32 in another order the swizzles would need units of 32 bytes, PTX ISA 9.7.16.10.6.
  if (!takesAnyOrder(element) && ((*lhsOrder)[0] != 1 || (*rhsOrder)[0] != 0))
    return std::nullopt;

  // Warpgroups share the columns.
  int64_t groups = warps / warpsOfGroup, height = std::min(m, mostRows), width = std::min(n, widestAtom);
  int64_t columnsOfGroup = m / height * n / groups;
  if (columnsOfGroup < 8 || m * n / (warps * 32) > mostRegisters)
    return std::nullopt;
  auto lhsLayout = operandInMemory(lhs, *lhsOrder), rhsLayout = operandInMemory(rhs, *rhsOrder);
  if (!lhsLayout || !rhsLayout || !layout::describeOperand(*lhsLayout, bits, {height, depth}) ||
      !layout::describeOperand(rhsLayout->permute({1, 0}), bits, {width, depth}))
    return std::nullopt;
  return MmaChoice{AtomAttr::get(mma.getContext(), AtomKind::Tcgen05, height, width, depth),
                   layout::tensorMemoryRegisters(tmemLayout(acc.getShape()), groups),
                   *lhsLayout,
                   *rhsLayout,
                   /*lhsInBuffer=*/true,
                   /*rhsInBuffer=*/true};
}
