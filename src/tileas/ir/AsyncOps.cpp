// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of agents, pipelines and asynchronous copies.
#include "tileas/ir/ShapeText.h"
#include "tileas/ir/Tileas.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

// The shape of the buffer that copies go into.
template <typename Load> static FailureOr<ArrayRef<int64_t>> shapeOfBuffer(Load load) {
  ArrayRef<BufferType> buffers = load.getPipeline().getType().getBuffers();
  if (load.getIndex() >= buffers.size())
    return load.emitOpError() << "copies into buffer " << load.getIndex() << " of stages with " << buffers.size();
  return buffers[load.getIndex()].getShape();
}

LogicalResult AsyncLoadOp::verify() {
  FailureOr<ArrayRef<int64_t>> found = shapeOfBuffer(*this);
  if (failed(found))
    return failure();
  ArrayRef<int64_t> shape = *found;
  if (getLayout().getLayout().shape() != shape || getDimMap().size() != shape.size())
    return emitOpError() << "copies a tile of shape " << textOf(getLayout().getLayout().shape())
                         << " into a buffer of shape " << textOf(shape);
  return success();
}

LogicalResult AsyncLoadPtrOp::verify() {
  FailureOr<ArrayRef<int64_t>> found = shapeOfBuffer(*this);
  if (failed(found))
    return failure();
  ArrayRef<int64_t> shape = *found;
  auto addresses = cast<RankedTensorType>(getAddresses().getType());
  if (addresses.getShape() != shape || !hasLayout(addresses))
    return emitOpError() << "copies from addresses of type " << getAddresses().getType() << " into a buffer of shape "
                         << textOf(shape);
  auto agents = (*this)->getParentOfType<AgentsOp>();
  bool isProducers = agents && agents.getProducer().isAncestor((*this)->getParentRegion());
  if (isByProducer() && (getCondition() || !isProducers))
    return emitOpError() << "has no stage: expected a producer around it, and no condition";
  if (!isByProducer() && getState())
    return emitOpError() << "has a stage and an agent's state: expected one of them";
  return success();
}

LogicalResult AsyncWaitOp::verify() {
  if (getOwn() && getProducts())
    return emitOpError() << "waits for its own copies only, and for products: expected no products with `own`";
  return success();
}

LogicalResult AgentsOp::verify() {
  ArrayRef<int32_t> warps = getWarps(), registers = getRegisters();
  if (warps.size() != 2 || registers.size() != 2 || warps[0] <= 0 || warps[1] <= 0)
    return emitOpError() << "has warps of " << warps.size() << " and registers of " << registers.size()
                         << " regions: expected some for each of two";
  if (registers[0] == 0 && registers[1] == 0)
    return success();
  for (int32_t count : registers)
    if (count < 24 || count > 256 || count % 8 != 0)
      return emitOpError() << "has " << count << " registers a thread: expected a multiple of 8 from 24 to 256";
  return success();
}

LogicalResult ClusterSumOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  BufferType buffer = getExchange().getType().getBuffer();
  if (!tile.getElementType().isF32() && !tile.getElementType().isInteger(32))
    return emitOpError() << "adds elements of type " << tile.getElementType() << ", expected f32 or i32";
  if (tile.getShape() != buffer.getShape() || tile.getElementType() != buffer.getElementType())
    return emitOpError() << "passes a tile of shape " << textOf(tile.getShape()) << " of " << tile.getElementType()
                         << " through a buffer of shape " << textOf(buffer.getShape()) << " of "
                         << buffer.getElementType();
  constexpr uint64_t most = uint64_t(1) << (ExchangeType::mostSteps - 1);
  if (!llvm::isPowerOf2_64(getDistance()) || uint64_t(getDistance()) > most)
    return emitOpError() << "adds tiles of CTAs " << getDistance() << " apart, expected a power of two up to " << most;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  int64_t rank = getOffsets().size(), rowDim = getRowDim(), splitDim = getSplitDim();
  if (int64_t(getRowBoxes()) < 1 || int64_t(getBoxes()) < 1)
    return emitOpError() << "copies " << getBoxes() << " by " << getRowBoxes() << " boxes, expected one at least";
  if (getRowBoxes() > 1 && (rowDim < 0 || rowDim >= rank || rowDim == splitDim))
    return emitOpError() << "has rows of boxes along dimension " << rowDim << " of " << rank
                         << ", expected another one than " << splitDim;
  return success();
}

LogicalResult WriteTmaDescsOp::verify() {
  if (getMaps().size() != getViews().size() || getDescs().size() != getViews().size())
    return emitOpError() << "has " << getViews().size() << " views, " << getMaps().size() << " maps and "
                         << getDescs().size() << " results: expected as many of each";
  for (auto [view, map] : llvm::zip_equal(getViews(), getMaps().getAsRange<TensorMapAttr>()))
    if (int64_t rank = cast<tileaa::ViewType>(view.getType()).getRank(); rank != int64_t(map.getBox().size()))
      return emitOpError() << "has boxes of " << map.getBox().size() << " dimensions of a view of " << rank;
  return success();
}

// Of the operations that advance: they have both states, or neither.
template <typename Op> static LogicalResult verifyStates(Op op) {
  if (bool(op.getState()) != bool(op.getNext()))
    return op.emitOpError() << "has only one of the states before and after it";
  return success();
}
LogicalResult ProducerCommitOp::verify() {
  return verifyStates(*this);
}
LogicalResult ConsumerReleaseOp::verify() {
  return verifyStates(*this);
}

LogicalResult ProducerWriteOp::verify() {
  if (getIndex() >= getPipeline().getType().getBuffers().size())
    return emitOpError() << "writes buffer " << getIndex() << " of a stage of "
                         << getPipeline().getType().getBuffers().size();
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (BufferType buffer = getBufferType();
      tile.getShape() != buffer.getShape() || tile.getElementType() != buffer.getElementType())
    return emitOpError() << "writes " << tile << " to a buffer of " << buffer;
  return success();
}

bool AgentsOp::isProducedTogether() {
  return getProducer()
      .walk([](Operation *op) {
        return isa<AsyncLoadPtrOp, ProducerWriteOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
