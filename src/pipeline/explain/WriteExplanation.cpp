// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report on kernels as a page for a terminal.
#include "pipeline/explain/Explanation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {
namespace {

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

void writeInstructions(const CodeExplanation &code, raw_ostream &os) {
  if (!code.instructions)
    return;
  std::string text;
  for (const auto &[name, count] : *code.instructions)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  line(os, "instructions", text.empty() ? "none that move or multiply tiles" : text);
}

void writeCode(const CodeExplanation &code, const nvidia::Architecture &architecture, raw_ostream &os) {
  if (code.threads)
    line(os, "block", Twine(code.threads) + " threads, " + Twine(code.threads / 32) + " warps");
  writeInstructions(code, os);
  if (!code.resources) {
    if (!code.whyNoCubin.empty())
      line(os, "no cubin", code.whyNoCubin);
    return;
  }
  uint64_t spilled = code.resources->spillStoreBytes + code.resources->spillLoadBytes;
  line(os, "registers",
       formatv("{0} of {1} a thread, {2}", code.resources->registers, nvidia::Architecture::registersPerThread,
               spilled ? formatv("{0} bytes spilled", spilled).str() : "nothing spilled"));
  line(os, "shared memory",
       formatv("{0} of {1}", bytesText(code.sharedBytes), bytesText(architecture.sharedBytesPerBlock())));
  if (code.occupancy)
    line(os, "occupancy",
         formatv("{0} blocks of an SM, {1} of {2} warps; more would need more {3}", code.occupancy->blocks,
                 code.occupancy->warps, architecture.warpsPerSm(), code.occupancy->limit));
  line(os, "code", bytesText(code.resources->codeBytes));
}

// The first line has the name of what follows.
void writeList(StringRef what, ArrayRef<std::string> lines, raw_ostream &os) {
  for (const std::string &text : lines)
    line(os, std::exchange(what, ""), text);
}

void writeDecisions(const KernelExplanation &kernel, raw_ostream &os) {
  std::vector<std::string> lines;
  for (const ExplainedDecision &decision : kernel.decisions)
    lines.push_back(decision.name + " = " + decision.value + (decision.reason.empty() ? "" : ": ") + decision.reason +
                    (decision.runnerUp ? "; " + decision.runnerUp->text() : ""));
  for (const auto &[name, value] : kernel.facts)
    lines.push_back(name + " = " + value);
  writeList("decided", lines, os);
}

void writeLaunch(const ExplainedLaunch &launch, raw_ostream &os) {
  auto lines = launch.prediction.describe();
  lines.front().second += formatv(", for a grid of {0}x{1}x{2}", launch.grid[0], launch.grid[1], launch.grid[2]).str();
  for (const auto &[what, text] : lines)
    line(os, what, text);
}

} // namespace

std::string RunnerUp::text() const {
  return formatv("{0} is predicted {1:f1} % {2} ({3})", value, 100 * std::abs(ratio - 1),
                 ratio < 1 ? "faster" : "slower", bound);
}

std::string Explanation::text() const {
  std::string text;
  raw_string_ostream os(text);
  for (const KernelExplanation &kernel : kernels) {
    os << (&kernel == &kernels.front() ? "" : "\n") << kernel.name << " for " << target << '\n';
    if (kernel.launch)
      writeLaunch(*kernel.launch, os);
    writeWork(kernel, os);
    if (kernel.code)
      writeCode(*kernel.code, *architecture, os);
    writeDecisions(kernel, os);
    std::vector<std::string> hints;
    for (const ExplainedHint &hint : kernel.hints)
      hints.push_back(hint.answer);
    writeList("hints", hints, os);
    writeList("tiles", kernel.layouts, os);
  }
  bool isPredicted = any_of(kernels, [](const KernelExplanation &kernel) { return kernel.launch.has_value(); });
  if (!isPredicted && !models.empty())
    os << "\n--grid and --arg give the predicted time of a launch.\n";
  return text;
}

} // namespace tilewright
