// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory of a kernel, and the products by tcgen05 that add up there. The first thread of the block starts them;
// all threads wait for their end at a barrier in shared memory (mbarrier), which the hardware comes to: a commit
// follows the products started until then. Which of the barrier's phases that is a thread knows by a variable of its
// own, that LLVM turns into a register.
#include "layout/memory/TensorMemory.h"
#include "lower/tileas_to_nvvm/mma/MmaPatterns.h"
#include "lower/tileas_to_nvvm/mma/WgmmaOperands.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::tileDim;

namespace {

constexpr int64_t addressAt = 8;       // behind the barrier
constexpr int64_t mostRegisters = 64;  // of one load or store
constexpr int64_t lanesInAddress = 16; // an address is lane << 16 | column, PTX ISA 9.7.16.2

// Registers of a warp's access, and where it begins.
class Access {
public:
  Access(const LinearLayout &tile, RankedTensorType type, ThreadBuilder &thread)
      : type(type), shape(layout::tensorMemoryShapeFor(tile)),
        places(layout::tensorMemoryPlaces(tile, thread.warps() / 4)), thread(thread) {
    isKnown = places.then(tile) == tileas::layoutOf(type);
  }

  bool isKnown = false;
  int64_t registers() const { return places.inputSize(Dim::Register); }
  NVVM::Tcgen05LdStShape shapeOfAccess() const {
    return shape == layout::TensorMemoryShape::L32x32b ? NVVM::Tcgen05LdStShape::SHAPE_32X32B
                                                       : NVVM::Tcgen05LdStShape::SHAPE_16X256B;
  }
  // The address for the registers from there on.
  Value at(Value base, int64_t reg) {
    OpBuilder &b = thread.builder;
    LinearLayout ofWarp = places.restrictInputs({Dim::Warp});
    Value row = thread.threadPart(ofWarp, Dim::Row), column = thread.threadPart(ofWarp, Dim::Column);
    Value address = b.createOrFold<arith::AddIOp>(
        thread.loc, base, b.createOrFold<arith::ShLIOp>(thread.loc, row, thread.i32(lanesInAddress)));
    address = b.createOrFold<arith::AddIOp>(thread.loc, address, column);
    int64_t first = places.coordinate(places.applyFlat({{Dim::Register, uint64_t(reg)}}), Dim::Column);
    return b.createOrFold<arith::AddIOp>(thread.loc, address, thread.i32(first));
  }

private:
  RankedTensorType type;
  layout::TensorMemoryShape shape;
  LinearLayout places; // Register, Lane, Warp -> Row, Column
  ThreadBuilder &thread;
};

Value pointerTo(Value address, ThreadBuilder &thread) {
  auto type = LLVM::LLVMPointerType::get(thread.builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Tensor));
  return LLVM::IntToPtrOp::create(thread.builder, thread.loc, type, address);
}

// An operand's descriptor, and how far from there each instruction's part begins.
class Operand {
public:
  Operand(const layout::MatrixDescriptor &descriptor, Value buffer, ThreadBuilder &thread)
      : thread(thread), descriptor(descriptor) {
    OpBuilder &b = thread.builder;
    Value address = LLVM::PtrToIntOp::create(b, thread.loc, b.getI32Type(), thread.sharedPointer(buffer));
    address = arith::AndIOp::create(b, thread.loc, address, thread.i32(0x3FFFF));
    Value units = arith::ShRUIOp::create(b, thread.loc, address, thread.i32(4));
    units = arith::ExtUIOp::create(b, thread.loc, b.getI64Type(), units);
    first = arith::OrIOp::create(b, thread.loc, units, thread.i64(layout::encodeForTcgen05(descriptor, 0)));
  }

  Value at(int64_t position, int64_t k) {
    uint64_t bytes = descriptor.start.applyFlat({{tileDim(0), uint64_t(position)}, {tileDim(1), uint64_t(k)}});
    return thread.builder.createOrFold<arith::AddIOp>(thread.loc, first, thread.i64(bytes >> 4));
  }
  bool isTransposed() const { return descriptor.major == layout::Major::MN; }

private:
  ThreadBuilder &thread;
  layout::MatrixDescriptor descriptor;
  Value first;
};

// PTX ISA 9.7.16.4.2, "Instruction descriptor", kinds tf32, f16, f8f6f4 and i8.
struct Instruction {
  NVVM::Tcgen05MMAKind kind;
  uint32_t sums, lhs, rhs; // codes of the types
};

std::optional<Instruction> instructionFor(tileas::TmemMmaOp mma) {
  constexpr uint32_t f32 = 1, s32 = 2;
  Type element = mma.getFormat().value_or(mma.getLhs().getType().getElementType());
  if (element.isF16())
    return Instruction{NVVM::Tcgen05MMAKind::F16, f32, 0, 0};
  if (element.isBF16())
    return Instruction{NVVM::Tcgen05MMAKind::F16, f32, 1, 1};
  if (isa<FloatTF32Type>(element))
    return Instruction{NVVM::Tcgen05MMAKind::TF32, f32, 2, 2};
  if (isa<Float8E4M3FNType>(element))
    return Instruction{NVVM::Tcgen05MMAKind::F8F6F4, f32, 0, 0};
  if (isa<Float8E5M2Type>(element))
    return Instruction{NVVM::Tcgen05MMAKind::F8F6F4, f32, 1, 1};
  if (element.isInteger(8))
    return Instruction{NVVM::Tcgen05MMAKind::I8, s32, mma.getUnsignedLhs() ? 0u : 1u, mma.getUnsignedRhs() ? 0u : 1u};
  return std::nullopt;
}

