// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier between `tileas` and its lowering: rules that a function keeps when it becomes code of one thread.
//
// A rule has a name, the operation that it is about, and a predicate: a function `faultOf` of the operation that
// returns the fault, as the rest of a sentence that begins with the operation, or nothing. The predicates of single
// operations stand in ThreadElements.h and Products.h, where the lowering may assert them; rules about a whole function
// are checked in the file of their group.
#ifndef TILEWRIGHT_TILEAS_VERIFY_VERIFIER_H
#define TILEWRIGHT_TILEAS_VERIFY_VERIFIER_H

#include "machine/Architecture.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// "has no offset, expected one"; empty where the operation is legal.
using Fault = std::string;

class Verifier {
public:
  Verifier(mlir::func::FuncOp function, const nvidia::Architecture &architecture)
      : function(function), architecture(architecture), warps(warpsOf(function)) {}

  /// An error at the operation that names the rule; the caller adds the fault.
  mlir::InFlightDiagnostic report(mlir::Operation *op, llvm::StringRef rule) {
    broken = true;
    return op->emitOpError() << "breaks the rule '" << rule << "': ";
  }
  void check(mlir::Operation *op, llvm::StringRef rule, const Fault &fault) {
    if (!fault.empty())
      report(op, rule) << fault;
  }
  bool isBroken() const { return broken; }

  mlir::func::FuncOp function;
  const nvidia::Architecture &architecture;
  int64_t warps;

private:
  bool broken = false;
};

/// legal-operation, tile-layout, equal-layouts. The rules below compute with layouts, once these hold.
void checkOperations(Verifier &verifier);
/// in-thread, in-warp, read-part, atomic.
void checkThreadElements(Verifier &verifier);
/// product-atom, product-type, product-accumulator, product-operand, product-wait, tmem-access.
void checkProducts(Verifier &verifier);
/// memory-place, memory-overlap, memory-limit. Whether everything in shared memory has a place.
bool checkSharedMemory(Verifier &verifier);
/// tmem-columns, threads, registers, register-file, named-barriers, mbarrier-arrivals.
void checkResources(Verifier &verifier);
/// agents, pipeline-side, pipeline-balance, pipeline-stage, pipeline-rounds. Whether each operation of a pipeline
/// stands on its side.
bool checkPipelines(Verifier &verifier);
/// cluster, cluster-rounds, mbarrier-arrivals of clusters.
void checkClusters(Verifier &verifier);
/// pipeline-state, of operations that stand on their side.
void checkPipelineStates(Verifier &verifier);
/// barrier, asynchronous-read, asynchronous-copy, of places and pipelines that are known.
void checkAccesses(Verifier &verifier);
/// asynchronous-copy, of the stages of pipelines without agents, by numbers.
void checkStageCopies(Verifier &verifier);
/// global-order.
void checkGlobalOrder(Verifier &verifier);

} // namespace tilewright::tileas

#endif
