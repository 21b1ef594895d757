// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DiskCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <vector>

using namespace llvm;

namespace tilewright {

DiskCache::DiskCache(std::string folder, uint64_t maxBytes, Warn warn)
    : folder(std::move(folder)), maxBytes(maxBytes), warn(std::move(warn)) {}

std::string DiskCache::pathOf(StringRef key, StringRef suffix) const {
  SmallString<256> path(folder);
  sys::path::append(path, key + suffix);
  return path.str().str();
}

void DiskCache::complain(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (warned)
    return;
  warned = true;
  warn("the kernel cache in " + folder + " is ignored: " + message);
}

std::optional<std::string> DiskCache::get(StringRef key) {
  if (!enabled())
    return std::nullopt;
  std::string path = pathOf(key);
  auto file = sys::fs::openNativeFileForRead(path);
  if (!file) {
    std::error_code code = errorToErrorCode(file.takeError());
    if (code != std::errc::no_such_file_or_directory)
      complain("cannot read " + path + ": " + code.message());
    return std::nullopt;
  }
  auto buffer = MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1);
  // The time of last use decides what is evicted. It may belong to another user; then it just is not updated.
  (void)sys::fs::setLastAccessAndModificationTime(*file, std::chrono::system_clock::now());
  sys::fs::closeFile(*file);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

std::error_code DiskCache::write(const std::string &path, StringRef bytes) {
  // Not TempFile: it installs signal handlers, which belong to the host program.
  int descriptor;
  SmallString<256> temporary;
  if (std::error_code code = sys::fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, temporary))
    return code;
  std::error_code code;
  {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << bytes;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    code = sys::fs::rename(temporary, path);
  if (code)
    sys::fs::remove(temporary);
  return code;
}

void DiskCache::put(StringRef key, StringRef bytes, StringRef note) {
  if (!enabled())
    return;
  if (std::error_code code = sys::fs::create_directories(folder))
    return complain("cannot create the folder: " + code.message());
  std::error_code code = note.empty() ? std::error_code() : write(pathOf(key, ".note"), note);
  if (!code)
    code = write(pathOf(key), bytes);
  if (code)
    return complain("cannot write: " + code.message());
  {
    std::lock_guard<std::mutex> lock(mutex);
    bytesSinceMeasured += bytes.size();
    // Looking at the whole folder is slow; once per process and then per tenth of the limit keeps the size near it.
    if (measured && bytesSinceMeasured < maxBytes / 10)
      return;
    measured = true;
    bytesSinceMeasured = 0;
  }
  evict();
}

void DiskCache::dropBroken(StringRef key, StringRef reason) {
  complain(pathOf(key) + ": " + reason.str());
  sys::fs::remove(pathOf(key));
  sys::fs::remove(pathOf(key, ".note"));
}

void DiskCache::evict() {
  struct File {
    std::string path;
    sys::TimePoint<> used;
    uint64_t size;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code code;
  auto now = std::chrono::system_clock::now();
  for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code)) {
    StringRef name = sys::path::filename(it->path());
    // Temporary files of a process that was killed, and notes whose bytes are gone.
    bool abandoned =
        name.ends_with(".tmp") || (name.ends_with(".note") && !sys::fs::exists(pathOf(sys::path::stem(name))));
    if (!name.ends_with(".image") && !abandoned)
      continue; // not ours, or a note in its place
    auto status = it->status();
    if (!status)
      continue;
    if (abandoned) {
      if (now - status->getLastModificationTime() > std::chrono::hours(1))
        sys::fs::remove(it->path());
      continue;
    }
    files.push_back({it->path(), status->getLastModificationTime(), status->getSize()});
    total += status->getSize();
  }
  if (total <= maxBytes)
    return;
  std::sort(files.begin(), files.end(), [](const File &a, const File &b) { return a.used < b.used; });
  for (const File &file : files) {
    if (total <= maxBytes - maxBytes / 10)
      break;
    sys::fs::remove(file.path); // another process may have been first
    sys::fs::remove(pathOf(sys::path::stem(file.path), ".note"));
    total -= file.size;
  }
}

std::string contentKey(ArrayRef<StringRef> parts) {
  BLAKE3 hash;
  for (StringRef part : parts) {
    uint8_t length[8]; // so that ("ab", "c") and ("a", "bc") differ
    support::endian::write64le(length, part.size());
    hash.update(length);
    hash.update(part);
  }
  auto digest = hash.final<20>();
  return toHex(ArrayRef<uint8_t>(digest.data(), digest.size()), /*LowerCase=*/true);
}

} // namespace tilewright
