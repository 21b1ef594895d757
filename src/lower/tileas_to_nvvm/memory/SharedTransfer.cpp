// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"

#include "layout/memory/MatrixAccess.h"
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::Mask;
using layout::SharedAccess;

namespace {

unsigned sumOf(ArrayRef<Mask> masks, unsigned number) {
  unsigned sum = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    sum ^= number >> bit & 1 ? mask : 0;
  return sum;
}

// Registers of a layout that are no copies: the numbers that a SharedAccess counts, as those of all.
struct OwnRegisters {
  LinearLayout layout;
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
};

SharedAccess accessFor(const LinearLayout &own, tileas::BufferType buffer, layout::SharedDirection direction,
                       bool matrices) {
  return layout::chooseSharedAccess(own, buffer.getLayout().getLayout(), direction,
                                    bytesOf(buffer.getElementType()) * 8, matrices);
}

// A thread's part of one matrix: 32 bits, selected by the first of the inner masks.
unsigned wordBits(unsigned elementBytes) {
  return llvm::Log2_32(4 / elementBytes);
}

// The lane's row of the instruction: of matrix lane / 8, row lane % 8, which begins where the lane that holds its first
// element has that. A map of the instructions' registers, lanes and warps, like `offsets` is for vectors.
LinearLayout rowAddresses(const SharedAccess &access, unsigned elementBytes) {
  const LinearLayout &offsets = access.offsets;
  ArrayRef<Mask> inner = access.inner, matrices = inner.drop_front(wordBits(elementBytes));
  auto ofRegister = [&](Mask reg) { return offsets.applyFlat({{Dim::Register, reg}}); };
  ArrayRef<layout::F2Vector> lanes = offsets.basisOf(Dim::Lane);
  SmallVector<layout::F2Vector> bases(offsets.basisOf(Dim::Register));
  if (access.kind == SharedAccess::MatrixTransposed)
    bases.append({ofRegister(inner[0]), lanes[0], lanes[1]});
  else
    bases.append({lanes[2], lanes[3], lanes[4]});
  for (unsigned bit = 0; bit != 2; ++bit)
    bases.push_back(bit < matrices.size() ? ofRegister(matrices[bit]) : 0);
  llvm::append_range(bases, offsets.basisOf(Dim::Warp));
  return LinearLayout(
      {{Dim::Register, offsets.inputBits(Dim::Register)}, {Dim::Lane, 5}, {Dim::Warp, offsets.inputBits(Dim::Warp)}},
      offsets.outputs(), bases);
}

// In bytes of shared memory.
Value placeOf(const SharedAccess &access, Value base, unsigned reg, int64_t bytes, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value offset = access.kind == SharedAccess::Vector ? thread.output(access.offsets, Dim::Offset, reg)
                                                     : thread.output(rowAddresses(access, bytes), Dim::Offset, reg);
  offset = b.createOrFold<arith::MulIOp>(thread.loc, offset, thread.i32(bytes));
  return b.createOrFold<arith::AddIOp>(thread.loc, base, offset);
}

NVVM::MMALayout layoutOf(const SharedAccess &access) {
  return access.kind == SharedAccess::MatrixTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

// True where the thread stores; nothing where all do.
Value isBusy(const SharedAccess &access, const LinearLayout &layout, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value zero;
  Mask lanes = access.idleLanes, warps = access.idleWarps;
  lanes |= 31 & ~(layout.inputSize(Dim::Lane) - 1);
  warps |= (thread.warps() - 1) & ~(layout.inputSize(Dim::Warp) - 1);
  for (auto [number, mask] : {std::pair(thread.lane(), lanes), std::pair(thread.warp(), warps)})
    if (mask) {
      Value part = arith::AndIOp::create(b, thread.loc, number, thread.i32(mask));
      zero = zero ? arith::OrIOp::create(b, thread.loc, zero, part).getResult() : part;
    }
  if (!zero)
    return {};
  return arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::eq, zero, thread.i32(0));
}

} // namespace

SmallVector<Value> tilewright::packWords(ArrayRef<Value> elements, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Type i32 = b.getI32Type();
  unsigned count = 4 / bytesOf(elements[0].getType());
  SmallVector<Value> words;
  for (; !elements.empty(); elements = elements.drop_front(count)) {
    Value word = packVector(elements.take_front(count), thread);
    words.push_back(word.getType() == i32 ? word : LLVM::BitcastOp::create(b, thread.loc, i32, word).getResult());
  }
  return words;
}

SmallVector<Value> tilewright::unpackWord(Value word, Type element, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Type memory = memoryType(element);
  unsigned count = 4 / bytesOf(element);
  Type type = count == 1 ? memory : VectorType::get(count, memory);
  if (type != word.getType())
    word = LLVM::BitcastOp::create(b, thread.loc, type, word);
  return unpackVector(word, element, count, thread);
}

//===-- loads -------------------------------------------------------------===//

