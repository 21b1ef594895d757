// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/NvidiaPlan.h"

#include "support/PlanFile.h"
#include "tileaa/ir/Slices.h"
#include "tileas/ir/Decisions.h"
#include "tileas/schedule/SchedulableLoops.h"

using namespace mlir;

namespace tilewright {
namespace {

using tileas::DecisionAttr;
using tileas::DecisionKind;
using tileas::Part;

constexpr llvm::StringLiteral scheduleKey = "schedule";

// `loop.0.stages` taken apart; a kernel has no part. A schedule, which is no decision of the table, has no kind.
struct Key {
  Part part = Part::Kernel;
  int64_t number = 0;
  std::optional<DecisionKind> kind;
};

// All that a plan may decide, for an error.
std::vector<std::string> knownKeys() {
  std::vector<std::string> keys;
  for (const tileas::DecisionInfo &info : tileas::knownDecisions())
    for (Part part : info.parts)
      keys.push_back(
          ((part == Part::Kernel ? "" : stringifyPart(part) + ".N.") + stringifyDecisionKind(info.kind)).str());
  keys.push_back(("loop.N." + scheduleKey).str());
  return keys;
}

llvm::Error unknownKey(StringRef key) {
  SmallVector<StringRef> words;
  key.split(words, '.');
  int64_t number;
  for (StringRef &word : words)
    if (!word.getAsInteger(10, number))
      word = "N";
  std::vector<std::string> known = knownKeys();
  return llvm::createStringError("a plan has no '" + key + "'" + nearestWord(llvm::join(words, "."), known) +
                                 "; it has " + llvm::join(known, ", "));
}

llvm::Expected<Key> parseKey(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, '.');
  Key key{Part::Kernel, 0, tileas::symbolizeDecisionKind(words.back())};
  if (words.size() == 3) {
    std::optional<Part> part = tileas::symbolizePart(words[0]);
    if (!part || *part == Part::Kernel || words[1].getAsInteger(10, key.number) || key.number < 0)
      return unknownKey(text);
    key.part = *part;
  }
  bool isKnown = key.kind ? llvm::is_contained(tileas::infoOf(*key.kind).parts, key.part)
                          : key.part == Part::Loop && words.back() == scheduleKey;
  return isKnown && (words.size() == 1 || words.size() == 3) ? llvm::Expected<Key>(key) : unknownKey(text);
}

// The value of a line, of a key that is no schedule.
llvm::Expected<int64_t> parseLine(const Key &key, const PlanLine &line) {
  std::optional<int64_t> value = tileas::parseValue(*key.kind, line.value);
  if (std::string why = tileas::refusalOf(key.part, *key.kind, value); !why.empty())
    return llvm::createStringError(line.key + " is '" + line.value + "', and " + why);
  return *value;
}

SmallVector<func::FuncOp> kernelsOf(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(), tileaa::isKernel);
}

// Each line of a plan, with its kernel and its key.
llvm::Error forEachKey(ModuleOp module, StringRef text, StringRef name,
                       function_ref<llvm::Error(func::FuncOp kernel, const Key &key, const PlanLine &line)> decide) {
  if (text.empty())
    return llvm::Error::success();
  SmallVector<func::FuncOp> kernels = kernelsOf(module);
  auto names = llvm::map_to_vector(kernels, [](func::FuncOp kernel) { return kernel.getName().str(); });
  return forEachDecision(text, name, names, [&](size_t kernel, const PlanLine &line) -> llvm::Error {
    auto key = parseKey(line.key);
    return key ? decide(kernels[kernel], *key, line) : key.takeError();
  });
}

void printDecision(DecisionAttr decision, llvm::raw_ostream &os) {
  os << stringifyDecisionKind(decision.getKind()) << " = "
     << tileas::quotedText(decision.getKind(), *decision.getValue()) << "  # " << decision.getReason() << '\n';
}

// By part, in the order of their numbers.
SmallVector<DecisionAttr> sortedDecisions(func::FuncOp kernel) {
  auto decisions = llvm::filter_to_vector(tileas::decisionsOf(kernel),
                                          [](DecisionAttr decision) { return decision.getValue().has_value(); });
  llvm::stable_sort(decisions, [](DecisionAttr a, DecisionAttr b) {
    return std::pair(a.getPart(), a.getNumber()) < std::pair(b.getPart(), b.getNumber());
  });
  return decisions;
}

