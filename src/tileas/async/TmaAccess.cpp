// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/TmaAccess.h"

#include "layout/Distributed.h"
#include "tileaa/analysis/Divisor.h"
#include "tileaa/ir/Hints.h"
#include "tileas/async/LaunchValue.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/WgmmaChoice.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// CUDA driver API, cuTensorMapEncodeTiled.
constexpr int64_t longestBox = 256, alignment = 16, mostDims = 5;

} // namespace

std::optional<TmaAccess> tileas::describeTmaAccess(Operation *access, Value view, ArrayRef<int64_t> dimMap,
                                                   ArrayRef<int64_t> shape, std::string &why) {
  auto type = cast<tileaa::ViewType>(view.getType());
  auto make = view.getDefiningOp<tileaa::MakeViewOp>();
  auto refuse = [&](const char *reason) {
    why = reason;
    return std::nullopt;
  };
  if (!mayUseTma(access))
    return refuse(tileaa::mayUseTma(access) ? "the plan file forbids it" : "the hint allow_tma forbids it");
  if (!make || !llvm::all_of(make->getOperands(), [](Value part) { return launchValueOf(part).has_value(); }))
    return refuse("the array is not described by parameters of the kernel");
  if (type.getRank() > mostDims)
    return refuse("the array has more than five dimensions");
  int64_t bits = type.getElementType().getIntOrFloatBitWidth(), bytes = bits / 8;
  if (bits < 8)
    return refuse("its elements are smaller than a byte");
  if (tileaa::knownDivisor(make.getBase()) % alignment != 0)
    return refuse("its address is not known to be a multiple of 16 bytes");
  std::optional<unsigned> contiguous;
  size_t dynamic = 0;
  for (auto [dim, stride] : llvm::enumerate(type.getStrides())) {
    int64_t divisor =
        ShapedType::isDynamic(stride) ? tileaa::knownDivisor(make.getDynamicStrides()[dynamic++]) : stride;
    if (stride == 1 && !contiguous)
      contiguous = dim;
    else if (divisor * bytes % alignment != 0)
      return refuse("a stride is not known to be a multiple of 16 bytes");
  }
  // The launcher's order of dimensions is that of the view.
  if (!contiguous || *contiguous + 1 != type.getRank())
    return refuse("its elements are not contiguous along the last dimension");
  auto inner = llvm::find(dimMap, int64_t(*contiguous));
  if (inner == dimMap.end())
    return refuse("the tile does not run along the contiguous dimension");
  unsigned innerDim = inner - dimMap.begin();
  auto mode = widestSwizzle(shape[innerDim] * bytes);
  if (!mode)
    return refuse("the bytes of a row of the tile are no multiple of 32");

  SmallVector<unsigned> order = layout::rowMajorOrder(shape.size());
  llvm::erase(order, innerDim);
  order.insert(order.begin(), innerDim);
  TmaAccess found{SmallVector<int64_t>(type.getRank(), 1), *contiguous, shape[innerDim] * bytes / layout::spanOf(*mode),
                  *mode, layout::tmaTile(shape, order, *mode, bits)};
  for (auto [dim, viewDim] : llvm::enumerate(dimMap)) {
    found.box[viewDim] = dim == innerDim ? layout::spanOf(*mode) / bytes : shape[dim];
    if (found.box[viewDim] > longestBox)
      return refuse("a box would have more than 256 elements along a dimension");
  }
  return found;
}

void tileas::hoistView(Value view, func::FuncOp function) {
  Block &body = function.getBody().front();
  Operation *before = body.findAncestorOpInBlock(*view.getDefiningOp());
  auto hoist = [&](auto &&self, Value value) -> void {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() == &body)
      return;
    for (Value operand : op->getOperands())
      self(self, operand);
    op->moveBefore(before);
  };
  hoist(hoist, view);
}

bool tileas::multipliesInLoop(func::FuncOp function) {
  auto result = function.walk([&](Operation *op) {
    auto mma = dyn_cast<MmaOp>(op);
    bool multiplies = isa<TmemMmaOp>(op) || (mma && isByWarpgroups(mma));
    return multiplies && op->getParentOfType<LoopLikeOpInterface>() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
