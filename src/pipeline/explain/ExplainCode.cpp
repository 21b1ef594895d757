// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of a kernel that its code shows.
#include "pipeline/explain/Explanation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace llvm;

namespace tilewright {
namespace {

// Instructions by the first words of their names, the special before the general.
struct InstructionKind {
  StringLiteral pattern, name;
};
constexpr InstructionKind kinds[] = {
    {"^wgmma\\.mma_async", "wgmma"},
    {"^tcgen05\\.mma", "tcgen05.mma"},
    {"^mma\\.sync", "mma.sync"},
    {"^ldmatrix|^stmatrix", "ldmatrix, stmatrix"},
    {"^cp\\.async\\.bulk", "TMA"},
    {"^cp\\.async\\.(ca|cg)", "cp.async"},
    {"^ld\\.(global|relaxed|acquire|weak|volatile).*\\.v(4\\.b32|4\\.f32|2\\.b64|2\\.f64|4\\.u32|2\\.u64)",
     "loads of 16 bytes"},
    {"^ld\\.(global|relaxed|acquire|weak|volatile)", "narrower loads"},
    {"^st\\.(global|relaxed|release|weak|volatile).*\\.v(4\\.b32|4\\.f32|2\\.b64|2\\.f64|4\\.u32|2\\.u64)",
     "stores of 16 bytes"},
    {"^st\\.(global|relaxed|release|weak|volatile)", "narrower stores"},
    {"^(atom|red)\\.", "atomics"},
    {"^ld\\.shared", "loads of shared memory"},
    {"^st\\.shared", "stores to shared memory"},
    {"^(ld|st)\\.local", "accesses of local memory"},
    {"^shfl", "shuffles"},
    {"^mbarrier", "mbarrier"},
    {"^(bar|barrier)", "barriers"},
};

const char *kindOf(StringRef instruction) {
  static const auto *patterns = [] {
    auto *made = new std::vector<Regex>;
    for (const InstructionKind &kind : kinds)
      made->emplace_back(kind.pattern);
    return made;
  }();
  for (auto [pattern, kind] : zip(*patterns, kinds))
    if (pattern.match(instruction))
      return kind.name.data();
  return nullptr;
}

// Of each kernel.
std::map<std::string, InstructionCounts> countInstructions(StringRef ptx) {
  std::map<std::string, StringMap<unsigned>> counts;
  std::string kernel;
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  for (StringRef text : lines) {
    StringRef word = text.trim();
    if (size_t at = word.find(".entry "); at != StringRef::npos)
      kernel = word.substr(at + strlen(".entry ")).take_until([](char c) { return c == '(' || c == ' '; }).str();
    if (word.consume_front("@"))
      word = word.split(' ').second;
    if (const char *kind = kernel.empty() ? nullptr : kindOf(word))
      ++counts[kernel][kind];
    else if (!kernel.empty())
      counts[kernel];
  }
  std::map<std::string, InstructionCounts> sorted;
  for (auto &[name, found] : counts) {
    auto &list = sorted[name];
    for (const InstructionKind &kind : kinds)
      if (auto count = found.find(kind.name); count != found.end())
        list.emplace_back(kind.name.str(), count->second);
  }
  return sorted;
}

} // namespace

void explainCode(std::vector<KernelExplanation> &kernels, const nvidia::Architecture &architecture,
                 const CodeFacts &code) {
  auto instructions = countInstructions(code.ptx);
  for (KernelExplanation &kernel : kernels) {
    CodeExplanation &found = kernel.code.emplace();
    const cuda::GpuEntry *entry = code.entryOf(kernel.name);
    if (entry)
      found.threads = entry->threads;
    if (auto counts = instructions.find(kernel.name); counts != instructions.end())
      found.instructions = counts->second;
    const nvidia::KernelResources *used = code.resourcesOf(kernel.name);
    if (!used) {
      found.whyNoCubin = code.whyNoCubin;
      continue;
    }
    found.resources = *used;
    found.sharedBytes = used->sharedBytes + (entry ? entry->dynamicSharedBytes : 0);
    if (entry)
      found.occupancy = nvidia::computeOccupancy({entry->threads, used->registers, found.sharedBytes}, architecture);
  }
}

} // namespace tilewright
