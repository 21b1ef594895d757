// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/CrashSignals.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include <array>
#include <link.h>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

namespace tilewright {
namespace {

// How a thread is poked: ignored by default, so one that comes late does no harm.
constexpr int pokeSignal = SIGURG;
constexpr std::array<int, 7> handledSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, pokeSignal};

// Thread-specific data by keys: handlers must not allocate, which the first use of a thread_local in a library that was
// loaded late may do, and those that never do must fit into the little room that the C library keeps for all such
// libraries of a process.
class PerThread {
public:
  PerThread() { pthread_key_create(&key, nullptr); }
  void *get() const { return pthread_getspecific(key); }
  void set(const void *value) const { pthread_setspecific(key, value); }

private:
  pthread_key_t key{};
};
const PerThread currentPoint, passingOn;

std::mutex installing;
unsigned users = 0;
std::array<struct sigaction, handledSignals.size()> previous;

void onSignal(int signal, siginfo_t *info, void *context);

bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == onSignal;
}

void onSignal(int signal, siginfo_t *info, void *context) {
  int keptErrno = errno;
  if (RecoveryPoint *point = RecoveryPoint::current())
    point->handler(*point, signal == pokeSignal ? 0 : signal, *info, context);
  errno = keptErrno;
  // Not ours: for the handler that was there before, unless that one has called us.
  const struct sigaction &before = previous[llvm::find(handledSignals, signal) - handledSignals.begin()];
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && !isOurs(before) && !passingOn.get()) {
    passingOn.set(&before);
    before.sa_sigaction(signal, info, context);
    passingOn.set(nullptr);
    return;
  }
  if (signal == pokeSignal)
    return;
  struct sigaction byDefault{};
  byDefault.sa_handler = SIG_DFL;
  sigaction(signal, &byDefault, nullptr);
  if (info->si_code <= 0) // sent, by abort() or kill(): nothing would run again
    raise(signal);
}

struct Code {
  uintptr_t begin = 0, end = 0;
};

// The executable segments of the shared objects that hold LLVM, MLIR and us: one to three objects.
struct CompilerCode {
  std::array<Code, 12> segments;
  size_t count = 0;

  CompilerCode() {
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *self) {
          static_cast<CompilerCode *>(self)->add(*info);
          return 0;
        },
        this);
  }

  bool contains(uintptr_t address) const {
    for (size_t i = 0; i < count; ++i)
      if (address >= segments[i].begin && address < segments[i].end)
        return true;
    return false;
  }

private:
  void add(const dl_phdr_info &object) {
    const std::array<uintptr_t, 3> known = {
        reinterpret_cast<uintptr_t>(&isCompilerCode),
        addressOf(&llvm::LLVMContext::yield),
        addressOf(&mlir::MLIRContext::isMultithreadingEnabled),
    };
    auto holds = [&](uintptr_t address) {
      for (int i = 0; i < object.dlpi_phnum; ++i) {
        uintptr_t begin = object.dlpi_addr + object.dlpi_phdr[i].p_vaddr;
        if (object.dlpi_phdr[i].p_type == PT_LOAD && address >= begin && address < begin + object.dlpi_phdr[i].p_memsz)
          return true;
      }
      return false;
    };
    if (!llvm::any_of(known, holds))
      return;
    for (int i = 0; i < object.dlpi_phnum && count < segments.size(); ++i) {
      const auto &header = object.dlpi_phdr[i];
      uintptr_t begin = object.dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X))
        segments[count++] = {begin, begin + header.p_memsz};
    }
  }

  // Of a function that is no virtual one: its address is the first word.
  template <typename T> static uintptr_t addressOf(T member) {
    uintptr_t address;
    std::memcpy(&address, &member, sizeof(address));
    return address;
  }
};

const CompilerCode &compilerCode() {
  static const CompilerCode code;
  return code;
}

} // namespace

RecoveryPoint *RecoveryPoint::current() {
  return static_cast<RecoveryPoint *>(currentPoint.get());
}

RecoveryScope::RecoveryScope(RecoveryPoint &point) : before(RecoveryPoint::current()) {
  currentPoint.set(&point);
}
RecoveryScope::~RecoveryScope() {
  currentPoint.set(before);
}

CrashSignals::CrashSignals() {
  std::lock_guard<std::mutex> lock(installing);
  if (users++)
    return;
  compilerCode(); // a handler must not be the first to ask
  struct sigaction action{};
  action.sa_sigaction = onSignal;
  // A handler that jumps away leaves nothing blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (auto [number, before] : llvm::zip_equal(handledSignals, previous))
    sigaction(number, &action, &before);
}

CrashSignals::~CrashSignals() {
  std::lock_guard<std::mutex> lock(installing);
  if (--users)
    return;
  for (auto [number, before] : llvm::zip_equal(handledSignals, previous)) {
    struct sigaction active{};
    sigaction(number, nullptr, &active);
    // A handler that the host has installed meanwhile stays.
    if (isOurs(active))
      sigaction(number, &before, nullptr);
  }
}

void CrashSignals::poke(pthread_t thread) {
  pthread_kill(thread, pokeSignal);
}

AlternateStack::AlternateStack() {
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  if (!(stack.ss_flags & SS_DISABLE))
    return;
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return;
  memory = mapped;
  stack = {};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}
AlternateStack::~AlternateStack() {
  if (!memory)
    return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, bytes);
}

#if defined(__aarch64__)
const void *programCounter(const void *context) {
  return reinterpret_cast<const void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.pc);
}
const void *stackPointer(const void *context) {
  return reinterpret_cast<const void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.sp);
}
#else
const void *programCounter(const void *context) {
  return reinterpret_cast<const void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
}
const void *stackPointer(const void *context) {
  return reinterpret_cast<const void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RSP]);
}
#endif

bool isCompilerCode(const void *address) {
  return compilerCode().contains(reinterpret_cast<uintptr_t>(address));
}

} // namespace tilewright
