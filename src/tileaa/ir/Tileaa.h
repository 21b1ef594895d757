// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_IR_TILEAA_H
#define TILEWRIGHT_TILEAA_IR_TILEAA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tileaa/ir/TileaaDialect.h.inc"
#include "tileaa/ir/TileaaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tileaa/ir/TileaaAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tileaa/ir/TileaaTypes.h.inc"

#define GET_OP_CLASSES
#include "tileaa/ir/TileaaOps.h.inc"

namespace tilewright::tileaa {

/// Of a function that is a kernel.
constexpr llvm::StringLiteral kernelAttr = "tileaa.kernel";
inline bool isKernel(mlir::Operation *op) {
  return op->hasAttr(kernelAttr);
}
/// Of a kernel: the numbers of the parameters that are not negative, as extents are.
constexpr llvm::StringLiteral nonNegativeAttr = "tileaa.non_negative";
/// Of a module: the path of the bitcode of libdevice that its functions come from (call-libdevice).
constexpr llvm::StringLiteral libdeviceAttr = "tileaa.libdevice";
/// Of a kernel: the tiles that are worked on slice by slice, as in "1024x1024xf32 by 16x1024" (tileaa-slice-and-fuse).
constexpr llvm::StringLiteral slicesAttr = "tileaa.slices";

/// How caches treat the data of a load or store, and the same for the operation that it is.
CachePolicy cachePolicyOf(mlir::Operation *access);
void setCachePolicy(mlir::Operation *access, CachePolicy policy);
/// The memory ordering of an access through addresses; none of a plain one, and of other operations.
std::optional<Ordering> orderingOf(mlir::Operation *op);
inline bool acquires(Ordering ordering) {
  return ordering == Ordering::Acquire || ordering == Ordering::AcqRel;
}
inline bool releases(Ordering ordering) {
  return ordering == Ordering::Release || ordering == Ordering::AcqRel;
}

} // namespace tilewright::tileaa

#endif
