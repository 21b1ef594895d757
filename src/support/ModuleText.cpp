// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ModuleText.h"
#include "support/TextAliases.h"
#include "support/TextScan.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tilewright {
namespace {

// Drops the innermost bracket of this kind and all that was opened inside of it and never closed.
void close(std::string &open, char bracket) {
  size_t at = open.rfind(bracket);
  if (at != std::string::npos)
    open.resize(at);
}

} // namespace

size_t findTooDeep(StringRef text) {
  std::string open;
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t end = skipQuoted(text, at); end != at) {
      at = end - 1;
      continue;
    }
    switch (text[at]) {
    case '{':
    case '[':
    case '(':
    case '<':
      if (open.size() == maxTextNesting)
        return at;
      open.push_back(text[at]);
      break;
    case '}':
      close(open, '{');
      break;
    case ']':
      close(open, '[');
      break;
    case ')':
      close(open, '(');
      break;
    case '>':
      // An arrow and a comparison close nothing, nor does what stands in brackets of another kind.
      if (!open.empty() && open.back() == '<' && text[at - 1] != '-')
        open.pop_back();
      break;
    default:
      break;
    }
  }
  return StringRef::npos;
}

std::optional<TextProblem> findProblem(StringRef text) {
  if (size_t at = findTooDeep(text); at != StringRef::npos)
    return TextProblem{at, "expected brackets to nest at most " + std::to_string(maxTextNesting) + " deep, got more"};
  if (size_t at = findTooLarge(text); at != StringRef::npos)
    return TextProblem{at, "expected aliases that unfold to at most " + std::to_string(partsPerCharacter) +
                               " parts per character of the text, got more"};
  return std::nullopt;
}

OwningOpRef<ModuleOp> parseModuleText(llvm::MemoryBufferRef text, MLIRContext *context) {
  llvm::SourceMgr sources;
  // A copy: the text ends with a zero then, and bytecode is aligned.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text.getBuffer(), text.getBufferIdentifier());
  const char *start = buffer->getBufferStart();
  std::optional<TextProblem> problem;
  if (!isBytecode(*buffer))
    problem = findProblem(text.getBuffer());
  unsigned id = sources.AddNewSourceBuffer(std::move(buffer), {});
  if (problem) {
    auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(start + problem->at), id);
    emitError(FileLineColLoc::get(context, text.getBufferIdentifier(), line, column), problem->message);
    return nullptr;
  }
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

} // namespace tilewright
