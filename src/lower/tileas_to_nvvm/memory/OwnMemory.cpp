// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a program does not get from its caller: shared memory of the block, and globals of the module.
#include "lower/tileas_to_nvvm/memory/OwnMemory.h"
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct AllocaPattern : TilePattern<tileaa::AllocaOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::AllocaOp alloca, Adaptor, ThreadBuilder &thread) const override {
    std::optional<uint64_t> offset = alloca.getOffset();
    if (!offset)
      return thread.fail(alloca, "it has no place in shared memory"); // tileas-allocate-shared
    OpBuilder &b = thread.builder;
    Value shared = thread.sharedPointer(*offset);
    Value generic = LLVM::AddrSpaceCastOp::create(b, thread.loc, LLVM::LLVMPointerType::get(b.getContext()), shared);
    return thread.replace(alloca, LLVM::PtrToIntOp::create(b, thread.loc, alloca.getType(), generic).getResult());
  }
};

struct GetGlobalPattern : TilePattern<tileaa::GetGlobalOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::GetGlobalOp get, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    // An address of global memory is the same number without a space.
    Type type = LLVM::LLVMPointerType::get(b.getContext(), 1);
    Value pointer = LLVM::AddressOfOp::create(b, thread.loc, type, get.getName());
    return thread.replace(get, LLVM::PtrToIntOp::create(b, thread.loc, get.getType(), pointer).getResult());
  }
};

// Two virtual addresses of the same memory are kept apart by caches unless a proxy fence stands between.
struct FencePattern : TilePattern<tileaa::FenceOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::FenceOp fence, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    NVVM::FenceProxyOp::create(b, thread.loc, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::alias),
                               NVVM::SharedSpaceAttr());
    return thread.replace(fence);
  }
};

} // namespace

void tilewright::populateOwnMemoryPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<AllocaPattern, GetGlobalPattern, FencePattern>(kernel);
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
