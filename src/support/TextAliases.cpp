// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/TextAliases.h"
#include "support/TextScan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {
namespace {

struct Use {
  StringRef name;
  size_t at;
};

struct Alias {
  SmallVector<Use, 2> uses;
  // 0: not known yet. An alias that is asked for meanwhile is in a cycle, which the parser refuses.
  uint64_t parts = 0;
  bool isOpen = false;
};

class Aliases {
public:
  explicit Aliases(StringRef text);
  size_t findTooLarge();

private:
  uint64_t count(StringRef name);

  StringRef text;
  llvm::StringMap<Alias> aliases;
  // Those outside of definitions.
  std::vector<Use> uses;
};

bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '-' || c == '.';
}

// Definitions begin a line and end with one, outside of brackets.
Aliases::Aliases(StringRef text) : text(text) {
  Alias *inside = nullptr;
  int depth = 0;
  bool beginsLine = true, isEmpty = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '\n') {
      beginsLine = true;
      if (depth <= 0 && !isEmpty)
        inside = nullptr;
      continue;
    }
    if (llvm::isSpace(c))
      continue;
    bool isFirst = std::exchange(beginsLine, false);
    if (size_t end = skipQuoted(text, at); end != at) {
      at = end - 1;
      continue;
    }
    isEmpty = false;
    if (StringRef("([{<").contains(c))
      ++depth;
    if (StringRef(")]}").contains(c) || (c == '>' && text[at ? at - 1 : 0] != '-'))
      --depth;
    if (c != '#' && c != '!')
      continue;
    StringRef name = text.substr(at).take_front(1 + text.substr(at + 1).take_while(isNameCharacter).size());
    StringRef rest = text.substr(at + name.size()).ltrim(" \t");
    if (isFirst && rest.starts_with("=")) {
      inside = &aliases[name];
      depth = 0;
      isEmpty = true;
      at = rest.data() - text.data(); // the '='
      continue;
    }
    // A name with a dot is of a dialect.
    if (!name.contains('.')) {
      if (inside)
        inside->uses.push_back({name, at});
      else
        uses.push_back({name, at});
    }
    at += name.size() - 1;
  }
}

// Parts of an alias: itself and those of what it uses.
uint64_t Aliases::count(StringRef first) {
  // Not recursive: a chain may be as long as the text.
  SmallVector<StringRef> open = {first};
  while (!open.empty()) {
    auto found = aliases.find(open.back());
    if (found == aliases.end() || found->second.parts) {
      open.pop_back();
      continue;
    }
    Alias &alias = found->second;
    if (!std::exchange(alias.isOpen, true)) {
      for (const Use &use : alias.uses)
        if (auto used = aliases.find(use.name); used != aliases.end() && !used->second.isOpen)
          open.push_back(use.name);
      continue;
    }
    alias.parts = 1;
    for (const Use &use : alias.uses)
      alias.parts = llvm::SaturatingAdd(alias.parts, std::max<uint64_t>(aliases.lookup(use.name).parts, 1));
    open.pop_back();
  }
  auto found = aliases.find(first);
  return found == aliases.end() ? 1 : found->second.parts;
}

size_t Aliases::findTooLarge() {
  uint64_t most = text.size() * partsPerCharacter + partsAlways, total = 0;
  for (const Use &use : uses) {
    total = llvm::SaturatingAdd(total, count(use.name));
    if (total > most)
      return use.at;
  }
  return StringRef::npos;
}

} // namespace

size_t findTooLarge(StringRef text) {
  return Aliases(text).findTooLarge();
}

} // namespace tilewright
