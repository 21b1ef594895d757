// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Reducer.h"

#include "fuzz/programs/Edits.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

class Reducer {
public:
  Reducer(Program &program, llvm::function_ref<bool(Program &)> isInteresting)
      : program(program), isInteresting(isInteresting) {}

  ReduceStatistics run() {
    unsigned before;
    do {
      before = statistics.accepted;
      editEach(inlineRegion); // first: with constants inside, a second iteration may be all that shows it
      removeChunks();
      editEach(replaceByOperand);
      editEach(dropResult);
      editProgram(dropArgument);
      editProgram(shrinkGrid);
      editProgram(halveExtents);
      editEach(simplifyAttribute);
      editProgram(simplifyContents);
    } while (statistics.accepted != before);
    return statistics;
  }

private:
  // Applies the edit to a copy, which becomes the program if it shows what is wanted.
  bool attempt(llvm::function_ref<bool(Program &)> edit) {
    Program copy;
    copy.launch = program.launch;
    copy.module = program.module->clone();
    if (!edit(copy))
      return false;
    removeDeadCode(copy);
    ScopedDiagnosticHandler silence(copy.module->getContext(), [](Diagnostic &) {});
    if (failed(verify(*copy.module)))
      return false;
    ++statistics.tried;
    if (!isInteresting(copy))
      return false;
    ++statistics.accepted;
    program = std::move(copy);
    return true;
  }

  // Halves, quarters, ... single operations, from the end, where results are.
  void removeChunks() {
    for (size_t size = std::max<size_t>(listOperations(program).size() / 2, 1); size; size /= 2) {
      size_t end = listOperations(program).size();
      while (end > 0) {
        size_t first = end > size ? end - size : 0;
        attempt([&](Program &copy) { return removeOperations(copy, first, end - first); });
        end = std::min(first, listOperations(program).size());
      }
    }
  }

  void editEach(Edit edit) {
    for (size_t i = listOperations(program).size(); i-- > 0;)
      for (unsigned variant = 0;; ++variant) {
        bool exists = false;
        bool accepted = attempt([&](Program &copy) {
          std::vector<Operation *> operations = listOperations(copy);
          return exists = i < operations.size() && edit(operations[i], variant);
        });
        // Variants end with the first that does not exist, but an unused result has none while the next one has.
        if (accepted || (!exists && variant >= 8))
          break;
      }
  }

  void editProgram(ProgramEdit edit) {
    for (unsigned variant = 0; variant < 16;)
      if (!attempt([&](Program &copy) { return edit(copy, variant); }))
        ++variant;
  }

  Program &program;
  llvm::function_ref<bool(Program &)> isInteresting;
  ReduceStatistics statistics;
};

} // namespace

ReduceStatistics reduceProgram(Program &program, llvm::function_ref<bool(Program &)> isInteresting) {
  return Reducer(program, isInteresting).run();
}

} // namespace tilewright::programs
