// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be typed at a stop.
#include "interpreter/Context.h"
#include "interpreter/debug/Debugger.h"
#include "interpreter/debug/TileText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tilewright::interpreter {

struct Debugger::Command {
  const char *words; // the first is the one that help shows
  const char *argument;
  const char *help;
  bool (Debugger::*run)(llvm::StringRef argument);
};

llvm::ArrayRef<Debugger::Command> Debugger::commands() {
  static constexpr Command table[] = {
      {"step s", "", "to the next line, also of a helper that is called", &Debugger::doStep},
      {"next n", "", "to the next line of this function", &Debugger::doNext},
      {"return r", "", "to behind this call of a helper", &Debugger::doReturn},
      {"op si", "", "to the next operation of Tile IR", &Debugger::doOperation},
      {"continue c cont", "", "to the next breakpoint or the end", &Debugger::doContinue},
      {"block", "[X[,Y[,Z]]]", "to the beginning of the next block, or of that one", &Debugger::doBlock},
      {"break b", "[[FILE:]LINE [block X[,Y[,Z]]]]", "stop there, in one block or all; alone: list breakpoints",
       &Debugger::doBreak},
      {"tbreak", "[FILE:]LINE", "stop there once", &Debugger::doTemporary},
      {"clear cl", "[NUMBER]", "forget a breakpoint, or all", &Debugger::doClear},
      {"watch", "[NAME]", "stop whenever this value has changed; alone: list watches", &Debugger::doWatch},
      {"unwatch", "[NAME]", "forget a watch, or all", &Debugger::doUnwatch},
      {"print p", "NAME[INDICES]", "a value or a part of it: x, x[0], x[:, 2:4], %3; large tiles in short",
       &Debugger::doPrint},
      {"pp", "NAME[INDICES]", "the same with all elements", &Debugger::doPrintWhole},
      {"vars v", "", "all names that have a value", &Debugger::doVariables},
      {"where w bt", "", "the calls that lead here", &Debugger::doWhere},
      {"list l", "[LINE]", "the source around here, then more", &Debugger::doList},
      {"show", "", "the next operation, as Tile IR", &Debugger::doShowOperation},
      {"help h ?", "", "this", &Debugger::doHelp},
      {"quit q", "", "end the launch", &Debugger::doQuit},
  };
  return table;
}

bool Debugger::execute(llvm::StringRef line) {
  auto [word, argument] = line.split(' ');
  for (const Command &command : commands()) {
    SmallVector<StringRef> words;
    StringRef(command.words).split(words, ' ');
    if (llvm::is_contained(words, word))
      return (this->*command.run)(argument.trim());
  }
  say("unknown command '" + word + "', expected one of those that help lists");
  return false;
}

bool Debugger::doStep(llvm::StringRef) {
  mode = Mode::Line;
  return true;
}
bool Debugger::doNext(llvm::StringRef) {
  mode = Mode::Next;
  return true;
}
bool Debugger::doReturn(llvm::StringRef) {
  mode = Mode::Return;
  return true;
}
bool Debugger::doOperation(llvm::StringRef) {
  mode = Mode::Operation;
  return true;
}
bool Debugger::doContinue(llvm::StringRef) {
  mode = Mode::Run;
  return true;
}
bool Debugger::doQuit(llvm::StringRef) {
  quitting = true;
  return true;
}

// "1", "1,2" or "(1, 2, 0)".
static std::optional<std::array<int64_t, 3>> parseBlock(llvm::StringRef text) {
  std::array<int64_t, 3> block = {0, 0, 0};
  SmallVector<StringRef> parts;
  text.trim(" ()").split(parts, ',');
  if (parts.size() > 3)
    return std::nullopt;
  for (auto [extent, part] : llvm::zip(block, parts))
    if (part.trim().getAsInteger(10, extent))
      return std::nullopt;
  return block;
}

