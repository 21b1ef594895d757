// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of what agents do (abi/AgentRecords.h). The number of a thread's records is in a register. Their instructions
// are predicated and not branched around, which the assembler would take for the end of a sequence of products.
#include "abi/AgentRecords.h"

#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;
using cuda::AgentRecordsHeader;

namespace {

constexpr int64_t warpgroupThreads = 128;

template <typename Op> struct RecordingPattern : TilePattern<Op> {
  RecordingPattern(KernelContext &kernel, Value count) : TilePattern<Op>(kernel), count(count) {}

protected:
  // The address of the thread's track, i64.
  static Value placeOf(Op op, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    auto add = [&](Value left, Value right) -> Value { return arith::AddIOp::create(b, loc, left, right); };
    auto multiply = [&](Value left, Value right) -> Value { return arith::MulIOp::create(b, loc, left, right); };
    Type i32 = b.getI32Type();
    Value x = NVVM::BlockIdXOp::create(b, loc, i32), y = NVVM::BlockIdYOp::create(b, loc, i32),
          z = NVVM::BlockIdZOp::create(b, loc, i32);
    Value columns = NVVM::GridDimXOp::create(b, loc, i32), rows = NVVM::GridDimYOp::create(b, loc, i32);
    Value cta = add(x, multiply(columns, add(y, multiply(rows, z))));
    Value track = add(multiply(cta, thread.i32(op.getTracks())), thread.i32(op.getFirst()));
    if (op.getCount() > 1)
      track = add(track, arith::DivUIOp::create(b, loc, thread.id(), thread.i32(warpgroupThreads)));
    Value bytes = multiply(wide(op.getCapacity(), thread), thread.i64(sizeof(cuda::AgentRecord)));
    bytes = add(bytes, thread.i64(sizeof(AgentRecordsHeader)));
    return add(op.getBuffer(), multiply(wide(track, thread), bytes));
  }
  // Whether the thread is the one that writes, as far as there is room for more than `least` records.
  static Value writes(Op op, Value least, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Value hasRoom = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::ult, least, op.getCapacity());
    if (!op.getCount())
      return asNumber(hasRoom, thread);
    Value number = arith::AndIOp::create(b, thread.loc, thread.id(), thread.i32(warpgroupThreads - 1));
    Value isFirst = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::eq, number, thread.i32(0));
    return asNumber(arith::AndIOp::create(b, thread.loc, isFirst, hasRoom), thread);
  }
  static Value wide(Value number, ThreadBuilder &thread) {
    return arith::ExtUIOp::create(thread.builder, thread.loc, thread.builder.getI64Type(), number);
  }
  static Value asNumber(Value condition, ThreadBuilder &thread) {
    return arith::ExtUIOp::create(thread.builder, thread.loc, thread.builder.getI32Type(), condition);
  }
  Value loadCount(ThreadBuilder &thread) const {
    return LLVM::LoadOp::create(thread.builder, thread.loc, thread.builder.getI32Type(), count);
  }

  Value count; // a variable
};

struct BeginRecordsPattern : RecordingPattern<tileas::BeginRecordsOp> {
  using RecordingPattern::RecordingPattern;
  LogicalResult lower(tileas::BeginRecordsOp op, Adaptor, ThreadBuilder &thread) const override {
    actByPtx("{ .reg .pred p; .reg .b64 t; .reg .b32 c, m; setp.ne.b32 p, $0, 0; mov.u64 t, %globaltimer; "
             "mov.u32 c, %clock; mov.u32 m, %smid; @p st.global.b64 [$1], t; @p st.global.v2.b32 [$1+8], {c, m}; }",
             "r,l", {writes(op, thread.i32(0), thread), placeOf(op, thread)}, thread);
    return thread.replace(op);
  }
};

struct RecordPattern : RecordingPattern<tileas::RecordOp> {
  using RecordingPattern::RecordingPattern;
  LogicalResult lower(tileas::RecordOp op, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Value number = loadCount(thread);
    Value offset = arith::MulIOp::create(b, thread.loc, wide(number, thread), thread.i64(sizeof(cuda::AgentRecord)));
    Value address = arith::AddIOp::create(b, thread.loc, placeOf(op, thread), offset);
    actByPtx("{ .reg .pred p; .reg .b32 c; setp.ne.b32 p, $0, 0; mov.u32 c, %clock; @p st.global.v2.b32 [$1+" +
                 Twine(sizeof(AgentRecordsHeader)) + "], {c, $2}; }",
             "r,l,r", {writes(op, number, thread), address, op.getWord()}, thread);
    LLVM::StoreOp::create(b, thread.loc, arith::AddIOp::create(b, thread.loc, number, thread.i32(1)), count);
    return thread.replace(op);
  }
};

struct EndRecordsPattern : RecordingPattern<tileas::EndRecordsOp> {
  using RecordingPattern::RecordingPattern;
  LogicalResult lower(tileas::EndRecordsOp op, Adaptor, ThreadBuilder &thread) const override {
    actByPtx("{ .reg .pred p; .reg .b64 t; .reg .b32 c; setp.ne.b32 p, $0, 0; mov.u64 t, %globaltimer; "
             "mov.u32 c, %clock; @p st.global.b64 [$1+16], t; @p st.global.v2.b32 [$1+24], {c, $2}; }",
             "r,l,r", {writes(op, thread.i32(0), thread), placeOf(op, thread), loadCount(thread)}, thread);
    return thread.replace(op);
  }
};

} // namespace

void tilewright::populateAgentRecordPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  if (!kernel.function->hasAttr(tileas::recordTracksAttr))
    return;
  Value count = kernel.makeVariable(0);
  patterns.add<BeginRecordsPattern, RecordPattern, EndRecordsPattern>(kernel, count);
}
