// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Guard.h"

#include "support/CrashSignals.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {

char GuardFailure::ID;

namespace {

using Kind = GuardFailure::Kind;
using Clock = std::chrono::steady_clock;

// Instruction selection recurses over long chains of operations. Only what is touched takes memory.
constexpr size_t stackBytes = 64u << 20;
constexpr size_t stackMegabytes = stackBytes >> 20;

// How often the caller looks at the clock and at its own interrupts, and how long it tries to stop a body.
constexpr std::chrono::milliseconds pollInterval(20), pokeInterval(1), patience(1500);
// How long a failed body may write down where it was, and how long the caller may wait for memory after that.
constexpr std::chrono::milliseconds notePatience(200), memoryPatience(2000);

// A stream into memory of its own: output beyond the end is lost.
class FixedText : public raw_ostream {
public:
  FixedText() { SetUnbuffered(); }
  ~FixedText() override { flush(); }
  StringRef str() const { return StringRef(bytes, used); }

private:
  void write_impl(const char *data, size_t size) override {
    size = std::min(size, sizeof(bytes) - used);
    std::memcpy(bytes + used, data, size);
    used += size;
  }
  uint64_t current_pos() const override { return used; }

  char bytes[512];
  size_t used = 0;
};

// One run of a body, shared by its thread and the caller. A body may fail within the allocator, whose lock its thread
// then holds for good: from the failure on, the thread neither allocates nor frees. LLVM's note of where it was may do
// either, and is given up if it waits.
class Run : public RecoveryPoint {
public:
  explicit Run(std::function<Error()> body) : RecoveryPoint(onSignal), body(std::move(body)) {}

  // LLVM's own note of what this thread is at.
  void noteWhere() {
    if (const void *top = SavePrettyStackState())
      static_cast<const PrettyStackTraceEntry *>(top)->print(where);
  }

  // On the thread. Returns false after a failure.
  bool work();
  // From a place below work(): the body has failed.
  [[noreturn]] void fail(Kind why, StringRef reason, int signalNumber = 0);

  std::function<Error()> body;
  Error result = Error::success();
  Kind kind = Kind::Fatal;
  int signal = 0;
  FixedText message, where;

  // The caller's wish.
  std::atomic<bool> stopping{false};
  std::atomic<bool> returning{false}; // the body has seen it and returns by itself
  Kind stopReason = Kind::TimeLimit;

  // After a failure: the thread writes down where it was, which the caller may end; the caller asks for memory, and has
  // had it.
  std::atomic<bool> failing{false}, noting{false}, endsNote{false};
  std::atomic<bool> asksForMemory{false}, hasMemory{false};

  std::mutex mutex;
  std::condition_variable changed;
  enum class State { Running, Returned, Failed } state = State::Running;

private:
  static void onSignal(RecoveryPoint &point, int signal, const siginfo_t &info, void *context);
  bool isStackOverflow(int signal, const siginfo_t &info, const void *context) const;

  const char *stackLow = nullptr; // of the thread
};

// The run of this thread.
Run *currentRun() {
  RecoveryPoint *point = RecoveryPoint::current();
  return point ? static_cast<Run *>(point) : nullptr;
}

bool Run::work() {
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (!pthread_getattr_np(pthread_self(), &attributes)) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    stackLow = static_cast<const char *>(low);
  }
  RecoveryScope scope(*this);
  if (sigsetjmp(buffer, /*savemask=*/0))
    return false;
  try {
    result = body();
  } catch (const std::bad_alloc &) {
    fail(Kind::OutOfMemory, "");
  } catch (const std::exception &exception) {
    fail(Kind::Fatal, exception.what());
  }
  body = nullptr; // its captures are destroyed on this thread too
  return true;
}

void Run::fail(Kind why, StringRef reason, int signalNumber) {
  // A second failure happens while the first is written down, which then stays as far as it came.
  if (!failing.exchange(true)) {
    kind = why;
    signal = signalNumber;
    message << reason;
    noting = true;
    noteWhere();
  }
  noting = false;
  siglongjmp(buffer, 1);
}

