// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/async/TensorMapTable.h"

#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t mapBytes = tileas::tmaDescBytes;
constexpr StringLiteral tableName = "tilewright_tensor_maps", ownName = "tilewright_own_tensor_maps",
                        takenName = "tilewright_own_tensor_maps_taken";

// An entry is a map, the numbers that it follows from, and its state.
constexpr unsigned entriesLog2 = 9;
constexpr int64_t entryBytes = 2 * mapBytes, stateOffset = entryBytes - sizeof(int64_t);
static_assert(mapBytes + TensorMapFields::mostNumbers * sizeof(int64_t) <= stateOffset);
enum State { empty, beingWritten, ready };

// So many places of CTAs' own for each multiprocessor, one for each warp of those that it has in flight; should these
// be more, they take those of others, and wait in the end.
constexpr int64_t placesOfSm = 32, mostSms = 256, places = placesOfSm * mostSms;

Value offsetBy(Value address, int64_t bytes, ThreadBuilder &thread) {
  return arith::AddIOp::create(thread.builder, thread.loc, address, thread.i64(bytes));
}

Value isEqual(Value a, Value b, ThreadBuilder &thread) {
  return arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::eq, a, b);
}

Value vote(NVVM::VoteSyncKind kind, Value holds, ThreadBuilder &thread) {
  return NVVM::VoteSyncOp::create(thread.builder, thread.loc, thread.builder.getI1Type(), thread.i32(-1), holds, kind);
}

void syncWarp(ThreadBuilder &thread) {
  NVVM::SyncWarpOp::create(thread.builder, thread.loc, thread.i32(-1));
}

// The value of one of two branches.
Value choose(Value condition, Type type, ThreadBuilder &thread, function_ref<Value()> yes, function_ref<Value()> no) {
  OpBuilder &b = thread.builder;
  auto choice = scf::IfOp::create(b, thread.loc, type, condition, /*withElseRegion=*/true);
  for (auto [block, compute] : {std::pair(choice.thenBlock(), yes), std::pair(choice.elseBlock(), no)}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, thread.loc, compute());
  }
  return choice.getResult(0);
}

// A number that the first lane computes, i32, in all lanes.
Value byFirstLane(ThreadBuilder &thread, function_ref<Value()> compute) {
  Type i32 = thread.builder.getI32Type();
  Value number = choose(thread.isFirstLane(), i32, thread, compute, [&] { return thread.i32(0); });
  return NVVM::ShflOp::create(thread.builder, thread.loc, i32, thread.i32(-1), number, thread.i32(0), thread.i32(31),
                              NVVM::ShflKind::idx, UnitAttr());
}

// The value of a lock before it is taken, which is 0 where it is free.
Value tryTake(Value address, ThreadBuilder &thread) {
  return readByPtx("atom.acquire.gpu.global.cas.b32 $0, [$1], 0, 1;", "=r,l", {address}, {thread.builder.getI32Type()},
                   thread)[0];
}

// The entry of a map, as a warp sees it: a lane has one of the numbers, the lanes behind have the last one.
class Entry {
public:
  Entry(ArrayRef<Value> numbers, ThreadBuilder &thread) : thread(thread) {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    Value sum = thread.i64(0), last = thread.i32(numbers.size() - 1);
    Value lane = arith::MinUIOp::create(b, loc, thread.lane(), last);
    uint64_t factor = 0x9E3779B97F4A7C15; // odd, of the golden ratio
    for (auto [index, next] : llvm::enumerate(numbers)) {
      sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, next, thread.i64(factor)));
      factor *= 0xD1342543DE82EF95;
      number =
          index == 0
              ? next
              : arith::SelectOp::create(b, loc, isEqual(lane, thread.i32(index), thread), next, number).getResult();
    }
    Value index = arith::ShRUIOp::create(b, loc, sum, thread.i64(64 - entriesLog2));
    Value offset = arith::MulIOp::create(b, loc, index, thread.i64(entryBytes));
    address = arith::AddIOp::create(b, loc, addressOfGlobal(tableName, thread), offset);
    Value ofLane = arith::MulIOp::create(b, loc, arith::ExtUIOp::create(b, loc, b.getI64Type(), lane), thread.i64(8));
    mine = arith::AddIOp::create(b, loc, offsetBy(address, mapBytes, thread), ofLane);
  }

  // The map's address.
  Value address;

  // Numbers are compared as they come, before the state is known: those of a ready entry stay, and are no other map's.
  Value isFound() {
    Value seen =
        readByPtx("ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l", {mine}, {thread.builder.getI64Type()}, thread)[0];
    state = readByPtx("ld.acquire.gpu.global.b32 $0, [$1];", "=r,l", {stateAddress()}, {thread.builder.getI32Type()},
                      thread)[0];
    Value isReady = isEqual(state, thread.i32(ready), thread), isSame = isEqual(seen, number, thread);
    return vote(NVVM::VoteSyncKind::all, arith::AndIOp::create(thread.builder, thread.loc, isReady, isSame), thread);
  }

  // Whether it was empty then, and is this warp's to write.
  Value isTaken() {
    Type i32 = thread.builder.getI32Type();
    Value before = byFirstLane(thread, [&] {
      return choose(
          isEqual(state, thread.i32(empty), thread), i32, thread, [&] { return tryTake(stateAddress(), thread); },
          [&] { return state; });
    });
    return isEqual(before, thread.i32(empty), thread);
  }

  // Behind the map.
  void publish() {
    actByPtx("st.relaxed.gpu.global.b64 [$0], $1;", "l,l", {mine, number}, thread);
    syncWarp(thread);
    thread.where(thread.isFirstLane(), [&] {
      actByPtx("st.release.gpu.global.b32 [$0], $1;", "l,r", {stateAddress(), thread.i32(ready)}, thread);
    });
  }

