// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes by key in a folder that any number of processes share. One file per key, written under a temporary name and
// renamed: a reader sees a whole file or none. The cache may only ever make things faster, so what goes wrong is
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
  void put(llvm::StringRef key, llvm::StringRef bytes);
  // The caller found the bytes unusable.
  void dropBroken(llvm::StringRef key, llvm::StringRef reason);

  bool enabled() const { return !folder.empty(); }
  const std::string &directory() const { return folder; }

private:
  std::string pathOf(llvm::StringRef key) const;
  void complain(const std::string &message);
  void evict();

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
