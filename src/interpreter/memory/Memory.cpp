// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/memory/Memory.h"

#include "interpreter/FloatFormat.h"
#include <limits>

using namespace mlir;

namespace tilewright::interpreter {

static char *pointerTo(uint64_t address) {
  return reinterpret_cast<char *>(address);
}

Bits readElement(Place place, Element element) {
  Bits bits = readBytes(pointerTo(place.address), storageBytes(element));
  return truncate(place.isHighHalf ? bits >> 4 : bits, element);
}

void writeElement(Place place, Element element, Bits bits) {
  if (sharesByte(element)) {
    Bits other = readBytes(pointerTo(place.address), 1);
    bits = place.isHighHalf ? (other & 0x0F) | bits << 4 : (other & 0xF0) | bits;
  }
  writeBytes(pointerTo(place.address), bits, storageBytes(element));
}

Place placeOf(uint64_t address, int64_t distance, Element element) {
  if (sharesByte(element))
    return {address + (distance >> 1), (distance & 1) != 0};
  return {address + static_cast<uint64_t>(distance) * storageBytes(element)};
}

Accesses::Accesses(Operation *op, Context &context, bool isAtomic, cuda_tile::MemoryOrderingSemantics ordering,
                   std::optional<cuda_tile::MemoryScope> scope, mlir::Value token)
    : context(context), monitor(context.monitor) {
  if (token)
    this->token = std::get<Token>(context.frame.get(token)).id;
  access.op = op;
  access.isAtomic = isAtomic;
  access.ordering = ordering;
  access.scope = scope;
}

bool Accesses::isAllowed(int64_t number, Place place, Element element, bool isWrite) {
  if (!monitor)
    return true;
  access.address = place.address;
  access.bytes = storageBytes(element);
  access.element = number;
  access.isWrite = isWrite;
  return monitor->access(access, token);
}

// Signals sent by a process are not handled here.
void GuardedMemory::Fault::onSignal(RecoveryPoint &point, int signal, const siginfo_t &info, void *) {
  auto &fault = static_cast<Fault &>(point);
  if (!fault.isExpected || (signal != SIGSEGV && signal != SIGBUS) || info.si_code <= 0)
    return;
  fault.isExpected = false;
  siglongjmp(fault.buffer, 1);
}

// No C++ object lives in the frames that a signal jumps over: they copy bytes.
Bits GuardedMemory::read(Place place, Element element) {
  RecoveryScope scope(fault);
  Bits bits = 0;
  if (sigsetjmp(fault.buffer, /*savemask=*/0)) {
    missing = missing.value_or(place.address);
    return 0;
  }
  fault.isExpected = true;
  bits = readElement(place, element);
  fault.isExpected = false;
  return bits;
}

void GuardedMemory::write(Place place, Element element, Bits bits) {
  RecoveryScope scope(fault);
  if (sigsetjmp(fault.buffer, /*savemask=*/0)) {
    missing = missing.value_or(place.address);
    return;
  }
  fault.isExpected = true;
  writeElement(place, element, bits);
  fault.isExpected = false;
}

Bits Accesses::read(int64_t number, Place place, Element element) {
  return isAllowed(number, place, element, /*isWrite=*/false) ? memory.read(place, element) : 0;
}

void Accesses::write(int64_t number, Place place, Element element, Bits bits) {
  if (isAllowed(number, place, element, /*isWrite=*/true))
    memory.write(place, element, bits);
}

Bits Accesses::update(int64_t number, Place place, Element element, llvm::function_ref<Bits(Bits)> change) {
  if (!isAllowed(number, place, element, /*isWrite=*/true))
    return 0;
  Bits old = memory.read(place, element);
  memory.write(place, element, change(old));
  return old;
}

Token Accesses::finish() {
  if (memory.missing)
    context.missingMemory = memory.missing;
  return {monitor ? monitor->tokenAfter(access.op, token) : 0};
}

Bits paddingBits(cuda_tile::PaddingValue padding, Element element) {
  if (!isFloat(element) || padding == cuda_tile::PaddingValue::zero)
    return 0;
  const FloatFormat &format = formatOf(element);
  if (padding == cuda_tile::PaddingValue::nan && format.nan != FloatFormat::none)
    return format.getNaN();
  if (padding == cuda_tile::PaddingValue::nan)
    return format.encode(std::numeric_limits<double>::quiet_NaN());
  bool isNegative = padding == cuda_tile::PaddingValue::neg_zero || padding == cuda_tile::PaddingValue::neg_inf;
  Bits magnitude = padding == cuda_tile::PaddingValue::neg_zero ? 0
                   : format.infinity != FloatFormat::none       ? format.infinity << format.unusedBits
                                                                : format.largest << format.unusedBits;
  return magnitude | format.getZero(isNegative);
}

} // namespace tilewright::interpreter
