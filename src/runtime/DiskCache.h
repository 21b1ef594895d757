// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes by key in a folder that any number of processes share. One file per key and one for its note, written under a
// temporary name and renamed: a reader sees a whole file or none. The cache is an optimization only, so its errors are
// reported once and otherwise ignored.
#ifndef TILEWRIGHT_RUNTIME_DISKCACHE_H
#define TILEWRIGHT_RUNTIME_DISKCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace tilewright {

class DiskCache {
public:
  using Warn = std::function<void(const std::string &)>;

  // An empty folder name means no cache. `warn` is called at most once.
  DiskCache(std::string folder, uint64_t maxBytes, Warn warn);

  std::optional<std::string> get(llvm::StringRef key);
  // An optional note describes the entry for people; it is stored beside the bytes and removed with them.
  void put(llvm::StringRef key, llvm::StringRef bytes, llvm::StringRef note = "");
  // The caller found the bytes unusable.
  void dropBroken(llvm::StringRef key, llvm::StringRef reason);

  // Removes the least recently used entries beyond the limit, and temporary files of processes that died.
  void evict();

  bool enabled() const { return !folder.empty(); }
  const std::string &directory() const { return folder; }

private:
  std::string pathOf(llvm::StringRef key, llvm::StringRef suffix = ".image") const;
  void complain(const std::string &message);
  // Under a temporary name, then renamed.
  std::error_code write(const std::string &path, llvm::StringRef bytes);

  std::string folder;
  uint64_t maxBytes;
  Warn warn;
  std::mutex mutex;
  bool warned = false;
  bool measured = false;
  uint64_t bytesSinceMeasured = 0;
};

// A key for these texts: equal texts, equal key.
std::string contentKey(llvm::ArrayRef<llvm::StringRef> parts);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_DISKCACHE_H
