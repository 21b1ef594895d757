// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a source that launch kernels by kernel<<<grid>>>(...), found in its text: plain C++, as which
// kernels are parsed, has no such expression.
#ifndef TILEWRIGHT_CPP_LAUNCHES_H
#define TILEWRIGHT_CPP_LAUNCHES_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

class Launches {
public:
  Launches(const clang::SourceManager &sources, const clang::LangOptions &language)
      : sources(sources), language(language) {}

  /// Whether the body of a function, which is about to be parsed, has a launch.
  bool isIn(const clang::Decl *function);

private:
  // The text between two braces; in order.
  struct Body {
    unsigned open; // offset of the brace
    bool hasLaunch;
  };
  const std::vector<Body> &bodiesOf(clang::FileID file);

  const clang::SourceManager &sources;
  const clang::LangOptions &language;
  llvm::DenseMap<clang::FileID, std::vector<Body>> known;
};

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_LAUNCHES_H
