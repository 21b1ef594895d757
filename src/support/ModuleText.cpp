// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ModuleText.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tilewright {
namespace {

// Where a string that begins at `at` ends, or the end of its line: strings do not go on after it.
size_t skipString(StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"')
      return at;
    if (text[at] == '\\')
      ++at;
  }
  return at;
}

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
    switch (text[at]) {
    case '"':
      at = skipString(text, at);
      break;
    case '/':
      if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      break;
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
  size_t tooDeep = isBytecode(*buffer) ? StringRef::npos : findTooDeep(text.getBuffer());
  const char *start = buffer->getBufferStart();
  unsigned id = sources.AddNewSourceBuffer(std::move(buffer), {});
  if (tooDeep != StringRef::npos) {
    auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(start + tooDeep), id);
    emitError(FileLineColLoc::get(context, text.getBufferIdentifier(), line, column), tooDeepMessage());
    return nullptr;
  }
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

} // namespace tilewright
