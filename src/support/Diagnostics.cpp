// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {
namespace {

std::string lineOf(const llvm::MemoryBuffer &buffer, unsigned line) {
  for (llvm::line_iterator it(buffer, /*SkipBlanks=*/false); !it.is_at_eof(); ++it)
    if (it.line_number() == line)
      return it->str();
  return "";
}

// The text of one line, if the file is still there; a kernel typed into a prompt has none.
std::string readLine(StringRef file, unsigned line, const SourceText &known) {
  if (line == 0)
    return "";
  if (file == known.name) // copied, because an iterator over lines wants a zero at the end
    return lineOf(*llvm::MemoryBuffer::getMemBufferCopy(known.text), line);
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  return buffer ? lineOf(**buffer, line) : "";
}

void collectCallers(Location location, SmallVectorImpl<Location> &callers) {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectCallers(call.getCallee(), callers);
    if (sourceOf(call.getCaller()))
      callers.push_back(call.getCaller());
    if (auto outer = dyn_cast<CallSiteLoc>(call.getCaller()))
      collectCallers(outer, callers);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collectCallers(name.getChildLoc(), callers);
  }
}

void printPlace(raw_ostream &os, FileLineColLoc place) {
  os << place.getFilename().getValue() << ':';
  // Bytes have no lines.
  if (place.getLine() != 0)
    os << place.getLine() << ':' << place.getColumn() << ':';
  os << ' ';
}

// As debug information has it; else empty.
std::string functionAround(Location location) {
  std::string name;
  location->walk([&](Location part) {
    auto place = dyn_cast<cuda_tile::DILocAttr>(part);
    if (!place)
      return WalkResult::advance();
    Attribute scope = place.getScope();
    while (auto block = dyn_cast<cuda_tile::DILexicalBlockAttr>(scope))
      scope = block.getScope();
    if (auto function = dyn_cast<cuda_tile::DISubprogramAttr>(scope))
      name = function.getName().getValue().str();
    return WalkResult::interrupt();
  });
  return name;
}

// " (in function 'f')", where it is known.
std::string inFunctionAround(Location location) {
  std::string name = functionAround(location);
  return name.empty() ? name : " (in function '" + name + "')";
}

StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("all severities are listed");
}

// To the collector of remarks, if any.
void forward(const Diagnostic &said) {
  Location location = said.getLocation();
  std::string function = functionAround(location);
  remark::missed(location, remark::RemarkOpts::name("TileAccess").category("Memory").function(function))
      << remark::add("{0}", said.str());
}

} // namespace

FileLineColLoc sourceOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

std::string placeText(Location location) {
  FileLineColLoc place = sourceOf(location);
  return place ? (" at " + place.getFilename().getValue() + ":" + Twine(place.getLine())).str() : "";
}

std::string render(Location location, StringRef severity, StringRef message, const SourceText &known) {
  std::string text;
  llvm::raw_string_ostream os(text);
  FileLineColLoc place = sourceOf(location);
  if (place)
    printPlace(os, place);
  else if (!known.name.empty()) // at least the file
    os << known.name << ": ";
  os << severity << ": " << message << inFunctionAround(location) << '\n';
  if (!place)
    return text;
  std::string line = readLine(place.getFilename(), place.getLine(), known);
  if (!line.empty()) {
    os << line << '\n';
    // Tabs stay tabs, so that the caret lands under its character.
    for (unsigned column = 1; column < place.getColumn(); ++column)
      os << (column <= line.size() && line[column - 1] == '\t' ? '\t' : ' ');
    os << "^\n";
  }
  SmallVector<Location> callers;
  collectCallers(location, callers);
  for (Location caller : callers) {
    printPlace(os, sourceOf(caller));
    os << "note: called from here" << inFunctionAround(caller) << '\n';
  }
  return text;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, const SourceText &known)
    : handler(context, [this, known](Diagnostic &diagnostic) {
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        std::string &text = isError ? errorText : remarkText;
        text += render(diagnostic.getLocation(), severityName(diagnostic.getSeverity()), diagnostic.str(), known);
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          return forward(diagnostic), success(); // its only note would be the whole operation
        for (Diagnostic &note : diagnostic.getNotes())
          text += render(note.getLocation(), severityName(note.getSeverity()), note.str(), known);
        return success();
      }) {}

} // namespace tilewright
