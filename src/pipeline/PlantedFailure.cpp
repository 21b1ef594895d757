// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/PlantedFailure.h"

#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

std::atomic<int> sink;

// As deep as the stack goes.
int descend(int depth) {
  volatile char frame[512];
  frame[depth % sizeof(frame)] = static_cast<char>(depth);
  return descend(depth + 1) + frame[0];
}

} // namespace

void PlantedFailure::fail() const {
  if (kind == "fatal")
    report_fatal_error("planted");
  if (kind == "crash")
    LLVM_BUILTIN_TRAP;
  if (kind == "stack")
    sink = descend(0);
  if (kind == "memory")
    for (size_t bytes = size_t(1) << 46;; bytes /= 2)
      sink = reinterpret_cast<intptr_t>(::operator new(bytes)) != 0;
  if (kind == "loop") // works, and allocates now and then as passes do
    for (int i = 0;; ++i)
      if (++sink; i % 4096 == 0)
        delete new std::string(100, 'x');
  if (kind == "wait")
    for (;;)
      pause();
}

} // namespace tilewright
