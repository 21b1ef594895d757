// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of pointers: loads and stores element by element, and where pointers come from.
#include "interpreter/Handlers.h"
#include "interpreter/memory/Globals.h"
#include "interpreter/memory/Memory.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

Element pointee(cuda_tile::TileType type) {
  return *elementOf(llvm::cast<cuda_tile::PtrType>(type.getElementType()).getPointee());
}

llvm::Error handleOffset(cuda_tile::OffsetOp op, Context &context) {
  Element element = pointee(op.getPtr().getType());
  Tile tile = context.tile(op.getPtr());
  const Tile &offset = context.tile(op.getOffset());
  for (auto [pointer, distance] : llvm::zip_equal(tile.bits, offset.bits))
    pointer = placeOf(pointer, signExtend(distance, offset.element), element).address;
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleLoadPtr(cuda_tile::LoadPtrTkoOp op, Context &context) {
  const Tile &pointers = context.tile(op.getSource());
  const Tile *mask = op.getMask() ? &context.tile(op.getMask()) : nullptr;
  const Tile *padding = op.getPaddingValue() ? &context.tile(op.getPaddingValue()) : nullptr;
  Tile tile(llvm::cast<cuda_tile::TileType>(op.getResult().getType()));
  llvm::SmallVector<int64_t> undefined;
  Accesses accesses(op, context);
  for (int64_t i = 0; i < tile.size(); ++i) {
    if (!mask || mask->bits[i])
      tile.bits[i] = accesses.read(i, {pointers.bits[i]}, tile.element);
    else if (padding)
      tile.bits[i] = padding->bits[padding->size() == 1 ? 0 : i];
    else
      undefined.push_back(i);
  }
  if (context.monitor && !undefined.empty())
    context.monitor->undefinedElements(op, undefined);
  context.set(op.getResult(), std::move(tile));
  context.set(op.getResultToken(), accesses.finish());
  return llvm::Error::success();
}

llvm::Error handleStorePtr(cuda_tile::StorePtrTkoOp op, Context &context) {
  const Tile &pointers = context.tile(op.getDestination()), &value = context.tile(op.getValue());
  const Tile *mask = op.getMask() ? &context.tile(op.getMask()) : nullptr;
  Accesses accesses(op, context);
  for (int64_t i = 0; i < value.size(); ++i)
    if (!mask || mask->bits[i])
      accesses.write(i, {pointers.bits[i]}, value.element, value.bits[i]);
  context.set(op.getResultToken(), accesses.finish());
  return llvm::Error::success();
}

// Fresh memory each time the operation runs.
llvm::Error handleAlloca(cuda_tile::AllocaOp op, Context &context) {
  uint64_t bytes = bytesOf(op.getNumElem(), pointee(op.getResult().getType())), alignment = op.getAlignment();
  uint64_t used = 0;
  for (const OwnedMemory &memory : context.allocas)
    used += memory.bytes();
  if (bytes > OwnedMemory::maxBytes - used)
    return errorAt(op, "the tile block asks for " + llvm::Twine(bytes) + " bytes after " + llvm::Twine(used) +
                           ", expected at most " + llvm::Twine(OwnedMemory::maxBytes) + " for its allocas");
  const OwnedMemory &memory = context.allocas.emplace_back(bytes, alignment);
  if (!memory.address())
    return errorAt(op,
                   "there is no memory of " + llvm::Twine(bytes) + " bytes at a multiple of " + llvm::Twine(alignment));
  if (context.monitor)
    context.monitor->allocated(op, memory.address(), bytes);
  context.set(op.getResult(), Tile::scalar(Element::Pointer, memory.address()));
  return llvm::Error::success();
}

llvm::Error handleGetGlobal(cuda_tile::GetGlobalOp op, Context &context) {
  context.set(op.getResult(), Tile::scalar(Element::Pointer, context.globals.find(op.getName()).memory.address()));
  return llvm::Error::success();
}

} // namespace

void registerPointerOps(HandlerTable &table) {
  table.add<handleOffset>();
  table.add<handleLoadPtr>();
  table.add<handleStorePtr>();
  table.add<handleAlloca>();
  table.add<handleGetGlobal>();
}

} // namespace tilewright::interpreter
