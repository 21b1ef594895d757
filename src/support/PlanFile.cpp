// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/PlanFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

using llvm::StringRef;
using llvm::Twine;

namespace tilewright {
namespace {

class Reader {
public:
  // Without names every kernel is one.
  Reader(StringRef name, std::optional<llvm::ArrayRef<std::string>> kernels) : name(name), kernels(kernels) {}

  llvm::Expected<std::vector<PlanLine>> read(StringRef text) {
    toml::parse_result parsed = toml::parse(std::string_view(text.data(), text.size()), name.str());
    if (!parsed)
      return error(parsed.error().source().begin.line, std::string(parsed.error().description()));
    for (auto &&[kernel, node] : parsed.table())
      if (llvm::Error wrong = addKernel(kernel.str(), node))
        return wrong;
    // Tables are in the order of their names.
    llvm::stable_sort(lines, [](const PlanLine &a, const PlanLine &b) { return a.number < b.number; });
    return std::move(lines);
  }

private:
  llvm::Error error(unsigned line, const Twine &message) {
    return llvm::createStringError(name + ":" + Twine(line) + ": " + message);
  }

  llvm::Error addKernel(std::string_view kernel, const toml::node &node) {
    unsigned line = node.source().begin.line;
    if (!node.is_table())
      return error(line, "'" + StringRef(kernel) + "' belongs to no kernel, expected a table [kernel] above it");
    if (kernels && !llvm::is_contained(*kernels, kernel))
      return error(line, "no kernel '" + StringRef(kernel) + "', the module has " + llvm::join(*kernels, ", "));
    return addTable(std::string(kernel), "", *node.as_table());
  }

  llvm::Error addTable(const std::string &kernel, const std::string &prefix, const toml::table &table) {
    for (auto &&[key, node] : table) {
      std::string path = prefix + std::string(key.str());
      if (const toml::table *inner = node.as_table()) {
        if (llvm::Error wrong = addTable(kernel, path + ".", *inner))
          return wrong;
        continue;
      }
      unsigned line = node.source().begin.line;
      if (auto number = node.value_exact<int64_t>())
        lines.push_back({kernel, path, std::to_string(*number), line});
      else if (auto truth = node.value_exact<bool>())
        lines.push_back({kernel, path, *truth ? "true" : "false", line});
      else if (auto text = node.value_exact<std::string>())
        lines.push_back({kernel, path, *text, line});
      else
        return error(line, "'" + path + "' is expected to be a number, true, false or a text in quotes");
    }
    return llvm::Error::success();
  }

  StringRef name;
  std::optional<llvm::ArrayRef<std::string>> kernels;
  std::vector<PlanLine> lines;
};

} // namespace

char PlanError::ID;

llvm::Error asPlanError(llvm::Error error, StringRef name) {
  return llvm::handleErrors(std::move(error), [&](std::unique_ptr<llvm::StringError> failure) -> llvm::Error {
    auto [before, after] = StringRef(failure->getMessage()).split((name + ":").str());
    bool hasLine = !name.empty() && !after.empty() && llvm::isDigit(after.front());
    if (hasLine && (before.empty() || before.ends_with("error: ")))
      return llvm::make_error<PlanError>(failure->getMessage());
    return llvm::Error(std::move(failure));
  });
}

llvm::Expected<std::vector<PlanLine>> readPlan(StringRef text, StringRef name, llvm::ArrayRef<std::string> kernels) {
  return Reader(name, kernels).read(text);
}

llvm::Expected<std::vector<PlanLine>> readPlan(StringRef text, StringRef name) {
  return Reader(name, std::nullopt).read(text);
}

std::pair<StringRef, StringRef> splitKey(StringRef key) {
  size_t dot = key.rfind('.');
  return dot == StringRef::npos ? std::pair(StringRef(), key) : std::pair(key.take_front(dot), key.drop_front(dot + 1));
}

std::string comparePlans(llvm::ArrayRef<PlanLine> left, llvm::ArrayRef<PlanLine> right) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto find = [](llvm::ArrayRef<PlanLine> lines, const PlanLine &like) {
    return llvm::find_if(lines,
                         [&](const PlanLine &line) { return line.kernel == like.kernel && line.key == like.key; });
  };
  for (const PlanLine &line : left) {
    auto other = find(right, line);
    if (other == right.end() || other->value != line.value)
      os << line.kernel << "  " << line.key << ": " << line.value << " -> "
         << (other == right.end() ? "-" : other->value) << '\n';
  }
  for (const PlanLine &line : right)
    if (find(left, line) == left.end())
      os << line.kernel << "  " << line.key << ": - -> " << line.value << '\n';
  return text;
}

llvm::Error forEachDecision(StringRef text, StringRef name, llvm::ArrayRef<std::string> kernels,
                            llvm::function_ref<llvm::Error(size_t kernel, const PlanLine &line)> decide) {
  auto lines = readPlan(text, name, kernels);
  if (!lines)
    return lines.takeError();
  for (const PlanLine &line : *lines)
    if (llvm::Error wrong = decide(llvm::find(kernels, line.kernel) - kernels.begin(), line))
      return llvm::createStringError(name + ":" + Twine(line.number) + ": " + llvm::toString(std::move(wrong)));
  return llvm::Error::success();
}

void printPlanTable(llvm::raw_ostream &os, StringRef kernel, StringRef part) {
  bool isBare =
      !kernel.empty() && llvm::all_of(kernel, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
  os << '[' << (isBare ? "" : "\"");
  llvm::printEscapedString(kernel, os);
  os << (isBare ? "" : "\"") << (part.empty() ? "" : ".") << part << "]";
}

std::string nearestWord(StringRef word, llvm::ArrayRef<std::string> known) {
  constexpr unsigned mostEdits = 3;
  unsigned fewest = mostEdits + 1;
  StringRef nearest;
  for (StringRef each : known)
    if (unsigned edits = word.edit_distance(each, /*AllowReplacements=*/true, mostEdits); edits < fewest)
      fewest = edits, nearest = each;
  return nearest.empty() ? "" : (", did you mean '" + nearest + "'?").str();
}

} // namespace tilewright
