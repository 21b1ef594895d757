// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/Abi.h"
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUASSIGNSCRATCH
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

constexpr int64_t alignment = 64;

// Scratch beyond this is a mistake, and sums of such sizes must not overflow.
constexpr int64_t maxAllocaBytes = int64_t(1) << 40;

constexpr int64_t always = std::numeric_limits<int64_t>::max();

// A buffer's life, as positions in the function's outermost block.
struct Life {
  Operation *alloc;
  int64_t bytes;
  int64_t first, last;
  int64_t offset = 0;
};

// All buffers of a function that need scratch.
class Buffers {
public:
  explicit Buffers(func::FuncOp function) : body(function.getBody().front()) {
    for (auto [position, op] : llvm::enumerate(body))
      positions[&op] = position;
    function.walk([&](memref::AllocOp alloc) { add(alloc); });
    function.walk([&](tileaa::AllocaOp alloca) { add(alloca); });
  }

  // Some cannot be placed, which was said.
  bool areWrong() const { return wrong; }

  // Assigns the offsets; returns the total of bytes. State that tile blocks leave for later ones comes first.
  int64_t placeAll();
  ArrayRef<Life> getLives() const { return lives; }

private:
  void add(memref::AllocOp alloc);
  void add(tileaa::AllocaOp alloca);
  void extend(Life &life, Value buffer) const;

  Block &body;
  DenseMap<Operation *, int64_t> positions;
  SmallVector<Life> lives, states;
  bool wrong = false;
};

void Buffers::add(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
    alloc.emitOpError() << "has type " << type << ", expected a static shape and plain layout";
    wrong = true;
    return;
  }
  int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  int64_t bytes = llvm::alignTo(type.getNumElements() * elementBytes, alignment);
  if (alloc->hasAttr(stateAttr)) {
    states.push_back({alloc, bytes, 0, 0, static_cast<int64_t>(states.size()) * bytes});
    return;
  }
  Life life{alloc, bytes, always, -1};
  if (alloc->hasAttr(keptAttr))
    life.first = 0, life.last = always;
  else
    extend(life, alloc.getResult());
  lives.push_back(life);
}

// Memory of the block: for all of its life, since an address may be anywhere.
void Buffers::add(tileaa::AllocaOp alloca) {
  // Scratch is aligned to 64 bytes; more than that is found within what is set aside.
  int64_t aligned = alloca.getAlignment(), slack = std::max<int64_t>(0, aligned - alignment);
  if (aligned > maxAllocaBytes || static_cast<int64_t>(alloca.getBytes()) > maxAllocaBytes - slack) {
    emitError(alloca.getLoc()) << "found an alloca of " << alloca.getBytes() << " bytes aligned to " << aligned
                               << ", expected at most " << maxAllocaBytes << " bytes in all";
    wrong = true;
    return;
  }
  int64_t bytes = llvm::alignTo(alloca.getBytes() + slack, alignment);
  lives.push_back({alloca, bytes, 0, always});
}

void Buffers::extend(Life &life, Value buffer) const {
  for (Operation *user : buffer.getUsers()) {
    Operation *top = body.findAncestorOpInBlock(*user);
    int64_t position = positions.lookup(top);
    life.first = std::min(life.first, position);
    life.last = std::max(life.last, position);
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(user)) // handed to the host by address: how long is not seen here
      life.last = always;
    if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp())) {
      for (auto [operand, result] : llvm::zip(user->getOperands(), user->getParentOp()->getResults()))
        if (operand == buffer)
          extend(life, result);
      continue;
    }
    for (Value result : user->getResults())
      if (isa<MemRefType>(result.getType()) && !isa<scf::IfOp>(user))
        extend(life, result);
  }
}

// Largest first, each at the lowest offset that is free for all of its life.
int64_t place(MutableArrayRef<Life> lives) {
  SmallVector<Life *> order;
  for (Life &life : lives)
    order.push_back(&life);
  // Equal ones in the order of the program, which is that of the array.
  llvm::sort(order, [](const Life *a, const Life *b) { return a->bytes != b->bytes ? a->bytes > b->bytes : a < b; });
  SmallVector<Life *> placed;
  int64_t total = 0;
  for (Life *life : order) {
    SmallVector<Life *> rivals;
    for (Life *other : placed)
      if (other->first <= life->last && life->first <= other->last)
        rivals.push_back(other);
    llvm::sort(rivals, [](const Life *a, const Life *b) { return a->offset < b->offset; });
    int64_t offset = 0;
    for (Life *rival : rivals)
      if (offset + life->bytes > rival->offset)
        offset = std::max(offset, rival->offset + rival->bytes);
    life->offset = offset;
    total = std::max(total, offset + life->bytes);
    placed.push_back(life);
  }
  return total;
}

int64_t Buffers::placeAll() {
  int64_t total = place(lives);
  if (!states.empty()) {
    for (Life &life : lives)
      life.offset += TILEWRIGHT_SCRATCH_STATE_BYTES;
    total += TILEWRIGHT_SCRATCH_STATE_BYTES;
    llvm::append_range(lives, states);
  }
  // Room for vectors that a narrow last tile is read with.
  return total + alignment * 4;
}

Value alignUp(OpBuilder &builder, Location loc, Value address, int64_t to) {
  if (to <= alignment)
    return address;
  Value slack = arith::ConstantIntOp::create(builder, loc, to - 1, 64);
  Value mask = arith::ConstantIntOp::create(builder, loc, -to, 64);
  return arith::AndIOp::create(builder, loc, arith::AddIOp::create(builder, loc, address, slack), mask);
}

struct CpuAssignScratch : tilewright::impl::CpuAssignScratchBase<CpuAssignScratch> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!tileaa::isKernel(function))
      return;
    Buffers buffers(function);
    if (buffers.areWrong())
      return signalPassFailure();
    int64_t total = buffers.placeAll();
    Block &body = function.getBody().front();
    Value scratch = body.addArgument(IntegerType::get(&getContext(), 64), function.getLoc());
    function.setType(FunctionType::get(&getContext(), body.getArgumentTypes(), {}));
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (const Life &life : buffers.getLives()) {
      builder.setInsertionPointToStart(&body); // the first op may have been the alloc just erased
      Location loc = life.alloc->getLoc();
      Value offset = arith::ConstantIntOp::create(builder, loc, life.offset, 64);
      Value address = arith::AddIOp::create(builder, loc, scratch, offset);
      if (auto alloca = dyn_cast<tileaa::AllocaOp>(life.alloc))
        alloca.replaceAllUsesWith(alignUp(builder, loc, address, alloca.getAlignment()));
      else
        life.alloc->getResult(0).replaceAllUsesWith(ArrayOp::create(
            builder, loc, cast<memref::AllocOp>(life.alloc).getType(), address, ValueRange(), ValueRange()));
      life.alloc->erase();
    }
    function->setAttr(scratchBytesAttr, builder.getI64IntegerAttr(total));
  }
};

} // namespace
