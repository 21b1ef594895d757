// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a program does not get from its caller: shared memory of the block, and globals of the module.
#include "lower/tileas_to_nvvm/Lowerings.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;

LogicalResult tilewright::lowerAlloca(tileaa::AllocaOp alloca, TileRegisters &tiles) {
  auto offset = alloca->getAttrOfType<IntegerAttr>(tileas::offsetAttr);
  if (!offset)
    return alloca.emitError() << "internal error: memory of the block has no place in shared memory";
  OpBuilder &b = tiles.builder;
  Value shared = tiles.sharedPointer(offset.getInt());
  Value generic = LLVM::AddrSpaceCastOp::create(b, tiles.loc, LLVM::LLVMPointerType::get(b.getContext()), shared);
  alloca.replaceAllUsesWith(LLVM::PtrToIntOp::create(b, tiles.loc, alloca.getType(), generic).getResult());
  return success();
}

void tilewright::lowerGetGlobal(tileaa::GetGlobalOp get, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  // An address of global memory is the same number without a space.
  Value pointer = LLVM::AddressOfOp::create(b, tiles.loc, LLVM::LLVMPointerType::get(b.getContext(), 1), get.getName());
  get.replaceAllUsesWith(LLVM::PtrToIntOp::create(b, tiles.loc, get.getType(), pointer).getResult());
}

// Two virtual addresses of the same memory are kept apart by caches unless a proxy fence stands between.
void tilewright::lowerFence(tileaa::FenceOp, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  NVVM::FenceProxyOp::create(b, tiles.loc, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::alias),
                             NVVM::SharedSpaceAttr());
}

void tilewright::lowerGlobals(ModuleOp module) {
  for (tileaa::GlobalOp global : llvm::make_early_inc_range(module.getOps<tileaa::GlobalOp>())) {
    OpBuilder builder(global);
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), global.getContent().size());
    // Constant ones too can be written: a program that does so is wrong, but gets no signal.
    LLVM::GlobalOp::create(builder, global.getLoc(), type, /*isConstant=*/false,
                           global.isPrivate() ? LLVM::Linkage::Internal : LLVM::Linkage::External, global.getSymName(),
                           global.getContentAttr(), global.getAlignment(), /*addrSpace=*/1);
    global.erase();
  }
}
