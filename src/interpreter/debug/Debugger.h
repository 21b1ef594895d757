// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops a launch between operations and takes commands, like pdb: `help` lists them. Lines are those of the Python
// kernel, or of the text if the module was text; a line has several operations, and stops before the first.
//
//   > /home/me/scale.py(9)scale(), block (1, 0, 0)
//   -> y = x * 2
//   (tile) print x[0, :4]
//   tile<4xf32> [0, 1, 2, 3]
#ifndef TILEWRIGHT_INTERPRETER_DEBUG_DEBUGGER_H
#define TILEWRIGHT_INTERPRETER_DEBUG_DEBUGGER_H

#include "interpreter/Monitor.h"
#include "interpreter/debug/Names.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace tilewright::interpreter {

// The source of commands and the sink of answers. No command: ends the launch.
struct Console {
  std::function<std::optional<std::string>(llvm::StringRef prompt)> read;
  std::function<void(llvm::StringRef text)> write;
  // Of a source that is no file, such as a cell of a notebook, the text; empty where there is none.
  std::function<std::string(llvm::StringRef name)> source = [](llvm::StringRef) { return std::string(); };
};

// Settings of the user; they outlive a launch, so that breakpoints apply to the next one too.
struct DebuggerState {
  struct Breakpoint {
    std::string file;
    unsigned line = 0;
    std::optional<std::array<int64_t, 3>> block; // any if there is none
    bool once = false;
  };
  std::map<int, Breakpoint> breakpoints; // by number
  int nextNumber = 1;
  std::set<std::string> watched;
  std::string lastCommand;
  bool begun = false; // the first launch stops before its first line, the others run
};

class Debugger : public Monitor {
public:
  // `inner` receives all callbacks too; the launch stops where its number of `findings` grows.
  Debugger(Console console, DebuggerState &state, const SourceText &known, Monitor *inner = nullptr,
           std::function<size_t()> findings = {});
  ~Debugger() override;

  // The user has ended the launch.
  bool hasQuit() const { return quitting; }

  void beginLaunch(cuda_tile::EntryOp entry, llvm::ArrayRef<Value> arguments, std::array<int64_t, 3> grid) override;
  void beginBlock(std::array<int64_t, 3> block) override;
  void endBlock() override;
  void endLaunch() override;
  llvm::Error beforeOp(mlir::Operation *op, Context &context) override;
  llvm::Error afterOp(mlir::Operation *op, Context &context) override;
  uint64_t makeToken() override;
  uint64_t joinTokens(llvm::ArrayRef<uint64_t> tokens) override;
  uint64_t tokenAfter(mlir::Operation *op, std::optional<uint64_t> token) override;
  bool access(const Access &access, std::optional<uint64_t> token) override;
  void allocated(mlir::Operation *op, uint64_t address, uint64_t bytes) override;
  void released(uint64_t address, uint64_t bytes) override;
  void undefinedElements(mlir::Operation *op, llvm::ArrayRef<int64_t> elements) override;
  void violated(mlir::Operation *op, Violation violation, const llvm::Twine &what) override;

private:
  // A line of a call: operations of inlined helpers have several, the innermost last.
  struct Line {
    std::string file;
    unsigned number = 0;
    size_t depth = 0;        // of the call
    mlir::Location location; // distinguishes two calls in a line
    bool isInnermost = false;
    bool operator==(const Line &other) const {
      return number == other.number && depth == other.depth && file == other.file &&
             (isInnermost || other.isInnermost || location == other.location);
    }
  };
  using Lines = llvm::SmallVector<Line, 2>;
  enum class Mode { Run, Operation, Line, Next, Return, Block };
  struct Watch {
    bool known = false;
    Tile last;
  };
  struct Command;
  static llvm::ArrayRef<Command> commands();
  // Executes a command; true if the launch continues.
  bool execute(llvm::StringRef line);

  static Lines linesOf(mlir::Operation *op);
  std::string sourceLine(llvm::StringRef file, unsigned number);
  std::string functionName(mlir::Location location);
  std::string placeText(mlir::Location location);
  std::string blockText() const;
  void define(mlir::ValueRange values);
  // The reason to stop at a line of the operation; empty for none, a space for a plain step.
  std::string whyStop(mlir::Operation *op, const Line &line, bool isNew);
  bool modeStops(mlir::Operation *op, const Line &line, bool isNew) const;
  void checkWatches(mlir::Operation *op);
  llvm::Error converse(mlir::Operation *op, const Line &line, llvm::StringRef reason);
  void say(const llvm::Twine &text);

  // The value of a name now, or null. In a helper f its "f.name" comes before a name of the kernel.
  const Value *lookup(llvm::StringRef name);
  // The same, or the reason why there is none.
  llvm::Expected<const Value *> find(llvm::StringRef name);

  // Each returns true if the launch continues.
  bool doStep(llvm::StringRef);
  bool doNext(llvm::StringRef);
  bool doOperation(llvm::StringRef);
  bool doReturn(llvm::StringRef);
  bool doContinue(llvm::StringRef);
  bool doBlock(llvm::StringRef argument);
  bool doBreak(llvm::StringRef argument);
  bool doTemporary(llvm::StringRef argument);
  bool doClear(llvm::StringRef argument);
  bool doPrint(llvm::StringRef argument);
  bool doPrintWhole(llvm::StringRef argument);
  bool doWatch(llvm::StringRef argument);
  bool doUnwatch(llvm::StringRef argument);
  bool doVariables(llvm::StringRef);
  bool doWhere(llvm::StringRef);
  bool doList(llvm::StringRef argument);
  bool doShowOperation(llvm::StringRef);
  bool doHelp(llvm::StringRef argument);
  bool doQuit(llvm::StringRef);
  void addBreakpoint(llvm::StringRef argument, bool once);
  void printValue(llvm::StringRef argument, bool whole);

  Console console;
  DebuggerState &state;
  SourceText known;
  Monitor *inner;
  std::function<size_t()> findings;
  size_t findingsSeen = 0;

  cuda_tile::EntryOp entry;
  std::unique_ptr<Names> names;
  std::map<std::string, std::set<unsigned>> linesWithCode;
  llvm::StringMap<std::vector<std::string>> sources;
  std::array<int64_t, 3> grid = {1, 1, 1}, block = {0, 0, 0};

  Context *context = nullptr; // while an operation runs
  mlir::Operation *current = nullptr;
  llvm::StringMap<mlir::Value> scope; // the last value of each name
  llvm::StringMap<Watch> watches;

  Mode mode = Mode::Run;
  std::optional<std::array<int64_t, 3>> wantedBlock; // of Mode::Block; any if there is none
  bool blockBegan = false;
  Lines previous;              // of the operation before
  std::optional<Line> stopped; // last
  mlir::Operation *stoppedAt = nullptr;
  llvm::DenseMap<int, mlir::Operation *> hitAt; // the operation at which each breakpoint stopped
  std::string pending;                          // the reason to stop before the next operation
  unsigned listedUpTo = 0;
  bool quitting = false;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_DEBUG_DEBUGGER_H
