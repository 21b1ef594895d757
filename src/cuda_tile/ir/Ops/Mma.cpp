// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

/// Shapes MxK, KxN, MxN, or all with a leading batch.
static LogicalResult verifyShapes(Operation *op, TileType lhs, TileType rhs, TileType acc) {
  int64_t rank = lhs.getRank();
  if ((rank != 2 && rank != 3) || rhs.getRank() != rank || acc.getRank() != rank) {
    return op->emitOpError("expected three tiles of rank 2 or 3, got ") << lhs << ", " << rhs << " and " << acc;
  }
  ArrayRef<int64_t> a = lhs.getShape(), b = rhs.getShape(), c = acc.getShape();
  if (rank == 3 && (a[0] != b[0] || a[0] != c[0])) {
    return op->emitOpError("expected one batch size, got ") << a[0] << ", " << b[0] << " and " << c[0];
  }
  if (a[rank - 1] != b[rank - 2] || a[rank - 2] != c[rank - 2] || b[rank - 1] != c[rank - 1]) {
    return op->emitOpError("expected shapes MxK, KxN and MxN, got ") << lhs << ", " << rhs << " and " << acc;
  }
  return success();
}

static bool isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

LogicalResult MmaFOp::verify() {
  Type lhs = getLhs().getType().getElementType(), rhs = getRhs().getType().getElementType();
  Type acc = getAcc().getType().getElementType();
  if (lhs != rhs) {
    return emitOpError("expected lhs and rhs of one element type, got ") << lhs << " and " << rhs;
  }
  bool isHalfAcc = acc.isF16() && (lhs.isF16() || isFp8(lhs));
  bool isFloatAcc = acc.isF32() && (isa<Float16Type, BFloat16Type, Float32Type, FloatTF32Type>(lhs) || isFp8(lhs));
  if (!isHalfAcc && !isFloatAcc && !(acc.isF64() && lhs.isF64())) {
    return emitOpError("cannot accumulate products of ") << lhs << " in " << acc;
  }
  return verifyShapes(*this, getLhs().getType(), getRhs().getType(), getAcc().getType());
}

LogicalResult MmaIOp::verify() {
  Type lhs = getLhs().getType().getElementType(), rhs = getRhs().getType().getElementType();
  Type acc = getAcc().getType().getElementType();
  if (!lhs.isInteger(8) || !rhs.isInteger(8) || !acc.isInteger(32)) {
    return emitOpError("expected i8, i8 and i32 elements, got ") << lhs << ", " << rhs << " and " << acc;
  }
  return verifyShapes(*this, getLhs().getType(), getRhs().getType(), getAcc().getType());
}

/// Lengths of K that may share one scale; none if the types do not go together.
static SmallVector<int64_t> getBlockSizes(Type element, Type scale) {
  if (isFp8(element)) {
    return isa<Float8E8M0FNUType>(scale) ? SmallVector<int64_t>{32} : SmallVector<int64_t>{};
  }
  if (!isa<Float4E2M1FNType>(element)) {
    return {};
  }
  if (isa<Float8E4M3FNType>(scale)) {
    return {16};
  }
  return isa<Float8E8M0FNUType, F8E5M3FNUType>(scale) ? SmallVector<int64_t>{16, 32} : SmallVector<int64_t>{};
}

LogicalResult MmaFScaledOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType(), acc = getAcc().getType();
  TileType lhsScale = getLhsScale().getType(), rhsScale = getRhsScale().getType();
  SmallVector<int64_t> sizes = getBlockSizes(lhs.getElementType(), lhsScale.getElementType());
  if (lhs.getElementType() != rhs.getElementType() || lhsScale.getElementType() != rhsScale.getElementType() ||
      sizes.empty() || !acc.getElementType().isF32()) {
    return emitOpError("cannot multiply ")
           << lhs.getElementType() << " and " << rhs.getElementType() << " scaled by " << lhsScale.getElementType()
           << " and " << rhsScale.getElementType() << " into " << acc.getElementType();
  }
  if (failed(verifyShapes(*this, lhs, rhs, acc))) {
    return failure();
  }
  int64_t rank = lhs.getRank(), depth = lhs.getShape().back();
  for (int64_t size : sizes) {
    SmallVector<int64_t> lhsShape(lhs.getShape()), rhsShape(rhs.getShape());
    lhsShape[rank - 1] = rhsShape[rank - 2] = depth / size;
    if (lhsScale.getShape() == ArrayRef(lhsShape) && rhsScale.getShape() == ArrayRef(rhsShape)) {
      return success();
    }
  }
  auto diagnostic = emitOpError("expected one scale per ");
  llvm::interleave(sizes, diagnostic, " or ");
  return diagnostic << " elements along K, got " << lhsScale << " and " << rhsScale << " for K " << depth;
}
