// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_IR_TILEAS_H
#define TILEWRIGHT_TILEAS_IR_TILEAS_H

#include "layout/LinearLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tileaa/ir/Tileaa.h"
#include "tileas/ir/ScheduleItem.h"

namespace tilewright::nvidia {
struct Architecture;
} // namespace tilewright::nvidia

namespace tilewright::tileas {
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "shared memory"; }
};
struct RecordsResource : mlir::SideEffects::Resource::Base<RecordsResource> {
  llvm::StringRef getName() final { return "records"; }
};
struct TensorMemory : mlir::SideEffects::Resource::Base<TensorMemory> {
  llvm::StringRef getName() final { return "tensor memory"; }
};

/// A number that a launcher knows: a parameter of the kernel, or a constant where there is none.
struct LaunchValue {
  std::optional<unsigned> parameter;
  int64_t constant = 0;

  bool operator==(const LaunchValue &other) const { return parameter == other.parameter && constant == other.constant; }
};
llvm::hash_code hash_value(const LaunchValue &value);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LaunchValue &value);
} // namespace tilewright::tileas

#include "tileas/ir/TileasDialect.h.inc"

#include "tileas/ir/TileasEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tileas/ir/TileasAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tileas/ir/TileasTypes.h.inc"

#include "tileas/ir/TileasInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tileas/ir/TileasOps.h.inc"

namespace tilewright::tileas {

/// The layout of a tile at this level.
const layout::LinearLayout &layoutOf(mlir::RankedTensorType tile);
inline const layout::LinearLayout &layoutOf(mlir::Value tile) {
  return layoutOf(mlir::cast<mlir::RankedTensorType>(tile.getType()));
}
inline bool hasLayout(mlir::Type type) {
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tile && mlir::isa_and_nonnull<LayoutAttr>(tile.getEncoding());
}
/// The type with that layout, of the layout's shape.
mlir::RankedTensorType typeWith(mlir::Type elementType, const layout::LinearLayout &layout);
/// Gives a tile that an operation makes another layout; of a constant its numbers, too.
void retype(mlir::OpResult tile, mlir::RankedTensorType type);

/// The target of a module, which tileas-attach-target gives it.
constexpr llvm::StringLiteral targetAttr = "tileas.target";
/// That of the module around an operation. Null where there is none, which is reported at the operation.
TargetAttr targetOf(mlir::Operation *op);
const nvidia::Architecture *architectureOf(mlir::Operation *op);

/// The CTA of a function. Null before plan-cta gives it one.
constexpr llvm::StringLiteral ctaAttr = "tileas.cta";
CtaAttr ctaOf(mlir::Operation *function);
/// The same for a pass that cannot do without: null is reported as an error.
CtaAttr expectCta(mlir::Operation *function);
void setCta(mlir::Operation *function, CtaAttr cta);
int64_t warpsOf(mlir::Operation *function);
/// The CTAs of a function's cluster; 1 where there is none.
int64_t clusterOf(mlir::Operation *function);
/// The CTAs that work on a tile block of a function.
int64_t splitOf(mlir::Operation *function);
/// Bytes of shared memory; 0 before they are assigned.
int64_t sharedBytesOf(mlir::Operation *function);

/// Of a loop its schedule, or why it has none, and of its operations what that is made from.
constexpr llvm::StringLiteral scheduleAttr = "tileas.schedule", serialAttr = "tileas.serial", costAttr = "tileas.cost";

/// The size of a tensor map.
constexpr int64_t tmaDescBytes = 128;
/// A coordinate has 32 bits, and room behind it for a box. A launcher gives no larger array (runtime/cuda/GpuImage.h).
constexpr int64_t mostTmaCoordinate = (int64_t(1) << 31) - (1 << 16);
/// The tensor maps that the launcher encodes, one for each of a kernel's last parameters.
constexpr llvm::StringLiteral tmaDescsAttr = "tileas.tma_descs";
llvm::SmallVector<TmaDescAttr> tmaDescsOf(mlir::Operation *function);
/// The box of a tensor map.
llvm::ArrayRef<int64_t> boxOf(mlir::Value desc);
/// Of a module: its prints and asserts, once they are lowered.
constexpr llvm::StringLiteral hostSitesAttr = "tileas.host_sites";
/// Of a function that writes records (tileas-insert-records): the agents of a CTA that do, and what their words stand
/// for. The parameters with the place of records are before those with tensor maps.
constexpr llvm::StringLiteral recordTracksAttr = "tileas.record_tracks", recordSitesAttr = "tileas.record_sites";
/// Bytes that tileas-allocate-shared leaves in a function with prints or asserts, for the place of their records.
constexpr int64_t hostPlaceBytes = 8;

/// Whether the tensor core multiplies for whole warpgroups, also where sums are not yet in tensor memory.
bool isByWarpgroups(MmaOp mma);
/// Whether it multiplies buffers that hardware reads past the caches of the threads.
bool multipliesByHardware(mlir::Operation *op);

/// The layout of the result of `split_warps` along a dimension.
layout::LinearLayout splitWarps(const layout::LinearLayout &layout, unsigned dim);

} // namespace tilewright::tileas

#endif
