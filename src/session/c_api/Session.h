// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_C_API_SESSION_H
#define TILEWRIGHT_SESSION_C_API_SESSION_H

#include "session/Settings.h"
#include "session/c_api/Error.h"

#include "runtime/DiskCache.h"
#include <mutex>

namespace tilewright::c_api {

/// The cache's one warning, until the remarks of an entry say it. The cache may outlive its session.
class CacheWarning {
public:
  void set(const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    warning = text + "\n";
  }
  std::string take() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(warning, "");
  }

private:
  std::mutex mutex;
  std::string warning;
};

} // namespace tilewright::c_api

/// A target and settings, which one thread may change while others load.
struct tilewright_session {
  /// The state that a load which begins now works with.
  struct Snapshot {
    tilewright::session::Settings settings;
    std::shared_ptr<tilewright::DiskCache> cache; // none
  };

  tilewright_session(std::string target, tilewright::session::Settings settings)
      : target(std::move(target)), current{std::move(settings), nullptr} {}

  bool isOnGpu() const;
  llvm::Error set(llvm::StringRef option, llvm::StringRef value);
  Snapshot snapshot() const {
    std::lock_guard<std::mutex> lock(mutex);
    return current;
  }

  const std::string target;
  const std::shared_ptr<tilewright::c_api::CacheWarning> cacheWarning =
      std::make_shared<tilewright::c_api::CacheWarning>();

private:
  mutable std::mutex mutex;
  Snapshot current;
};

#endif
