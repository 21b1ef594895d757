// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/TmemState.h"

#include "layout/memory/MatrixDescriptor.h"
#include "layout/memory/TensorMemory.h"
#include "lower/tileas_to_nvvm/InlinePtx.h"

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
  Access(const LinearLayout &tile, RankedTensorType type, TileRegisters &tiles)
      : type(type), shape(layout::tensorMemoryShapeFor(tile)),
        places(layout::tensorMemoryPlaces(tile, tiles.warps / 4)), tiles(tiles) {
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
    OpBuilder &b = tiles.builder;
    LinearLayout ofWarp = places.restrictInputs({Dim::Warp});
    Value row = tiles.threadPart(ofWarp, Dim::Row), column = tiles.threadPart(ofWarp, Dim::Column);
    Value address = b.createOrFold<arith::AddIOp>(
        tiles.loc, base, b.createOrFold<arith::ShLIOp>(tiles.loc, row, tiles.i32(lanesInAddress)));
    address = b.createOrFold<arith::AddIOp>(tiles.loc, address, column);
    int64_t first = places.coordinate(places.applyFlat({{Dim::Register, uint64_t(reg)}}), Dim::Column);
    return b.createOrFold<arith::AddIOp>(tiles.loc, address, tiles.i32(first));
  }

private:
  RankedTensorType type;
  layout::TensorMemoryShape shape;
  LinearLayout places; // Register, Lane, Warp -> Row, Column
  TileRegisters &tiles;
};

Value pointerTo(Value address, TileRegisters &tiles) {
  auto type = LLVM::LLVMPointerType::get(tiles.builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Tensor));
  return LLVM::IntToPtrOp::create(tiles.builder, tiles.loc, type, address);
}

// An operand's descriptor, and how far from there each instruction's part begins.
class Operand {
public:
  // `mn` is the tile's dimension that is not K.
  Operand(Value buffer, unsigned mn, layout::OperandBox box, TileRegisters &tiles) : tiles(tiles) {
    OpBuilder &b = tiles.builder;
    auto type = cast<tileas::BufferType>(buffer.getType());
    LinearLayout shared = type.getLayout().getLayout();
    auto found = layout::describeOperand(mn == 0 ? shared : shared.permute({1, 0}),
                                         type.getElementType().getIntOrFloatBitWidth(), box);
    isKnown = found.has_value();
    if (!isKnown)
      return;
    descriptor = *found;
    Value address = LLVM::PtrToIntOp::create(b, tiles.loc, b.getI32Type(), tiles.sharedPointer(tiles.get(buffer)[0]));
    address = arith::AndIOp::create(b, tiles.loc, address, tiles.i32(0x3FFFF));
    Value units = arith::ShRUIOp::create(b, tiles.loc, address, tiles.i32(4));
    units = arith::ExtUIOp::create(b, tiles.loc, b.getI64Type(), units);
    first = arith::OrIOp::create(b, tiles.loc, units, tiles.i64(layout::encodeForTcgen05(descriptor, 0)));
  }

  bool isKnown;
  Value at(int64_t position, int64_t k) {
    uint64_t bytes = descriptor.start.applyFlat({{tileDim(0), uint64_t(position)}, {tileDim(1), uint64_t(k)}});
    return tiles.builder.createOrFold<arith::AddIOp>(tiles.loc, first, tiles.i64(bytes >> 4));
  }
  bool isTransposed() const { return descriptor.major == layout::Major::MN; }

private:
  TileRegisters &tiles;
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

void fence(NVVM::Tcgen05FenceKind kind, TileRegisters &tiles) {
  NVVM::Tcgen05FenceOp::create(tiles.builder, tiles.loc, kind);
}

} // namespace

LogicalResult TmemState::allocate(tileas::TmemAllocOp alloc) {
  if (!alloc.getOffset())
    return alloc.emitError() << "internal error: the address of tensor memory has no place in shared memory";
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  tileas::TmemType type = alloc.getTmem().getType();
  Tmem memory{{}, int64_t(*alloc.getOffset()), {}, type.getLayout().getLayout()};
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(tiles.firstOperation());
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    memory.phase = LLVM::AllocaOp::create(b, loc, pointer, b.getI32Type(), tiles.i32(1));
    LLVM::StoreOp::create(b, loc, tiles.i32(0), memory.phase);
  }
  Value place = tiles.sharedPointer(memory.barrier + addressAt);
  {
    OpBuilder::InsertionGuard guard(b);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, tiles.warp(), tiles.i32(0));
    auto warp = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(warp.thenBlock());
    NVVM::Tcgen05AllocOp::create(b, loc, place, tiles.i32(type.getColumns()));
    if (!isa<tileas::TmemAllocOp>(alloc->getNextNode()))
      NVVM::Tcgen05RelinquishAllocPermitOp::create(b, loc);
    auto once = scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    NVVM::MBarrierInitOp::create(b, loc, tiles.sharedPointer(memory.barrier), tiles.i32(1), Value());
    NVVM::FenceMbarrierInitOp::create(b, loc);
  }
  tiles.barrier();
  memory.address = LLVM::LoadOp::create(b, loc, b.getI32Type(), place);
  memories.try_emplace(alloc.getTmem(), memory);
  return success();
}

