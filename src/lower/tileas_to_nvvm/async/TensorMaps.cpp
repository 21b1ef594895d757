// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that a CTA encodes itself, as launchers would (cuTensorMapEncodeTiled).
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/async/TensorMapTable.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t mapBytes = tileas::tmaDescBytes;

void byWarp(int64_t warp, ThreadBuilder &thread, function_ref<void()> body) {
  thread.where(
      arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::eq, thread.warp(), thread.i32(warp)),
      body);
}

struct WriteTmaDescsPattern : TilePattern<tileas::WriteTmaDescsOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::WriteTmaDescsOp write, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    Value scratch = adaptor.getScratch()[0];
    int64_t count = write.getDescs().size(), warps = tileas::warpsOf(kernel.function);
    auto inScratch = [&](int64_t bytes) { return arith::AddIOp::create(b, loc, scratch, thread.i32(bytes)); };
    // Behind the maps: where they lie in global memory.
    auto placeOf = [&](int64_t map) {
      return thread.sharedPointer(inScratch(count * mapBytes + map * int64_t(sizeof(int64_t))));
    };
    // Each map by a warp of its own, as far as there are so many.
    for (int64_t map = 0; map != count; ++map)
      byWarp(map % warps, thread, [&] {
        TensorMapFields fields(write.getMap(map), cast<tileaa::ViewType>(write.getViews()[map].getType()),
                               adaptor.getViews()[map], thread);
        Value address = findTensorMap(fields, inScratch(map * mapBytes), thread);
        thread.where(thread.isFirstLane(), [&] { LLVM::StoreOp::create(b, loc, address, placeOf(map)); });
      });
    thread.barrier();
    SmallVector<Value> addresses;
    for (int64_t map = 0; map != count; ++map)
      addresses.push_back(LLVM::LoadOp::create(b, loc, b.getI64Type(), placeOf(map)));
    acquire(write, addresses, thread);
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1), generic = LLVM::LLVMPointerType::get(b.getContext());
    SmallVector<SmallVector<Value>> descs;
    for (Value address : addresses)
      descs.push_back(
          {LLVM::AddrSpaceCastOp::create(b, loc, generic, LLVM::IntToPtrOp::create(b, loc, global, address))});
    thread.builder.replaceOpWithMultiple(write, descs);
    return success();
  }

private:
  // Fences by the warps that start copies, the first one and the producer's first: the hardware reads the maps as they
  // were copied. A fence takes long, and longer while others have one.
  void acquire(tileas::WriteTmaDescsOp write, ArrayRef<Value> addresses, ThreadBuilder &thread) const {
    auto acquireBy = [&](int64_t warp, bool isProducer) {
      byWarp(warp, thread, [&] {
        for (auto [desc, address] : llvm::zip_equal(write.getDescs(), addresses))
          if (llvm::any_of(desc.getUsers(), [&](Operation *user) {
                return !isa<tileas::ReleaseTmaDescsOp>(user) && isByProducer(user) == isProducer;
              }))
            actByPtx("fence.proxy.tensormap::generic.acquire.gpu [$0], " + Twine(mapBytes) + ";", "l", {address},
                     thread);
      });
    };
    acquireBy(0, /*isProducer=*/false);
    acquireBy(tileas::warpsOf(kernel.function), /*isProducer=*/true);
  }

  static bool isByProducer(Operation *op) {
    auto agents = op->getParentOfType<tileas::AgentsOp>();
    return agents && agents.getProducer().isAncestor(op->getParentRegion());
  }
};

struct ReleaseTmaDescsPattern : TilePattern<tileas::ReleaseTmaDescsOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ReleaseTmaDescsOp release, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    SmallVector<Value> addresses, isOwn;
    Value isAnyOwn = thread.i1(false);
    for (ValueRange desc : adaptor.getDescs()) {
      Value pointer = LLVM::AddrSpaceCastOp::create(b, loc, global, desc[0]);
      addresses.push_back(LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer));
      isOwn.push_back(isOwnTensorMap(addresses.back(), thread));
      isAnyOwn = arith::OrIOp::create(b, loc, isAnyOwn, isOwn.back());
    }
    thread.where(isAnyOwn, [&] {
      thread.barrier();
      thread.where(thread.isFirstThread(), [&] {
        for (size_t map = 0; map != addresses.size(); ++map)
          thread.where(isOwn[map], [&] { freeTensorMap(addresses[map], thread); });
      });
    });
    return thread.replace(release);
  }
};

} // namespace

void tilewright::populateTensorMapPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<WriteTmaDescsPattern, ReleaseTmaDescsPattern>(kernel);
}
