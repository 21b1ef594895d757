// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of checked mode, for a person: the source location with a caret, the block, and the other locations that
// belong to it. The same finding at the same locations is reported once, with its count.
//
//     scale.py:9:5: error: data race: this store and a load touch a[0, 64], ... (in function 'scale')
//         ct.store(a, index=(m, n), tile=x)
//         ^
//     scale.py:7:9: note: the load, in block (0, 1, 0) (in function 'scale')
//         x = ct.load(a, index=(m, n), shape=(8, 8))
//             ^
#ifndef TILEWRIGHT_INTERPRETER_CHECK_REPORT_H
#define TILEWRIGHT_INTERPRETER_CHECK_REPORT_H

#include "mlir/IR/Operation.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::interpreter {

class Report {
public:
  struct Note {
    mlir::Operation *op;
    std::string text;
  };

  // `kind` distinguishes findings at the same places.
  void add(llvm::StringRef kind, mlir::Operation *op, const llvm::Twine &message, llvm::ArrayRef<Note> notes = {},
           uint64_t count = 1);

  bool empty() const { return findings.empty(); }
  size_t size() const { return findings.size(); }
  // All findings in the order in which they were made, and how many there are. Empty if there are none.
  std::string text(const SourceText &known = {}) const;

private:
  // More are counted and not reported: the first ones are enough to begin with.
  static constexpr size_t limit = 100;

  struct Finding {
    mlir::Operation *op;
    std::string message;
    std::vector<Note> notes;
    uint64_t count;
  };
  // By kind, operation and that of the first note.
  using Key = std::pair<std::string, std::pair<mlir::Operation *, mlir::Operation *>>;
  std::map<Key, size_t> known;
  std::vector<Finding> findings;
  uint64_t unsaid = 0;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_REPORT_H
