// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per operation that is no expression: it becomes loops or operations on tiles in memory, and goes.
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_LINALG_LOWERINGS_H
#define TILEWRIGHT_LOWER_TILEAA_TO_LINALG_LOWERINGS_H

#include "lower/tileaa_to_linalg/Materializer.h"
#include "tileaa/ir/Tileaa.h"

namespace tilewright {

inline mlir::RankedTensorType tileType(mlir::Value tile) {
  return mlir::cast<mlir::RankedTensorType>(tile.getType());
}

void lowerLoadPtr(tileaa::LoadPtrOp load, Materializer &tiles);
void lowerStorePtr(tileaa::StorePtrOp store, Materializer &tiles);
void lowerAtomicRmw(tileaa::AtomicRmwOp atomic, Materializer &tiles);
void lowerAtomicCas(tileaa::AtomicCasOp atomic, Materializer &tiles);

void lowerReshape(tileaa::ReshapeOp reshape, Materializer &tiles);
void lowerExtract(tileaa::ExtractOp extract, Materializer &tiles);
void lowerInsert(tileaa::InsertOp insert, Materializer &tiles);
void lowerCat(tileaa::CatOp cat, Materializer &tiles);

void lowerReduce(tileaa::ReduceOp reduce, Materializer &tiles);
void lowerScan(tileaa::ScanOp scan, Materializer &tiles);
void lowerMma(tileaa::MmaOp mma, Materializer &tiles);

} // namespace tilewright

#endif
