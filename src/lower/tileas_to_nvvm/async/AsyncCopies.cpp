// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that the threads of a block start from global to shared memory (cp.async), and the waits for them.
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/memory/VectorRegisters.h"
#include "lower/tileas_to_nvvm/memory/ViewAccess.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"
#include "tileas/analysis/CopyWidth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

// One instruction. Where the bytes are not inside of the array it fills with zeros and reads nothing.
void copy(Value target, Value source, int64_t bytes, Value inside, Value condition, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  SmallVector<Value> operands{target, source};
  // Past the caches of threads where the instruction can.
  std::string text =
      bytes == 16 ? "cp.async.cg.shared.global [$0], [$1], 16" : "cp.async.ca.shared.global [$0], [$1], ";
  if (bytes != 16)
    text += std::to_string(bytes);
  std::string constraints = "r,l";
  if (inside) {
    operands.push_back(arith::SelectOp::create(b, loc, inside, thread.i32(bytes), thread.i32(0)));
    text += ", $2";
    constraints += ",r";
  }
  if (condition) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    operands.push_back(condition);
    constraints += ",b";
  }
  actByPtx(text + ";", constraints, operands, thread);
}

// The copies that one operation starts: the elements of a thread by the layout, to their offsets in the buffer.
class StageCopies {
public:
  // `loads` may say when it copies anything.
  StageCopies(const Ring &ring, Value stage, unsigned index, Value loads, LinearLayout copier, ThreadBuilder &thread)
      : thread(thread), layout(std::move(copier)), buffer(ring.type.getBuffers()[index]),
        places(layout.then(buffer.getLayout().getLayout().inverse())),
        base(RingBuilder(ring, thread).bufferOf(stage, index)),
        condition(thread.both(loads, thread.holdsOriginal(layout))) {}

  RankedTensorType tileType() const { return tileas::typeWith(buffer.getElementType(), layout); }
  bool areOriginal(unsigned reg) const { return (reg & layout.redundantBits(Dim::Register)) == 0; }

  // Of registers whose elements lie one after another at `source`; without `inside` they are zeros.
  void start(ArrayRef<unsigned> registers, Value source, Value inside) {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    Type element = buffer.getElementType();
    int64_t count = tileas::neighboursIn(places, registers), bytes = count * bytesOf(element);
    if (bytes < tileas::leastCopy) {
      OpBuilder::InsertionGuard guard(b);
      if (condition)
        b.setInsertionPointToStart(scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false).thenBlock());
      SmallVector<Value> values =
          loadGlobal(source, element, registers.size(), registers.size() * bytesOf(element), inside, thread);
      for (auto [reg, value] : llvm::zip_equal(registers, values))
        LLVM::StoreOp::create(b, loc, packVector(value, thread), target(reg), bytesOf(element));
      return;
    }
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), source);
    for (size_t first = 0; first < registers.size(); first += count) {
      Value place = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), target(registers[first]));
      Value from = address;
      if (first)
        from = arith::AddIOp::create(b, loc, address, thread.i64(first * bytesOf(element)));
      copy(place, from, bytes, inside, condition, thread);
    }
  }

private:
  Value target(unsigned reg) {
    OpBuilder &b = thread.builder;
    Value offset = b.createOrFold<arith::MulIOp>(thread.loc, thread.output(places, Dim::Offset, reg),
                                                 thread.i32(bytesOf(buffer.getElementType())));
    return thread.sharedPointer(b.createOrFold<arith::AddIOp>(thread.loc, base, offset));
  }

  ThreadBuilder &thread;
  LinearLayout layout; // an attribute gives a copy of it
  tileas::BufferType buffer;
  LinearLayout places;
  Value base, condition;
};

struct StagePattern : TilePatternWith<tileas::StageOp, Rings> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::StageOp stage, Adaptor adaptor, ThreadBuilder &thread) const override {
    RingBuilder at(facts->of(stage), thread);
    return thread.replace(stage, at.bufferOf(adaptor.getStage()[0], stage.getIndex()));
  }
};

struct AsyncLoadPattern : TilePatternWith<tileas::AsyncLoadOp, Rings> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::AsyncLoadOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    StageCopies copies(facts->of(load), adaptor.getStage()[0], load.getIndex(), elementOf(adaptor.getCondition(), 0),
                       load.getLayout().getLayout(), thread);
    ViewAccess access({load.getView().getType(), adaptor.getView(), scalarsOf(adaptor.getOffsets()), load.getDimMap(),
                       load.getInbounds(), copies.tileType()},
                      thread);
    access.remark(load);
    for (unsigned start : access.starts())
      if (copies.areOriginal(start))
        copies.start(access.registersFrom(start), access.pointer(start), access.isInside(start));
    return thread.replace(load);
  }
};

struct AsyncLoadPtrPattern : TilePatternWith<tileas::AsyncLoadPtrOp, Rings> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::AsyncLoadPtrOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (load.isByProducer() && !load.getState())
      return thread.fail(load, hasNoState);
    Value stage = load.isByProducer() ? PipelineState(adaptor.getState()).stage : Value(adaptor.getStage()[0]);
    StageCopies copies(facts->of(load), stage, load.getIndex(), elementOf(adaptor.getCondition(), 0),
                       tileas::layoutOf(load.getAddresses()), thread);
    const VectorRegisters &vector = kernel.vectors.of(load);
    ValueRange addresses = adaptor.getAddresses();
    for (unsigned start : vector.starts(addresses.size()))
      if (copies.areOriginal(start))
        copies.start(vector.from(start), thread.globalPointer(addresses[start]), elementOf(adaptor.getMask(), start));
    return thread.replace(load);
  }
};

struct AsyncCommitPattern : TilePattern<tileas::AsyncCommitOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::AsyncCommitOp commit, Adaptor, ThreadBuilder &thread) const override {
    NVVM::CpAsyncCommitGroupOp::create(thread.builder, thread.loc);
    return thread.replace(commit);
  }
};

struct AsyncWaitPattern : TilePatternWith<tileas::AsyncWaitOp, Rings> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::AsyncWaitOp wait, Adaptor, ThreadBuilder &thread) const override {
    NVVM::CpAsyncWaitGroupOp::create(thread.builder, thread.loc, wait.getPending());
    if (!wait.isBarrier())
      return thread.replace(wait);
    if (std::optional<uint64_t> products = wait.getProducts())
      NVVM::WgmmaWaitGroupSyncOp::create(thread.builder, thread.loc, *products);
    if (facts->of(wait).isReadByHardware)
      showToHardware(thread);
    thread.barrier();
    return thread.replace(wait);
  }
};

} // namespace

void tilewright::populateAsyncCopyPatterns(RewritePatternSet &patterns, KernelContext &kernel,
                                           const std::shared_ptr<const Rings> &rings) {
  patterns.add<StagePattern, AsyncLoadPattern, AsyncLoadPtrPattern, AsyncWaitPattern>(kernel, rings);
  patterns.add<AsyncCommitPattern>(kernel);
}
