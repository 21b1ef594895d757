// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Staging.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

using namespace llvm;

namespace tilewright::cuda {
namespace {

constexpr uint64_t alignment = 256; // of every allocation of the driver

} // namespace

Staging::~Staging() {
  CurrentContext current(device);
  for (Piece &piece : pieces) {
    if (!piece.memory)
      continue;
    if (to == To::Device)
      device.driver.memoryFree(piece.memory);
    else
      std::free(reinterpret_cast<void *>(piece.memory));
  }
}

void Staging::add(uint64_t address, uint64_t bytes, bool isWritten) {
  pieces.push_back({address, address + bytes, isWritten});
}

Error Staging::begin() {
  sort(pieces, [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  std::vector<Piece> merged;
  for (const Piece &piece : pieces) {
    if (merged.empty() || piece.begin >= std::max(merged.back().end, merged.back().begin + 1)) {
      merged.push_back(piece);
      continue;
    }
    merged.back().end = std::max(merged.back().end, piece.end);
    merged.back().isWritten |= piece.isWritten;
  }
  pieces = std::move(merged);

  CurrentContext current(device);
  if (current.status != Status::Success)
    return failed(device.driver, current.status, "using " + device.text());
  for (Piece &piece : pieces) {
    uint64_t offset = piece.begin % alignment, bytes = offset + (piece.end - piece.begin) + 1;
    if (to == To::Device) {
      Status status = device.driver.memoryAllocate(&piece.memory, bytes);
      if (status != Status::Success)
        return failed(device.driver, status, "allocating " + Twine(bytes) + " bytes on " + device.text());
    } else {
      void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
      if (!memory)
        return makeError(DriverError::Kind::OutOfMemory, "no memory for a copy of " + Twine(bytes) + " bytes");
      piece.memory = reinterpret_cast<uint64_t>(memory);
    }
    piece.copy = piece.memory + offset;
    if (Error error = move(piece, /*back=*/false))
      return error;
  }
  return Error::success();
}

Error Staging::move(Piece &piece, bool back) {
  uint64_t bytes = piece.end - piece.begin;
  if (!bytes)
    return Error::success();
  bool toDevice = (to == To::Device) != back;
  uint64_t source = back ? piece.copy : piece.begin, target = back ? piece.begin : piece.copy;
  Status status = toDevice ? device.driver.copyToDevice(target, reinterpret_cast<const void *>(source), bytes)
                           : device.driver.copyToHost(reinterpret_cast<void *>(target), source, bytes);
  return status == Status::Success
             ? Error::success()
             : failed(device.driver, status,
                      "copying " + Twine(bytes) + " bytes " + (toDevice ? "to " : "from ") + device.text());
}

const Staging::Piece *Staging::find(uint64_t address) const {
  auto after = upper_bound(pieces, address, [](uint64_t at, const Piece &piece) { return at < piece.begin; });
  return after == pieces.begin() ? nullptr : &*std::prev(after);
}

uint64_t Staging::translate(uint64_t address) const {
  const Piece *piece = find(address);
  return piece ? piece->copy + (address - piece->begin) : address;
}

Error Staging::end() {
  CurrentContext current(device);
  for (Piece &piece : pieces)
    if (piece.isWritten)
      if (Error error = move(piece, /*back=*/true))
        return error;
  return Error::success();
}

} // namespace tilewright::cuda
