// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions of the C interface.
#include "session/c_api/Session.h"

#include "session/LoadEntry.h"

using namespace tilewright;
using namespace tilewright::c_api;

bool tilewright_session::isOnGpu() const {
  return nvidia::isNvidiaTarget(target);
}

llvm::Error tilewright_session::set(llvm::StringRef option, llvm::StringRef text) {
  auto known = findOptionOrError(option, visibility::Session);
  if (!known)
    return known.takeError();
  auto value = readValue((*known)->values, text);
  if (!value)
    return llvm::createStringError("option " + option + " is " + llvm::toString(value.takeError()));
  std::lock_guard<std::mutex> lock(mutex);
  if (llvm::Error error = current.settings.set(**known, *value))
    return error;
  if (option != "cache" && option != "cache-bytes")
    return llvm::Error::success();
  const std::string &folder = current.settings.cacheFolder;
  current.cache =
      folder.empty()
          ? nullptr
          : std::make_shared<DiskCache>(folder, current.settings.cacheBytes,
                                        [warning = cacheWarning](const std::string &text) { warning->set(text); });
  return llvm::Error::success();
}

extern "C" {

tilewright_error *tilewright_session_open(const char *target, tilewright_session **session) {
  return guarded([&]() -> tilewright_error * {
    if (!target || !session)
      return badArgument("a target and a place for the session are expected, one of them is null");
    *session = nullptr;
    if (llvm::Error error = session::checkTarget(target))
      return badArgument(llvm::toString(std::move(error)));
    auto settings = session::Settings::fromEnvironment();
    if (!settings)
      return badArgument(llvm::toString(settings.takeError()));
    *session = new tilewright_session(target, std::move(*settings));
    return nullptr;
  });
}

void tilewright_session_close(tilewright_session *session) {
  delete session;
}

tilewright_error *tilewright_session_set(tilewright_session *session, const char *option, const char *value) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !option || !value)
      return badArgument("a session, an option and its value are expected, one of them is null");
    if (llvm::Error error = session->set(option, value))
      return badArgument(llvm::toString(std::move(error)));
    return nullptr;
  });
}

} // extern "C"
