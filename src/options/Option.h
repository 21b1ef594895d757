// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of options. The command lines of `tilewright` in C++ and in Python, tilewright_session_set, the
// environment variables and the pages that describe them are made from it:
//
//   time-limit   TILEWRIGHT_TIME_LIMIT   seconds from 0 to 1e6   60   of compile, explain and sessions
#ifndef TILEWRIGHT_OPTIONS_OPTION_H
#define TILEWRIGHT_OPTIONS_OPTION_H

#include "options/Values.h"
#include "llvm/ADT/ArrayRef.h"

namespace tilewright {

/// Commands, and sessions of the C interface, to which an option is visible by its name.
namespace visibility {
enum Bits : unsigned {
  Compile = 1,
  ForParent = 2, // `compile` as the child process of a library
  Explain = 4,
  Run = 8,
  Dis = 16,
  As = 32,
  Info = 64,
  CacheGc = 128,
  Session = 256,
  Plan = 512,
  Doctor = 1024,
  Check = 2048,
  Trace = 4096,
  Profile = 8192,
};
} // namespace visibility
struct VisibilityName {
  unsigned bit;
  llvm::StringLiteral name;
};
llvm::ArrayRef<VisibilityName> visibilityNames();

struct Option {
  llvm::StringLiteral name; // on a command line behind --, or - if it is one letter; empty: a variable alone
  char letter;              // the short form; 0 for none
  unsigned visibility;
  llvm::StringLiteral variable; // of the environment; empty: none
  Values values;
  llvm::StringLiteral initial;           // its value without being given; empty: none
  llvm::StringLiteral meaning;           // words between backticks are as they are written
  llvm::StringLiteral placeholder = "";  // in the help, for its value
  llvm::StringLiteral shownInitial = ""; // for people, where `initial` does not say it
  llvm::StringLiteral reference = "";    // the variable of cuda.tile that says the same, where ours is not set
  bool isHidden = false;                 // for tests and for ourselves

  bool isVisibleTo(unsigned who) const { return visibility & who; }
  /// The value without being given.
  Value initialValue() const;
};

llvm::ArrayRef<Option> allOptions();

/// The option of that name that is visible to one of these bits; null if there is none.
const Option *findOption(llvm::StringRef name, unsigned visibility);
/// Likewise, or an error with the nearest name: "there is no option 'opt-levl', expected one of ..., as in
/// 'opt-level'".
llvm::Expected<const Option *> findOptionOrError(llvm::StringRef name, unsigned visibility);
/// The row of an environment variable, which has to be one of the table.
const Option &rowOfVariable(llvm::StringRef variable);

} // namespace tilewright

#endif // TILEWRIGHT_OPTIONS_OPTION_H
