// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Launches.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace tilewright::cpp {

bool Launches::isIn(const Decl *function) {
  auto [file, end] = sources.getDecomposedExpansionLoc(function->getEndLoc());
  const std::vector<Body> &bodies = bodiesOf(file);
  auto body = llvm::partition_point(bodies, [end = end](const Body &body) { return body.open < end; });
  return body != bodies.end() && body->hasLaunch;
}

const std::vector<Launches::Body> &Launches::bodiesOf(FileID file) {
  auto [place, isNew] = known.try_emplace(file);
  std::vector<Body> &bodies = place->second;
  StringRef text = sources.getBufferData(file);
  if (!isNew || !text.contains("<<<"))
    return bodies;

  Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(), text.begin(), text.end());
  SmallVector<size_t> open; // indices of bodies
  bool isAfterOperator = false;
  for (Token token; !lexer.LexFromRawLexer(token);) {
    unsigned offset = sources.getFileOffset(token.getLocation());
    if (token.is(tok::l_brace)) {
      open.push_back(bodies.size());
      bodies.push_back({offset, false});
    } else if (token.is(tok::r_brace) && !open.empty()) {
      open.pop_back();
    } else if (token.is(tok::lessless) && text.substr(offset).starts_with("<<<") && !isAfterOperator) {
      for (size_t body : open)
        bodies[body].hasLaunch = true;
    }
    isAfterOperator = token.is(tok::raw_identifier) && token.getRawIdentifier() == "operator";
  }
  return bodies;
}

} // namespace tilewright::cpp
