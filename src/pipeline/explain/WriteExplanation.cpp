// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Occupancy.h"
#include "pipeline/explain/Explanation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

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

std::string bytesText(uint64_t bytes) {
  return bytes < 10'000 ? formatv("{0} bytes", bytes).str() : formatv("{0:f1} KB", bytes / 1024.0).str();
}

void line(raw_ostream &os, StringRef what, const Twine &text) {
  os << "  " << left_justify(what, 16) << text << '\n';
}

void writeWork(const KernelExplanation &kernel, raw_ostream &os) {
  StringRef what = "work of a block";
  for (const BlockWork &work : kernel.work) {
    std::string text;
    auto add = [&](uint64_t count, const Twine &part) {
      if (count)
        text += (text.empty() ? "" : ", ") + part.str();
    };
    add(work.loadedBytes, "loads " + bytesText(work.loadedBytes));
    add(work.storedBytes, "stores " + bytesText(work.storedBytes));
    add(work.products, Twine(work.products) + " operations in products");
    add(work.operations, Twine(work.operations) + " operations on elements");
    if (text.empty() && !work.place.empty())
      continue;
    line(os, what, (work.place.empty() ? "" : work.place + ": ") + (text.empty() ? "nothing" : text));
    what = "";
  }
}

void writeCode(const KernelExplanation &kernel, const nvidia::Architecture &architecture, const CodeFacts &code,
               const std::map<std::string, std::vector<std::pair<std::string, unsigned>>> &instructions,
               raw_ostream &os) {
  auto entry = find_if(code.entries, [&](const cuda::GpuEntry &entry) { return entry.name == kernel.name; });
  auto used = find_if(code.resources, [&](const nvidia::KernelResources &it) { return it.name == kernel.name; });
  if (entry != code.entries.end())
    line(os, "block", Twine(entry->threads) + " threads, " + Twine(entry->threads / 32) + " warps");
  if (auto counts = instructions.find(kernel.name); counts != instructions.end()) {
    std::string text;
    for (const auto &[name, count] : counts->second)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    line(os, "instructions", text.empty() ? "none that move or multiply tiles" : text);
  }
  if (used == code.resources.end()) {
    if (!code.whyNoCubin.empty())
      line(os, "no cubin", code.whyNoCubin);
    return;
  }
  uint64_t spilled = used->spillStoreBytes + used->spillLoadBytes;
  line(os, "registers",
       formatv("{0} of {1} a thread, {2}", used->registers, nvidia::Architecture::registersPerThread,
               spilled ? formatv("{0} bytes spilled", spilled).str() : "nothing spilled"));
  uint64_t shared = used->sharedBytes + (entry == code.entries.end() ? 0 : entry->dynamicSharedBytes);
  line(os, "shared memory", formatv("{0} of {1}", bytesText(shared), bytesText(architecture.sharedBytesPerBlock())));
  if (entry != code.entries.end()) {
    nvidia::Occupancy occupancy = nvidia::computeOccupancy({entry->threads, used->registers, shared}, architecture);
    line(os, "occupancy",
         formatv("{0} blocks of an SM, {1} of {2} warps; more would need more {3}", occupancy.blocks, occupancy.warps,
                 architecture.warpsPerSm(), occupancy.limit));
  }
  line(os, "code", bytesText(used->codeBytes));
}

} // namespace

std::map<std::string, std::vector<std::pair<std::string, unsigned>>> countInstructions(StringRef ptx) {
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
  std::map<std::string, std::vector<std::pair<std::string, unsigned>>> sorted;
  for (auto &[name, found] : counts)
    for (auto &list = sorted[name]; const InstructionKind &kind : kinds)
      if (auto count = found.find(kind.name); count != found.end())
        list.emplace_back(kind.name.str(), count->second);
  return sorted;
}

std::string writeExplanation(ArrayRef<KernelExplanation> kernels, const nvidia::Architecture &architecture,
                             const CodeFacts &code) {
  auto instructions = countInstructions(code.ptx);
  std::string text;
  raw_string_ostream os(text);
  for (const KernelExplanation &kernel : kernels) {
    os << (&kernel == kernels.begin() ? "" : "\n") << kernel.name << " for " << architecture.name << '\n';
    writeWork(kernel, os);
    writeCode(kernel, architecture, code, instructions, os);
    StringRef what = "decided";
    for (const auto &[name, value] : kernel.decisions)
      line(os, std::exchange(what, ""), name + " = " + value);
    what = "hints";
    for (const std::string &hint : kernel.hints)
      line(os, std::exchange(what, ""), hint);
    what = "tiles";
    for (const std::string &layout : kernel.layouts)
      line(os, std::exchange(what, ""), layout);
  }
  return text;
}

} // namespace tilewright
