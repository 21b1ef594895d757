// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of memory: how they are made, and what they say of themselves.
#include "interpreter/ViewTile.h"

#include "interpreter/Handlers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

// Extents or strides: those of the type, with operands for the dynamic ones.
Index fillDynamic(Context &context, llvm::ArrayRef<int64_t> known, ValueRange dynamic) {
  Index result;
  auto next = dynamic.begin();
  for (int64_t value : known)
    result.push_back(ShapedType::isDynamic(value) ? context.integer(*next++) : value);
  return result;
}

llvm::Error handleTensorView(cuda_tile::MakeTensorViewOp op, Context &context) {
  cuda_tile::TensorViewType type = op.getResult().getType();
  TensorView view;
  view.base = context.tile(op.getBase()).scalarBits();
  view.element = *elementOf(type.getElementType());
  view.shape = fillDynamic(context, type.getShape(), op.getDynamicShape());
  view.strides = fillDynamic(context, type.getStrides(), op.getDynamicStrides());
  for (auto [dim, extent] : llvm::enumerate(view.shape))
    if (extent < 0)
      context.violated(op, Violation::Shape,
                       "the extent of dimension " + llvm::Twine(dim) + " is " + llvm::Twine(extent) +
                           ", expected 0 or more");
  context.set(op.getResult(), std::move(view));
  return llvm::Error::success();
}

template <typename Op> llvm::Error handleTileView(Op op, Context &context) {
  context.set(op.getResult(), TileView{std::get<TensorView>(context.frame.get(op.getTensorView())),
                                       llvm::cast<cuda_tile::TileView>(op.getResult().getType())});
  return llvm::Error::success();
}

void setIntegers(Context &context, ResultRange results, llvm::ArrayRef<int64_t> values) {
  for (auto [result, value] : llvm::zip_equal(results, values)) {
    Element element = *elementOf(llvm::cast<cuda_tile::TileType>(result.getType()).getElementType());
    context.set(result, Tile::scalar(element, truncate(value, element)));
  }
}

llvm::Error handleTensorShape(cuda_tile::GetTensorShapeOp op, Context &context) {
  setIntegers(context, op->getResults(), std::get<TensorView>(context.frame.get(op.getSrc())).shape);
  return llvm::Error::success();
}

llvm::Error handleIndexSpaceShape(cuda_tile::GetIndexSpaceShapeOp op, Context &context) {
  const auto &view = std::get<TileView>(context.frame.get(op.getSrc()));
  setIntegers(context, op->getResults(), indexSpace(view));
  return llvm::Error::success();
}

} // namespace

ViewGrid gridOf(cuda_tile::TileView type) {
  ViewGrid grid;
  if (auto partition = llvm::dyn_cast<cuda_tile::PartitionViewType>(type)) {
    llvm::append_range(grid.steps, partition.getTileShape());
    llvm::append_range(grid.dims, partition.getDimMap());
  } else if (auto strided = llvm::dyn_cast<cuda_tile::StridedViewType>(type)) {
    llvm::append_range(grid.steps, strided.getTraversalStrides());
    llvm::append_range(grid.dims, strided.getDimMap());
  } else {
    auto gather = llvm::cast<cuda_tile::GatherScatterViewType>(type);
    grid.steps.assign(gather.getTileShape().size(), 1);
    llvm::append_range(grid.dims, llvm::seq<int64_t>(0, gather.getTileShape().size()));
    grid.sparseDim = gather.getSparseDim();
  }
  return grid;
}

Index indexSpace(const TileView &view) {
  ViewGrid grid = gridOf(view.type);
  Index space;
  for (auto [step, dim] : llvm::zip_equal(grid.steps, grid.dims))
    space.push_back(llvm::divideCeilSigned(view.tensor.shape[dim], step));
  return space;
}

ViewTile::ViewTile(Operation *op, Context &context, mlir::Value viewValue, ValueRange indices,
                   llvm::ArrayRef<bool> inbounds)
    : view(std::get<TileView>(context.frame.get(viewValue))),
      shape(view.type.getTileShape().begin(), view.type.getTileShape().end()) {
  ViewGrid grid = gridOf(view.type);
  Index space = indexSpace(view);
  for (auto [dim, value] : llvm::enumerate(indices)) {
    const Tile &index = context.tile(value);
    bool isSparse = grid.sparseDim == static_cast<int64_t>(dim);
    Axis &axis = axes.emplace_back();
    int64_t extent = view.tensor.shape[grid.dims[dim]];
    axis.stride = view.tensor.strides[grid.dims[dim]];
    bool leaves = false;
    for (int64_t i = 0; i < shape[dim]; ++i) {
      // Coordinates wrap: values beyond 64 bits are undefined.
      uint64_t first = static_cast<uint64_t>(signExtend(index.bits[index.size() == 1 ? 0 : i], index.element));
      int64_t at = first * grid.steps[dim] + (isSparse ? 0 : i);
      axis.coordinates.push_back(at);
      axis.isInside.push_back(at >= 0 && at < extent);
      leaves |= !axis.isInside.back();
    }
    if (!context.monitor)
      continue;
    int64_t first = index.scalarInt();
    if (!grid.sparseDim && (first < 0 || first >= space[dim]))
      context.violated(op, Violation::IndexSpace,
                       "index " + llvm::Twine(first) + " in dimension " + llvm::Twine(dim) + " of the view, " +
                           (space[dim] > 0 ? "expected 0 to " + llvm::Twine(space[dim] - 1)
                                           : llvm::Twine("whose index space is empty")));
    else if (leaves && dim < inbounds.size() && inbounds[dim])
      context.violated(op, Violation::Inbounds,
                       "the tile leaves the tensor in dimension " + llvm::Twine(dim) +
                           " of the view, contrary to 'inbounds'");
  }
}

void registerViewOps(HandlerTable &table) {
  table.add<handleTensorView>();
  table.add<handleTileView<cuda_tile::MakePartitionViewOp>>();
  table.add<handleTileView<cuda_tile::MakeStridedViewOp>>();
  table.add<handleTileView<cuda_tile::MakeGatherScatterViewOp>>();
  table.add<handleTensorShape>();
  table.add<handleIndexSpaceShape>();
}

} // namespace tilewright::interpreter
