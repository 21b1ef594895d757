// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// include/tilewright.h
#include "tilewright.h"

#include "session/Launch.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstdlib>
#include <cstring>

using namespace tilewright;

struct tilewright_error {
  tilewright_status status;
  std::string message;
};

struct tilewright_session {
  std::string target;
  PipelineOptions pipeline;
  int device = 0;
  std::string cacheFolder;
  uint64_t cacheBytes = uint64_t(1) << 30;
  std::unique_ptr<DiskCache> cache;
  // Why the cache is not used, if so; the next entry's remarks say it.
  std::mutex warning;
  std::string cacheWarning;

  std::string takeCacheWarning() {
    std::lock_guard<std::mutex> lock(warning);
    return std::exchange(cacheWarning, "");
  }
};

struct tilewright_entry {
  session::LoadedEntry code;
  std::string remarks;
};

namespace {

tilewright_error *makeError(tilewright_status status, const llvm::Twine &message) {
  return new tilewright_error{status, message.str()};
}

tilewright_error *badArgument(const llvm::Twine &message) {
  return makeError(TILEWRIGHT_BAD_ARGUMENT, message);
}

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

// An error whose class says nothing is about the module, or, of a launch, about the rules of its IR.
tilewright_error *convert(llvm::Error error, tilewright_status otherwise = TILEWRIGHT_BAD_MODULE) {
  tilewright_error *result = nullptr;
  auto set = [&](tilewright_status status, const llvm::ErrorInfoBase &info) {
    if (!result)
      result = makeError(status, llvm::StringRef(info.message()).rtrim());
  };
  llvm::handleAllErrors(
      std::move(error), [&](const session::UsageError &info) { set(TILEWRIGHT_BAD_ARGUMENT, info); },
      [&](const GuardFailure &info) { set(statusOf(info), info); },
      [&](const cuda::DriverError &info) { set(statusOf(info), info); },
      [&](const llvm::ErrorInfoBase &info) { set(otherwise, info); });
  return result;
}

// Exceptions become errors: callers in C cannot catch them.
template <typename Body> tilewright_error *guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return makeError(TILEWRIGHT_OUT_OF_MEMORY, "no memory");
  } catch (const std::exception &exception) {
    return makeError(TILEWRIGHT_COMPILER, exception.what());
  }
}

std::optional<uint64_t> numberIn(llvm::StringRef text, uint64_t most) {
  uint64_t number;
  if (text.getAsInteger(10, number) || number > most)
    return std::nullopt;
  return number;
}

// A whole number that an option takes.
struct NumberOption {
  llvm::StringLiteral name;
  uint64_t most;
  void (*set)(tilewright_session &, uint64_t);
};
constexpr NumberOption numberOptions[] = {
    {"opt-level", 3, [](tilewright_session &session, uint64_t level) { session.pipeline.codeGen.optLevel = level; }},
    {"time-limit", 1'000'000,
     [](tilewright_session &session, uint64_t limit) { session.pipeline.limits.time = std::chrono::seconds(limit); }},
    {"device", 1023, [](tilewright_session &session, uint64_t number) { session.device = number; }},
    {"cache-bytes", UINT64_MAX, [](tilewright_session &session, uint64_t bytes) { session.cacheBytes = bytes; }},
    {"verify", 1, [](tilewright_session &session, uint64_t flag) { session.pipeline.verifyEach = flag; }},
};

struct TextOption {
  llvm::StringLiteral name;
  void (*set)(tilewright_session &, llvm::StringRef);
};
constexpr TextOption textOptions[] = {
    {"cache", [](tilewright_session &session, llvm::StringRef folder) { session.cacheFolder = folder.str(); }},
    {"assembler",
     [](tilewright_session &session, llvm::StringRef path) { session.pipeline.nvidia.assemblers.path = path.str(); }},
    {"packages",
     [](tilewright_session &session, llvm::StringRef folders) {
       auto &packages = session.pipeline.nvidia.assemblers.packages;
       packages.clear();
       for (llvm::StringRef folder : llvm::split(folders, ':'))
         if (!folder.empty())
           packages.push_back(folder.str());
     }},
};

tilewright_error *setOption(tilewright_session &session, llvm::StringRef option, llvm::StringRef value) {
  std::string known;
  for (const NumberOption &candidate : numberOptions) {
    if (candidate.name == option) {
      std::optional<uint64_t> number = numberIn(value, candidate.most);
      if (!number)
        return badArgument("option " + option + " is '" + value + "', expected a number from 0 to " +
                           llvm::Twine(candidate.most));
      candidate.set(session, *number);
      return nullptr;
    }
    known += candidate.name.str() + ", ";
  }
  for (const TextOption &candidate : textOptions) {
    if (candidate.name == option) {
      candidate.set(session, value);
      return nullptr;
    }
    known += candidate.name.str() + ", ";
  }
  return badArgument("there is no option '" + option + "', expected one of " + llvm::StringRef(known).drop_back(2));
}