bool Run::isStackOverflow(int signal, const siginfo_t &info, const void *context) const {
  if (signal != SIGSEGV || !stackLow)
    return false;
  // A frame may be larger than the guard page that it steps over.
  auto isLow = [&](const void *address) { return address < stackLow + (16 << 10) && address >= stackLow - (1 << 20); };
  return isLow(info.si_addr) || isLow(stackPointer(context));
}

void Run::onSignal(RecoveryPoint &point, int signal, const siginfo_t &info, void *context) {
  Run &run = static_cast<Run &>(point);
  if (signal)
    run.fail(run.isStackOverflow(signal, info, context) ? Kind::StackOverflow : Kind::Crash, "", signal);
  if (run.noting && run.endsNote)
    siglongjmp(run.buffer, 1);
  if (run.stopping && !run.returning && !run.failing && isCompilerCode(programCounter(context)))
    run.fail(run.stopReason, "");
}

void onFatalError(void *, const char *reason, bool) {
  if (Run *run = currentRun())
    run->fail(Kind::Fatal, reason);
  // Not ours: LLVM goes on to end the process.
}

void onBadAlloc(void *, const char *, bool) {
  if (Run *run = currentRun())
    run->fail(Kind::OutOfMemory, "");
}

// LLVM is compiled without exceptions: where `operator new` throws into it, the process ends.
class NewHandler {
public:
  NewHandler() {
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0)
      before = std::set_new_handler(onNoMemory);
  }
  ~NewHandler() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0 && std::get_new_handler() == onNoMemory)
      std::set_new_handler(before);
  }

private:
  static void onNoMemory() {
    if (Run *run = currentRun())
      run->fail(Kind::OutOfMemory, "");
    if (!before)
      throw std::bad_alloc();
    before();
  }

  inline static std::mutex mutex;
  inline static unsigned users = 0;
  inline static std::new_handler before = nullptr;
};

// State of the process while bodies run.
struct Surroundings {
  CrashSignals signals;
  NewHandler newHandler;
};

// No thread can continue without memory, not even to report it.
[[noreturn]] void endProcess(const Run &run) {
  FixedText text;
  text << "error: the compiler failed within the memory allocator, which is locked for good";
  if (run.signal)
    text << " (signal " << run.signal << ")";
  text << "; please report the module as a bug\n" << run.where.str();
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text.str().data(), text.str().size());
  struct sigaction byDefault{};
  byDefault.sa_handler = SIG_DFL;
  sigaction(SIGABRT, &byDefault, nullptr);
  sigset_t abortion;
  sigemptyset(&abortion);
  sigaddset(&abortion, SIGABRT);
  pthread_sigmask(SIG_UNBLOCK, &abortion, nullptr);
  raise(SIGABRT);
  _exit(EXIT_FAILURE);
}

// A thread whose body failed sleeps forever: the state of its thread-locals is unknown, and their destructors would
// run if it ended. Before that it lets the caller continue.
[[noreturn]] void sleepForever(const Run &run) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  timespec interval{0, std::chrono::nanoseconds(pollInterval).count()};
  for (std::chrono::milliseconds waited(0); !run.hasMemory; nanosleep(&interval, nullptr))
    if (run.asksForMemory && (waited += pollInterval) > memoryPatience)
      endProcess(run);
  for (;;)
    pause();
}

// Takes the lock of this thread's part of the heap: so much is not kept for the thread alone.
void askForMemory(Run &run) {
  constexpr size_t bytes = 64 << 10;
  run.asksForMemory = true;
  char *volatile memory = static_cast<char *>(std::malloc(bytes));
  std::free(memory);
  run.hasMemory = true;
}

