// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/ViewAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

void tilewright::lowerMakeView(tileaa::MakeViewOp make, TileRegisters &tiles) {
  SmallVector<Value> parts{make.getBase()};
  llvm::append_range(parts, make.getDynamicShape());
  llvm::append_range(parts, make.getDynamicStrides());
  tiles.set(make, parts);
}

void tilewright::lowerViewBase(tileaa::ViewBaseOp base, TileRegisters &tiles) {
  base.replaceAllUsesWith(tiles.get(base.getView())[0]);
}

void tilewright::lowerViewDim(tileaa::ViewDimOp dim, TileRegisters &tiles) {
  ArrayRef<int64_t> shape = dim.getView().getType().getShape();
  int64_t known = shape[dim.getDim()];
  Value result = ShapedType::isDynamic(known)
                     ? tiles.get(dim.getView())[1 + llvm::count(shape.take_front(dim.getDim()), ShapedType::kDynamic)]
                     : tiles.constant(tiles.builder.getIndexType(), known);
  dim.replaceAllUsesWith(result);
}

void tilewright::lowerViewStride(tileaa::ViewStrideOp stride, TileRegisters &tiles) {
  tileaa::ViewType type = stride.getView().getType();
  ArrayRef<int64_t> strides = type.getStrides();
  int64_t known = strides[stride.getDim()];
  Value result =
      ShapedType::isDynamic(known)
          ? tiles.get(stride.getView())[1 + type.getNumDynamicDims() +
                                        llvm::count(strides.take_front(stride.getDim()), ShapedType::kDynamic)]
          : tiles.constant(tiles.builder.getIndexType(), known);
  stride.replaceAllUsesWith(result);
}

LogicalResult tilewright::lowerLoadView(tileaa::LoadViewOp load, TileRegisters &tiles) {
  Type element = getElementTypeOrSelf(load.getTile().getType());
  ViewAccess access({load.getView(), load.getOffsets(), load.getDimMap(), load.getInbounds(), load.getTile().getType()},
                    tiles);
  access.remark(load);
  Value padding;
  if (auto name = load.getPadding(); name && *name != "zero")
    padding = arith::ConstantOp::create(tiles.builder, tiles.loc,
                                        tileaa::getSpecial(*name, load.getFormat().value_or(element)));
  SmallVector<Value> registers(tiles.typesOf(load.getTile().getType()).size());
  for (unsigned start : access.starts()) {
    Value inside = access.isInside(start);
    SmallVector<Value> loaded =
        loadGlobal(access.pointer(start), element, access.width(), access.alignment(), inside, tiles);
    for (auto [reg, value] : llvm::zip_equal(access.registersFrom(start), loaded))
      registers[reg] = inside && padding
                           ? arith::SelectOp::create(tiles.builder, tiles.loc, inside, value, padding).getResult()
                           : value;
  }
  if (isa<RankedTensorType>(load.getTile().getType()))
    tiles.set(load.getTile(), registers);
  else
    load.getTile().replaceAllUsesWith(registers[0]);
  return success();
}

LogicalResult tilewright::lowerStoreView(tileaa::StoreViewOp store, TileRegisters &tiles) {
  Type type = store.getTile().getType();
  ViewAccess access({store.getView(), store.getOffsets(), store.getDimMap(), store.getInbounds(), type}, tiles);
  access.remark(store);
  SmallVector<Value> registers = tiles.get(store.getTile());
  auto tile = dyn_cast<RankedTensorType>(type);
  Value original = tile ? tiles.holdsOriginal(tileas::layoutOf(tile)) : tiles.isFirstThread();
  uint64_t copies = tile ? tileas::layoutOf(tile).redundantBits(layout::Dim::Register) : 0;
  for (unsigned start : access.starts()) {
    if (start & copies)
      continue;
    SmallVector<Value> values;
    for (unsigned reg : access.registersFrom(start))
      values.push_back(registers[reg]);
    Value inside = access.isInside(start);
    if (original)
      inside = inside ? arith::AndIOp::create(tiles.builder, tiles.loc, inside, original).getResult() : original;
    storeGlobal(values, access.pointer(start), access.alignment(), inside, tiles);
  }
  return success();
}