bool Debugger::doBlock(llvm::StringRef argument) {
  wantedBlock.reset();
  if (!argument.empty()) {
    wantedBlock = parseBlock(argument);
    if (!wantedBlock) {
      say("'" + argument + "' is no block, expected one to three numbers as in 1,0");
      return false;
    }
    // Blocks run in the order of their ids.
    auto number = [&](const std::array<int64_t, 3> &id) { return (id[2] * grid[1] + id[1]) * grid[0] + id[0]; };
    bool isInGrid = llvm::all_of(llvm::zip(*wantedBlock, grid), [](auto pair) {
      return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair);
    });
    if (!isInGrid || number(*wantedBlock) <= number(block)) {
      say(isInGrid ? llvm::Twine("this block has begun already: ") + argument
                   : llvm::Twine("there is no such block: ") + argument);
      return false;
    }
  }
  mode = Mode::Block;
  return true;
}

void Debugger::addBreakpoint(llvm::StringRef argument, bool once) {
  DebuggerState::Breakpoint breakpoint;
  breakpoint.once = once;
  auto [where, in] = argument.split(' ');
  if (in = in.trim(); in.consume_front("block"))
    breakpoint.block = parseBlock(in);
  bool isWrong = !in.empty() && !breakpoint.block;
  auto [file, line] = where.rsplit(':');
  if (line.empty())
    std::swap(file, line);
  breakpoint.file = file.empty() ? stopped->file : file.str();
  if (isWrong || line.getAsInteger(10, breakpoint.line)) {
    say("'" + argument + "' is no place, expected LINE, FILE:LINE, or one of these and 'block X,Y,Z'");
    return;
  }
  // The end of a path will do.
  auto known = llvm::find_if(linesWithCode, [&](const auto &lines) {
    return lines.first == breakpoint.file || llvm::sys::path::filename(lines.first) == breakpoint.file;
  });
  if (known == linesWithCode.end()) {
    say("the kernel has no line of " + breakpoint.file);
    return;
  }
  breakpoint.file = known->first;
  auto found = known->second.lower_bound(breakpoint.line);
  if (found == known->second.end()) {
    say("no operations are from line " + llvm::Twine(breakpoint.line) + " or behind it");
    return;
  }
  std::string moved = *found == breakpoint.line
                          ? ""
                          : ", the first behind " + std::to_string(breakpoint.line) + " that computes something";
  breakpoint.line = *found;
  int number = state.nextNumber++;
  say("breakpoint " + llvm::Twine(number) + " at " + breakpoint.file + ":" + llvm::Twine(breakpoint.line) + moved);
  state.breakpoints[number] = breakpoint;
}

bool Debugger::doBreak(llvm::StringRef argument) {
  if (!argument.empty()) {
    addBreakpoint(argument, /*once=*/false);
    return false;
  }
  if (state.breakpoints.empty())
    say("no breakpoints");
  for (auto &[number, breakpoint] : state.breakpoints) {
    std::string text = std::to_string(number) + "  " + breakpoint.file + ":" + std::to_string(breakpoint.line);
    if (breakpoint.block)
      text +=
          " block " + llvm::join(llvm::map_range(*breakpoint.block, [](int64_t i) { return std::to_string(i); }), ",");
    say(text + (breakpoint.once ? " once" : ""));
  }
  return false;
}

bool Debugger::doTemporary(llvm::StringRef argument) {
  addBreakpoint(argument, /*once=*/true);
  return false;
}

bool Debugger::doClear(llvm::StringRef argument) {
  int number = 0;
  if (argument.empty())
    state.breakpoints.clear();
  else if (argument.getAsInteger(10, number) || !state.breakpoints.erase(number))
    say("there is no breakpoint " + argument);
  return false;
}

const Value *Debugger::lookup(llvm::StringRef name) {
  auto place = scope.find(functionName(stopped ? stopped->location : current->getLoc()) + "." + name.str());
  if (place == scope.end())
    place = scope.find(name);
  return place == scope.end() ? nullptr : &context->frame.get(place->second);
}

llvm::Expected<const Value *> Debugger::find(llvm::StringRef name) {
  if (const Value *value = lookup(name))
    return value;
  return llvm::createStringError("'" + name + "' has no value here; vars lists the variables that have");
}

void Debugger::printValue(llvm::StringRef argument, bool whole) {
  llvm::StringRef name = argument, subscript;
  bool isPart = argument.ends_with("]") && !lookup(argument);
  if (isPart)
    std::tie(name, subscript) = argument.drop_back().split('[');
  auto value = find(name.trim());
  if (!value) {
    say(llvm::toString(value.takeError()));
    return;
  }
  if (!isPart) {
    say(valueText(**value, whole));
    return;
  }
  const auto *tile = std::get_if<Tile>(*value);
  if (!tile) {
    say("'" + name + "' is no tile and has no elements");
    return;
  }
  auto part = slice(*tile, subscript);
  say(part ? valueText(*part, whole) : llvm::toString(part.takeError()));
}

