// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::cuda_tile {

/// `a, b or c`
template <typename Enum> static std::string listOf(ArrayRef<Enum> values, StringRef (*name)(Enum)) {
  std::string text;
  for (auto [i, value] : llvm::enumerate(values)) {
    text += i == 0 ? "" : i + 1 == values.size() ? " or " : ", ";
    text += name(value);
  }
  return text;
}

LogicalResult verifyRounding(Operation *op, RoundingMode mode, ArrayRef<RoundingMode> allowed) {
  if (llvm::is_contained(allowed, mode)) {
    return success();
  }
  return op->emitOpError("expected rounding ")
         << listOf(allowed, stringifyRoundingMode) << ", got " << stringifyRoundingMode(mode);
}

LogicalResult verifyF32Only(Operation *op, StringRef what, bool isSet, Type tile) {
  Type element = cast<TileType>(tile).getElementType();
  if (!isSet || element.isF32()) {
    return success();
  }
  return op->emitOpError("expected f32 elements with ") << what << ", got " << element;
}

//===- Hints ----------------------------------------------------------------------------===//

namespace {
struct HintRule {
  HintSite site;
  StringLiteral name;
  // An integer within [low, high]; high 0 means a boolean.
  int64_t low, high;
  bool isPowerOfTwo;
};
} // namespace

static constexpr HintRule hintRules[] = {
    {HintSite::Entry, "num_cta_in_cga", 1, 16, true},
    {HintSite::Entry, "occupancy", 1, 32, false},
    {HintSite::Entry, "num_worker_warps_per_cta", 1, 32, true},
    {HintSite::View, "allow_tma", 0, 0, false},
    {HintSite::View, "latency", 1, 10, false},
    {HintSite::Pointer, "latency", 1, 10, false},
};

namespace {
struct Architecture {
  StringLiteral name;
  // Clusters of blocks came with sm_90.
  bool hasClusters;
};
} // namespace

static constexpr Architecture architectures[] = {
    {"default", true}, {"sm_80", false}, {"sm_86", false}, {"sm_87", false}, {"sm_88", false},
    {"sm_89", false},  {"sm_90", true},  {"sm_100", true}, {"sm_103", true}, {"sm_107", true},
    {"sm_110", true},  {"sm_120", true}, {"sm_121", true}};

static LogicalResult verifyHint(Operation *op, NamedAttribute hint, const Architecture &architecture, HintSite site) {
  StringRef name = hint.getName().getValue();
  const HintRule *rule =
      llvm::find_if(hintRules, [&](const HintRule &rule) { return rule.site == site && rule.name == name; });
  if (rule == std::end(hintRules)) {
    return op->emitOpError("has no hint '") << name << "'";
  }
  if (rule->high == 0) {
    if (!isa<BoolAttr>(hint.getValue())) {
      return op->emitOpError("expected true or false for hint '") << name << "', got " << hint.getValue();
    }
    return success();
  }
  auto value = dyn_cast<IntegerAttr>(hint.getValue());
  if (!value || !value.getType().isInteger(32)) {
    return op->emitOpError("expected an i32 for hint '") << name << "', got " << hint.getValue();
  }
  int64_t number = value.getInt();
  if (number < rule->low || number > rule->high || (rule->isPowerOfTwo && !llvm::isPowerOf2_64(number))) {
    return op->emitOpError("expected hint '") << name << "' to be " << (rule->isPowerOfTwo ? "a power of two " : "")
                                              << "from " << rule->low << " to " << rule->high << ", got " << number;
  }
  if (name == "num_cta_in_cga" && number != 1 && !architecture.hasClusters) {
    return op->emitOpError("expected hint 'num_cta_in_cga' to be 1 for ")
           << architecture.name << ", which has no clusters, got " << number;
  }
  return success();
}

