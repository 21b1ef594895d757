// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/conversion/ExecuteConversion.h"
#include "layout/Distributed.h"
#include "layout/memory/MatrixAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::layout {

static unsigned sumOf(ArrayRef<Mask> masks, unsigned number) {
  unsigned sum = 0;
  for (auto [bit, mask] : enumerate(masks))
    sum ^= number >> bit & 1 ? mask : 0;
  return sum;
}

static void select(RegisterFile &file, ArrayRef<SelectStage> stages) {
  for (const SelectStage &stage : stages)
    for (unsigned warp = 0; warp < file.warps; ++warp)
      for (unsigned lane = 0; lane < file.lanes; ++lane)
        if ((popcount(lane & stage.lanes) + popcount(warp & stage.warps)) & 1)
          for (unsigned reg = 0; reg < file.registers; ++reg)
            if (reg < (reg ^ stage.registers))
              std::swap(file.at(reg, lane, warp), file.at(reg ^ stage.registers, lane, warp));
}

static Expected<RegisterFile> shuffle(const WarpExchange &exchange, RegisterFile file, unsigned registers) {
  select(file, exchange.before);
  RegisterFile result(registers, file.lanes, file.warps);
  for (const ShuffleRound &round : exchange.rounds)
    for (unsigned warp = 0; warp < file.warps; ++warp)
      for (unsigned lane = 0; lane < file.lanes; ++lane) {
        unsigned source = exchange.sourceLane(lane, warp) ^ round.laneXor;
        if (source >= file.lanes || round.from >= file.registers || round.to >= registers)
          return createStringError("a shuffle reads register %u of lane %u into register %u", round.from, source,
                                   round.to);
        result.at(round.to, lane, warp) = file.at(round.from, source, warp);
      }
  select(result, exchange.after);
  return result;
}

namespace {

// One side's accesses, instruction by instruction: calls `element` with each register, lane, warp and the offset at
// which the hardware puts or gets it.
struct Accesses {
  const SharedAccess &access;
  function_ref<Error(unsigned reg, unsigned lane, unsigned warp, uint64_t offset)> element;
  unsigned lanes, warps, elementBits;

  uint64_t address(unsigned reg, unsigned lane, unsigned warp) const {
    return access.offsets.applyFlat({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}});
  }
  Error vector(unsigned base, unsigned warp) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (lane & access.idleLanes)
        continue;
      uint64_t start = address(base, lane, warp);
      if (start % access.elements())
        return createStringError("a vector of %u elements begins at %u", access.elements(), unsigned(start));
      for (unsigned i = 0; i < access.elements(); ++i)
        if (Error error = element(base ^ sumOf(access.inner, i), lane, warp, start + i))
          return error;
    }
    return Error::success();
  }
  // The lane of a row's address computes it as where its own first element of that row lies.
  Error matrices(unsigned base, unsigned warp) {
    bool transposed = access.kind == SharedAccess::MatrixTransposed;
    unsigned inWord = 32 / elementBits, wordBits = Log2_32(inWord), perRow = 128 / elementBits;
    unsigned count = access.elements() / inWord;
    if (access.idleLanes || lanes != 32 || (count != 1 && count != 2 && count != 4))
      return createStringError("%u matrices of %u lanes", count, lanes);
    ArrayRef<Mask> inner(access.inner);
    for (unsigned matrix = 0; matrix < count; ++matrix) {
      unsigned first = base ^ sumOf(inner.drop_front(wordBits), matrix);
      for (unsigned row = 0; row < kMatrixRows; ++row) {
        uint64_t start = transposed ? address(first ^ sumOf(inner.take_front(1), row & 1), row >> 1, warp)
                                    : address(first, row * 4, warp);
        if (start % perRow)
          return createStringError("a row of a matrix begins at element %u", unsigned(start));
        for (unsigned column = 0; column < perRow; ++column) {
          unsigned lane = transposed ? column * 4 + row / 2 : row * 4 + column / inWord;
          unsigned half = transposed ? row % 2 : column % inWord;
          if (Error error = element(first ^ sumOf(inner.take_front(wordBits), half), lane, warp, start + column))
            return error;
        }
      }
    }
    return Error::success();
  }
  Error run() {
    for (unsigned warp = 0; warp < warps; ++warp) {
      if (warp & access.idleWarps)
        continue;
      for (unsigned instruction = 0; instruction < access.instructions(); ++instruction) {
        unsigned base = sumOf(access.outer, instruction);
        if (Error error = access.kind == SharedAccess::Vector ? vector(base, warp) : matrices(base, warp))
          return error;
      }
    }
    return Error::success();
  }
};

} // namespace

