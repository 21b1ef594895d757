// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the kernel's own: globals and what lives as long as a block.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

/// The elements as they lie in memory: little endian, two of four bits to a byte, low bits first, the others each in a
/// whole number of bytes.
static std::string getBytes(DenseElementsAttr elements) {
  std::string bytes;
  bool isHalf = ct::getElementBitWidth(elements.getElementType()) == 4, isSecond = false;
  for (Attribute element : elements.getValues<Attribute>()) {
    TypedAttr stored = aa::store(element, elements.getElementType());
    auto number = dyn_cast<FloatAttr>(stored);
    APInt bits = number ? number.getValue().bitcastToAPInt() : cast<IntegerAttr>(stored).getValue();
    if (isSecond)
      bytes.back() |= static_cast<char>(bits.getLoBits(4).getZExtValue() << 4);
    else
      for (unsigned at = 0; at < bits.getBitWidth(); at += 8)
        bytes.push_back(static_cast<char>(bits.extractBitsAsZExtValue(std::min(8u, bits.getBitWidth() - at), at)));
    isSecond = isHalf && !isSecond;
  }
  return bytes;
}

void tilewright::moveGlobal(ct::GlobalOp global, OpBuilder &builder) {
  int64_t natural = getByteSize(global.getValue().getType().getElementType());
  StringAttr visibility =
      global.getSymbolVisibility() == ct::SymbolVisibility::Private ? builder.getStringAttr("private") : StringAttr();
  aa::GlobalOp::create(builder, global.getLoc(), global.getSymNameAttr(), visibility,
                       builder.getStringAttr(getBytes(global.getValue())),
                       builder.getI64IntegerAttr(std::max<int64_t>(natural, global.getAlignment())));
}

void tilewright::populateStorage(Lowerings &lowerings) {
  lowerings.add<ct::AllocaOp>([](ct::AllocaOp op, ct::AllocaOp::Adaptor, Emitter &emit) {
    Type pointee = cast<ct::PtrType>(cast<ct::TileType>(op.getType()).getElementType()).getPointee();
    int64_t bytes;
    if (llvm::MulOverflow<int64_t>(op.getNumElem(), getByteSize(pointee), bytes))
      return emit.refuse(" of more than 2^63 bytes");
    return emit.replace(emit.create<aa::AllocaOp>(bytes, op.getAlignment(), IntegerAttr()).getResult());
  });
  lowerings.add<ct::GetGlobalOp>([](ct::GetGlobalOp op, ct::GetGlobalOp::Adaptor, Emitter &emit) {
    return emit.replace(emit.create<aa::GetGlobalOp>(emit.resultType(), op.getName()).getResult());
  });
  lowerings.add<ct::MemoryFenceAliasTkoOp>(
      [](ct::MemoryFenceAliasTkoOp, ct::MemoryFenceAliasTkoOp::Adaptor operands, Emitter &emit) {
        return emit.replace(emit.create<aa::FenceOp>(emit.resultType(), operands.getToken()).getResult());
      });
}
