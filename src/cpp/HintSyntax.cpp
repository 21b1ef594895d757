// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/HintSyntax.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

struct RawToken {
  tok::TokenKind kind;
  StringRef text;
  size_t begin;
  size_t end() const { return begin + text.size(); }
};

std::vector<RawToken> tokensOf(StringRef text) {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus20 = true;
  Lexer lexer(SourceLocation(), options, text.begin(), text.begin(), text.end());
  std::vector<RawToken> result;
  Token token;
  while (!lexer.LexFromRawLexer(token)) {
    size_t end = lexer.getBufferLocation() - text.begin(), begin = end - token.getLength();
    result.push_back({token.getKind(), text.slice(begin, end), begin});
  }
  return result;
}

class HintFinder {
public:
  explicit HintFinder(StringRef text) : text(text), tokens(tokensOf(text)) {}

  std::optional<std::string> run() {
    bool isUsing = false; // in an attribute that begins with `using cutile:`
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (is(i, "using") && is(i + 1, "cutile") && is(i + 2, ":")) {
        replace(tokens[i + 1].begin, tokens[i + 1].end(), "clang");
        isUsing = true;
      } else if (is(i, "]")) {
        isUsing = false;
      } else if (is(i, "cutile") && is(i + 1, "::") && is(i + 2, "hint") && is(i + 3, "(")) {
        i = replaceHint(i, i + 3, "clang::annotate(");
      } else if (isUsing && is(i, "hint") && is(i + 1, "(")) {
        i = replaceHint(i, i + 1, "annotate(");
      }
    }
    if (copied == 0)
      return std::nullopt;
    result += text.substr(copied);
    return result;
  }

private:
  bool is(size_t i, StringRef spelling) const { return i < tokens.size() && tokens[i].text == spelling; }

  void replace(size_t begin, size_t end, const llvm::Twine &by) {
    result += text.slice(copied, begin);
    result += by.str();
    copied = end;
  }

  // Of equal annotations Clang keeps one, so each has its place. Writes the arguments as they are, and keys as strings;
  // gives the token that closes them.
  size_t replaceHint(size_t first, size_t open, StringRef by) {
    replace(tokens[first].begin, tokens[open].end(), by + "\"cutile.hint." + llvm::Twine(tokens[first].begin) + "\", ");
    size_t i = open + 1;
    for (unsigned depth = 1; i < tokens.size(); ++i) {
      if (is(i, "("))
        ++depth;
      else if (is(i, ")") && --depth == 0)
        break;
      else if (is(i, ",") && depth == 1 && i + 1 < tokens.size())
        replaceKey(i + 1);
    }
    return i;
  }

  // A value without a key has an empty one.
  void replaceKey(size_t i) {
    if (tokens[i].kind == tok::raw_identifier && is(i + 1, "="))
      replace(tokens[i].begin, tokens[i + 1].end(), "\"" + tokens[i].text + "\",");
    else
      replace(tokens[i].begin, tokens[i].begin, "\"\", ");
  }

  StringRef text;
  std::vector<RawToken> tokens;
  std::string result;
  size_t copied = 0; // of the text
};

class IncludeAnnotator : public PPCallbacks {
public:
  explicit IncludeAnnotator(SourceManager &sources) : sources(sources) {}

  void InclusionDirective(SourceLocation, const Token &, StringRef, bool, CharSourceRange, OptionalFileEntryRef file,
                          StringRef, StringRef, const Module *, bool, SrcMgr::CharacteristicKind) override {
    if (!file || !seen.insert(&file->getFileEntry()).second)
      return;
    std::optional<llvm::MemoryBufferRef> buffer = sources.getMemoryBufferForFileOrNone(*file);
    if (!buffer)
      return;
    if (std::optional<std::string> text = annotateHints(buffer->getBuffer()))
      sources.overrideFileContents(*file, llvm::MemoryBuffer::getMemBufferCopy(*text, buffer->getBufferIdentifier()));
  }

private:
  SourceManager &sources;
  llvm::SmallPtrSet<const FileEntry *, 16> seen;
};

} // namespace

std::optional<std::string> annotateHints(StringRef text) {
  return text.contains("cutile") ? HintFinder(text).run() : std::nullopt;
}

void annotateHintsOfIncludes(CompilerInstance &compiler) {
  compiler.getPreprocessor().addPPCallbacks(std::make_unique<IncludeAnnotator>(compiler.getSourceManager()));
}

} // namespace tilewright::cpp