uint32_t encode(const Instruction &one, tileas::AtomAttr atom, bool lhsTransposed, bool rhsTransposed) {
  return one.sums << 4 | one.lhs << 7 | one.rhs << 10 | uint32_t(lhsTransposed) << 15 | uint32_t(rhsTransposed) << 16 |
         uint32_t(atom.getN() >> 3) << 17 | uint32_t(atom.getM() >> 4) << 24;
}

void fence(NVVM::Tcgen05FenceKind kind, ThreadBuilder &thread) {
  NVVM::Tcgen05FenceOp::create(thread.builder, thread.loc, kind);
}

// By operation of the original IR: the barrier of its tensor memory.
class Barriers {
public:
  struct Barrier {
    int64_t offset; // in shared memory
    Value phase;    // a pointer to a variable
    bool isLast;    // no other memory is allocated afterwards
  };

  explicit Barriers(KernelContext &kernel) {
    kernel.function.walk([&](tileas::TmemAllocOp alloc) {
      if (!alloc.getOffset())
        return;
      Barrier barrier{int64_t(*alloc.getOffset()), kernel.makeVariable(32),
                      !isa<tileas::TmemAllocOp>(alloc->getNextNode())};
      barriers[alloc] = barrier;
      for (Operation *user : alloc->getUsers())
        barriers[user] = barrier;
    });
  }
  const Barrier &of(Operation *op) const { return barriers.find(op)->second; }

private:
  llvm::DenseMap<Operation *, Barrier> barriers;
};

void waitFor(const Barriers::Barrier &memory, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value barrier = thread.sharedPointer(memory.offset);
  {
    OpBuilder::InsertionGuard guard(b);
    auto once = scf::IfOp::create(b, loc, thread.isFirstThread(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    NVVM::Tcgen05CommitOp::create(b, loc, barrier, Value());
  }
  Value phase = LLVM::LoadOp::create(b, loc, b.getI32Type(), memory.phase);
  NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, phase, thread.i32(longestSleep));
  LLVM::StoreOp::create(b, loc, arith::XOrIOp::create(b, loc, phase, thread.i32(1)), memory.phase);
  fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC, thread);
}

struct AllocPattern : TilePatternWith<tileas::TmemAllocOp, Barriers> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::TmemAllocOp alloc, Adaptor, ThreadBuilder &thread) const override {
    if (!alloc.getOffset())
      return thread.fail(alloc, "its address has no place in shared memory"); // tileas-allocate-shared
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    tileas::TmemType type = alloc.getTmem().getType();
    const Barriers::Barrier &memory = facts->of(alloc);
    Value place = thread.sharedPointer(memory.offset + addressAt);
    {
      OpBuilder::InsertionGuard guard(b);
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread.warp(), thread.i32(0));
      auto warp = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
      b.setInsertionPointToStart(warp.thenBlock());
      NVVM::Tcgen05AllocOp::create(b, loc, place, thread.i32(type.getColumns()));
      if (memory.isLast)
        NVVM::Tcgen05RelinquishAllocPermitOp::create(b, loc);
      auto once = scf::IfOp::create(b, loc, thread.isFirstThread(), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      NVVM::MBarrierInitOp::create(b, loc, thread.sharedPointer(memory.offset), thread.i32(1), Value());
      NVVM::FenceMbarrierInitOp::create(b, loc);
    }
    thread.barrier();
    return thread.replace(alloc, LLVM::LoadOp::create(b, loc, b.getI32Type(), place).getResult());
  }
};

struct DeallocPattern : TilePattern<tileas::TmemDeallocOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::TmemDeallocOp dealloc, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    thread.barrier();
    OpBuilder::InsertionGuard guard(b);
    Value isFirst = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::eq, thread.warp(), thread.i32(0));
    auto warp = scf::IfOp::create(b, thread.loc, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(warp.thenBlock());
    NVVM::Tcgen05DeallocOp::create(b, thread.loc, pointerTo(adaptor.getTmem()[0], thread),
                                   thread.i32(dealloc.getTmem().getType().getColumns()));
    return thread.replace(dealloc);
  }
};

