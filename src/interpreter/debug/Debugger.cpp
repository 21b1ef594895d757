// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/debug/Debugger.h"

#include "interpreter/Context.h"
#include "interpreter/debug/TileText.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

// The bodies of folds run once per element, and are not stepped through.
bool isInFold(Operation *op) {
  return op->getParentOfType<cuda_tile::ReduceOp>() || op->getParentOfType<cuda_tile::ScanOp>();
}

// The lines of all calls that contain an operation, the innermost first.
void collectFrames(Location location, SmallVectorImpl<Location> &frames) {
  while (auto name = dyn_cast<NameLoc>(location))
    location = name.getChildLoc();
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectFrames(call.getCallee(), frames);
    collectFrames(call.getCaller(), frames);
  } else {
    frames.push_back(location);
  }
}

} // namespace

Debugger::Debugger(Console console, DebuggerState &state, const SourceText &known, Monitor *inner,
                   std::function<size_t()> findings)
    : console(std::move(console)), state(state), known(known), inner(inner), findings(std::move(findings)) {}

Debugger::~Debugger() = default;

Debugger::Lines Debugger::linesOf(Operation *op) {
  SmallVector<Location> frames;
  collectFrames(op->getLoc(), frames);
  Lines lines;
  for (Location frame : llvm::reverse(frames)) {
    FileLineColLoc place = sourceOf(frame);
    if (!place || place.getLine() == 0)
      return {};
    lines.push_back({place.getFilename().str(), place.getLine(), lines.size(), frame});
  }
  lines.back().isInnermost = true;
  return lines;
}

std::string Debugger::sourceLine(llvm::StringRef file, unsigned number) {
  auto [place, isNew] = sources.try_emplace(file);
  if (isNew) {
    std::string text;
    if (file == known.name)
      text = known.text.str();
    else if (auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true))
      text = (*buffer)->getBuffer().str();
    else
      text = console.source(file);
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    for (StringRef line : lines)
      place->second.push_back(line.rtrim('\r').str());
  }
  return number >= 1 && number <= place->second.size() ? place->second[number - 1] : "";
}

std::string Debugger::functionName(Location location) {
  std::string name = entry.getSymName().str();
  location->walk([&](Location part) {
    auto place = dyn_cast<cuda_tile::DILocAttr>(part);
    if (!place)
      return WalkResult::advance();
    Attribute scope = place.getScope();
    while (auto inner = dyn_cast<cuda_tile::DILexicalBlockAttr>(scope))
      scope = inner.getScope();
    if (auto function = dyn_cast<cuda_tile::DISubprogramAttr>(scope))
      name = function.getName().getValue().str();
    return WalkResult::interrupt();
  });
  return name;
}

std::string Debugger::blockText() const {
  return "block (" + std::to_string(block[0]) + ", " + std::to_string(block[1]) + ", " + std::to_string(block[2]) + ")";
}

// "/home/me/scale.py(9)scale()"
std::string Debugger::placeText(Location location) {
  FileLineColLoc place = sourceOf(location);
  return place.getFilename().str() + "(" + std::to_string(place.getLine()) + ")" + functionName(location) + "()";
}

void Debugger::say(const llvm::Twine &text) {
  console.write((text + "\n").str());
}

void Debugger::beginLaunch(cuda_tile::EntryOp entry, llvm::ArrayRef<Value> arguments, std::array<int64_t, 3> grid) {
  if (inner)
    inner->beginLaunch(entry, arguments, grid);
  this->entry = entry;
  this->grid = grid;
  names = std::make_unique<Names>(entry, [&](llvm::StringRef file, unsigned line) { return sourceLine(file, line); });
  entry.walk([&](Operation *op) {
    if (op != entry)
      for (const Line &line : linesOf(op))
        linesWithCode[line.file].insert(line.number);
  });
  if (!std::exchange(state.begun, true))
    mode = Mode::Operation;
}

void Debugger::beginBlock(std::array<int64_t, 3> id) {
  if (inner)
    inner->beginBlock(id);
  block = id;
  scope.clear();
  for (auto &watch : watches)
    watch.second.known = false;
  previous.clear();
  blockBegan = true;
}

void Debugger::endBlock() {
  if (inner)
    inner->endBlock();
}

void Debugger::endLaunch() {
  if (inner)
    inner->endLaunch();
  if (mode != Mode::Run)
    say("the launch of " + entry.getSymName() + " has ended");
}

// The values have their names from here on.
void Debugger::define(ValueRange values) {
  for (mlir::Value value : values)
    for (const std::string &name : names->of(value))
      scope[name] = value;
}

bool Debugger::modeStops(Operation *op, const Line &line, bool isNew) const {
  bool isNewLine = !stopped || !(line == *stopped) || isNew || op == stoppedAt;
  switch (mode) {
  case Mode::Run:
    return false;
  case Mode::Operation:
    return line.isInnermost;
  case Mode::Line:
    return isNewLine;
  case Mode::Next:
    return isNewLine && (!stopped || line.depth <= stopped->depth);
  case Mode::Return:
    return !stopped || line.depth < stopped->depth;
  case Mode::Block:
    return blockBegan && (!wantedBlock || *wantedBlock == block);
  }
  llvm_unreachable("all modes are listed");
}

