// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/CampaignLog.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tilewright::programs {

Expected<std::unique_ptr<CampaignLog>> CampaignLog::open(const std::string &path, StringRef what) {
  auto log = std::make_unique<CampaignLog>();
  auto fail = [&](const Twine &message) { return createStringError("campaign '" + path + "': " + message); };
  bool isNew = true;
  if (auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true)) {
    auto [head, rest] = (*buffer)->getBuffer().split('\n');
    isNew = head.empty();
    if (!isNew && head != what)
      return fail("expected '" + what + "', got '" + head + "'; name another file");
    for (StringRef line : split(rest, '\n'))
      if (!log->take(line))
        return fail("expected 'done FIRST LAST same N', 'failed SEED TEXT' or 'refused SEED TEXT', got '" + line + "'");
  }
  std::error_code code;
  log->file = std::make_unique<raw_fd_ostream>(path, code, sys::fs::OF_Append);
  if (code)
    return fail("cannot write it: " + code.message());
  if (isNew)
    log->write(what);
  return log;
}

bool CampaignLog::take(StringRef line) {
  auto [kind, rest] = line.split(' ');
  uint64_t first, last, number;
  if (line.empty())
    return true;
  if (kind == "done") {
    if (rest.consumeInteger(10, first) || !rest.consume_front(" ") || rest.consumeInteger(10, last) ||
        !rest.consume_front(" same ") || rest.getAsInteger(10, number))
      return false;
    done[first] = last + 1;
    same += number;
    return true;
  }
  if ((kind != "failed" && kind != "refused") || rest.consumeInteger(10, first) || !rest.consume_front(" "))
    return false;
  (kind == "failed" ? failed : refused)[first] = rest.str();
  return true;
}

std::deque<SeedRange> CampaignLog::missing(SeedRange range) const {
  std::deque<SeedRange> parts;
  for (auto [first, end] : done) {
    if (first > range.first)
      parts.push_back({range.first, std::min(first, range.end)});
    range.first = std::max(range.first, end);
    if (range.first >= range.end)
      break;
  }
  if (range.first < range.end)
    parts.push_back(range);
  return parts;
}

void CampaignLog::noteFailed(uint64_t seed, StringRef text) {
  failed[seed] = text.split('\n').first.str();
  write("failed " + Twine(seed) + " " + failed[seed]);
}

void CampaignLog::noteRefused(uint64_t seed, StringRef text) {
  refused[seed] = text.split('\n').first.str();
  write("refused " + Twine(seed) + " " + refused[seed]);
}

void CampaignLog::noteDone(SeedRange range, uint64_t numSame) {
  if (range.first == range.end)
    return;
  done[range.first] = range.end;
  same += numSame;
  write("done " + Twine(range.first) + " " + Twine(range.end - 1) + " same " + Twine(numSame));
}

void CampaignLog::write(const Twine &line) {
  *file << line << '\n';
  file->flush();
}

} // namespace tilewright::programs