struct LoadPattern : TilePattern<tileas::TmemLoadOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::TmemLoadOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    auto type = cast<RankedTensorType>(load.getTile().getType());
    Value address = adaptor.getTmem()[0];
    Access access(load.getTmem().getType().getLayout().getLayout(), type, thread);
    if (!access.isKnown)
      return thread.fail(load, "its layout is not that of a load from tensor memory"); // tileas-legalize-tmem-copy
    SmallVector<Value> registers;
    for (int64_t reg = 0; reg < access.registers(); reg += mostRegisters) {
      int64_t count = std::min(mostRegisters, access.registers() - reg);
      Type words = VectorType::get(count, b.getI32Type());
      Value loaded = NVVM::Tcgen05LdOp::create(b, loc, words, /*pack=*/false, access.shapeOfAccess(),
                                               pointerTo(access.at(address, reg), thread), Value());
      for (int64_t index = 0; index != count; ++index) {
        Value word = LLVM::ExtractElementOp::create(b, loc, loaded, thread.i32(index));
        if (!type.getElementType().isInteger(32))
          word = LLVM::BitcastOp::create(b, loc, type.getElementType(), word);
        registers.push_back(word);
      }
    }
    // The wait names the registers, so that what uses them stays behind it.
    return thread.replace(load, passThrough("tcgen05.wait::ld.sync.aligned;", registers, thread));
  }
};

struct StorePattern : TilePattern<tileas::TmemStoreOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::TmemStoreOp store, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    Value address = adaptor.getTmem()[0];
    Access access(store.getTmem().getType().getLayout().getLayout(), cast<RankedTensorType>(store.getTile().getType()),
                  thread);
    if (!access.isKnown)
      return thread.fail(store, "its layout is not that of a store to tensor memory"); // tileas-legalize-tmem-copy
    ValueRange registers = adaptor.getTile();
    for (int64_t reg = 0; reg < access.registers(); reg += mostRegisters) {
      int64_t count = std::min(mostRegisters, access.registers() - reg);
      Value words = LLVM::UndefOp::create(b, loc, VectorType::get(count, b.getI32Type()));
      for (int64_t index = 0; index != count; ++index) {
        Value word = registers[reg + index];
        if (!word.getType().isInteger(32))
          word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
        words = LLVM::InsertElementOp::create(b, loc, words, word, thread.i32(index));
      }
      NVVM::Tcgen05StOp::create(b, loc, /*unpack=*/false, access.shapeOfAccess(),
                                pointerTo(access.at(address, reg), thread), words, Value());
    }
    NVVM::Tcgen05WaitOp::create(b, loc, NVVM::Tcgen05WaitKind::STORE);
    return thread.replace(store);
  }
};

struct MmaPattern : TilePatternWith<tileas::TmemMmaOp, Barriers> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::TmemMmaOp mma, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    tileas::AtomAttr atom = mma.getAtom();
    Value memory = adaptor.getAcc()[0];
    std::optional<Instruction> instruction = instructionFor(mma);
    auto lhsDescriptor = describeOperand(mma.getLhs().getType(), 0, {atom.getM(), atom.getK()});
    auto rhsDescriptor = describeOperand(mma.getRhs().getType(), 1, {atom.getN(), atom.getK()});
    // Tcgen05Choice
    if (!instruction)
      return thread.fail(mma, "tcgen05 does not multiply elements of these types");
    if (!lhsDescriptor || !rhsDescriptor)
      return thread.fail(mma, "an operand's layout has no descriptor");
    {
      OpBuilder::InsertionGuard guard(b);
      auto once = scf::IfOp::create(b, loc, thread.isFirstThread(), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      Operand lhs(*lhsDescriptor, adaptor.getLhs()[0], thread), rhs(*rhsDescriptor, adaptor.getRhs()[0], thread);
      Value description = thread.i32(encode(*instruction, atom, lhs.isTransposed(), rhs.isTransposed()));
      ArrayRef<int64_t> shape = mma.getAcc().getType().getShape();
      int64_t depth = mma.getLhs().getType().getShape()[1];
      // By places in the memory, so that each instruction goes on where the one of the step before added.
      for (int64_t k = 0; k != depth; k += atom.getK())
        for (int64_t m = 0; m != shape[0]; m += atom.getM())
          for (int64_t n = 0; n != shape[1]; n += atom.getN()) {
            Value address = b.createOrFold<arith::AddIOp>(loc, memory, thread.i32(m / atom.getM() * shape[1] + n));
            NVVM::Tcgen05MMAOp::create(b, loc, instruction->kind, NVVM::CTAGroupKind::CTA_1,
                                       NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false,
                                       pointerTo(address, thread), lhs.at(m, k), rhs.at(n, k), description,
                                       k == 0 ? adaptor.getAccumulates()[0] : thread.i1(true), Value(), Value());
          }
    }
    if (!mma.getRunning())
      waitFor(facts->of(mma), thread);
    return thread.replace(mma);
  }
};

struct WaitPattern : TilePatternWith<tileas::TmemWaitOp, Barriers> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::TmemWaitOp wait, Adaptor, ThreadBuilder &thread) const override {
    waitFor(facts->of(wait), thread);
    return thread.replace(wait);
  }
};

} // namespace

void tilewright::populateTensorMemoryPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  auto barriers = std::make_shared<Barriers>(kernel);
  patterns.add<AllocPattern, MmaPattern, WaitPattern>(kernel, barriers);
  patterns.add<DeallocPattern, LoadPattern, StorePattern>(kernel);
}
