// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants. APFloat has tf32 with 19 bits, an element with the 32 of an f32.
#include "interpreter/Constants.h"

#include "interpreter/Handlers.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

Bits bitsOf(APFloat number, Element element) {
  if (element == Element::TF32) {
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  }
  return number.bitcastToAPInt().getZExtValue();
}

llvm::Error handleConstant(cuda_tile::ConstantOp op, Context &context) {
  context.set(op.getResult(), constantTile(op.getValue()));
  return llvm::Error::success();
}

} // namespace

Tile constantTile(DenseElementsAttr attribute) {
  Tile tile(llvm::cast<cuda_tile::TileType>(attribute.getType()));
  if (isFloat(tile.element)) {
    for (auto [bits, number] : llvm::zip(tile.bits, attribute.getValues<APFloat>()))
      bits = bitsOf(number, tile.element);
  } else {
    for (auto [bits, number] : llvm::zip(tile.bits, attribute.getValues<APInt>()))
      bits = number.getZExtValue();
  }
  return tile;
}

Bits constantBits(Attribute number, Element element) {
  if (auto real = llvm::dyn_cast<FloatAttr>(number))
    return bitsOf(real.getValue(), element);
  return truncate(llvm::cast<IntegerAttr>(number).getValue().getSExtValue(), element);
}

void registerConstantOps(HandlerTable &table) {
  table.add<handleConstant>();
}

} // namespace tilewright::interpreter
