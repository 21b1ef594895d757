// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PREDICT_TILE_H
#define TILEWRIGHT_PREDICT_TILE_H

#include "predict/Work.h"

namespace tilewright::predict {

/// The memory that one execution of an access touches.
struct Tile {
  uint64_t key = 0;       // equal for equal tiles of one array
  double bytes = 0;       // of its elements that are in bounds
  double sectorBytes = 0; // of the sectors of 32 bytes that these lie in
  double ownBytes = 0;    // likewise, each sector that neighbouring tiles share in part counted for one of them
  bool isKnown = true;    // its place
};
Tile tileOf(const Access &access, Evaluator &evaluate);
/// The part of a tile that a block itself fetches: less than all of it where those of a cluster share it.
double fetchedPart(const Access &access, Evaluator &evaluate);
/// Elements of a tile of a view along a dimension that lie inside of the array.
int64_t insideOf(const Access &access, unsigned dim, Evaluator &evaluate);
/// Of the array behind a view; nothing if its extents are not known.
std::optional<double> arrayBytesOf(const Access &access, Evaluator &evaluate);

/// Iterations of a loop, the most where an unknown condition chooses how many; nothing if they are not known.
std::optional<int64_t> tripsOf(const Step &loop, Evaluator &evaluate);
/// Gives the variable of a loop its value in an iteration, counted from 0.
void enterIteration(const Step &loop, int64_t number, Evaluator &evaluate);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_TILE_H