SharedLoader::SharedLoader(const LinearLayout &layout, tileas::BufferType buffer, Value base, ThreadBuilder &thread)
    : thread(thread), element(buffer.getElementType()), base(base),
      places(layout.then(buffer.getLayout().getLayout().inverse())),
      access(accessFor(layout.withoutFreeRegisters(), buffer, layout::SharedDirection::Load, /*matrices=*/true)) {
  for (unsigned instruction = 0; instruction != access.instructions(); ++instruction)
    for (unsigned index = 0; index != access.elements(); ++index) {
      unsigned reg = sumOf(access.outer, instruction) ^ sumOf(access.inner, index);
      instructionOf[access.offsets.applyFlat({{Dim::Register, reg}})] = instruction;
    }
}

void SharedLoader::load(unsigned instruction) {
  OpBuilder &b = thread.builder;
  int64_t bytes = bytesOf(element);
  unsigned start = sumOf(access.outer, instruction);
  Value pointer = thread.sharedPointer(placeOf(access, base, start, bytes, thread));
  SmallVector<Value> values;
  if (access.kind == SharedAccess::Vector) {
    Type memory = memoryType(element);
    Type type = access.elements() == 1 ? memory : VectorType::get(access.elements(), memory);
    Value packed = LLVM::LoadOp::create(b, thread.loc, type, pointer, access.elements() * bytes);
    values = unpackVector(packed, element, access.elements(), thread);
  } else {
    // The first of the inner masks are inside a word, so that words in their order are elements in theirs.
    unsigned words = access.elements() * bytes / 4;
    Type i32 = b.getI32Type(), type = i32;
    if (words > 1)
      type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(words, i32));
    Value loaded =
        NVVM::LdMatrixOp::create(b, thread.loc, type, pointer, words, layoutOf(access),
                                 NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
    for (unsigned word = 0; word != words; ++word) {
      Value one = words == 1 ? loaded : LLVM::ExtractValueOp::create(b, thread.loc, loaded, word).getResult();
      llvm::append_range(values, unpackWord(one, element, thread));
    }
  }
  for (auto [index, value] : llvm::enumerate(values))
    loaded[access.offsets.applyFlat({{Dim::Register, start ^ sumOf(access.inner, index)}})] = value;
}

Value SharedLoader::get(uint64_t reg) {
  uint64_t offset = places.applyFlat({{Dim::Register, reg}});
  if (!loaded.contains(offset))
    load(instructionOf.at(offset));
  return loaded.at(offset);
}

SmallVector<Value> SharedLoader::getAll() {
  SmallVector<Value> registers;
  for (uint64_t reg = 0; reg != places.inputSize(Dim::Register); ++reg)
    registers.push_back(get(reg));
  return registers;
}

//===-- stores ------------------------------------------------------------===//

void tilewright::storeShared(ValueRange registers, const LinearLayout &layout, tileas::BufferType buffer, Value base,
                             ThreadBuilder &thread, Value rank) {
  OpBuilder &b = thread.builder;
  int64_t bytes = bytesOf(buffer.getElementType());
  OwnRegisters own(layout);
  // Matrices are stored in the own CTA only.
  SharedAccess access = accessFor(own.layout, buffer, layout::SharedDirection::Store,
                                  !rank && thread.architecture.has(nvidia::Feature::Stmatrix));
  Value memory = rank ? inCta(thread.sharedPointer(0), rank, thread) : Value();
  OpBuilder::InsertionGuard guard(b);
  // Whole warps where matrices are stored.
  if (Value busy = isBusy(access, own.layout, thread)) {
    auto branch = scf::IfOp::create(b, thread.loc, busy, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (unsigned instruction = 0; instruction != access.instructions(); ++instruction) {
    unsigned start = sumOf(access.outer, instruction);
    SmallVector<Value> values;
    for (unsigned index = 0; index != access.elements(); ++index)
      values.push_back(registers[own.whole(start ^ sumOf(access.inner, index))]);
    Value place = placeOf(access, base, start, bytes, thread);
    Value pointer = memory ? LLVM::GEPOp::create(b, thread.loc, memory.getType(), b.getI8Type(), memory, place)
                           : thread.sharedPointer(place);
    if (access.kind == SharedAccess::Vector)
      LLVM::StoreOp::create(b, thread.loc, packVector(values, thread), pointer, access.elements() * bytes);
    else
      NVVM::StMatrixOp::create(b, thread.loc, pointer, packWords(values, thread), layoutOf(access),
                               NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
  }
}

Value tilewright::inCta(Value pointer, Value rank, ThreadBuilder &thread) {
  auto type = LLVM::LLVMPointerType::get(thread.builder.getContext(), clusterSpace);
  return NVVM::MapaOp::create(thread.builder, thread.loc, type, pointer, rank);
}

void tilewright::showToHardware(ThreadBuilder &thread) {
  MLIRContext *context = thread.builder.getContext();
  NVVM::FenceProxyOp::create(thread.builder, thread.loc,
                             NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}
