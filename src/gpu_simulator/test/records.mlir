// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records change no result and no order of pipelines: the kernel of agents.mlir, which a producer feeds, with them.
// RUN: tilewright-opt %S/agents.mlir --tileas-attach-target=arch=sm_90a --tileas-insert-records -o %t
// RUN: FileCheck %s --check-prefix=CODE < %t
// RUN: %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 --arg 0 --arg 0 --schedules 100 | FileCheck %S/agents.mlir --check-prefix=RESULT
// CODE: tileas.agents
// CODE: tileas.record
// CODE: }, {
// CODE: tileas.record
