// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/c_api/Error.h"

#include "session/Execute.h"
#include "session/LoadEntry.h"
#include "support/PlanFile.h"

using namespace tilewright;
using namespace tilewright::c_api;

namespace {

tilewright_status statusOf(const GuardFailure &failure) {
  switch (failure.getKind()) {
  case GuardFailure::Kind::TimeLimit:
    return TILEWRIGHT_TIME_LIMIT;
  case GuardFailure::Kind::OutOfMemory:
    return TILEWRIGHT_OUT_OF_MEMORY;
  default:
    return TILEWRIGHT_COMPILER;
  }
}

tilewright_status statusOf(const cuda::DriverError &error) {
  switch (error.getKind()) {
  case cuda::DriverError::Kind::Missing:
    return TILEWRIGHT_NO_DEVICE;
  case cuda::DriverError::Kind::OutOfMemory:
    return TILEWRIGHT_OUT_OF_MEMORY;
  case cuda::DriverError::Kind::Refused:
    return TILEWRIGHT_REFUSED;
  case cuda::DriverError::Kind::Fault:
    return TILEWRIGHT_FAULT;
  }
  llvm_unreachable("all kinds are listed");
}

// The one that needs no memory: its message fits into the string itself. It is never freed.
tilewright_error &noMemory() {
  static tilewright_error error{TILEWRIGHT_OUT_OF_MEMORY, "no memory"};
  return error;
}

} // namespace

tilewright_error *c_api::makeError(tilewright_status status, const llvm::Twine &message) {
  return new tilewright_error{status, message.str()};
}

tilewright_error *c_api::badArgument(const llvm::Twine &message) {
  return makeError(TILEWRIGHT_BAD_ARGUMENT, message);
}

// Of several errors the status is the first one's, and the message has all.
tilewright_error *c_api::convert(llvm::Error error, tilewright_status otherwise) {
  std::unique_ptr<tilewright_error> result;
  auto add = [&](tilewright_status status, const llvm::ErrorInfoBase &info) {
    std::string text = llvm::StringRef(info.message()).rtrim().str();
    if (result)
      result->message += "\n" + text;
    else
      result = std::make_unique<tilewright_error>(tilewright_error{status, std::move(text)});
  };
  llvm::handleAllErrors(
      std::move(error), [&](const session::UsageError &info) { add(TILEWRIGHT_BAD_ARGUMENT, info); },
      [&](const PlanError &info) { add(TILEWRIGHT_BAD_ARGUMENT, info); },
      [&](const session::ExecutionError &info) { add(TILEWRIGHT_FAULT, info); },
      [&](const GuardFailure &info) { add(statusOf(info), info); },
      [&](const cuda::DriverError &info) { add(statusOf(info), info); },
      [&](const llvm::ErrorInfoBase &info) { add(otherwise, info); });
  return result.release();
}

tilewright_error *c_api::errorOfException() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc &) {
      return &noMemory();
    } catch (const std::exception &exception) {
      return makeError(TILEWRIGHT_COMPILER, exception.what());
    } catch (...) {
      return makeError(TILEWRIGHT_COMPILER, "an exception that is none of the standard library's");
    }
  } catch (...) { // while the error was made
    return &noMemory();
  }
}

extern "C" {

int tilewright_api_version(void) {
  return TILEWRIGHT_API_VERSION;
}

tilewright_status tilewright_error_status(const tilewright_error *error) {
  return error ? error->status : TILEWRIGHT_OK;
}

const char *tilewright_error_message(const tilewright_error *error) {
  return error ? error->message.c_str() : "";
}

void tilewright_error_free(tilewright_error *error) {
  if (error != &noMemory())
    delete error;
}

} // extern "C"
