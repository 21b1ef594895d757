// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of what agents do (abi/AgentRecords.h). The address of a thread's next record, and that of the end of its
// room, are in registers; threads that write none have room up to address zero. A record is seven instructions of each
// thread: by numbers of records, which LLVM makes induction variables of, it is about fifteen. They are predicated and
// not branched around, which the assembler would take for the end of a sequence of products.
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

// Variables of a thread, i64: see above.
struct Cursor {
  Value next, end;
};

template <typename Op> struct RecordingPattern : TilePattern<Op> {
  RecordingPattern(KernelContext &kernel, Cursor cursor) : TilePattern<Op>(kernel), cursor(cursor) {}

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
    Value bytes = add(bytesOfRoom(op, thread), thread.i64(sizeof(AgentRecordsHeader)));
    return add(op.getBuffer(), multiply(wide(track, thread), bytes));
  }
  static Value bytesOfRoom(Op op, ThreadBuilder &thread) {
    return arith::MulIOp::create(thread.builder, thread.loc, wide(op.getCapacity(), thread),
                                 thread.i64(sizeof(cuda::AgentRecord)));
  }
  // Whether the thread is the one that writes, where there is room for records at all: i1.
  static Value writes(Op op, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Value hasRoom = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::ne, op.getCapacity(), thread.i32(0));
    if (!op.getCount())
      return hasRoom;
    Value number = arith::AndIOp::create(b, thread.loc, thread.id(), thread.i32(warpgroupThreads - 1));
    Value isFirst = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::eq, number, thread.i32(0));
    return arith::AndIOp::create(b, thread.loc, isFirst, hasRoom);
  }
  static Value wide(Value number, ThreadBuilder &thread) {
    return arith::ExtUIOp::create(thread.builder, thread.loc, thread.builder.getI64Type(), number);
  }
  static Value asNumber(Value condition, ThreadBuilder &thread) {
    return arith::ExtUIOp::create(thread.builder, thread.loc, thread.builder.getI32Type(), condition);
  }
  static Value get(Value variable, ThreadBuilder &thread) {
    return LLVM::LoadOp::create(thread.builder, thread.loc, thread.builder.getI64Type(), variable);
  }
  static void set(Value variable, Value value, ThreadBuilder &thread) {
    LLVM::StoreOp::create(thread.builder, thread.loc, value, variable);
  }

  Cursor cursor;
};

struct BeginRecordsPattern : RecordingPattern<tileas::BeginRecordsOp> {
  using RecordingPattern::RecordingPattern;
  LogicalResult lower(tileas::BeginRecordsOp op, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Value place = placeOf(op, thread), isWriter = writes(op, thread);
    actByPtx("{ .reg .pred p; .reg .b64 t; .reg .b32 c, m; setp.ne.b32 p, $0, 0; mov.u64 t, %globaltimer; "
             "mov.u32 c, %clock; mov.u32 m, %smid; @p st.global.b64 [$1], t; @p st.global.v2.b32 [$1+8], {c, m}; }",
             "r,l", {asNumber(isWriter, thread), place}, thread);
    Value first = arith::AddIOp::create(b, thread.loc, place, thread.i64(sizeof(AgentRecordsHeader)));
    Value end = arith::AddIOp::create(b, thread.loc, first, bytesOfRoom(op, thread));
    set(cursor.next, first, thread);
    set(cursor.end, arith::SelectOp::create(b, thread.loc, isWriter, end, thread.i64(0)), thread);
    return thread.replace(op);
  }
};

struct RecordPattern : RecordingPattern<tileas::RecordOp> {
  using RecordingPattern::RecordingPattern;
  LogicalResult lower(tileas::RecordOp op, Adaptor, ThreadBuilder &thread) const override {
    Value next = get(cursor.next, thread);
    Value behind = readByPtx("{ .reg .pred p; .reg .b32 c; setp.lt.u64 p, $1, $2; mov.u32 c, %clock; "
                             "@p st.global.v2.b32 [$1], {c, $3}; add.s64 $0, $1, " +
                                 Twine(sizeof(cuda::AgentRecord)) + "; }",
                             "=l,l,l,r", {next, get(cursor.end, thread), op.getWord()}, next.getType(), thread)[0];
    set(cursor.next, behind, thread);
    return thread.replace(op);
  }
};

struct EndRecordsPattern : RecordingPattern<tileas::EndRecordsOp> {
  using RecordingPattern::RecordingPattern;
  LogicalResult lower(tileas::EndRecordsOp op, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Value place = placeOf(op, thread);
    Value bytes = arith::SubIOp::create(b, thread.loc, get(cursor.next, thread), place);
    bytes = arith::SubIOp::create(b, thread.loc, bytes, thread.i64(sizeof(AgentRecordsHeader)));
    Value count =
        arith::TruncIOp::create(b, thread.loc, b.getI32Type(),
                                arith::DivUIOp::create(b, thread.loc, bytes, thread.i64(sizeof(cuda::AgentRecord))));
    actByPtx("{ .reg .pred p; .reg .b64 t; .reg .b32 c; setp.ne.b32 p, $0, 0; mov.u64 t, %globaltimer; "
             "mov.u32 c, %clock; @p st.global.b64 [$1+16], t; @p st.global.v2.b32 [$1+24], {c, $2}; }",
             "r,l,r", {asNumber(writes(op, thread), thread), place, count}, thread);
    return thread.replace(op);
  }
};

} // namespace

void tilewright::populateAgentRecordPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  if (!kernel.function->hasAttr(tileas::recordTracksAttr))
    return;
  Cursor cursor{kernel.makeVariable(64), kernel.makeVariable(64)};
  patterns.add<BeginRecordsPattern, RecordPattern, EndRecordsPattern>(kernel, cursor);
}
