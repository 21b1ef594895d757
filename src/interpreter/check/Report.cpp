// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/Report.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::interpreter {

void Report::add(StringRef kind, mlir::Operation *op, const Twine &message, ArrayRef<Note> notes, uint64_t count) {
  Key key{kind.str(), {op, notes.empty() ? nullptr : notes.front().op}};
  auto [place, isNew] = known.try_emplace(key, findings.size());
  if (!isNew) {
    if (place->second < findings.size())
      findings[place->second].count += count;
  } else if (findings.size() < limit) {
    findings.push_back({op, message.str(), notes.vec(), count});
  } else {
    place->second = limit;
    ++unsaid;
  }
}

std::string Report::text(const SourceText &source) const {
  std::string text;
  if (empty())
    return text;
  raw_string_ostream os(text);
  for (const Finding &finding : findings) {
    os << render(finding.op->getLoc(), "error", finding.message, source);
    for (const Note &note : finding.notes)
      os << render(note.op->getLoc(), "note", note.text, source);
    if (finding.count > 1)
      os << "  found " << finding.count << " times; this is the first\n";
  }
  uint64_t total = findings.size() + unsaid;
  os << "checked mode: " << total << (total == 1 ? " finding" : " findings");
  if (unsaid)
    os << ", the first " << limit << " are shown";
  os << '\n';
  return text;
}

} // namespace tilewright::interpreter
