// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of the C interface and their launches.
#include "session/c_api/Entry.h"

#include "session/Launch.h"
#include "session/c_api/Session.h"

#include <cstdio>

using namespace tilewright;
using namespace tilewright::c_api;

namespace {

// Prints, and names what went wrong.
tilewright_error *finish(llvm::StringRef kernel, const LaunchResult &result) {
  if (!result.printed.empty()) {
    fwrite(result.printed.data(), 1, result.printed.size(), stdout);
    fflush(stdout);
  }
  std::optional<std::string> failure = session::describeFailure(kernel, result);
  if (!failure)
    return nullptr;
  return makeError(result.outOfMemory ? TILEWRIGHT_OUT_OF_MEMORY
                   : result.failure   ? TILEWRIGHT_ASSERT_FAILED
                                      : TILEWRIGHT_FAULT,
                   *failure);
}

tilewright_error *finish(llvm::StringRef kernel, llvm::Expected<LaunchResult> result) {
  if (result)
    return finish(kernel, *result);
  llvm::Error error = llvm::handleErrors(result.takeError(), [](std::unique_ptr<session::ExecutionError> ended) {
    fwrite(ended->getPrinted().data(), 1, ended->getPrinted().size(), stdout);
    return llvm::Error(std::move(ended));
  });
  return convert(std::move(error), TILEWRIGHT_FAULT);
}

tilewright_error *checkGrid(const int64_t *grid) {
  if (!grid)
    return badArgument("the grid is null, expected three extents");
  constexpr int64_t most[] = {INT32_MAX, 65535, 65535};
  for (int axis = 0; axis != 3; ++axis)
    if (grid[axis] < 1 || grid[axis] > most[axis])
      return badArgument("grid extent " + llvm::Twine(grid[axis]) + " on axis " + llvm::Twine(axis) +
                         ", expected 1 to " + llvm::Twine(most[axis]));
  return nullptr;
}

tilewright_error *checkValues(const EntryInfo &info, void *const *values, size_t count) {
  if (count != info.parameters.size())
    return badArgument("entry '" + info.name + "' has " + llvm::Twine(info.parameters.size()) + " parameters, got " +
                       llvm::Twine(count) + " values");
  for (size_t i = 0; i != count; ++i)
    if (!values || !values[i])
      return badArgument("value " + llvm::Twine(i) + " of entry '" + info.name +
                         "' is null, expected the address of the parameter's value");
  return nullptr;
}

tilewright_error *loadEntry(tilewright_session &session, llvm::StringRef module, const char *name,
                            tilewright_entry **entry) {
  tilewright_session::Snapshot now = session.snapshot();
  auto pipeline = session::asUsage(now.settings.resolve());
  if (!pipeline)
    return convert(pipeline.takeError());
  session::ModuleSource source{module.str(), module.str()};
  session::LoadOptions options;
  options.pipeline = std::move(*pipeline);
  options.entry = name ? name : "";
  options.device = now.settings.device;
  options.cache = now.cache.get();
  auto loaded = session::loadEntry(session.target, source, options);
  if (!loaded)
    return convert(loaded.takeError());
  auto made = std::make_unique<tilewright_entry>();
  made->remarks = session.cacheWarning->take() + loaded->remarks().str();
  made->code = std::move(*loaded);
  made->execution.stepLimit = now.settings.stepLimit;
  made->execution.schedules = now.settings.schedules;
  made->execution.seed = now.settings.seed;
  *entry = made.release();
  return nullptr;
}

} // namespace

extern "C" {

tilewright_error *tilewright_entry_load(tilewright_session *session, const void *module, size_t size, const char *name,
                                        tilewright_entry **entry) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !module || !entry)
      return badArgument("a session, a module and a place for the entry are expected, one of them is null");
    *entry = nullptr;
    return loadEntry(*session, llvm::StringRef(static_cast<const char *>(module), size), name, entry);
  });
}

void tilewright_entry_free(tilewright_entry *entry) {
  delete entry;
}

const char *tilewright_entry_name(const tilewright_entry *entry) {
  return entry ? entry->code.info->name.c_str() : "";
}

const char *tilewright_entry_origin(const tilewright_entry *entry) {
  return entry ? entry->code.origin : "";
}

const char *tilewright_entry_remarks(const tilewright_entry *entry) {
  return entry ? entry->remarks.c_str() : "";
}

size_t tilewright_entry_num_parameters(const tilewright_entry *entry) {
  return entry ? entry->code.info->parameters.size() : 0;
}

tilewright_error *tilewright_entry_parameter(const tilewright_entry *entry, size_t index,
                                             tilewright_parameter *parameter) {
  return guarded([&]() -> tilewright_error * {
    if (!entry || !parameter)
      return badArgument("an entry and a place for the answer are expected, one of them is null");
    size_t count = tilewright_entry_num_parameters(entry);
    if (index >= count)
      return badArgument("parameter " + llvm::Twine(index) + " of entry '" + entry->code.info->name +
                         "', expected a number below " + llvm::Twine(count));
    const EntryParameter &known = entry->code.info->parameters[index];
    constexpr tilewright_kind kinds[] = {TILEWRIGHT_POINTER, TILEWRIGHT_INTEGER, TILEWRIGHT_FLOAT};
    *parameter = {kinds[static_cast<int>(known.kind)], known.bits, known.written};
    return nullptr;
  });
}

tilewright_error *tilewright_entry_launch(const tilewright_entry *entry, const int64_t grid[3], void *const *values,
                                          size_t numValues, void *stream) {
  return guarded([&]() -> tilewright_error * {
    if (!entry)
      return badArgument("the entry is null");
    const EntryInfo &info = *entry->code.info;
    if (tilewright_error *error = checkValues(info, values, numValues))
      return error;
    if (tilewright_error *error = checkGrid(grid))
      return error;
    if (stream && !entry->code.isOnGpu())
      return badArgument("a stream for entry '" + info.name + "', which runs on no GPU; expected null");
    cuda::LaunchOptions onGpu;
    onGpu.stream = static_cast<cuda::StreamHandle>(stream);
    return finish(info.name, session::launch(entry->code, llvm::ArrayRef(const_cast<void **>(values), numValues),
                                             {grid[0], grid[1], grid[2]}, onGpu, entry->execution));
  });
}

tilewright_error *tilewright_synchronize(void) {
  return guarded([] { return finish("a kernel on a GPU", cuda::synchronize()); });
}

} // extern "C"
