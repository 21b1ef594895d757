// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in shared memory: writes and reads as their plan says.
#include "layout/SharedAccess.h"
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::Mask;

namespace {

unsigned sumOf(ArrayRef<Mask> masks, unsigned number) {
  unsigned sum = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    sum ^= number >> bit & 1 ? mask : 0;
  return sum;
}

// Registers of a layout that are no copies, and where each register's copy is among them.
struct OwnRegisters {
  LinearLayout layout; // without the others
  SmallVector<unsigned> bits;

  explicit OwnRegisters(const LinearLayout &all) : layout(all.withoutFreeRegisters()) {
    uint64_t free = all.freeBits(Dim::Register);
    for (unsigned bit = 0; bit != all.inputBits(Dim::Register); ++bit)
      if (!(free >> bit & 1))
        bits.push_back(bit);
  }
  unsigned whole(unsigned own) const {
    unsigned reg = 0;
    for (auto [index, bit] : llvm::enumerate(bits))
      reg |= (own >> index & 1) << bit;
    return reg;
  }
  unsigned own(unsigned reg) const {
    unsigned number = 0;
    for (auto [index, bit] : llvm::enumerate(bits))
      number |= (reg >> bit & 1) << index;
    return number;
  }
};

// The address of a register's element: the thread's place and what the register adds or changes.
class Addresses {
public:
  Addresses(const layout::SharedAccess &access, Value base, int64_t bytes, TileRegisters &tiles)
      : access(access), base(base), bytes(bytes), tiles(tiles) {}

  Value pointer(unsigned reg) {
    Value offset = tiles.output(access.offsets, Dim::Offset, reg);
    offset = tiles.builder.createOrFold<arith::MulIOp>(tiles.loc, offset, tiles.i32(bytes));
    return tiles.sharedPointer(tiles.builder.createOrFold<arith::AddIOp>(tiles.loc, base, offset));
  }

private:
  const layout::SharedAccess &access;
  Value base;
  int64_t bytes;
  TileRegisters &tiles;
};

Value isBusy(const layout::SharedAccess &access, const LinearLayout &layout, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value zero;
  Mask lanes = access.idleLanes, warps = access.idleWarps;
  lanes |= 31 & ~(layout.inputSize(Dim::Lane) - 1);
  warps |= (tiles.warps - 1) & ~(layout.inputSize(Dim::Warp) - 1);
  for (auto [number, mask] : {std::pair(tiles.lane(), lanes), std::pair(tiles.warp(), warps)})
    if (mask) {
      Value part = arith::AndIOp::create(b, tiles.loc, number, tiles.i32(mask));
      zero = zero ? arith::OrIOp::create(b, tiles.loc, zero, part).getResult() : part;
    }
  if (!zero)
    return {};
  return arith::CmpIOp::create(b, tiles.loc, arith::CmpIPredicate::eq, zero, tiles.i32(0));
}

} // namespace

LogicalResult tilewright::lowerAlloc(tileas::AllocOp alloc, TileRegisters &tiles) {
  if (!alloc.getOffset())
    return alloc.emitError() << "internal error: a buffer has no place in shared memory";
  tiles.set(alloc, tiles.i32(*alloc.getOffset()));
  return success();
}

LogicalResult tilewright::lowerWrite(tileas::WriteOp write, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  auto type = cast<RankedTensorType>(write.getTile().getType());
  int64_t bytes = bytesOf(type.getElementType());
  OwnRegisters own(tileas::layoutOf(type));
  layout::SharedAccess access =
      layout::planSharedAccess(own.layout, write.getBuffer().getType().getLayout().getLayout(),
                               layout::SharedDirection::Store, bytes * 8, /*matrices=*/false);
  SmallVector<Value> registers = tiles.get(write.getTile());
  Addresses addresses(access, tiles.get(write.getBuffer())[0], bytes, tiles);
  OpBuilder::InsertionGuard guard(b);
  if (Value busy = isBusy(access, own.layout, tiles)) {
    auto branch = scf::IfOp::create(b, tiles.loc, busy, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (unsigned instruction = 0; instruction != access.instructions(); ++instruction) {
    unsigned start = sumOf(access.outer, instruction);
    SmallVector<Value> values;
    for (unsigned element = 0; element != access.elements(); ++element)
      values.push_back(registers[own.whole(start ^ sumOf(access.inner, element))]);
    LLVM::StoreOp::create(b, tiles.loc, packVector(values, tiles), addresses.pointer(start), access.elements() * bytes);
  }
  return success();
}

LogicalResult tilewright::lowerRead(tileas::ReadOp read, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  auto type = cast<RankedTensorType>(read.getTile().getType());
  Type element = type.getElementType();
  int64_t bytes = bytesOf(element);
  if (!read.getOffsets().empty())
    return read.emitError() << "internal error: a part of a buffer is read";
  OwnRegisters own(tileas::layoutOf(type));
  layout::SharedAccess access = layout::planSharedAccess(own.layout, read.getBuffer().getType().getLayout().getLayout(),
                                                         layout::SharedDirection::Load, bytes * 8, /*matrices=*/false);
  Addresses addresses(access, tiles.get(read.getBuffer())[0], bytes, tiles);
  SmallVector<Value> loaded(own.layout.inputSize(Dim::Register));
  for (unsigned instruction = 0; instruction != access.instructions(); ++instruction) {
    unsigned start = sumOf(access.outer, instruction);
    Type memory = memoryType(element);
    Type vector = access.elements() == 1 ? memory : VectorType::get(access.elements(), memory);
    Value packed = LLVM::LoadOp::create(b, tiles.loc, vector, addresses.pointer(start), access.elements() * bytes);
    for (auto [index, value] : llvm::enumerate(unpackVector(packed, element, access.elements(), tiles)))
      loaded[start ^ sumOf(access.inner, index)] = value;
  }
  SmallVector<Value> registers;
  for (uint64_t reg = 0; reg != tileas::layoutOf(type).inputSize(Dim::Register); ++reg)
    registers.push_back(loaded[own.own(reg)]);
  tiles.set(read.getTile(), registers);
  return success();
}