void TmemState::deallocate(tileas::TmemDeallocOp dealloc) {
  OpBuilder &b = tiles.builder;
  tiles.barrier();
  OpBuilder::InsertionGuard guard(b);
  Value isFirst = arith::CmpIOp::create(b, tiles.loc, arith::CmpIPredicate::eq, tiles.warp(), tiles.i32(0));
  auto warp = scf::IfOp::create(b, tiles.loc, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(warp.thenBlock());
  NVVM::Tcgen05DeallocOp::create(b, tiles.loc, pointerTo(memoryOf(dealloc.getTmem()).address, tiles),
                                 tiles.i32(dealloc.getTmem().getType().getColumns()));
}

LogicalResult TmemState::load(tileas::TmemLoadOp load) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  auto type = cast<RankedTensorType>(load.getTile().getType());
  Tmem &memory = memoryOf(load.getTmem());
  Access access(memory.tile, type, tiles);
  if (!access.isKnown)
    return load.emitError() << "internal error: the tile's layout is not that of a load from tensor memory";
  SmallVector<Value> registers;
  for (int64_t reg = 0; reg < access.registers(); reg += mostRegisters) {
    int64_t count = std::min(mostRegisters, access.registers() - reg);
    Type words = VectorType::get(count, b.getI32Type());
    Value loaded = NVVM::Tcgen05LdOp::create(b, loc, words, /*pack=*/false, access.shapeOfAccess(),
                                             pointerTo(access.at(memory.address, reg), tiles), Value());
    for (int64_t index = 0; index != count; ++index) {
      Value word = LLVM::ExtractElementOp::create(b, loc, loaded, tiles.i32(index));
      if (!type.getElementType().isInteger(32))
        word = LLVM::BitcastOp::create(b, loc, type.getElementType(), word);
      registers.push_back(word);
    }
  }
  // The wait names the registers, so that what uses them stays behind it.
  tiles.set(load.getTile(), passThrough("tcgen05.wait::ld.sync.aligned;", registers, tiles));
  return success();
}

LogicalResult TmemState::store(tileas::TmemStoreOp store) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  Tmem &memory = memoryOf(store.getTmem());
  Access access(memory.tile, cast<RankedTensorType>(store.getTile().getType()), tiles);
  if (!access.isKnown)
    return store.emitError() << "internal error: the tile's layout is not that of a store to tensor memory";
  SmallVector<Value> registers = tiles.get(store.getTile());
  for (int64_t reg = 0; reg < access.registers(); reg += mostRegisters) {
    int64_t count = std::min(mostRegisters, access.registers() - reg);
    Value words = LLVM::UndefOp::create(b, loc, VectorType::get(count, b.getI32Type()));
    for (int64_t index = 0; index != count; ++index) {
      Value word = registers[reg + index];
      if (!word.getType().isInteger(32))
        word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
      words = LLVM::InsertElementOp::create(b, loc, words, word, tiles.i32(index));
    }
    NVVM::Tcgen05StOp::create(b, loc, /*unpack=*/false, access.shapeOfAccess(),
                              pointerTo(access.at(memory.address, reg), tiles), words, Value());
  }
  NVVM::Tcgen05WaitOp::create(b, loc, NVVM::Tcgen05WaitKind::STORE);
  return success();
}

LogicalResult TmemState::multiply(tileas::TmemMmaOp mma) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  tileas::AtomAttr atom = mma.getAtom();
  Tmem &memory = memoryOf(mma.getAcc());
  std::optional<Instruction> instruction = instructionFor(mma);
  if (!instruction)
    return mma.emitError() << "internal error: tcgen05 multiplies no " << mma.getLhs().getType().getElementType();
  {
    OpBuilder::InsertionGuard guard(b);
    auto once = scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    Operand lhs(mma.getLhs(), 0, {atom.getM(), atom.getK()}, tiles);
    Operand rhs(mma.getRhs(), 1, {atom.getN(), atom.getK()}, tiles);
    if (!lhs.isKnown || !rhs.isKnown)
      return mma.emitError() << "internal error: no descriptor for an operand's layout";
    Value description = tiles.i32(encode(*instruction, atom, lhs.isTransposed(), rhs.isTransposed()));
    ArrayRef<int64_t> shape = mma.getAcc().getType().getShape();
    int64_t depth = mma.getLhs().getType().getShape()[1];
    // By places in the memory, so that each instruction goes on where the one of the step before added.
    for (int64_t k = 0; k != depth; k += atom.getK())
      for (int64_t m = 0; m != shape[0]; m += atom.getM())
        for (int64_t n = 0; n != shape[1]; n += atom.getN()) {
          Value address = b.createOrFold<arith::AddIOp>(loc, memory.address, tiles.i32(m / atom.getM() * shape[1] + n));
          NVVM::Tcgen05MMAOp::create(b, loc, instruction->kind, NVVM::CTAGroupKind::CTA_1,
                                     NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false, pointerTo(address, tiles),
                                     lhs.at(m, k), rhs.at(n, k), description,
                                     k == 0 ? mma.getAccumulates() : tiles.i1(true), Value(), Value());
        }
  }
  if (!mma.getRunning())
    waitFor(memory);
  return success();
}

void TmemState::wait(tileas::TmemWaitOp wait) {
  waitFor(memoryOf(wait.getAcc()));
}

void TmemState::waitFor(const Tmem &memory) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  Value barrier = tiles.sharedPointer(memory.barrier);
  {
    OpBuilder::InsertionGuard guard(b);
    auto once = scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    NVVM::Tcgen05CommitOp::create(b, loc, barrier, Value());
  }
  Value phase = LLVM::LoadOp::create(b, loc, b.getI32Type(), memory.phase);
  NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, phase, tiles.i32(longestSleep));
  LLVM::StoreOp::create(b, loc, arith::XOrIOp::create(b, loc, phase, tiles.i32(1)), memory.phase);
  fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC, tiles);
}
