// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where two boxes of one array lie to each other, as far as their offsets say.
#include "cpu/place/ViewAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

// A value as another one and a number that is added to it.
static std::pair<Value, int64_t> splitSum(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return {Value(), number.getSExtValue()};
  if (auto assumed = value.getDefiningOp<tileaa::AssumeDivByOp>())
    return splitSum(assumed->getOperand(0));
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getIn().getType().getIntOrFloatBitWidth() >= 32)
    return splitSum(cast.getIn());
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || !matchPattern(sum.getRhs(), m_ConstantInt(&number)))
    return {value, 0};
  auto [start, others] = splitSum(sum.getLhs());
  return {start, others + number.getSExtValue()};
}

// Whether an index that grows by one makes the start of a tile step over just that tile.
static bool stepsOver(Value start, int64_t extent) {
  auto product = start ? start.getDefiningOp<arith::MulIOp>() : nullptr;
  APInt factor;
  return product && matchPattern(product.getRhs(), m_ConstantInt(&factor)) ? factor.getSExtValue() == extent
                                                                           : start && extent == 1;
}

bool ViewAccess::trails(const ViewAccess &other) const {
  tileaa::ViewType type = view.getResult().getType(), otherType = other.view.getResult().getType();
  if (type.getElementType() != otherType.getElementType() || type.getStrides() != otherType.getStrides() ||
      view.getDynamicStrides() != other.view.getDynamicStrides() || tileShape != other.tileShape ||
      dimMap != other.dimMap)
    return false;
  // Arguments share their extents only where they are views of one array.
  if (view.getBase() != other.view.getBase() &&
      (view.getDynamicShape().empty() || view.getDynamicShape() != other.view.getDynamicShape()))
    return false;
  for (auto [viewDim, mine, others] : llvm::enumerate(offsets, other.offsets)) {
    auto [start, number] = splitSum(mine);
    auto [otherStart, otherNumber] = splitSum(others);
    const int64_t *tileDim = llvm::find(dimMap, viewDim);
    int64_t extent = tileDim == dimMap.end() ? 1 : tileShape[tileDim - dimMap.begin()];
    if (start != otherStart || (std::abs(number - otherNumber) >= extent && !stepsOver(start, extent)))
      return false;
  }
  return true;
}

// Sums of 32 bits may wrap around, but not one of two that both lie inside: the other one would be 2^32 away.
std::optional<int64_t> ViewAccess::bytesBehind(const ViewAccess &other) const {
  tileaa::ViewType type = view.getResult().getType(), otherType = other.view.getResult().getType();
  if (type.getElementType() != otherType.getElementType() || type.getStrides() != otherType.getStrides() ||
      view.getDynamicStrides() != other.view.getDynamicStrides() || dimMap != other.dimMap)
    return std::nullopt;
  auto [base, bytes] = splitSum(view.getBase());
  auto [otherBase, otherBytes] = splitSum(other.view.getBase());
  if (base != otherBase)
    return std::nullopt;
  int64_t elements = 0;
  for (auto [stride, mine, others] : llvm::zip_equal(type.getStrides(), offsets, other.offsets)) {
    auto [start, number] = splitSum(mine);
    auto [otherStart, otherNumber] = splitSum(others);
    if (start != otherStart || (number != otherNumber && ShapedType::isDynamic(stride)))
      return std::nullopt;
    elements += (number - otherNumber) * stride;
  }
  return bytes - otherBytes + elements * elementBytes();
}
