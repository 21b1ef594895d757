// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the table, as the pipeline and launches take them: for sessions of the C interface, for the command
// and for Python alike.
#ifndef TILEWRIGHT_SESSION_SETTINGS_H
#define TILEWRIGHT_SESSION_SETTINGS_H

#include "options/Option.h"
#include "pipeline/Pipeline.h"

namespace tilewright::session {

struct Settings {
  PipelineOptions pipeline;
  bool hasLineInfo = false, isForDebugger = false;
  std::string math;

  int device = 0;          // number of the GPU
  std::string cacheFolder; // none if empty
  uint64_t cacheBytes = 0;

  // Of the interpreter and the simulator of GPUs.
  int64_t stepLimit = 0, schedules = 1;
  uint64_t seed = 0;

  /// The values in the environment, and else the initial ones, of all options that sessions have. An error for a
  /// variable whose value is not legal.
  static llvm::Expected<Settings> fromEnvironment();

  /// A value that the table has read for an option. Nothing happens for one that is no setting, as `output`.
  llvm::Error set(const Option &option, const Value &value);

  /// The pipeline's options, once all are set: debug information and NVIDIA's functions are chosen together.
  llvm::Expected<PipelineOptions> resolve() const;
};

/// Whether `set` does something with it.
bool isSetting(llvm::StringRef option);

} // namespace tilewright::session

#endif
