// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LAYOUT_LAYOUTTABLE_H
#define TILEWRIGHT_LAYOUT_LAYOUTTABLE_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

// The tile as a table: in each cell who holds the element, as "lane.register", "warp/lane.register" or the offset.
// Neighbours in a row that have neighbouring registers or offsets share a cell, which names the first. A plus says that
// others hold copies. Tiles of more than two dimensions are shown with the first ones flattened; of a large tile, the
// first rows and columns.
std::string layoutTable(const LinearLayout &layout);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_LAYOUTTABLE_H