private:
  Value stateAddress() { return offsetBy(address, stateOffset, thread); }

  ThreadBuilder &thread;
  Value number, mine, state;
};

Value takenAddress(Value number, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value bytes = arith::MulIOp::create(b, thread.loc, number, thread.i32(sizeof(int32_t)));
  return arith::AddIOp::create(b, thread.loc, addressOfGlobal(takenName, thread),
                               arith::ExtUIOp::create(b, thread.loc, b.getI64Type(), bytes));
}

// By one thread: the number of a free place. The first try is the multiprocessor's own, by the place that the hardware
// gave the warp, as other warps have others. Each try takes most of a microsecond.
Value takePlace(ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Type i32 = b.getI32Type();
  Value last = thread.i32(places - 1);
  Value ofSm = arith::MulIOp::create(b, loc, NVVM::SmIdOp::create(b, loc, i32), thread.i32(placesOfSm));
  Value ofWarp = arith::AndIOp::create(b, loc, NVVM::WarpIdOp::create(b, loc, i32), thread.i32(placesOfSm - 1));
  Value first = arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, ofSm, ofWarp), last);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(i32), ValueRange(first),
      [&](OpBuilder &b, Location loc, ValueRange number) {
        Value taken = tryTake(takenAddress(number[0], thread), thread);
        Value isTaken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, taken, thread.i32(0));
        scf::ConditionOp::create(b, loc, isTaken, number);
      },
      [&](OpBuilder &b, Location loc, ValueRange number) {
        Value next = arith::AddIOp::create(b, loc, number[0], thread.i32(1));
        scf::YieldOp::create(b, loc, ValueRange(arith::AndIOp::create(b, loc, next, last)));
      });
  return loop.getResult(0);
}

Value ownPlace(ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value number = byFirstLane(thread, [&] { return takePlace(thread); });
  Value offset = arith::MulIOp::create(b, thread.loc, number, thread.i32(mapBytes));
  return arith::AddIOp::create(b, thread.loc, addressOfGlobal(ownName, thread),
                               arith::ExtUIOp::create(b, thread.loc, b.getI64Type(), offset));
}

// By a warp: zeros in shared memory, the fields there, and all of it to global memory.
void write(const TensorMapFields &fields, Value scratch, Value place, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value word = arith::MulIOp::create(b, loc, thread.lane(), thread.i32(4));
  LLVM::StoreOp::create(b, loc, thread.i32(0), thread.sharedPointer(arith::AddIOp::create(b, loc, scratch, word)));
  syncWarp(thread);
  Value at = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), thread.sharedPointer(scratch));
  thread.where(thread.isFirstLane(), [&] { fields.encode(at, thread); });
  syncWarp(thread);
  actByPtx("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], " +
               Twine(mapBytes) + ";",
           "l,r", {place, at}, thread);
}

Value offsetInOwn(Value address, ThreadBuilder &thread) {
  return arith::SubIOp::create(thread.builder, thread.loc, address, addressOfGlobal(ownName, thread));
}

} // namespace

Value tilewright::findTensorMap(const TensorMapFields &fields, Value scratch, ThreadBuilder &thread) {
  Type i64 = thread.builder.getI64Type();
  Entry entry(fields.numbers(thread), thread);
  return choose(
      entry.isFound(), i64, thread, [&] { return entry.address; },
      [&] {
        Value isTaken = entry.isTaken();
        Value place = choose(isTaken, i64, thread, [&] { return entry.address; }, [&] { return ownPlace(thread); });
        write(fields, scratch, place, thread);
        thread.where(isTaken, [&] { entry.publish(); });
        return place;
      });
}

Value tilewright::isOwnTensorMap(Value address, ThreadBuilder &thread) {
  return arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::ult, offsetInOwn(address, thread),
                               thread.i64(places * mapBytes));
}

void tilewright::freeTensorMap(Value address, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value number = arith::DivUIOp::create(b, thread.loc, offsetInOwn(address, thread), thread.i64(mapBytes));
  number = arith::TruncIOp::create(b, thread.loc, b.getI32Type(), number);
  actByPtx("st.release.gpu.global.b32 [$0], $1;", "l,r", {takenAddress(number, thread), thread.i32(0)}, thread);
}

void tilewright::addTensorMaps(ModuleOp module) {
  bool isAny = module.walk([](tileas::WriteTmaDescsOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!isAny)
    return;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto add = [&](StringRef name, Type element, int64_t count, unsigned alignment) {
    auto type = LLVM::LLVMArrayType::get(element, count);
    auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
                                         name, Attribute(), alignment, /*addrSpace=*/1);
    Block &block = global.getInitializerRegion().emplaceBlock();
    auto inside = OpBuilder::atBlockEnd(&block);
    LLVM::ReturnOp::create(inside, module.getLoc(), LLVM::ZeroOp::create(inside, module.getLoc(), type));
  };
  add(tableName, builder.getI8Type(), entryBytes << entriesLog2, mapBytes);
  add(ownName, builder.getI8Type(), places * mapBytes, mapBytes);
  add(takenName, builder.getI32Type(), places, 4);
  add(nothingName, builder.getI8Type(), 16, 16);
}
