// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/WgmmaChoice.h"

#include "layout/Distributed.h"
#include "layout/memory/MatrixDescriptor.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/ir/RegisterPool.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::LinearLayout;
using layout::SwizzleMode;

namespace {

constexpr int64_t rowsOfAtom = 64, widestAtom = 256, bytesOfDepth = 32, warpsOfGroup = 4;
constexpr int64_t mostRegisters = 128; // of a thread's accumulator; the rest is for other values

bool isMultiplied(tileaa::MmaOp mma, Type lhs, Type acc) {
  if (std::optional<Type> format = mma.getFormat())
    return acc.isF32() && isa<FloatTF32Type, Float8E4M3FNType, Float8E5M2Type>(*format);
  if (lhs.isInteger(8))
    return acc.isInteger(32);
  return (lhs.isF16() && (acc.isF32() || acc.isF16())) || (lhs.isBF16() && acc.isF32());
}

} // namespace

std::optional<SwizzleMode> tileas::widestSwizzle(int64_t rowBytes) {
  for (SwizzleMode mode : {SwizzleMode::B128, SwizzleMode::B64, SwizzleMode::B32})
    if (rowBytes % layout::spanOf(mode) == 0)
      return mode;
  return std::nullopt;
}

bool tileas::takesAnyOrder(Type element) {
  return element.isF16() || element.isBF16();
}

std::optional<LinearLayout> tileas::operandInMemory(RankedTensorType tile, ArrayRef<unsigned> order) {
  unsigned bits = tile.getElementTypeBitWidth();
  auto mode = widestSwizzle(tile.getDimSize(order[0]) * bits / 8);
  if (!mode)
    return std::nullopt;
  return layout::tmaTile(tile.getShape(), order, *mode, bits);
}

std::optional<MmaChoice> tileas::chooseWgmma(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps,
                                             std::optional<SmallVector<unsigned>> lhsOrder,
                                             std::optional<SmallVector<unsigned>> rhsOrder) {
  auto lhs = cast<RankedTensorType>(mma.getLhs().getType()), rhs = cast<RankedTensorType>(mma.getRhs().getType());
  auto acc = cast<RankedTensorType>(mma.getAcc().getType());
  Type element = lhs.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (!architecture.hasWgmma() || acc.getRank() != 2 || warps % warpsOfGroup != 0 || element != rhs.getElementType() ||
      !isMultiplied(mma, element, acc.getElementType()))
    return std::nullopt;
  int64_t m = acc.getDimSize(0), n = acc.getDimSize(1), k = lhs.getDimSize(1), depth = bytesOfDepth * 8 / bits;
  if (!llvm::isPowerOf2_64(m) || !llvm::isPowerOf2_64(n) || !llvm::isPowerOf2_64(k) || m < rowsOfAtom || n < 8 ||
      k < depth)
    return std::nullopt;
  if (!rhsOrder)
    rhsOrder = takesAnyOrder(element) ? SmallVector<unsigned>{1, 0} : SmallVector<unsigned>{0, 1};
  if (!takesAnyOrder(element) && ((lhsOrder && (*lhsOrder)[0] != 1) || (*rhsOrder)[0] != 0))
    return std::nullopt;

  // Warpgroups along M as long as each has rows, then along N.
  int64_t groups = warps / warpsOfGroup, groupsM = std::min(groups, m / rowsOfAtom), groupsN = groups / groupsM;
  if (n % (groupsN * 8) != 0 || m * n / (warps * layout::kLanes) > mostRegisters)
    return std::nullopt;
  // Where partial sums are kept apart, a thread has them beside those of the whole tile.
  int64_t width =
      std::min(addsByParts(mma.getFormat().value_or(element), acc.getElementType(), mma.getFastAcc()) ? widestAtom / 2
                                                                                                      : widestAtom,
               n / groupsN);
  while (width > 8 && width / 2 > registersForSums(warps))
    width /= 2;

  auto rhsLayout = operandInMemory(rhs, *rhsOrder);
  if (!rhsLayout || !layout::describeOperand(rhsLayout->permute({1, 0}), bits, {width, depth}))
    return std::nullopt;
  auto atom = AtomAttr::get(mma.getContext(), AtomKind::Wgmma, rowsOfAtom, width, depth);
  LinearLayout accLayout =
      layout::mmaTile(layout::MmaOperand::Accumulator, {{rowsOfAtom, width, depth, bits}, groupsM, groupsN, m, n, k});
  if (!lhsOrder)
    return MmaChoice{atom,
                     accLayout,
                     operandLayout(atom, layout::MmaOperand::A, accLayout, k, bits),
                     *rhsLayout,
                     /*lhsInBuffer=*/false,
                     /*rhsInBuffer=*/true};
  auto lhsLayout = operandInMemory(lhs, *lhsOrder);
  if (!lhsLayout || !layout::describeOperand(*lhsLayout, bits, {rowsOfAtom, depth}))
    return std::nullopt;
  return MmaChoice{atom, accLayout, *lhsLayout, *rhsLayout, /*lhsInBuffer=*/true, /*rhsInBuffer=*/true};
}
