// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/debug/Names.h"

#include "mlir/IR/AsmState.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

// "%x" at the beginning of a text, or nothing.
llvm::StringRef ssaName(llvm::StringRef text) {
  if (!text.starts_with("%"))
    return {};
  return text.take_while([](char c) { return llvm::isAlnum(c) || llvm::StringRef("%_$.-").contains(c); });
}

// Of the results before the name of an operation: "%a, %b:2 = op" has %a, %b#0 and %b#1.
llvm::SmallVector<std::string> resultsInText(llvm::StringRef line, unsigned column) {
  llvm::SmallVector<std::string> result;
  llvm::StringRef before = line.take_front(column ? column - 1 : 0).rtrim();
  if (!before.consume_back("="))
    return result;
  llvm::SmallVector<llvm::StringRef> parts;
  before.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, count] = part.trim().split(':');
    unsigned number = 1;
    if (count.empty() || count.getAsInteger(10, number))
      result.push_back(ssaName(name).str());
    else
      for (unsigned i = 0; i < number; ++i)
        result.push_back((ssaName(name) + "#" + llvm::Twine(i)).str());
  }
  return result;
}

// The parameters of an entry in text: those before a colon, up to the body.
llvm::SmallVector<std::string> parametersInText(cuda_tile::EntryOp entry, Names::ReadLine readLine) {
  llvm::SmallVector<std::string> result;
  FileLineColLoc place = sourceOf(entry.getLoc());
  if (!place || place.getLine() == 0)
    return result;
  std::string text;
  constexpr unsigned most = 200; // lines of a signature
  for (unsigned i = 0; i < most && !llvm::StringRef(text).contains('{'); ++i)
    text += readLine(place.getFilename(), place.getLine() + i) + "\n";
  llvm::StringRef rest = llvm::StringRef(text).split(("@" + entry.getSymName() + "(").str()).second;
  for (rest = rest.split('{').first; !rest.empty(); rest = rest.drop_front())
    if (llvm::StringRef name = ssaName(rest); !name.empty() && rest.substr(name.size()).ltrim().starts_with(":"))
      result.push_back(name.str());
  return result;
}

NameLoc nameOf(Location location) {
  NameLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<NameLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace

Names::Names(cuda_tile::EntryOp entry, ReadLine readLine) {
  AsmState printed(entry->getParentOp());
  auto lineOf = [&](FileLineColLoc place) {
    return place && place.getLine() ? readLine(place.getFilename(), place.getLine()) : std::string();
  };
  auto add = [&](mlir::Value value, llvm::StringRef name) {
    if (!name.empty() && !llvm::is_contained(names[value], name))
      names[value].push_back(name.str());
  };
  auto addVariables = [&](Location location, ValueRange values) {
    NameLoc variables = nameOf(location);
    if (!variables)
      return;
    llvm::SmallVector<llvm::StringRef> parts, ofOne;
    variables.getName().getValue().split(parts, resultSeparator);
    for (auto [value, part] : llvm::zip(values, parts)) {
      ofOne.clear();
      part.split(ofOne, nameSeparator);
      for (llvm::StringRef name : ofOne)
        add(value, name.trim());
    }
  };
  auto addPrinted = [&](ValueRange values) {
    for (mlir::Value value : values) {
      std::string name;
      llvm::raw_string_ostream os(name);
      value.printAsOperand(os, printed);
      add(value, name);
    }
  };
  auto parameters = parametersInText(entry, readLine);
  if (parameters.size() == entry.getBody().getNumArguments())
    for (auto [argument, name] : llvm::zip(entry.getBody().getArguments(), parameters))
      add(argument, name);
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    addVariables(op->getLoc(), op->getResults());
    FileLineColLoc place = sourceOf(op->getLoc());
    auto inText = resultsInText(lineOf(place), place ? place.getColumn() : 0);
    bool isText = !inText.empty() && !inText.front().empty();
    if (isText)
      for (auto [result, name] : llvm::zip(op->getResults(), inText))
        add(result, name);
    else
      addPrinted(op->getResults());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        addVariables(argument.getLoc(), argument);
        FileLineColLoc at = sourceOf(argument.getLoc());
        std::string line = lineOf(at);
        size_t column = std::min<size_t>(line.size(), at && at.getColumn() ? at.getColumn() - 1 : 0);
        llvm::StringRef name = ssaName(llvm::StringRef(line).drop_front(column));
        if (!name.empty())
          add(argument, name);
        else if (op != entry || parameters.empty())
          addPrinted(argument);
      }
  });
}

} // namespace tilewright::interpreter
