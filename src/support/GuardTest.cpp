// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Guard.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <csignal>
#include <malloc.h>
#include <thread>
#include <unistd.h>

using namespace tilewright;

namespace {

GuardFailure::Kind kindOf(llvm::Error error) {
  GuardFailure::Kind kind = GuardFailure::Kind::Fatal;
  bool found = false;
  llvm::handleAllErrors(std::move(error), [&](const GuardFailure &failure) {
    kind = failure.getKind();
    found = true;
  });
  EXPECT_TRUE(found);
  return kind;
}

// Ends in a stack that is full.
int descend(int depth) {
  volatile char frame[1000];
  frame[depth % sizeof(frame)] = 1;
  return descend(depth + 1) + frame[0];
}

// Frees memory before a chunk whose size is wrong: the C library sees it with its heap's lock in hand, and aborts.
void freeBeforeBrokenChunk(char *memory) {
  *reinterpret_cast<volatile size_t *>(memory + malloc_usable_size(memory)) = ~size_t(0);
  std::free(memory);
}
constexpr size_t beyondThreadCache = 8000;

char *allocateInHeap() {
  char *volatile memory = static_cast<char *>(std::malloc(beyondThreadCache));
  return memory;
}

// LLVM's note of where it was may allocate.
struct AllocatingEntry : llvm::PrettyStackTraceEntry {
  void print(llvm::raw_ostream &os) const override {
    std::free(allocateInHeap());
    os << "somewhere";
  }
};

#if __has_feature(address_sanitizer)
constexpr bool hasLibraryHeap = false;
#else
constexpr bool hasLibraryHeap = true;
#endif

// In a process of its own, which is not used any further.
[[noreturn]] void tell(llvm::Error error) {
  llvm::errs() << llvm::toString(std::move(error)) << '\n';
  _exit(0);
}

} // namespace

TEST(Guard, aCrashWithinTheAllocatorBecomesAnError) {
  if (!hasLibraryHeap)
    GTEST_SKIP() << "the sanitizer has an allocator of its own";
  auto crash = []() -> llvm::Error {
    freeBeforeBrokenChunk(allocateInHeap());
    return llvm::Error::success();
  };
  EXPECT_EXIT((alarm(20), tell(runGuarded(crash))), testing::ExitedWithCode(0), "the compiler crashed .signal 6.");
}

TEST(Guard, aNoteThatWaitsForTheAllocatorIsGivenUp) {
  if (!hasLibraryHeap)
    GTEST_SKIP() << "the sanitizer has an allocator of its own";
  auto crash = []() -> llvm::Error {
    AllocatingEntry entry;
    freeBeforeBrokenChunk(allocateInHeap());
    return llvm::Error::success();
  };
  EXPECT_EXIT((alarm(20), tell(runGuarded(crash))), testing::ExitedWithCode(0), "the compiler crashed .signal 6.");
}

// The memory is of the caller's part of the heap, and the caller waits for its lock.
TEST(Guard, aProcessWithoutAnAllocatorEndsWithAReport) {
  if (!hasLibraryHeap)
    GTEST_SKIP() << "the sanitizer has an allocator of its own";
  auto run = [] {
    alarm(20);
    char *memory = allocateInHeap();
    allocateInHeap(); // or the chunk behind is the free rest
    tell(runGuarded([memory]() -> llvm::Error {
      freeBeforeBrokenChunk(memory);
      return llvm::Error::success();
    }));
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGABRT),
              "error: the compiler failed within the memory allocator, which is locked for good .signal 6.");
}

TEST(Guard, aResultPassesThrough) {
  EXPECT_FALSE(bool(runGuarded([] { return llvm::Error::success(); })));
  EXPECT_EQ(llvm::toString(runGuarded([] { return llvm::createStringError("no such level"); })), "no such level");
}

TEST(Guard, aFatalErrorBecomesAnError) {
  llvm::Error error = runGuarded([]() -> llvm::Error { llvm::report_fatal_error("cannot select"); });
  EXPECT_EQ(llvm::toString(std::move(error)), "the compiler failed: cannot select");
}

TEST(Guard, aCrashBecomesAnErrorAndTheProcessGoesOn) {
  for (int time = 0; time < 2; ++time) {
    llvm::Error error = runGuarded([]() -> llvm::Error {
      std::raise(SIGSEGV);
      return llvm::Error::success();
    });
    EXPECT_EQ(llvm::toString(std::move(error)), "the compiler crashed (signal 11), please report the module as a bug");
  }
}

TEST(Guard, afterAnExhaustedStackTheProcessGoesOn) {
  for (int time = 0; time < 2; ++time) {
    llvm::Error error = runGuarded([]() -> llvm::Error { return llvm::createStringError(std::to_string(descend(0))); });
    EXPECT_EQ(llvm::toString(std::move(error)), "the compiler ran out of stack, of which it has 64 MiB: an expression "
                                                "or a nest of regions is too deep");
  }
}

TEST(Guard, noMemoryIsAnError) {
  EXPECT_EQ(kindOf(runGuarded([]() -> llvm::Error {
              volatile size_t bytes = size_t(1) << 46; // else the compiler removes it as unused
              return llvm::createStringError(std::string(static_cast<char *>(::operator new(bytes)), 1));
            })),
            GuardFailure::Kind::OutOfMemory);
}

TEST(Guard, anExceptionIsAnError) {
  llvm::Error error = runGuarded([]() -> llvm::Error { throw std::runtime_error("no luck"); });
  EXPECT_EQ(llvm::toString(std::move(error)), "the compiler failed: no luck");
}

// A thread that waits in the C library cannot be stopped: it is left behind.
TEST(Guard, theCallerReturnsFromABodyThatWaits) {
  Limits limits{std::chrono::milliseconds(50), {}};
  llvm::Error error = runGuarded(
      []() -> llvm::Error {
        for (;;)
          pause();
      },
      limits);
  EXPECT_EQ(llvm::toString(std::move(error)), "the compiler was not done after 0.05 s");
}

TEST(Guard, theCallerMayInterrupt) {
  int asked = 0;
  Limits limits{std::chrono::milliseconds(0), [&] { return ++asked == 3; }};
  EXPECT_EQ(kindOf(runGuarded(
                []() -> llvm::Error {
                  for (;;)
                    pause();
                },
                limits)),
            GuardFailure::Kind::Interrupted);
}

TEST(Guard, bodiesOnManyThreadsFailEachForItself) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int time = 0; time < 20; ++time) {
        llvm::Error error = runGuarded([i]() -> llvm::Error {
          if (i % 4 == 0)
            std::raise(SIGSEGV);
          if (i % 4 == 1)
            std::abort();
          if (i % 4 == 2)
            llvm::report_fatal_error("planted");
          return llvm::createStringError("refused");
        });
        constexpr const char *expected[] = {"signal 11", "signal 6", "planted", "refused"};
        right += llvm::toString(std::move(error)).find(expected[i % 4]) != std::string::npos;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8 * 20);
}

// The host's handlers are in place when nothing is compiled.
TEST(Guard, signalsGoBackToTheHost) {
  struct sigaction before{}, after{};
  std::signal(SIGFPE, SIG_IGN);
  sigaction(SIGFPE, nullptr, &before);
  EXPECT_FALSE(bool(runGuarded([] { return llvm::Error::success(); })));
  sigaction(SIGFPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  std::signal(SIGFPE, SIG_DFL);
}
