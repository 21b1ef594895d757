// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/Settings.h"

#include "options/Environment.h"
#include "target/nvidia/Libdevice.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::session;

namespace {

// Rounded up: 0 is no limit.
std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000)));
}

Isolation isolationOf(llvm::StringRef word) {
  return llvm::StringSwitch<Isolation>(word)
      .Case("never", Isolation::Never)
      .Case("always", Isolation::Always)
      .Default(Isolation::Large);
}

llvm::Error readPlan(PipelineOptions &pipeline, const std::string &path) {
  pipeline.planName = path;
  pipeline.plan.clear();
  if (path.empty())
    return llvm::Error::success();
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text)
    return llvm::createStringError("cannot read " + path + ": " + text.getError().message());
  pipeline.plan = (*text)->getBuffer();
  return llvm::Error::success();
}

// Of a file the text is read before.
void setPlan(PipelineOptions &pipeline, std::string text) {
  if (text.empty())
    return;
  pipeline.planName = "schedule";
  pipeline.plan = std::move(text);
}

bool flagOf(const Value &value) {
  return std::get<bool>(value);
}
int64_t numberOf(const Value &value) {
  return std::get<int64_t>(value);
}
// Empty for an option without a value.
std::string textOf(const Value &value) {
  const std::string *text = std::get_if<std::string>(&value);
  return text ? *text : "";
}
const std::vector<std::string> &listOf(const Value &value) {
  return std::get<std::vector<std::string>>(value);
}

struct Setter {
  llvm::StringLiteral option;
  void (*set)(Settings &, const Value &);
};
// clang-format off
constexpr Setter setters[] = {
    {"opt-level", [](Settings &to, const Value &value) { to.pipeline.codeGen.optLevel = numberOf(value); }},
    {"lineinfo", [](Settings &to, const Value &value) { to.hasLineInfo = flagOf(value); }},
    {"g", [](Settings &to, const Value &value) { to.isForDebugger = flagOf(value); }},
    {"math", [](Settings &to, const Value &value) { to.math = textOf(value); }},
    {"launch-abi", [](Settings &to, const Value &value) {
       to.pipeline.nvidia.abi =
           textOf(value) == "portable" ? nvidia::LaunchAbi::Portable : nvidia::LaunchAbi::Tilewright;
     }},
    {"records", [](Settings &to, const Value &value) { to.pipeline.nvidia.records = flagOf(value); }},
    {"time-limit", [](Settings &to, const Value &value) {
       to.pipeline.limits.time = milliseconds(std::get<double>(value));
     }},
    {"isolate", [](Settings &to, const Value &value) { to.pipeline.isolation = isolationOf(textOf(value)); }},
    {"verify", [](Settings &to, const Value &value) { to.pipeline.verifyEach = flagOf(value); }},
    {"fail-in", [](Settings &to, const Value &value) { to.pipeline.failIn = textOf(value); }},
    {"assembler", [](Settings &to, const Value &value) { to.pipeline.nvidia.assemblers.path = textOf(value); }},
    {"packages", [](Settings &to, const Value &value) { to.pipeline.nvidia.assemblers.packages = listOf(value); }},
    {"dump-after", [](Settings &to, const Value &value) { to.pipeline.dumpAfter = listOf(value); }},
    {"print-before-all", [](Settings &to, const Value &value) { to.pipeline.printBeforeAll = flagOf(value); }},
    {"timing", [](Settings &to, const Value &value) { to.pipeline.timing = flagOf(value); }},
    {"remarks", [](Settings &to, const Value &value) { to.pipeline.wantsRemarks = flagOf(value); }},
    {"device", [](Settings &to, const Value &value) { to.device = static_cast<int>(numberOf(value)); }},
    {"cache", [](Settings &to, const Value &value) { to.cacheFolder = textOf(value); }},
    {"cache-bytes", [](Settings &to, const Value &value) { to.cacheBytes = numberOf(value); }},
    {"step-limit", [](Settings &to, const Value &value) { to.stepLimit = numberOf(value); }},
    {"plan-text", [](Settings &to, const Value &value) { setPlan(to.pipeline, textOf(value)); }},
    {"schedules", [](Settings &to, const Value &value) { to.schedules = numberOf(value); }},
    {"seed", [](Settings &to, const Value &value) { to.seed = numberOf(value); }},
};
// clang-format on

const Setter *setterOf(llvm::StringRef option) {
  auto found = llvm::find_if(setters, [&](const Setter &setter) { return setter.option == option; });
  return found == std::end(setters) ? nullptr : found;
}

} // namespace

bool session::isSetting(llvm::StringRef option) {
  return option == "plan" || setterOf(option);
}

llvm::Error Settings::set(const Option &option, const Value &value) {
  if (option.name == "plan")
    return readPlan(pipeline, textOf(value));
  if (const Setter *setter = setterOf(option.name))
    setter->set(*this, value);
  return llvm::Error::success();
}

llvm::Expected<Settings> Settings::fromEnvironment() {
  if (llvm::Error error = checkEnvironment())
    return error;
  Settings settings;
  settings.pipeline.nvidia.switches = nvidia::Switches::fromEnvironment();
  for (const Option &option : allOptions()) {
    if (!option.isVisibleTo(visibility::Session))
      continue;
    auto value =
        option.variable.empty() ? llvm::Expected<Value>(option.initialValue()) : readEnvironment(option.variable);
    if (!value)
      return value.takeError();
    llvm::cantFail(settings.set(option, *value)); // none of these reads a file
  }
  return settings;
}

llvm::Expected<PipelineOptions> Settings::resolve() const {
  PipelineOptions options = pipeline;
  options.debugInfo = isForDebugger ? DebugInfo::Full : hasLineInfo ? DebugInfo::Lines : DebugInfo::None;
  auto libdevice = nvidia::findLibdevice(math, options.nvidia.assemblers.packages);
  if (!libdevice)
    return libdevice.takeError();
  options.libdevice = std::move(*libdevice);
  return options;
}
