// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Campaign.h"

#include "fuzz/programs/Child.h"
#include "fuzz/programs/Generator.h"
#include "mlir/IR/MLIRContext.h"
#include "pipeline/TileIrFile.h"
#include "support/ModuleText.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright::programs {
namespace {

using Clock = std::chrono::steady_clock;

// Seeds a process works off. Processes are restarted from time to time, so that leaks do not add up. On a GPU
// beginning takes longer than many programs.
constexpr uint64_t batchSize = 50, gpuBatchSize = 400;

// The messages of a process about each seed: that it begins, then how it ended.
struct Message {
  uint64_t seed;
  bool isEnd;
  Verdict verdict;
  uint32_t textBytes;
};

void writeAll(int file, const void *data, size_t bytes) {
  auto *next = static_cast<const char *>(data);
  while (bytes) {
    ssize_t written = write(file, next, bytes);
    if (written <= 0)
      _exit(1);
    next += written;
    bytes -= written;
  }
}

bool usesGpu(ArrayRef<Way> ways) {
  return any_of(ways, [](const Way &way) { return way.kind == Way::Kind::Gpu; });
}

Report runSeed(uint64_t seed, ArrayRef<Way> ways, bool large) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Program program = generate(seed, &context, large);
  if (!program.module)
    return {Verdict::Invalid, "the generated module does not verify\n"};
  Source source;
  raw_string_ostream os(source.module);
  // As bytecode, which costs less to read, and as text by turns.
  auto module = cast<cuda_tile::ModuleOp>(program.module->getBody()->front());
  if (seed % 4 == 1)
    module.print(os);
  else if (failed(writeTileIr(module, *cuda_tile::BytecodeVersion::parse("13.5"), os)))
    return {Verdict::Invalid, "the generated module has no bytecode\n"};
  source.launch = program.launch;
  return compare(source, ways);
}

[[noreturn]] void work(SeedRange seeds, ArrayRef<Way> ways, bool large, Clock::time_point stop, int file) {
  for (uint64_t seed = seeds.first; seed < seeds.end && Clock::now() < stop; ++seed) {
    Message message{seed, false, Verdict::Same, 0};
    writeAll(file, &message, sizeof(message));
    Report report = runSeed(seed, ways, large);
    message = {seed, true, report.verdict, static_cast<uint32_t>(report.text.size())};
    writeAll(file, &message, sizeof(message));
    writeAll(file, report.text.data(), report.text.size());
    if (report.verdict != Verdict::Same && usesGpu(ways))
      break; // which may be lost to this process
  }
  _exit(0); // destructors and other people's buffers belong to the parent
}

struct Worker {
  pid_t process;
  int file, errors; // the read end of its messages; what it writes to standard error
  SeedRange seeds;
  uint64_t next = seeds.first, numSame = 0;
  std::string received = {};
  std::optional<uint64_t> running = std::nullopt;
  Clock::time_point since = Clock::now();
  double used = 0; // seconds of a processor until then
};

Worker startWorker(SeedRange seeds, const CampaignOptions &options, Clock::time_point stop) {
  int ends[2];
  SmallString<64> name;
  int errors = -1;
  if (pipe(ends) || sys::fs::createTemporaryFile("program", "txt", errors, name)) {
    perror("cannot start a process");
    exit(1);
  }
  unlink(name.c_str());
  fflush(nullptr);
  pid_t process = fork();
  if (process < 0) {
    perror("cannot start a process");
    exit(1);
  }
  if (process == 0) {
    close(ends[0]);
    dup2(errors, STDERR_FILENO);
    work(seeds, options.ways, options.large, stop, ends[1]);
  }
  close(ends[1]);
  return {process, ends[0], errors, seeds};
}

std::string readErrors(const Worker &worker) {
  std::string text(8192, '\0');
  ssize_t size = pread(worker.errors, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : size);
  return text;
}

class Run {
public:
  explicit Run(const CampaignOptions &options) : options(options) {
    SeedRange all{options.first, options.first + options.count};
    pending = options.log ? options.log->missing(all) : std::deque<SeedRange>{all};
    for (SeedRange seeds : pending)
      count += seeds.end - seeds.first;
    if (options.seconds)
      stop = begin + std::chrono::seconds(options.seconds);
  }

  CampaignResult go() {
    while (startSome() || !workers.empty()) {
      attend();
      showProgress();
    }
    if (options.showProgress)
      errs() << '\n';
    result.seconds = seconds();
    return std::move(result);
  }

private:
  // Whether there is more to start.
  bool startSome() {
    while (!pending.empty() && Clock::now() < stop) {
      if (workers.size() >= options.jobs)
        return true;
      SeedRange &seeds = pending.front(), batch = seeds;
      batch.end = std::min(seeds.end, seeds.first + (usesGpu(options.ways) ? gpuBatchSize : batchSize));
      seeds.first = batch.end;
      if (seeds.first == seeds.end)
        pending.pop_front();
      start(batch);
    }
    return false;
  }