void *threadMain(void *argument) {
  auto *owner = static_cast<std::shared_ptr<Run> *>(argument);
  Run &run = **owner;
  bool returned;
  {
    AlternateStack handlers;
    returned = run.work();
  }
  {
    std::lock_guard<std::mutex> lock(run.mutex);
    run.state = returned ? Run::State::Returned : Run::State::Failed;
    run.changed.notify_all();
  }
  if (!returned)
    sleepForever(run);
  delete owner;
  return nullptr;
}

// The host's signals are not for this thread; what it runs into itself is.
std::optional<pthread_t> startThread(const std::shared_ptr<Run> &run) {
  sigset_t mask, before;
  sigfillset(&mask);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGURG})
    sigdelset(&mask, number);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  auto *owner = new std::shared_ptr<Run>(run);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  int code = pthread_create(&thread, &attributes, threadMain, owner);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (!code)
    return thread;
  delete owner;
  return std::nullopt;
}

std::string secondsText(std::chrono::milliseconds time) {
  std::string text;
  raw_string_ostream(text) << format("%g", time.count() / 1000.0);
  return text;
}

std::string describe(const Run &run, const Limits &limits) {
  switch (run.kind) {
  case Kind::Fatal:
    return ("the compiler failed: " + run.message.str()).str();
  case Kind::Crash:
    return "the compiler crashed (signal " + std::to_string(run.signal) + "), please report the module as a bug";
  case Kind::StackOverflow:
    return "the compiler ran out of stack, of which it has " + std::to_string(stackMegabytes) +
           " MiB: an expression or a nest of regions is too deep";
  case Kind::OutOfMemory:
    return "the compiler ran out of memory";
  case Kind::TimeLimit:
    return "the compiler was not done after " + secondsText(limits.time) + " s";
  case Kind::Interrupted:
    return "the compilation was interrupted";
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace

Error runGuarded(std::function<Error()> body, const Limits &limits) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    install_fatal_error_handler(onFatalError);
    install_bad_alloc_error_handler(onBadAlloc);
  });

  // Lives on where a thread cannot be stopped.
  auto surroundings = std::make_unique<Surroundings>();
  auto run = std::make_shared<Run>(std::move(body));
  std::optional<pthread_t> thread = startThread(run);
  if (!thread)
    return make_error<GuardFailure>(Kind::OutOfMemory, "there is no memory for the compiler's thread", "");

  std::unique_lock<std::mutex> lock(run->mutex);
  const Clock::time_point end = Clock::now() + limits.time;
  auto isDone = [&] { return run->state != Run::State::Running; };
  std::optional<Clock::time_point> stopped, failed;
  while (!run->changed.wait_for(lock, stopped ? pokeInterval : pollInterval, isDone)) {
    lock.unlock();
    if (run->failing && !failed)
      failed = Clock::now();
    if (stopped || failed) {
      if (Clock::now() - std::max(stopped, failed).value() > patience)
        break;
      run->endsNote = failed && Clock::now() - *failed > notePatience;
      if (!failed || run->endsNote)
        CrashSignals::poke(*thread);
    } else {
      bool late = limits.time.count() && Clock::now() >= end;
      if (late || (limits.interrupted && limits.interrupted())) {
        stopped = Clock::now();
        run->stopReason = run->kind = late ? Kind::TimeLimit : Kind::Interrupted;
        run->stopping = true;
      }
    }
    lock.lock();
  }
  if (!lock)
    surroundings.release(); // left behind, and may yet crash
  else if (run->state == Run::State::Returned && !(stopped && run->result))
    return std::move(run->result);
  else if (run->state == Run::State::Failed)
    askForMemory(*run);
  return make_error<GuardFailure>(run->kind, describe(*run, limits), run->where.str().rtrim().str());
}

bool isStopRequested() {
  Run *run = currentRun();
  return run && run->stopping;
}

void noteWhereStopped() {
  if (Run *run = currentRun()) {
    run->returning = true;
    run->noteWhere();
  }
}

} // namespace tilewright
