// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

#include "cpu/ir/CpuDialect.cpp.inc"

#define GET_OP_CLASSES
#include "cpu/ir/CpuOps.cpp.inc"

void CpuDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "cpu/ir/CpuOps.cpp.inc"
      >();
}

// On buffers a destination-style op reads its inputs and reads and writes its destination; on tensors it is pure.
static void getDpsEffects(DestinationStyleOpInterface op,
                          SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, SideEffects::DefaultResource::get());
  }
}

void MmaOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getDpsEffects(*this, effects);
}

int64_t MmaOp::getDepth() {
  return cast<ShapedType>(getLhs().getType()).getShape().take_back(2)[getTransposedLhs() ? 0 : 1];
}

int64_t MmaOp::getWordElements() {
  auto type = cast<ShapedType>(getRhs().getType()), sums = cast<ShapedType>(getAcc().getType());
  return type.getRank() == 3 && sums.getRank() == 2 ? getDepth() / type.getDimSize(1) : 1;
}

bool MmaOp::hasTiles(const Plan &plan) {
  Type element = cast<ShapedType>(getRhs().getType()).getElementType();
  return plan.hasMatrixUnit() && (element.isBF16() || element.isInteger(8)) && getWordElements() > 1;
}

int64_t MmaOp::getMergedSteps(const Plan &plan) {
  int64_t depth = plan.depth;
  if (hasTiles(plan)) {
    // A panel has as many bytes, but fewer columns of narrower elements. A step is whole tiles.
    depth = plan.depth * plan.microTileN / matrixPanel * getWordElements();
    if (getDepth() % (matrixRows * getWordElements()) != 0)
      return 1;
  }
  return std::max<int64_t>(1, depth / getDepth());
}

void PackWordsOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getDpsEffects(*this, effects);
}

void ScanOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getDpsEffects(*this, effects);
}

void PtrLoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getOrdering())
    effects.emplace_back(MemoryEffects::Write::get());
}

namespace {
// The op on buffers is the op on tensors with each tensor replaced and no result.
template <typename Op> struct DpsModel : bufferization::DstBufferizableOpInterfaceExternalModel<DpsModel<Op>, Op> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto dps = cast<DestinationStyleOpInterface>(op);
    SmallVector<Value> operands, results;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType())) {
        operands.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer = bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
      if (dps.isDpsInit(&operand))
        results.push_back(*buffer);
    }
    OperationState newOp(op->getLoc(), op->getName(), operands, TypeRange(), op->getAttrs());
    newOp.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions())
      newOp.addRegion()->takeBody(region);
    rewriter.create(newOp);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

// An op that only reads its tiles (print, assert): the tiles become buffers in place.
template <typename Op> struct ReaderModel : bufferization::BufferizableOpInterface::ExternalModel<ReaderModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const bufferization::AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const bufferization::AnalysisState &) const { return false; }
  bufferization::AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                                     const bufferization::AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType()))
        continue;
      FailureOr<Value> buffer = bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      rewriter.modifyOpInPlace(op, [&] { operand.set(*buffer); });
    }
    return success();
  }
};
} // namespace

void cpu::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CpuDialect *) {
    MmaOp::attachInterface<DpsModel<MmaOp>>(*context);
    PackWordsOp::attachInterface<DpsModel<PackWordsOp>>(*context);
    ScanOp::attachInterface<DpsModel<ScanOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tileaa::TileaaDialect *) {
    tileaa::PrintOp::attachInterface<ReaderModel<tileaa::PrintOp>>(*context);
    tileaa::AssertOp::attachInterface<ReaderModel<tileaa::AssertOp>>(*context);
  });
}