std::string Debugger::whyStop(Operation *op, const Line &line, bool isNew) {
  if (!pending.empty())
    return std::exchange(pending, "");
  if (auto check = dyn_cast<cuda_tile::AssertOp>(op); check && line.isInnermost)
    if (llvm::any_of(context->tile(check.getCondition()).bits, [](Bits bits) { return bits == 0; }))
      return ("this assert fails: " + check.getMessage()).str();
  for (auto &[number, breakpoint] : state.breakpoints) {
    if (breakpoint.line != line.number || breakpoint.file != line.file ||
        (breakpoint.block && *breakpoint.block != block))
      continue;
    // A line is come to from another one, or in the next iteration of a loop.
    if (!isNew && hitAt.lookup(number) != op)
      continue;
    hitAt[number] = op;
    std::string text = "breakpoint " + std::to_string(number);
    if (breakpoint.once)
      state.breakpoints.erase(number);
    return text;
  }
  return modeStops(op, line, isNew) ? " " : "";
}

llvm::Error Debugger::beforeOp(Operation *op, Context &context) {
  this->context = &context;
  current = op;
  if (inner)
    if (llvm::Error error = inner->beforeOp(op, context))
      return error;
  Block *around = op->getBlock();
  if (op == &around->front())
    define(around->getArguments());
  Lines lines = isInFold(op) ? Lines() : linesOf(op);
  if (lines.empty())
    return llvm::Error::success();
  // The lines that are new, from the call that is entered to the innermost.
  size_t first = 0;
  while (first < lines.size() && first < previous.size() && lines[first] == previous[first])
    ++first;
  previous = lines;
  for (size_t i = std::min(first, lines.size() - 1); i < lines.size(); ++i) {
    std::string reason = whyStop(op, lines[i], i >= first);
    if (reason.empty())
      continue;
    if (llvm::Error error = converse(op, lines[i], StringRef(reason).trim()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Debugger::afterOp(Operation *op, Context &context) {
  this->context = &context;
  if (inner)
    if (llvm::Error error = inner->afterOp(op, context))
      return error;
  if (isInFold(op))
    return llvm::Error::success();
  define(op->getResults());
  if (!state.watched.empty())
    checkWatches(op);
  if (findings && findings() > findingsSeen) {
    findingsSeen = findings();
    pending = "checked mode has found something in the operation before";
  }
  return llvm::Error::success();
}

void Debugger::checkWatches(Operation *op) {
  for (const std::string &name : state.watched) {
    const Value *value = lookup(name);
    const auto *tile = value ? std::get_if<Tile>(value) : nullptr;
    if (!tile)
      continue;
    Watch &watch = watches[name];
    bool isSame = watch.known && watch.last.shape == tile->shape && watch.last.bits == tile->bits;
    if (isSame)
      continue;
    std::string text = "watch " + name + ": ";
    if (!watch.known || watch.last.shape != tile->shape) {
      text += valueText(*tile);
    } else {
      int64_t changed = 0, first = 0;
      for (int64_t i = tile->size(); i-- > 0;)
        if (tile->bits[i] != watch.last.bits[i]) {
          ++changed;
          first = i;
        }
      std::string index;
      int64_t rest = first;
      for (int64_t extent : llvm::reverse(tile->shape)) {
        index = std::to_string(rest % extent) + (index.empty() ? "" : ", ") + index;
        rest /= extent;
      }
      text += (tile->shape.empty() ? name : name + "[" + index + "]") + " was " +
              elementText(tile->element, watch.last.bits[first]) + " and is " +
              elementText(tile->element, tile->bits[first]);
      if (changed > 1)
        text += "; " + std::to_string(changed) + " elements have changed";
    }
    watch.known = true;
    watch.last = *tile;
    pending += (pending.empty() ? "" : "\n") + text;
  }
}

llvm::Error Debugger::converse(Operation *op, const Line &line, llvm::StringRef reason) {
  if (!reason.empty())
    say(reason);
  say("> " + placeText(line.location) + ", " + blockText());
  std::string text = sourceLine(line.file, line.number);
  if (!text.empty())
    say("-> " + StringRef(text).trim());
  if (mode == Mode::Operation && stopped)
    doShowOperation("");
  stopped = line;
  stoppedAt = op;
  listedUpTo = 0;
  blockBegan = false;
  mode = Mode::Run;
  for (;;) {
    std::optional<std::string> input = console.read("(tile) ");
    if (!input)
      quitting = true;
    std::string whole = StringRef(input.value_or("")).trim().str();
    // An empty line repeats.
    if (whole.empty() && !quitting)
      whole = state.lastCommand;
    if (quitting)
      return llvm::createStringError("the debugger has ended the launch");
    if (whole.empty())
      continue;
    state.lastCommand = whole;
    bool goesOn = execute(whole);
    if (quitting)
      return llvm::createStringError("the debugger has ended the launch");
    if (goesOn)
      return llvm::Error::success();
  }
}

uint64_t Debugger::makeToken() {
  return inner ? inner->makeToken() : 0;
}
uint64_t Debugger::joinTokens(llvm::ArrayRef<uint64_t> tokens) {
  return inner ? inner->joinTokens(tokens) : 0;
}
uint64_t Debugger::tokenAfter(Operation *op, std::optional<uint64_t> token) {
  return inner ? inner->tokenAfter(op, token) : 0;
}
bool Debugger::access(const Access &access, std::optional<uint64_t> token) {
  return !inner || inner->access(access, token);
}
void Debugger::allocated(Operation *op, uint64_t address, uint64_t bytes) {
  if (inner)
    inner->allocated(op, address, bytes);
}
void Debugger::released(uint64_t address, uint64_t bytes) {
  if (inner)
    inner->released(address, bytes);
}
void Debugger::undefinedElements(Operation *op, llvm::ArrayRef<int64_t> elements) {
  if (inner)
    inner->undefinedElements(op, elements);
}
void Debugger::violated(Operation *op, Violation violation, const llvm::Twine &what) {
  if (inner)
    inner->violated(op, violation, what);
}

} // namespace tilewright::interpreter
