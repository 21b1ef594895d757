// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_AGENTS_LOADAHEAD_H
#define TILEWRIGHT_TILEAS_ASYNC_AGENTS_LOADAHEAD_H

#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// The registers of a thread of the producer for a tile that it writes to a buffer.
int64_t registersOfTile(BufferType buffer);
/// Whether it has them for two tiles, and loads that of the next iteration before it writes that of this one.
bool isLoadedAhead(BufferType buffer);

/// Rotates the loops of a producer in which tiles are loaded into registers:
///
/// ```
/// scf.for %i = %begin to %end {                 %first = load at %begin
///   producer_acquire                            scf.for %i = %begin to %end iter_args(%t = %first) {
///   %t = load at %i                      -->      %next = if %i + 1 < %end: load at %i + 1; else %t
///   producer_write %t                             producer_acquire
///   producer_commit                               producer_write %t
/// }                                               producer_commit
///                                                 yield %next
/// ```
void loadAhead(AgentsOp agents);

} // namespace tilewright::tileas

#endif