LogicalResult verifyHints(Operation *op, OptimizationHintsAttr hints, HintSite site) {
  if (!hints) {
    return success();
  }
  for (NamedAttribute entry : hints.getValue()) {
    StringRef name = entry.getName().getValue();
    const Architecture *architecture =
        llvm::find_if(architectures, [&](const Architecture &known) { return known.name == name; });
    if (architecture == std::end(architectures)) {
      return op->emitOpError("expected hints for 'default' or a known architecture, got '") << name << "'";
    }
    for (NamedAttribute hint : cast<DictionaryAttr>(entry.getValue())) {
      if (failed(verifyHint(op, hint, *architecture, site))) {
        return failure();
      }
    }
  }
  return success();
}

//===- Memory ---------------------------------------------------------------------------===//

LogicalResult verifyOrdering(Operation *op, MemoryOrderingSemantics ordering, std::optional<MemoryScope> scope,
                             ArrayRef<MemoryOrderingSemantics> allowed) {
  if (!llvm::is_contained(allowed, ordering)) {
    return op->emitOpError("expected ordering ") << listOf(allowed, stringifyMemoryOrderingSemantics) << ", got "
                                                 << stringifyMemoryOrderingSemantics(ordering);
  }
  if (ordering == MemoryOrderingSemantics::WEAK && scope) {
    return op->emitOpError("expected no scope with weak ordering, got ") << stringifyMemoryScope(*scope);
  }
  if (ordering != MemoryOrderingSemantics::WEAK && !scope) {
    return op->emitOpError("expected a scope with ")
           << stringifyMemoryOrderingSemantics(ordering) << " ordering: tl_blk, device or sys";
  }
  return success();
}

/// Along the sparse dimension of a gather/scatter view the index is a list, elsewhere a scalar; the scalars are of
/// one type.
static LogicalResult verifyIndexTypes(Operation *op, TileView view, OperandRange index) {
  auto gather = dyn_cast<GatherScatterViewType>(view);
  Type scalar;
  for (auto [dim, value] : llvm::enumerate(index)) {
    auto type = cast<TileType>(value.getType());
    bool isList = gather && gather.getSparseDim() == static_cast<int32_t>(dim);
    SmallVector<int64_t> shape;
    if (isList) {
      shape.push_back(view.getTileShape()[dim]);
    }
    if (type.getShape() != ArrayRef(shape)) {
      return op->emitOpError("expected index ")
             << dim << " to be " << TileType::get(shape, type.getElementType()) << ", got " << type;
    }
    if (isList) {
      continue;
    }
    if (scalar && type != scalar) {
      return op->emitOpError("expected scalar indices of one type, got ") << scalar << " and " << type;
    }
    scalar = type;
  }
  return success();
}

LogicalResult verifyPlace(Operation *op, TileView view, OperandRange index, Type tile, ArrayRef<bool> inbounds) {
  if (static_cast<int64_t>(index.size()) != view.getIndexRank()) {
    return op->emitOpError("expected ") << view.getIndexRank() << " indices, one per dimension of the view, got "
                                        << index.size();
  }
  if (failed(verifyIndexTypes(op, view, index))) {
    return failure();
  }
  if (tile != view.getTileType()) {
    return op->emitOpError("expected the tile of the view, ") << view.getTileType() << ", got " << tile;
  }
  if (!inbounds.empty() && inbounds.size() != index.size()) {
    return op->emitOpError("expected inbounds to be empty or to have ")
           << index.size() << " values, got " << inbounds.size();
  }
  return success();
}

LogicalResult verifyPointers(Operation *op, Value pointers, StringRef valueName, Type value, Value mask) {
  auto pointerTile = cast<TileType>(pointers.getType());
  auto expected = TileType::get(pointerTile.getShape(), cast<PtrType>(pointerTile.getElementType()).getPointee());
  if (value != expected) {
    return op->emitOpError("expected ") << valueName << " to be " << expected << ", got " << value;
  }
  if (mask && cast<TileType>(mask.getType()).getShape() != pointerTile.getShape()) {
    return op->emitOpError("expected the mask to have the shape of the pointers, got ")
           << mask.getType() << " and " << pointerTile;
  }
  return success();
}

} // namespace tilewright::cuda_tile