// A target that code can be loaded for.
llvm::Error checkTarget(llvm::StringRef target) {
  if (target == "interpreter" || target == "nvidia")
    return llvm::Error::success();
  if (target.consume_front("tileas:"))
    return nvidia::parseArchitecture(target).takeError();
  return parseTarget(target).takeError();
}

bool isOnGpu(const tilewright_session &session) {
  return nvidia::isNvidiaTarget(session.target);
}

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

// `use` with the driver, in the context of the session's GPU; `purpose` is for the message.
template <typename Use>
tilewright_error *onDevice(const tilewright_session &session, const llvm::Twine &purpose, Use use) {
  auto device = cuda::Device::get(session.device);
  if (!device)
    return convert(device.takeError());
  cuda::CurrentContext context(*device);
  cuda::Status status = context.status;
  if (status == cuda::Status::Success)
    status = use(device->driver);
  if (status == cuda::Status::Success)
    return nullptr;
  return convert(cuda::failed(device->driver, status, purpose + " on " + device->text()));
}

tilewright_error *checkLaunch(const tilewright_entry &entry, const int64_t *grid, void *const *values, size_t count,
                              void *stream) {
  const EntryInfo &info = *entry.code.info;
  if (count != info.parameters.size())
    return badArgument("entry '" + info.name + "' has " + llvm::Twine(info.parameters.size()) + " parameters, got " +
                       llvm::Twine(count) + " values");
  for (size_t i = 0; i != count; ++i)
    if (!values || !values[i])
      return badArgument("value " + llvm::Twine(i) + " of entry '" + info.name +
                         "' is null, expected the address of the parameter's value");
  constexpr int64_t most[] = {INT32_MAX, 65535, 65535};
  for (int axis = 0; axis != 3; ++axis)
    if (!grid || grid[axis] < 1 || grid[axis] > most[axis])
      return badArgument("grid extent " + llvm::Twine(grid ? grid[axis] : 0) + " on axis " + llvm::Twine(axis) +
                         ", expected 1 to " + llvm::Twine(most[axis]));
  if (stream && !entry.code.isOnGpu())
    return badArgument("a stream for entry '" + info.name + "', which runs on no GPU; expected null");
  return nullptr;
}

} // namespace

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
  delete error;
}

tilewright_error *tilewright_session_open(const char *target, tilewright_session **session) {
  return guarded([&]() -> tilewright_error * {
    if (!target || !session)
      return badArgument("a target and a place for the session are expected, one of them is null");
    *session = nullptr;
    if (llvm::Error error = checkTarget(target))
      return badArgument(llvm::toString(std::move(error)));
    auto pipeline = session::optionsFromEnvironment({});
    if (!pipeline)
      return convert(pipeline.takeError());
    auto made = std::make_unique<tilewright_session>();
    made->target = target;
    made->pipeline = std::move(*pipeline);
    *session = made.release();
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
    if (tilewright_error *error = setOption(*session, option, value))
      return error;
    session->cache.reset();
    if (!session->cacheFolder.empty())
      session->cache =
          std::make_unique<DiskCache>(session->cacheFolder, session->cacheBytes, [session](const std::string &text) {
            std::lock_guard<std::mutex> lock(session->warning);
            session->cacheWarning = text + "\n";
          });
    return nullptr;
  });
}

tilewright_error *tilewright_compile(tilewright_session *session, const void *module, size_t size, const char *level,
                                     char **bytes, size_t *numBytes) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !module || !bytes || !numBytes)
      return badArgument("a session, a module and places for the result are expected, one of them is null");
    *bytes = nullptr;
    *numBytes = 0;
    auto target = parseTarget(session->target);
    if (!target)
      return badArgument(llvm::toString(target.takeError()));
    auto chosen = level && *level ? (*target)->parseLevel(level) : llvm::Expected<Level>((*target)->codeLevel());
    if (!chosen)
      return badArgument(llvm::toString(chosen.takeError()));
    PipelineReport report;
    auto made = compileTo(*chosen, llvm::StringRef(static_cast<const char *>(module), size), "<module>", *target,
                          session->pipeline, report);
    if (!made)
      return convert(made.takeError());
    char *copy = static_cast<char *>(malloc(made->size() + 1));
    if (!copy)
      return makeError(TILEWRIGHT_OUT_OF_MEMORY, "no memory for " + llvm::Twine(made->size()) + " bytes of code");
    memcpy(copy, made->c_str(), made->size() + 1); // text ends with a zero
    *bytes = copy;
    *numBytes = made->size();
    return nullptr;
  });
}