static Expected<RegisterFile> exchange(const SharedExchange &shared, RegisterFile &file, unsigned registers,
                                       unsigned elementBits) {
  RegisterFile result(registers, file.lanes, file.warps);
  SmallVector<Mask> stores, loads;
  for (SharedExchange::Part part : shared.parts) {
    stores.push_back(part.store);
    loads.push_back(part.load);
  }
  for (unsigned part = 0; part < 1u << shared.parts.size(); ++part) {
    std::vector<int64_t> memory(shared.shared.inputSize(Dim::Offset), -1);
    auto put = [&](unsigned reg, unsigned lane, unsigned warp, uint64_t offset) -> Error {
      if (memory[offset] != -1)
        return createStringError("offset %u is stored to twice", unsigned(offset));
      memory[offset] = file.at(reg ^ sumOf(stores, part), lane, warp);
      return Error::success();
    };
    if (Error error = Accesses{shared.store, put, file.lanes, file.warps, elementBits}.run())
      return std::move(error);
    auto get = [&](unsigned reg, unsigned lane, unsigned warp, uint64_t offset) -> Error {
      if (memory[offset] == -1)
        return createStringError("offset %u is loaded but never stored to", unsigned(offset));
      result.at(reg ^ sumOf(loads, part), lane, warp) = memory[offset];
      return Error::success();
    };
    if (Error error = Accesses{shared.load, get, file.lanes, file.warps, elementBits}.run())
      return std::move(error);
  }
  return result;
}

static LinearLayout padded(const LinearLayout &layout, unsigned lanes, unsigned warps) {
  return layout * LinearLayout::zeros(lanes >> layout.inputBits(Dim::Lane), Dim::Lane, tileDim(0)) *
         LinearLayout::zeros(warps >> layout.inputBits(Dim::Warp), Dim::Warp, tileDim(0));
}

Expected<RegisterFile> executeConversion(const Conversion &conversion, RegisterFile values, unsigned elementBits) {
  RegisterFile moved(1u << conversion.source.size(), values.lanes, values.warps);
  SmallVector<Mask> source;
  for (unsigned bit : conversion.source)
    source.push_back(Mask(1) << bit);
  for (unsigned warp = 0; warp < values.warps; ++warp)
    for (unsigned lane = 0; lane < values.lanes; ++lane)
      for (unsigned reg = 0; reg < moved.registers; ++reg)
        moved.at(reg, lane, warp) = values.at(sumOf(source, reg), lane, warp);

  Mask numbers = 0; // of registers of the result that are no copies
  for (Mask mask : conversion.result)
    numbers |= mask;
  Expected<RegisterFile> come = conversion.kind == ConversionKind::Shared
                                    ? exchange(conversion.shared, moved, numbers + 1, elementBits)
                                    : shuffle(conversion.warp, moved, numbers + 1);
  if (!come)
    return come.takeError();
  RegisterFile result(1u << conversion.result.size(), values.lanes, values.warps);
  for (unsigned warp = 0; warp < values.warps; ++warp)
    for (unsigned lane = 0; lane < values.lanes; ++lane)
      for (unsigned reg = 0; reg < result.registers; ++reg)
        result.at(reg, lane, warp) = come->at(sumOf(conversion.result, reg), lane, warp);
  return result;
}

RegisterFile fillByLayout(const LinearLayout &layout, unsigned lanes, unsigned warps) {
  RegisterFile file(layout.inputSize(Dim::Register), lanes, warps);
  LinearLayout full = padded(layout, lanes, warps);
  for (unsigned warp = 0; warp < warps; ++warp)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < file.registers; ++reg)
        file.at(reg, lane, warp) = full.applyFlat({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}});
  return file;
}

} // namespace tilewright::layout
