// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/memory/GlobalMemory.h"

using namespace tilewright::simulator;
using namespace tilewright::interpreter;

Bits GlobalMemory::read(uint64_t address, Element element) {
  return guard.read({address}, element);
}

void GlobalMemory::write(uint64_t address, Element element, Bits bits) {
  auto contains = [&](auto range) { return range.first <= address && address < range.second; };
  if (remembers && llvm::none_of(own, contains)) {
    unsigned bytes = storageBytes(element);
    Element whole = bytes == 1 ? Element::I8 : bytes == 2 ? Element::I16 : bytes == 4 ? Element::I32 : Element::I64;
    log.push_back({address, static_cast<uint8_t>(bytes), guard.read({address}, whole)});
  }
  if (!guard.missing)
    guard.write({address}, element, bits);
}

void GlobalMemory::undo() {
  for (const Old &old : llvm::reverse(log))
    writeBytes(reinterpret_cast<char *>(old.address), old.bits, old.bytes);
  log.clear();
}

std::vector<std::pair<uint64_t, Bits>> GlobalMemory::written() const {
  std::vector<std::pair<uint64_t, Bits>> bytes;
  for (const Old &old : log)
    for (unsigned byte = 0; byte != old.bytes; ++byte)
      bytes.push_back({old.address + byte, readBytes(reinterpret_cast<char *>(old.address + byte), 1)});
  llvm::sort(bytes);
  bytes.erase(llvm::unique(bytes), bytes.end());
  return bytes;
}
