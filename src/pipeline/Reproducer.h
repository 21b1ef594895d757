// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that is kept of a module that the compiler failed on.
#ifndef TILEWRIGHT_PIPELINE_REPRODUCER_H
#define TILEWRIGHT_PIPELINE_REPRODUCER_H

#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"

namespace tilewright {

// Writes the module as it came, as text where it can still be read, into TILEWRIGHT_REPRODUCER_DIR or the system's
// folder for temporary files. Returns the rest of a message: where it is, and the command that shows the failure again;
// nothing where it cannot be kept.
std::string keepForReport(const TileIrFile &file, Level level, const Target &target, const PipelineOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_REPRODUCER_H
