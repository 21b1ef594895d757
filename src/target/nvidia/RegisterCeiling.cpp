// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/RegisterCeiling.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

constexpr StringLiteral directive = ".minnctapersm", handOver = "setmaxnreg.";

// Lines with the kernel that they are of, or nothing.
void forEachLine(StringRef ptx, function_ref<void(StringRef line, StringRef kernel)> body) {
  StringRef kernel;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (size_t at = line.find(".entry "); at != StringRef::npos)
      kernel = line.substr(at + strlen(".entry ")).take_until([](char c) { return c == '(' || c == ' '; });
    body(ptx.take_front(line.size() + 1), kernel);
    ptx = rest;
  }
}

KernelResources resourcesOf(const Cubin &cubin, StringRef name) {
  auto kernel = find_if(cubin.kernels, [&](const KernelResources &it) { return it.name == name; });
  return kernel == cubin.kernels.end() ? KernelResources() : *kernel;
}

// Kernels whose agents hand over registers. A ceiling is part of their plan, and leaves the agents enough.
StringSet<> kernelsOfAgents(StringRef ptx) {
  StringSet<> found;
  forEachLine(ptx, [&](StringRef line, StringRef kernel) {
    if (line.trim().starts_with(handOver))
      found.insert(kernel);
  });
  return found;
}

uint64_t spilledBytes(const Cubin &cubin, StringRef name) {
  KernelResources kernel = resourcesOf(cubin, name);
  return kernel.spillStoreBytes + kernel.spillLoadBytes;
}

// The bytes of an eighth of a thread's registers, stored or loaded: more blocks at a time are worth these. LayerNorm of
// 8192 bf16 in 8 warps spills 16 bytes for 4 blocks of an SM and has 0.97 of the best speed on an H200, 0.72 with the 2
// blocks that fit without; attention that spilled 600 bytes for 2 blocks had half of its speed.
uint64_t toleratedBytes(const Cubin &cubin, StringRef name) {
  return resourcesOf(cubin, name).registers * sizeof(uint32_t) / 8;
}

} // namespace

StringMap<unsigned> registerCeilings(StringRef ptx) {
  StringMap<unsigned> ceilings;
  forEachLine(ptx, [&](StringRef line, StringRef kernel) {
    StringRef text = line.trim();
    unsigned blocks;
    if (text.consume_front(directive) && !text.trim().getAsInteger(10, blocks) && blocks > 1)
      ceilings[kernel] = blocks;
  });
  return ceilings;
}

std::string withoutCeilings(StringRef ptx, const StringMap<unsigned> &kernels) {
  std::string text;
  text.reserve(ptx.size());
  forEachLine(ptx, [&](StringRef line, StringRef kernel) {
    bool isOfCeiling = line.trim().starts_with(directive) || line.trim().starts_with(handOver);
    if (!isOfCeiling || !kernels.contains(kernel))
      text += line;
  });
  return text;
}

Expected<CeiledCubin> assembleUnderCeilings(std::string &ptx, const Architecture &architecture,
                                            const CubinOptions &options) {
  Expected<Cubin> first = assembleCubin(ptx, architecture, options);
  StringMap<unsigned> ceilings = registerCeilings(ptx);
  bool isRefused = !first && first.errorIsA<RefusedPtx>();
  if (!first && (!isRefused || ceilings.empty()))
    return first.takeError();

  CeiledCubin result;
  bool isUnknown = isRefused || first->assembler.kind == Assembler::Kind::Driver;
  StringSet<> planned = kernelsOfAgents(ptx);
  StringMap<unsigned> lifted; // to try
  for (const auto &ceiling : ceilings)
    if (isRefused || (isUnknown && !planned.contains(ceiling.first())) ||
        spilledBytes(*first, ceiling.first()) > toleratedBytes(*first, ceiling.first()))
      lifted.insert({ceiling.first(), ceiling.second});
  if (lifted.empty()) {
    result.cubin = std::move(*first);
    return result;
  }
  std::string text = withoutCeilings(ptx, lifted);
  Expected<Cubin> second = assembleCubin(text, architecture, options);
  if (!second) {
    // The ceilings are not what it is about.
    consumeError(second.takeError());
    if (!first)
      return first.takeError();
    result.cubin = std::move(*first);
    return result;
  }
  bool isBetter = isUnknown;
  for (const auto &kernel : lifted) {
    std::optional<uint64_t> spilled;
    if (!isUnknown)
      spilled = spilledBytes(*first, kernel.first());
    isBetter |= spilled && spilledBytes(*second, kernel.first()) < *spilled;
    result.lifted[kernel.first()] = spilled;
  }
  if (!isBetter) {
    result.cubin = std::move(*first);
    result.lifted.clear();
    return result;
  }
  if (!first)
    consumeError(first.takeError());
  ptx = std::move(text);
  result.cubin = std::move(*second);
  return result;
}

} // namespace tilewright::nvidia