bool Debugger::doPrint(llvm::StringRef argument) {
  printValue(argument, /*whole=*/false);
  return false;
}
bool Debugger::doPrintWhole(llvm::StringRef argument) {
  printValue(argument, /*whole=*/true);
  return false;
}

bool Debugger::doWatch(llvm::StringRef argument) {
  if (argument.empty()) {
    for (const std::string &name : state.watched)
      say(name);
    return false;
  }
  state.watched.insert(argument.str());
  auto value = find(argument);
  if (!value) {
    llvm::consumeError(value.takeError());
    say("'" + argument + "' has no value yet");
  } else if (const auto *tile = std::get_if<Tile>(*value)) {
    watches[argument] = {true, *tile};
  } else {
    say("'" + argument + "' is no tile and never changes");
    state.watched.erase(argument.str());
  }
  return false;
}

bool Debugger::doUnwatch(llvm::StringRef argument) {
  if (argument.empty())
    state.watched.clear();
  else if (!state.watched.erase(argument.str()))
    say("'" + argument + "' is not watched");
  return false;
}

bool Debugger::doVariables(llvm::StringRef) {
  std::map<std::string, std::string> lines;
  for (auto &variable : scope) {
    std::string text = valueText(context->frame.get(variable.second));
    // Small ones with their value, of others the type.
    bool isShort = text.size() <= 80 && !StringRef(text).contains('\n');
    lines[variable.first().str()] = isShort ? text : StringRef(text).split('\n').first.split(" [").first.str();
  }
  for (auto &[name, text] : lines)
    say(name + ": " + text);
  return false;
}

bool Debugger::doWhere(llvm::StringRef) {
  for (const Line &line : linesOf(current)) {
    bool isHere = line.depth == stopped->depth;
    say((isHere ? "> " : "  ") + placeText(line.location));
    say("-> " + StringRef(sourceLine(line.file, line.number)).trim());
    if (isHere)
      break;
  }
  return false;
}

bool Debugger::doList(llvm::StringRef argument) {
  constexpr unsigned around = 5;
  unsigned first = listedUpTo ? listedUpTo + 1 : stopped->number > around ? stopped->number - around : 1;
  if (!argument.empty() && argument.getAsInteger(10, first)) {
    say("'" + argument + "' is no line");
    return false;
  }
  sourceLine(stopped->file, 1);
  size_t count = sources[stopped->file].size();
  if (first > count)
    say("the file ends at line " + llvm::Twine(count));
  for (unsigned line = first; line <= std::min<size_t>(count, first + 2 * around); ++line) {
    bool isBreak = llvm::any_of(state.breakpoints, [&](const auto &entry) {
      return entry.second.file == stopped->file && entry.second.line == line;
    });
    std::string number = std::to_string(line);
    say(std::string(4 - std::min<size_t>(4, number.size()), ' ') + number + (isBreak ? " B" : "  ") +
        (line == stopped->number ? "->" : "  ") + "  " + sourceLine(stopped->file, line));
    listedUpTo = line;
  }
  return false;
}

bool Debugger::doShowOperation(llvm::StringRef) {
  std::string text;
  llvm::raw_string_ostream os(text);
  current->print(os, OpPrintingFlags().skipRegions().useLocalScope().elideLargeElementsAttrs());
  // As the text of Tile IR has it, without the name of the dialect.
  if (size_t at = text.find("cuda_tile."); at != std::string::npos)
    text.erase(at, StringRef("cuda_tile.").size());
  say("   " + StringRef(text).trim());
  return false;
}

bool Debugger::doHelp(llvm::StringRef) {
  for (const Command &command : commands()) {
    auto [word, others] = StringRef(command.words).split(' ');
    std::string usage = word.str() + (*command.argument ? " " : "") + command.argument;
    say(usage + (others.empty() ? "" : " (" + llvm::join(llvm::split(others, ' '), ", ") + ")") + ": " + command.help);
  }
  say("an empty line repeats the last command");
  return false;
}

} // namespace tilewright::interpreter
