// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/KernelContext.h"

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

template <typename Op> static bool contains(func::FuncOp function) {
  return function.walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

static Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

KernelContext::KernelContext(func::FuncOp function, const nvidia::Architecture &architecture, PrintChannel channel)
    : function(function), architecture(architecture), channel(channel), vectors(function),
      usesTmem(contains<tileas::TmemAllocOp>(function)), addressSpace(contains<tileaa::AllocaOp>(function) ? 0 : 1) {
  auto b = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  Type type = b.getI32Type();
  all.warps = tileas::warpsOf(function);
  all.thread = NVVM::ThreadIdXOp::create(b, loc, type);
  all.lane = arith::AndIOp::create(b, loc, all.thread, i32(b, loc, 31));
  // Every lane knows that its warp's number is that of lane 0, and so does the assembler.
  Value number = arith::ShRUIOp::create(b, loc, all.thread, i32(b, loc, 5));
  all.warp = i32(b, loc, 0);
  if (all.warps != 1)
    all.warp = NVVM::ShflOp::create(b, loc, type, i32(b, loc, -1), number, i32(b, loc, 0), i32(b, loc, 31),
                                    NVVM::ShflKind::idx, UnitAttr());
  sharedBase = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), sharedMemoryName);
  if (tileas::ctaOf(function).getFirstBlocks())
    leaveExtraBlocks(b);
  all.top = &*std::prev(b.getInsertionPoint());
  enterAgents();
}

// Blocks that would go past the loop over blocks: before they set up what they do not use.
void KernelContext::leaveExtraBlocks(OpBuilder &b) {
  Location loc = function.getLoc();
  Type i32 = b.getI32Type();
  Value planes =
      arith::MulIOp::create(b, loc, NVVM::GridDimYOp::create(b, loc, i32), NVVM::BlockIdZOp::create(b, loc, i32));
  Value rows = arith::AddIOp::create(b, loc, planes, NVVM::BlockIdYOp::create(b, loc, i32));
  rows = arith::MulIOp::create(b, loc, NVVM::GridDimXOp::create(b, loc, i32), rows);
  Value number = arith::AddIOp::create(b, loc, rows, NVVM::BlockIdXOp::create(b, loc, i32));
  Value isExtra = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, number, NVVM::SmDimOp::create(b, loc, i32));
  LLVM::InlineAsmOp::create(b, loc, LLVM::LLVMVoidType::get(b.getContext()), isExtra, "@$0 exit;", "b,~{memory}",
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

Value KernelContext::makeVariable(unsigned width) {
  OpBuilder b(function.getContext());
  b.setInsertionPointAfter(all.top);
  Location loc = function.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type type = b.getIntegerType(width);
  Value variable = LLVM::AllocaOp::create(b, loc, pointer, type, i32(b, loc, 1));
  Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 0));
  all.top = LLVM::StoreOp::create(b, loc, zero, variable);
  return variable;
}

// The agents of the CTA. A producer's warps count from zero, where all of its threads run it; consumers are the CTA's
// first warps, whose numbers are those of the function.
void KernelContext::enterAgents() {
  function.walk([&](tileas::AgentsOp agents) {
    agents.getConsumer().walk([&](Operation *op) { consumers.insert(op); });
    if (!agents.isProducedTogether())
      return;
    agents.getProducer().walk([&](Operation *op) { producers.insert(op); });
    auto b = OpBuilder::atBlockBegin(&agents.getProducer().front());
    Location loc = agents.getLoc();
    int32_t firstWarp = agents.getWarps()[0];
    producer = ThreadScope{agents.getWarps()[1], all.lane, {}, {}};
    producer->warp = arith::SubIOp::create(b, loc, all.warp, i32(b, loc, firstWarp));
    producer->thread = arith::SubIOp::create(b, loc, all.thread, i32(b, loc, firstWarp * 32));
    producer->top = producer->thread.getDefiningOp();
  });
}
