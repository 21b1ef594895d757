// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/mma/WgmmaOperands.h"

#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::F2Vector;
using layout::LinearLayout;
using layout::tileDim;

std::optional<layout::MatrixDescriptor> tilewright::describeOperand(tileas::BufferType type, unsigned mn,
                                                                    layout::OperandBox box) {
  LinearLayout shared = type.getLayout().getLayout();
  return layout::describeOperand(mn == 0 ? shared : shared.permute({1, 0}),
                                 type.getElementType().getIntOrFloatBitWidth(), box);
}

MemoryOperand::MemoryOperand(const layout::MatrixDescriptor &descriptor, Value base, unsigned mn,
                             const LinearLayout &acc, ThreadBuilder &thread)
    : mn(mn), thread(thread), descriptor(descriptor) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), thread.sharedPointer(base));
  // The origin of this warpgroup's part of the tile.
  SmallVector<F2Vector> bases;
  unsigned warpBits = acc.inputBits(Dim::Warp);
  for (unsigned bit = 0; bit != warpBits; ++bit)
    bases.push_back(bit < 2 ? 0 : descriptor.start.applyFlat({{tileDim(0), acc.basis(Dim::Warp, bit, tileDim(mn))}}));
  LinearLayout part({{Dim::Warp, warpBits}}, {{Dim::Offset, 20}}, bases);
  address = arith::AddIOp::create(b, loc, address, thread.threadPart(part, Dim::Offset));
  Value units =
      arith::ShRUIOp::create(b, loc, arith::AndIOp::create(b, loc, address, thread.i32(0x3FFFF)), thread.i32(4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), units);
  first = arith::OrIOp::create(b, loc, wide, thread.i64(layout::encodeForWgmma(descriptor, 0)));
}

Value MemoryOperand::at(int64_t position, int64_t k) {
  uint64_t bytes = descriptor.start.applyFlat({{tileDim(0), uint64_t(position)}, {tileDim(1), uint64_t(k)}});
  if (bytes == 0)
    return first;
  return arith::AddIOp::create(thread.builder, thread.loc, first, thread.i64(bytes >> 4));
}

NVVM::MMALayout MemoryOperand::order() const {
  bool isPlain = (descriptor.major == layout::Major::K) == (mn == 0);
  return isPlain ? NVVM::MMALayout::row : NVVM::MMALayout::col;
}

RegisterOperand::RegisterOperand(Value tile, ValueRange registers, LinearLayout part, ThreadBuilder &thread)
    : layout(tileas::layoutOf(tile)), fragment(std::move(part)), thread(thread), values(registers),
      registersOf(layout.outputBits(), layout.basisOf(Dim::Register)) {}

std::optional<uint64_t> RegisterOperand::registerAt(int64_t m, int64_t k, uint64_t reg) const {
  SmallVector<int64_t> inside = fragment.apply({{Dim::Register, reg}});
  return registersOf.solve(layout.outputAt(tileDim(0), m ^ inside[0]) | layout.outputAt(tileDim(1), k ^ inside[1]));
}

SmallVector<Value> RegisterOperand::at(int64_t m, int64_t k) const {
  SmallVector<Value> elements;
  for (uint64_t reg = 0; reg != fragment.inputSize(Dim::Register); ++reg)
    elements.push_back(values[*registerAt(m, k, reg)]);
  return packWords(elements, thread);
}
