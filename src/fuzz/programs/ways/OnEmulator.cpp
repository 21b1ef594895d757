// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/ways/OnEmulator.h"

#include "fuzz/programs/ways/Job.h"
#include "target/cpu/CodeGen.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::programs {
namespace {

constexpr StringLiteral libraries = "/usr/aarch64-linux-gnu";
constexpr unsigned mostSeconds = 60; // more is an endless loop

struct Emulator {
  std::string program, runner;

  static Expected<Emulator> find() {
    auto program = sys::findProgramByName("qemu-aarch64");
    std::string executable = sys::fs::getMainExecutable(nullptr, nullptr);
    SmallString<128> runner(sys::path::parent_path(executable));
    sys::path::append(runner, "aarch64-runner");
    if (program && sys::fs::exists(runner))
      return Emulator{*program, std::string(runner)};
    return createStringError(
        "code for aarch64 takes qemu-aarch64 in PATH (package qemu-user) and aarch64-runner beside "
        "this program, which is built where libc6-dev-arm64-cross is installed");
  }
};

class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    error = sys::fs::createTemporaryFile("emulated", suffix, path);
    remover.setFile(path);
  }
  SmallString<128> path;
  std::error_code error;

private:
  FileRemover remover;
};

// Where each array's memory is in the file of a job.
std::vector<uint64_t> placeArrays(ArrayRef<HostArray> arrays, size_t numArguments) {
  uint64_t end = sizeof(tilewright_job) + numArguments * sizeof(tilewright_job_argument);
  std::vector<uint64_t> places;
  for (const HostArray &array : arrays) {
    places.push_back(alignTo(end, 64));
    end = places.back() + array.bytes;
  }
  return places;
}

std::string describeJob(const int64_t grid[3], int64_t scratchBytes, ArrayRef<void *> arguments,
                        ArrayRef<HostArray> arrays) {
  std::string text;
  raw_string_ostream os(text);
  auto write = [&](const auto &value) { os.write(reinterpret_cast<const char *>(&value), sizeof(value)); };
  tilewright_job job{};
  std::copy_n(grid, 3, job.grid);
  job.threads = 1;
  job.scratchBytes = std::max<int64_t>(scratchBytes, TILEWRIGHT_SCRATCH_STATE_BYTES);
  job.status = -1;
  job.numArgs = arguments.size();
  write(job);
  std::vector<uint64_t> places = placeArrays(arrays, arguments.size());
  for (void *argument : arguments) {
    auto *value = static_cast<uint64_t *>(argument);
    const HostArray *array = find_if(arrays, [&](const HostArray &each) { return each.pointer == value; });
    if (array == arrays.end())
      write(tilewright_job_argument{*value, 0});
    else
      write(tilewright_job_argument{places[array - arrays.begin()] + *value - array->address, 1});
  }
  for (auto [array, place] : zip_equal(arrays, places)) {
    os.write_zeros(place - text.size());
    os.write(reinterpret_cast<const char *>(array.address), array.bytes);
  }
  return text;
}

Expected<LaunchResult> readJob(StringRef text, ArrayRef<HostArray> arrays, size_t numArguments) {
  auto *job = reinterpret_cast<const tilewright_job *>(text.data());
  for (auto [array, place] : zip_equal(arrays, placeArrays(arrays, numArguments)))
    memcpy(reinterpret_cast<void *>(array.address), text.data() + place, array.bytes);
  LaunchResult result;
  result.outOfMemory = job->status == 2;
  if (job->status != 1)
    return result;
  AssertFailure &failure = result.failure.emplace();
  failure.message = job->failure.message;
  failure.file = job->failure.file;
  failure.line = job->failure.line;
  std::copy_n(job->failure.block, 3, failure.block);
  SmallVector<StringRef> position;
  StringRef(job->failure.position).trim("[]").split(position, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef coordinate : position)
    if (int64_t number; !coordinate.getAsInteger(10, number))
      failure.position.push_back(number);
  return result;
}

Error write(const TemporaryFile &file, StringRef bytes) {
  std::error_code code = file.error;
  if (!code) {
    raw_fd_ostream os(file.path, code);
    os << bytes;
  }
  return code ? createStringError("cannot write " + file.path + ": " + code.message()) : Error::success();
}

Expected<std::string> read(const TemporaryFile &file) {
  auto buffer = MemoryBuffer::getFile(file.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read " + file.path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace

Expected<LaunchResult> runEmulated(StringRef module, const Machine &machine, const int64_t grid[3],
                                   ArrayRef<void *> arguments, ArrayRef<HostArray> arrays,
                                   const PipelineOptions &options) {
  auto emulator = Emulator::find();
  if (!emulator)
    return emulator.takeError();
  PipelineReport report;
  auto image = compileToImage(module, "program", machine, options, report);
  if (!image)
    return image.takeError();
  if (image->entries.size() != 1)
    return createStringError("expected a module with one entry");
  const EntryInfo &entry = image->entries.front();

  TemporaryFile library("so"), job("job"), printed("out"), errors("err");
  if (Error error = linkSharedLibrary(ArrayRef(image->object.data(), image->object.size()), library.path))
    return error;
  if (Error error = write(job, describeJob(grid, entry.scratchBytes, arguments, arrays)))
    return error;
  // The plainest target runs on the oldest processor; others on one with all that the emulator knows.
  StringRef processor = machine.name == "aarch64" ? "cortex-a57" : "max";
  std::string message;
  int status = sys::ExecuteAndWait(
      emulator->program,
      {emulator->program, "-cpu", processor, "-L", libraries, emulator->runner, job.path, library.path, entry.name},
      std::nullopt, {"", printed.path, errors.path}, mostSeconds, 0, &message);
  if (status != 0)
    return createStringError("the emulated kernel ended with status " + Twine(status) + ": " + message +
                             cantFail(read(errors)));
  auto text = read(job), output = read(printed);
  if (!text || !output)
    return joinErrors(text.takeError(), output.takeError());
  auto result = readJob(*text, arrays, arguments.size());
  if (result)
    result->printed = *output;
  return result;
}

} // namespace tilewright::programs
