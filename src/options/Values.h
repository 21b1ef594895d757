// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The legal values of an option, and how text becomes one. The text is checked here and nowhere else, whether it comes
// from a command line, the environment or a program.
#ifndef TILEWRIGHT_OPTIONS_VALUES_H
#define TILEWRIGHT_OPTIONS_VALUES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

/// Nothing, a flag, a whole number, another number, text, or several words.
using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>>;

struct Values {
  enum class Kind {
    Flag,      // 0 or 1, and other words for them; on a command line its name alone
    Switch,    // likewise, and any text but 0 is 1
    Whole,     // from `least` to `most`
    Number,    // likewise; not `least` itself if that is left out
    Text,      // any text
    TextOrOff, // text; words that say no are nothing
    Version,   // two whole numbers with a point between
    Choice,    // one of `words`
    Words,     // of `words` if there are any, with commas between; read in any case, kept in capitals
    Paths,     // folders, with colons between
    Repeated,  // text, each time that the option is given
  };
  Kind kind;
  llvm::StringLiteral expected; // for people: "a number from 0 to 3"
  double least = 0, most = 0;
  bool isLeastLeftOut = false;
  llvm::StringLiteral words = ""; // with bars between
  bool takesEmpty = false;        // of a variable: set to nothing is a value, else it is as if it were not set

  llvm::SmallVector<llvm::StringRef> choices() const;
  /// Whether a value is several texts.
  bool isList() const { return kind == Kind::Words || kind == Kind::Paths || kind == Kind::Repeated; }
};

/// The value, or an error: "'fast', expected a number from 0 to 3". Of words that are not known the nearest that is.
llvm::Expected<Value> readValue(const Values &values, llvm::StringRef text);

/// The value closest to `found`, for a suggestion; empty if none is near.
llvm::StringRef nearestOf(llvm::StringRef found, llvm::ArrayRef<llvm::StringRef> known);

} // namespace tilewright

#endif // TILEWRIGHT_OPTIONS_VALUES_H
