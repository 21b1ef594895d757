// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM packs the bits of a vector, while a buffer has a byte for each: as bytes, vectors of them are loaded and stored.
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUWIDENBITS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

bool isBit(Value value) {
  return value.getType().isInteger(1);
}

bool isBytes(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getElementType().isInteger(8);
}

void widen(Value buffer) {
  if (auto type = dyn_cast<MemRefType>(buffer.getType()); type && type.getElementType().isInteger(1))
    buffer.setType(type.clone(IntegerType::get(buffer.getContext(), 8)));
}

// Constants of tiles.
void widen(memref::GlobalOp global) {
  auto values = dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
  if (!values || !values.getElementType().isInteger(1))
    return;
  auto byte = IntegerType::get(global.getContext(), 8);
  global.setType(cast<MemRefType>(global.getType().clone(byte)));
  global.setInitialValueAttr(values.mapValues(byte, [](const APInt &bit) { return bit.zext(8); }));
}

Value toByte(OpBuilder &builder, Value bit) {
  return arith::ExtUIOp::create(builder, bit.getLoc(), builder.getI8Type(), bit);
}

void widenScalar(OpOperand &bit) {
  OpBuilder builder(bit.getOwner());
  bit.set(toByte(builder, bit.get()));
}

// Arithmetic of one bit, of which the value as a signed number is 0 or -1. LLVM has slow code for vectors of it.
void makeBitwise(Operation *op) {
  if (op->getNumResults() != 1 || !isBit(op->getResult(0)))
    return;
  StringRef name = op->getName().getStringRef();
  if (isa<arith::MulIOp, arith::MinUIOp, arith::MaxSIOp>(op))
    name = arith::AndIOp::getOperationName();
  else if (isa<arith::MaxUIOp, arith::MinSIOp>(op))
    name = arith::OrIOp::getOperationName();
  else if (isa<arith::AddIOp, arith::SubIOp>(op))
    name = arith::XOrIOp::getOperationName();
  else
    return;
  IRRewriter rewriter(op);
  OperationState bitwise(op->getLoc(), name, op->getOperands(), op->getResultTypes());
  rewriter.replaceOp(op, rewriter.create(bitwise));
}

// The only use of an accumulator, where it is combined with an element bit by bit: bytes are combined as well.
Operation *bitwiseUse(BlockArgument accumulator, Operation *yield) {
  if (!accumulator.hasOneUse())
    return nullptr;
  Operation *use = *accumulator.user_begin();
  bool isCombined =
      isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(use) && use->hasOneUse() && *use->user_begin() == yield;
  return isCombined ? use : nullptr;
}

void combineBytes(BlockArgument accumulator, Operation *combiner) {
  OpOperand &element = combiner->getOpOperand(combiner->getOperand(0) == accumulator ? 1 : 0);
  OpBuilder builder(combiner);
  if (auto mark = element.get().getDefiningOp<ElementOp>()) {
    Value byte = toByte(builder, mark.getValue());
    element.set(ElementOp::create(builder, mark.getLoc(), byte.getType(), byte, mark.getResultNumberAttr()));
    if (mark->use_empty())
      mark->erase();
  } else {
    widenScalar(element);
  }
  accumulator.setType(builder.getI8Type());
  combiner->getResult(0).setType(builder.getI8Type());
}

void readByte(BlockArgument argument) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  argument.setType(builder.getI8Type());
  if (argument.use_empty())
    return;
  auto bit = arith::TruncIOp::create(builder, argument.getLoc(), builder.getI1Type(), argument);
  argument.replaceAllUsesExcept(bit, bit);
}

void widenBody(linalg::GenericOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [argument, operand] : llvm::zip(loop.getBody()->getArguments(), loop->getOperands())) {
    if (!isBit(argument) || !isBytes(operand))
      continue;
    bool isOutput = argument.getArgNumber() >= loop.getNumDpsInputs();
    if (Operation *combiner = isOutput ? bitwiseUse(argument, yield) : nullptr)
      combineBytes(argument, combiner);
    else
      readByte(argument);
  }
  for (auto [value, output] : llvm::zip(yield->getOpOperands(), loop.getOutputs()))
    if (isBit(value.get()) && isBytes(output))
      widenScalar(value);
}

bool isBitwise(Operation &op) {
  return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) && isBit(op.getResult(0));
}

void widenBody(ScanOp scan) {
  for (OpOperand &operand : scan->getOpOperands())
    if (isBit(operand.get()))
      widenScalar(operand);
  Block &body = scan.getBody().front();
  if (llvm::all_of(body.getArguments(), isBit) && llvm::all_of(body.without_terminator(), isBitwise)) {
    Type byte = IntegerType::get(scan.getContext(), 8);
    llvm::for_each(body.getArguments(), [&](Value value) { value.setType(byte); });
    for (Operation &op : body.without_terminator())
      op.getResult(0).setType(byte);
    return;
  }
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    if (isBit(argument) && isBytes(scan.getSources()[number / 2]))
      readByte(argument);
  for (auto [value, output] : llvm::zip(body.getTerminator()->getOpOperands(), scan.getDestinations()))
    if (isBit(value.get()) && isBytes(output))
      widenScalar(value);
}

// The scalars beside buffers of bytes: what a tile is filled with, an element that is stored or loaded.
void widenScalars(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op); load && isBit(load) && isBytes(load.getMemRef())) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(load);
    load.getResult().setType(builder.getI8Type());
    auto bit = arith::TruncIOp::create(builder, load.getLoc(), builder.getI1Type(), load.getResult());
    load.getResult().replaceAllUsesExcept(bit, bit);
  } else if (auto loop = dyn_cast<linalg::GenericOp>(op)) {
    widenBody(loop);
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    widenBody(scan);
  } else if (isa<EdgeOp, CopyInOp, memref::StoreOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isBit(operand.get()))
        widenScalar(operand);
  }
}

struct CpuWidenBits : tilewright::impl::CpuWidenBitsBase<CpuWidenBits> {
  void runOnOperation() override {
    getOperation().walk(makeBitwise);
    SmallVector<Operation *> users;
    for (auto global : getOperation().getOps<memref::GlobalOp>())
      widen(global);
    getOperation().walk([&](linalg::LinalgOp loop) {
      IRRewriter rewriter(loop);
      if (!isa<linalg::GenericOp>(loop) && llvm::any_of(loop.getBlock()->getArguments(), isBit))
        (void)linalg::generalizeNamedOp(rewriter, loop);
    });
    getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), [](Value value) { widen(value); });
      llvm::for_each(op->getResults(), [](Value value) { widen(value); });
      users.push_back(op);
    });
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        function.setType(
            FunctionType::get(&getContext(), function.getBody().front().getArgumentTypes(), function.getResultTypes()));
    llvm::for_each(users, widenScalars);
  }
};

} // namespace
