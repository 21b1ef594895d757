// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report on kernels for programs.
#include "pipeline/explain/Explanation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {
namespace {

// Null where there is nothing to say.
json::Value textOrNull(StringRef text) {
  return text.empty() ? json::Value(nullptr) : json::Value(text);
}

json::Array describeWork(const KernelExplanation &kernel) {
  json::Array list;
  for (const BlockWork &work : kernel.work)
    list.push_back(json::Object{{"place", textOrNull(work.place)},
                                {"loaded_bytes", work.loadedBytes},
                                {"stored_bytes", work.storedBytes},
                                {"operations", work.operations},
                                {"product_operations", work.products}});
  return list;
}

json::Value describeRunnerUp(const std::optional<RunnerUp> &runnerUp) {
  if (!runnerUp)
    return nullptr;
  return json::Object{{"value", valueOf(runnerUp->value)}, {"ratio", runnerUp->ratio}, {"bound", runnerUp->bound}};
}

json::Array describeDecisions(const KernelExplanation &kernel) {
  json::Array list;
  for (const ExplainedDecision &decision : kernel.decisions)
    list.push_back(json::Object{{"name", decision.name},
                                {"value", valueOf(decision.value)},
                                {"reason", textOrNull(decision.reason)},
                                {"place", textOrNull(decision.place)},
                                {"asked", textOrNull(decision.askedBy)},
                                {"runner_up", describeRunnerUp(decision.runnerUp)}});
  return list;
}

json::Array describeFacts(const KernelExplanation &kernel) {
  json::Array list;
  for (const auto &[name, value] : kernel.facts)
    list.push_back(json::Object{{"name", name}, {"value", valueOf(value)}});
  return list;
}

json::Array describeHints(const KernelExplanation &kernel) {
  json::Array list;
  for (const ExplainedHint &hint : kernel.hints)
    list.push_back(json::Object{{"name", StringRef(hint.answer).split(" = ").first},
                                {"answer", hint.answer},
                                {"is_followed", hint.isFollowed},
                                {"place", textOrNull(hint.place)}});
  return list;
}

json::Value describeOccupancy(const std::optional<nvidia::Occupancy> &occupancy) {
  if (!occupancy)
    return nullptr;
  return json::Object{{"blocks", occupancy->blocks}, {"warps", occupancy->warps}, {"limit", occupancy->limit}};
}

json::Object describeResources(const CodeExplanation &code) {
  json::Object object{{"threads", code.threads}, {"why_no_cubin", textOrNull(code.whyNoCubin)}};
  if (!code.resources)
    return object;
  object["registers"] = code.resources->registers;
  object["spilled_bytes"] = code.resources->spillStoreBytes + code.resources->spillLoadBytes;
  object["shared_bytes"] = code.sharedBytes;
  object["code_bytes"] = code.resources->codeBytes;
  object["occupancy"] = describeOccupancy(code.occupancy);
  return object;
}

json::Object describeInstructions(const CodeExplanation &code) {
  json::Object object;
  if (code.instructions)
    for (const auto &[name, count] : *code.instructions)
      object[name] = count;
  return object;
}

json::Value describeLaunch(const std::optional<ExplainedLaunch> &launch) {
  if (!launch)
    return nullptr;
  json::Object object = launch->prediction.toJson();
  object["grid"] = json::Array{launch->grid[0], launch->grid[1], launch->grid[2]};
  return object;
}

} // namespace

json::Value valueOf(StringRef text) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return number;
  if (text == "true" || text == "false")
    return text == "true";
  return text;
}

json::Array Explanation::toJson() const {
  json::Array list;
  for (const KernelExplanation &kernel : kernels) {
    json::Array tiles;
    for (const std::string &layout : kernel.layouts)
      tiles.push_back(layout);
    list.push_back(json::Object{
        {"name", kernel.name},
        {"target", target},
        {"work", describeWork(kernel)},
        {"decisions", describeDecisions(kernel)},
        {"facts", describeFacts(kernel)},
        {"hints", describeHints(kernel)},
        {"tiles", std::move(tiles)},
        {"resources", kernel.code ? json::Value(describeResources(*kernel.code)) : json::Value(nullptr)},
        {"instructions", kernel.code ? json::Value(describeInstructions(*kernel.code)) : json::Value(nullptr)},
        {"prediction", describeLaunch(kernel.launch)}});
  }
  return list;
}

std::string Explanation::jsonText() const {
  return formatv("{0:2}\n", json::Value(toJson()));
}

} // namespace tilewright