void printPlan(func::FuncOp kernel, llvm::raw_ostream &os) {
  StringRef name = kernel.getName();
  printPlanTable(os, name, "");
  os << '\n';
  for (const auto &[resource, value] : resourcesOf(kernel))
    os << "# " << resource << " = " << value << '\n';
  auto loops = scheduledLoops(kernel);
  auto printSchedule = [&](int64_t number) {
    for (auto [loop, op] : loops) {
      if (loop != number)
        continue;
      os << scheduleKey << " = \"" << tileas::scheduleOf(op) << "\"  # " << tileas::reasonOfSchedule(op) << '\n';
    }
  };
  std::pair<Part, int64_t> current{Part::Kernel, 0};
  llvm::SmallDenseSet<int64_t> printed;
  for (DecisionAttr decision : sortedDecisions(kernel)) {
    std::pair<Part, int64_t> part{decision.getPart(), decision.getNumber()};
    if (part != current) {
      os << '\n';
      printPlanTable(os, name, (stringifyPart(part.first) + "." + Twine(part.second)).str());
      os << (decision.getPlace().empty() ? "" : "  # ") << decision.getPlace() << '\n';
      if (part.first == Part::Loop && printed.insert(part.second).second)
        printSchedule(part.second);
      current = part;
    }
    printDecision(decision, os);
  }
  // Of a plan that people wrote as a module.
  for (auto [number, op] : loops)
    if (!printed.contains(number)) {
      os << '\n';
      printPlanTable(os, name, ("loop." + Twine(number)).str());
      os << '\n';
      printSchedule(number);
    }
}

} // namespace

std::string decisionName(DecisionAttr decision) {
  std::string kind = stringifyDecisionKind(decision.getKind()).str();
  if (decision.getPart() == Part::Kernel)
    return kind;
  return (stringifyPart(decision.getPart()) + "." + Twine(decision.getNumber()) + "." + kind).str();
}

std::vector<std::pair<int64_t, scf::ForOp>> scheduledLoops(func::FuncOp function) {
  std::vector<std::pair<int64_t, scf::ForOp>> loops;
  for (auto [index, loop] : llvm::enumerate(tileas::schedulableLoops(function))) {
    auto number = loop->getAttrOfType<IntegerAttr>(tileas::numberAttr);
    loops.emplace_back(number ? number.getInt() : int64_t(index), loop);
  }
  return loops;
}

std::vector<std::pair<std::string, std::string>> resourcesOf(func::FuncOp function) {
  std::vector<std::pair<std::string, std::string>> resources;
  if (Attribute slices = function->getAttr(tileaa::slicesAttr)) {
    llvm::raw_string_ostream os(resources.emplace_back("slices", "").second);
    slices.print(os, /*elideType=*/true);
  }
  tileas::CtaAttr cta = tileas::ctaOf(function);
  if (!cta)
    return resources;
  auto add = [&](const char *name, std::optional<int64_t> value) {
    if (value)
      resources.emplace_back(name, std::to_string(*value));
  };
  add("blocks_per_sm", cta.getBlocksPerSm());
  add("shared_bytes", cta.getSharedBytes());
  add("threads", cta.getThreads());
  return resources;
}

std::string printNvidiaPlans(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (func::FuncOp kernel : kernelsOf(module)) {
    if (!text.empty())
      os << '\n';
    printPlan(kernel, os);
  }
  return text;
}

llvm::Error askNvidiaPlans(ModuleOp module, StringRef text, StringRef name) {
  MLIRContext *context = module.getContext();
  return forEachKey(module, text, name, [&](func::FuncOp kernel, const Key &key, const PlanLine &line) -> llvm::Error {
    if (!key.kind)
      return llvm::Error::success();
    auto value = parseLine(key, line);
    if (!value)
      return value.takeError();
    context->getOrLoadDialect<tileas::TileasDialect>();
    SmallVector<DecisionAttr> decisions = tileas::decisionsOf(kernel);
    decisions.push_back(DecisionAttr::get(context, key.part, key.number, *key.kind, std::nullopt, *value,
                                          (name + ":" + Twine(line.number)).str(), "", ""));
    tileas::setDecisions(kernel, decisions);
    // The passes that slice are of tileaa, and know no plans.
    if (key.kind == DecisionKind::Slice)
      tileaa::setSliceAsked(kernel, *value);
    return llvm::Error::success();
  });
}

llvm::Error applyNvidiaPlans(ModuleOp module, StringRef text, StringRef name) {
  return forEachKey(module, text, name, [](func::FuncOp kernel, const Key &key, const PlanLine &line) -> llvm::Error {
    if (!key.kind) {
      for (auto [number, loop] : scheduledLoops(kernel))
        if (number == key.number)
          return tileas::setSchedule(loop, line.value);
      return llvm::createStringError("a schedule of loop " + Twine(key.number) +
                                     " is impossible: it has no products that threads can leave running");
    }
    auto value = parseLine(key, line);
    if (!value)
      return value.takeError();
    for (DecisionAttr decision : tileas::decisionsOf(kernel))
      if (decisionName(decision) == line.key && decision.getValue() && decision.getValue() != *value)
        return llvm::createStringError(
            line.key + " is '" + line.value + "', and " + tileas::valueText(decision.getKind(), *decision.getValue()) +
            " in the module: of a plan only schedules are decided otherwise, all else of Tile IR");
    return llvm::Error::success();
  });
}

} // namespace tilewright
