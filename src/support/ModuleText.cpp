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

std::string tooDeepMessage() {
  return "expected brackets to nest at most " + std::to_string(maxTextNesting) + " deep, got more";
}

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

OwningOpRef<ModuleOp> parseModuleText(llvm::MemoryBufferRef text, MLIRContext *context) {
  llvm::SourceMgr sources;
  // A copy: the text ends with a zero then, and bytecode is aligned.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text.getBuffer(), text.getBufferIdentifier());
  const char *start = buffer->getBufferStart();
  bool isText = !isBytecode(*buffer);
  unsigned id = sources.AddNewSourceBuffer(std::move(buffer), {});
  auto refuse = [&](size_t at, const std::string &message) {
    auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(start + at), id);
    emitError(FileLineColLoc::get(context, text.getBufferIdentifier(), line, column), message);
    return nullptr;
  };
  if (isText) {
    if (size_t at = findTooDeep(text.getBuffer()); at != StringRef::npos)
      return refuse(at, tooDeepMessage());
    if (size_t at = findTooLarge(text.getBuffer()); at != StringRef::npos)
      return refuse(at, tooLargeMessage());
  }
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

} // namespace tilewright
