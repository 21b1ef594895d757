// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The content of a Tile IR file, for people and, as JSON, for programs: `tilewright info`.
#ifndef TILEWRIGHT_PIPELINE_ENTRY_MODULEINFO_H
#define TILEWRIGHT_PIPELINE_ENTRY_MODULEINFO_H

#include "pipeline/TileIrFile.h"

namespace tilewright {

// The file, the sections of bytecode, and each entry with its parameters and the number of operations of each kind.
// Ends with a newline.
llvm::Expected<std::string> describeFile(const TileIrFile &file, bool json);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ENTRY_MODULEINFO_H
