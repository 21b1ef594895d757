// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/llvm/PrintLlvmPasses.h"

#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

// The kinds of units that LLVM's pass managers hand to callbacks.
void printUnit(Any unit, raw_ostream &os) {
  if (auto *module = any_cast<const Module *>(&unit))
    (*module)->print(os, nullptr);
  else if (auto *function = any_cast<const Function *>(&unit))
    (*function)->print(os);
  else if (auto *loop = any_cast<const Loop *>(&unit))
    (*loop)->getHeader()->getParent()->print(os);
  else if (auto *component = any_cast<const LazyCallGraph::SCC *>(&unit))
    for (const LazyCallGraph::Node &node : **component)
      node.getFunction().print(os);
}

} // namespace

void printBeforeLlvmPasses(PassInstrumentationCallbacks &callbacks, raw_ostream *os) {
  if (!os)
    return;
  callbacks.registerBeforeNonSkippedPassCallback([os](StringRef pass, Any unit) {
    if (isSpecialPass(pass, {"PassManager", "PassAdaptor", "AnalysisManagerProxy", "DevirtSCCRepeatedPass",
                             "ModuleInlinerWrapperPass", "VerifierPass"}))
      return;
    *os << "; *** IR Dump Before " << pass << " ***\n";
    printUnit(unit, *os);
  });
}

} // namespace tilewright