  void start(SeedRange seeds) {
    if (seeds.first < seeds.end && Clock::now() < stop)
      workers.push_back(startWorker(seeds, options, stop));
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  void showProgress() {
    if (!options.showProgress || Clock::now() - shown < std::chrono::milliseconds(500))
      return;
    shown = Clock::now();
    constexpr unsigned width = 30;
    unsigned filled = count ? width * done / count : width;
    errs() << '\r' << '[' << std::string(filled, '#') << std::string(width - filled, ' ') << "] " << done << " of "
           << count << " programs, " << static_cast<uint64_t>(done * 60 / std::max(seconds(), 0.1)) << " a minute, "
           << result.failures.size() << " failed ";
  }

  // Takes what the processes say, until one of them says something or half a second is over.
  void attend() {
    std::vector<pollfd> files;
    for (const Worker &worker : workers)
      files.push_back({worker.file, POLLIN, 0});
    poll(files.data(), files.size(), 500);
    for (size_t i = files.size(); i-- > 0;) {
      Worker &worker = workers[i];
      if (files[i].revents) {
        char buffer[65536];
        ssize_t size = read(worker.file, buffer, sizeof(buffer));
        if (size > 0) {
          worker.received.append(buffer, size);
          takeMessages(worker);
        } else {
          finish(i);
        }
      } else if (std::chrono::duration<double> passed = Clock::now() - worker.since;
                 worker.running && isOverdue(worker.process, worker.used, passed.count(), options.secondsPerProgram)) {
        kill(worker.process, SIGKILL);
        worker.since = Clock::now();
      }
    }
  }

  void takeMessages(Worker &worker) {
    Message message;
    while (worker.received.size() >= sizeof(message)) {
      memcpy(&message, worker.received.data(), sizeof(message));
      if (worker.received.size() < sizeof(message) + message.textBytes)
        return;
      std::string text = worker.received.substr(sizeof(message), message.textBytes);
      worker.received.erase(0, sizeof(message) + message.textBytes);
      worker.since = Clock::now();
      worker.used = usedSeconds(worker.process);
      worker.running = message.seed;
      if (!message.isEnd)
        continue;
      worker.running.reset();
      worker.next = message.seed + 1;
      ++done;
      if (message.verdict == Verdict::Same) {
        ++result.same;
        ++worker.numSame;
      } else if (message.verdict == Verdict::Refused && !options.strict) {
        addRefusal(message.seed, text);
      } else
        addFailure(message.seed, text);
    }
  }

  // A process has ended: it was through, or died of its program. The seeds after that go to another one.
  void finish(size_t index) {
    Worker worker = std::move(workers[index]);
    workers.erase(workers.begin() + index);
    close(worker.file);
    int status = 0;
    waitpid(worker.process, &status, 0);
    std::string errors = readErrors(worker);
    close(worker.errors);
    if (!worker.running && status == 0) {
      noteDone(worker);
      start({worker.next, worker.seeds.end}); // it gave up the GPU
      return;
    }
    std::string text = "ended with status " + std::to_string(WEXITSTATUS(status));
    if (WIFSIGNALED(status))
      text = WTERMSIG(status) == SIGKILL
                 ? "ran for more than " + std::to_string(options.secondsPerProgram) + " seconds, or was killed"
                 : std::string("died of ") + strsignal(WTERMSIG(status));
    ++done;
    uint64_t seed = worker.running.value_or(worker.next);
    addFailure(seed, text + "\n" + errors);
    worker.next = seed + 1;
    noteDone(worker);
    start({worker.next, worker.seeds.end});
  }

  void noteDone(const Worker &worker) {
    if (options.log)
      options.log->noteDone({worker.seeds.first, worker.next}, worker.numSame);
  }

  void addRefusal(uint64_t seed, StringRef text) {
    if (options.log)
      options.log->noteRefused(seed, text);
    // Where in the program does not matter: "cpu/O3: program:17:3: error: cuda_tile.x is not ..."
    StringRef line = text.split('\n').first;
    StringRef way = line.split(": ").first, reason = line;
    if (size_t at = line.find("error: "); at != StringRef::npos)
      reason = line.substr(at + strlen("error: "));
    ++result.refusals[(way + ": " + reason).str()];
  }

  void addFailure(uint64_t seed, const std::string &text) {
    result.failures.push_back({seed, text});
    if (options.log)
      options.log->noteFailed(seed, text);
    if (options.showProgress)
      errs() << '\r';
    errs() << "seed " << seed << ": " << text;
    if (options.found.empty())
      return;
    // Generated here again, which cannot crash where it did not before; the process that died may not have been able
    // to write anything.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Program program = generate(seed, &context, options.large);
    if (!program.module)
      return;
    SmallString<128> path(options.found);
    sys::fs::create_directories(path);
    sys::path::append(path, "program-" + Twine(seed) + ".mlir");
    std::error_code code;
    raw_fd_ostream os(path, code);
    if (code) {
      errs() << "cannot write " << path << ": " << code.message() << '\n';
      return;
    }
    for (StringRef line : split(StringRef(text).rtrim(), '\n'))
      os << "// " << line << '\n';
    os << printProgram(program);
    errs() << "  in " << path << '\n';
  }

  const CampaignOptions &options;
  std::deque<SeedRange> pending;
  uint64_t count = 0, done = 0;
  std::vector<Worker> workers;
  CampaignResult result;
  Clock::time_point begin = Clock::now(), shown = begin, stop = Clock::time_point::max();
};

} // namespace

CampaignResult runCampaign(const CampaignOptions &options) {
  return Run(options).go();
}

} // namespace tilewright::programs