void tilewright_bytes_free(char *bytes) {
  free(bytes);
}

tilewright_error *tilewright_entry_load(tilewright_session *session, const void *module, size_t size, const char *name,
                                        tilewright_entry **entry) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !module || !entry)
      return badArgument("a session, a module and a place for the entry are expected, one of them is null");
    *entry = nullptr;
    session::ModuleSource source;
    source.bytes.assign(static_cast<const char *>(module), size);
    source.identity = source.bytes;
    session::LoadOptions options;
    options.pipeline = session->pipeline;
    options.entry = name ? name : "";
    options.device = session->device;
    options.cache = session->cache.get();
    auto loaded = session::loadEntry(session->target, source, options);
    if (!loaded)
      return convert(loaded.takeError());
    std::string remarks = session->takeCacheWarning() + loaded->remarks().str();
    *entry = new tilewright_entry{std::move(*loaded), std::move(remarks)};
    return nullptr;
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
    size_t count = tilewright_entry_num_parameters(entry);
    if (!parameter || index >= count)
      return badArgument("parameter " + llvm::Twine(index) + " of " + llvm::Twine(count) +
                         ", expected a smaller number, and a place for the answer");
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
    if (tilewright_error *error = checkLaunch(*entry, grid, values, numValues, stream))
      return error;
    cuda::LaunchOptions options;
    options.stream = static_cast<cuda::StreamHandle>(stream);
    auto result = session::launch(entry->code, llvm::ArrayRef(const_cast<void **>(values), numValues),
                                  {grid[0], grid[1], grid[2]}, options);
    if (!result)
      return convert(result.takeError(), TILEWRIGHT_FAULT);
    return finish(entry->code.info->name, *result);
  });
}

tilewright_error *tilewright_synchronize(void) {
  return guarded([&]() -> tilewright_error * {
    auto result = cuda::synchronize();
    if (!result)
      return convert(result.takeError(), TILEWRIGHT_FAULT);
    return finish("a kernel on a GPU", *result);
  });
}

tilewright_error *tilewright_memory_allocate(tilewright_session *session, size_t bytes, void **memory) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !memory)
      return badArgument("a session and a place for the address are expected, one of them is null");
    *memory = nullptr;
    bytes = std::max<size_t>(bytes, 1);
    if (!isOnGpu(*session)) {
      constexpr size_t alignment = 256;
      if (bytes <= SIZE_MAX - alignment)
        *memory = aligned_alloc(alignment, llvm::alignTo(bytes, alignment));
      return *memory ? nullptr : makeError(TILEWRIGHT_OUT_OF_MEMORY, "no memory for " + llvm::Twine(bytes) + " bytes");
    }
    return onDevice(*session, "allocating " + llvm::Twine(bytes) + " bytes", [&](const cuda::Driver &driver) {
      cuda::DeviceAddress address = 0;
      cuda::Status status = driver.memoryAllocate(&address, bytes);
      *memory = reinterpret_cast<void *>(address);
      return status;
    });
  });
}

void tilewright_memory_free(tilewright_session *session, void *memory) {
  if (!session || !memory)
    return;
  if (!isOnGpu(*session))
    return free(memory);
  tilewright_error_free(guarded([&] {
    return onDevice(*session, "freeing memory", [&](const cuda::Driver &driver) {
      return driver.memoryFree(reinterpret_cast<cuda::DeviceAddress>(memory));
    });
  }));
}

tilewright_error *tilewright_memory_write(tilewright_session *session, void *memory, const void *from, size_t bytes) {
  return guarded([&]() -> tilewright_error * {
    if (!session || (bytes && (!memory || !from)))
      return badArgument("a session and two addresses are expected, one of them is null");
    if (isOnGpu(*session) && bytes)
      return onDevice(*session, "copying to memory", [&](const cuda::Driver &driver) {
        return driver.copyToDevice(reinterpret_cast<cuda::DeviceAddress>(memory), from, bytes);
      });
    memmove(memory, from, bytes);
    return nullptr;
  });
}

tilewright_error *tilewright_memory_read(tilewright_session *session, void *to, const void *memory, size_t bytes) {
  return guarded([&]() -> tilewright_error * {
    if (!session || (bytes && (!memory || !to)))
      return badArgument("a session and two addresses are expected, one of them is null");
    if (!isOnGpu(*session) || !bytes) {
      memmove(to, memory, bytes);
      return nullptr;
    }
    if (tilewright_error *error = tilewright_synchronize())
      return error;
    return onDevice(*session, "copying from memory", [&](const cuda::Driver &driver) {
      return driver.copyToHost(to, reinterpret_cast<cuda::DeviceAddress>(memory), bytes);
    });
  });
}

} // extern "C"
