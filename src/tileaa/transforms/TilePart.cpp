// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/TilePart.h"

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

// Of operations that are made again for one part.
constexpr int mostOps = 64;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

static int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
}

TilePart TilePart::whole(RankedTensorType type) {
  return {SmallVector<Offset>(type.getRank()), SmallVector<int64_t>(type.getShape())};
}

//===-- parts of operands -------------------------------------------------===//

// The dimensions of a reshape that only adds or drops those of extent one: of the result's, which of the source's.
static std::optional<SmallVector<std::optional<int64_t>>> sourceDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::optional<int64_t>> dims;
  int64_t next = 0;
  auto skipOnes = [&] {
    while (next != int64_t(from.size()) && from[next] == 1)
      ++next;
  };
  for (int64_t extent : to) {
    if (extent == 1) {
      dims.push_back(std::nullopt);
      continue;
    }
    skipOnes();
    if (next == int64_t(from.size()) || from[next] != extent)
      return std::nullopt;
    dims.push_back(next++);
  }
  skipOnes();
  return next == int64_t(from.size()) ? std::optional(dims) : std::nullopt;
}

using PartialOperands = SmallVector<std::pair<OpOperand *, TilePart>>;

static PartialOperands operandsOf(MmaOp mma, const TilePart &part) {
  size_t lead = part.sizes.size() - 2;
  TilePart lhs = part, rhs = part;
  lhs.offsets[lead + 1] = rhs.offsets[lead] = {};
  lhs.sizes[lead + 1] = rhs.sizes[lead] = typeOf(mma.getLhs()).getShape().back();
  return {{&mma.getLhsMutable(), lhs}, {&mma.getRhsMutable(), rhs}, {&mma.getAccMutable(), part}};
}

static PartialOperands operandsOf(PermuteOp permute, const TilePart &part) {
  TilePart source = part;
  for (auto [dim, from] : llvm::enumerate(permute.getPermutation()))
    source.offsets[from] = part.offsets[dim], source.sizes[from] = part.sizes[dim];
  return {{&permute.getSourceMutable(), source}};
}

static std::optional<PartialOperands> operandsOf(ReshapeOp reshape, const TilePart &part) {
  auto type = dyn_cast<RankedTensorType>(reshape.getSource().getType());
  if (!type || !isa<RankedTensorType>(reshape.getType()))
    return std::nullopt;
  auto dims = sourceDims(type.getShape(), cast<RankedTensorType>(reshape.getType()).getShape());
  if (!dims)
    return std::nullopt;
  TilePart source = TilePart::whole(type);
  for (auto [dim, from] : llvm::enumerate(*dims))
    if (from)
      source.offsets[*from] = part.offsets[dim], source.sizes[*from] = part.sizes[dim];
  return PartialOperands{{&reshape.getSourceMutable(), source}};
}

static PartialOperands operandsOf(BroadcastOp broadcast, const TilePart &part) {
  auto type = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
  if (!type)
    return {};
  TilePart source = part;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (extent == 1)
      source.offsets[dim] = {}, source.sizes[dim] = 1;
  return {{&broadcast.getSourceMutable(), source}};
}

// The part is in one of the two, at an offset that is known.
static std::optional<PartialOperands> operandsOf(CatOp cat, const TilePart &part) {
  int64_t dim = cat.getDim(), extent = typeOf(cat.getLhs()).getDimSize(dim);
  TilePart::Offset begin = part.offsets[dim];
  if (begin.value)
    return std::nullopt;
  if (begin.constant + part.sizes[dim] <= extent)
    return PartialOperands{{&cat.getLhsMutable(), part}};
  if (begin.constant < extent)
    return std::nullopt;
  TilePart right = part;
  right.offsets[dim].constant -= extent;
  return PartialOperands{{&cat.getRhsMutable(), right}};
}

// The part of a part.
static std::optional<PartialOperands> operandsOf(ExtractOp extract, const TilePart &part) {
  TilePart source = part;
  for (auto [offset, inner] : llvm::zip_equal(source.offsets, extract.getOffsets())) {
    if (std::optional<int64_t> constant = getConstantIntValue(inner))
      offset.constant += *constant;
    else if (offset.value)
      return std::nullopt;
    else
      offset.value = inner;
  }
  return PartialOperands{{&extract.getSourceMutable(), source}};
}

static std::optional<PartialOperands> partialOperands(Operation *op, const TilePart &part) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return operandsOf(mma, part);
  if (auto permute = dyn_cast<PermuteOp>(op))
    return operandsOf(permute, part);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return operandsOf(reshape, part);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return operandsOf(broadcast, part);
  if (auto cat = dyn_cast<CatOp>(op))
    return operandsOf(cat, part);
  if (auto extract = dyn_cast<ExtractOp>(op))
    return operandsOf(extract, part);
  PartialOperands alike;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      alike.push_back({&operand, part});
  return alike;
}

//===-- which tiles -------------------------------------------------------===//

bool PartialTile::canRepeat(Operation *op, const TilePart &part) const {
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat();
  // Beside the load of the whole tile an offset has to be known.
  if (auto load = dyn_cast<LoadViewOp>(op))
    return load.getResultToken().use_empty() ||
           (!repeatsProducts && llvm::none_of(part.offsets, [](TilePart::Offset offset) { return offset.value; }));
  if (auto load = dyn_cast<LoadPtrOp>(op))
    return !repeatsProducts && !load.getOrdering() && load.getResultToken().use_empty();
  if (isa<CatOp, ExtractOp, IotaOp>(op))
    return !repeatsProducts;
  if (isa<MmaOp>(op))
    return repeatsProducts;
  return isa<PermuteOp, BroadcastOp, ReshapeOp>(op) ||
         (op->hasTrait<OpTrait::Elementwise>() && isPure(op) && op->getNumResults() == 1);
}

bool PartialTile::add(Value tile, const TilePart &part) {
  Operation *op = tile.getDefiningOp();
  if (++visits > mostOps)
    return false;
  std::optional<PartialOperands> operands;
  if (op && canRepeat(op, part))
    operands = partialOperands(op, part);
  if (!operands || !llvm::all_of(*operands, [&](auto &operand) { return add(operand.first->get(), operand.second); }))
    return bytesOf(typeOf(tile)) <= smallBytes;
  ops.insert(op);
  return true;
}

void tileaa::eraseUnusedTiles(ValueRange tiles) {
  llvm::SmallSetVector<Operation *, 8> rest;
  auto look = [&](ValueRange values) {
    for (Value value : values)
      if (Operation *op = value.getDefiningOp())
        rest.insert(op);
  };
  look(tiles);
  while (!rest.empty()) {
    Operation *op = rest.pop_back_val();
    bool isLoad = isa<LoadViewOp, LoadPtrOp>(op);
    if (isLoad ? !op->getResult(0).use_empty() : !op->use_empty() || !isPure(op))
      continue;
    if (isLoad && !op->getResult(1).use_empty()) {
      OpBuilder builder(op);
      auto view = dyn_cast<LoadViewOp>(op);
      Value before = view ? view.getToken() : cast<LoadPtrOp>(op).getToken();
      op->getResult(1).replaceAllUsesWith(before ? before : MakeTokenOp::create(builder, op->getLoc()).getResult());
    }
    look(op->getOperands());
    op->erase();
  }
}

//===-- their parts -------------------------------------------------------===//

static Value valueOf(TilePart::Offset offset, OpBuilder &builder, Location loc) {
  if (!offset.value)
    return arith::ConstantIndexOp::create(builder, loc, offset.constant);
  if (!offset.constant)
    return offset.value;
  Value constant = arith::ConstantIndexOp::create(builder, loc, offset.constant);
  return arith::AddIOp::create(builder, loc, offset.value, constant);
}

static Value takeLoad(LoadViewOp load, const TilePart &part, OpBuilder builder) {
  Value token = load.getResultToken();
  bool isOrdered = !token.use_empty();
  if (isOrdered)
    builder.setInsertionPointAfter(load);
  SmallVector<Value> offsets(load.getOffsets());
  for (auto [dim, offset] : llvm::zip_equal(load.getDimMap(), part.offsets))
    if (offset.value || offset.constant)
      offsets[dim] =
          arith::AddIOp::create(builder, load.getLoc(), offsets[dim], valueOf(offset, builder, load.getLoc()));
  auto copy = cast<LoadViewOp>(builder.clone(*load));
  copy.getTile().setType(typeOf(load.getTile()).clone(part.sizes));
  copy.getOffsetsMutable().assign(offsets);
  if (isOrdered) {
    auto both = JoinTokensOp::create(builder, load.getLoc(), ValueRange{token, copy.getResultToken()});
    token.replaceAllUsesExcept(both, both);
  }
  return copy.getTile();
}

static Value takeIota(Location loc, RankedTensorType type, const TilePart &part, OpBuilder &builder) {
  Value first = valueOf(part.offsets[0], builder, loc);
  first = arith::IndexCastOp::create(builder, loc, type.getElementType(), first);
  return arith::AddIOp::create(builder, loc, IotaOp::create(builder, loc, type),
                               BroadcastOp::create(builder, loc, type, first));
}

static Value extractPart(Value tile, const TilePart &part, OpBuilder &builder) {
  if (part == TilePart::whole(typeOf(tile)))
    return tile;
  SmallVector<Value> offsets = llvm::map_to_vector(
      part.offsets, [&](TilePart::Offset offset) { return valueOf(offset, builder, tile.getLoc()); });
  return ExtractOp::create(builder, tile.getLoc(), typeOf(tile).clone(part.sizes), tile, offsets);
}

Value PartialTile::take(Value tile, const TilePart &part, OpBuilder &builder) {
  for (auto &[known, its, value] : made)
    if (known == tile && its == part)
      return value;
  Value value = make(tile, part, builder);
  made.push_back({tile, part, value});
  return value;
}

Value PartialTile::make(Value tile, const TilePart &part, OpBuilder &builder) {
  Operation *op = tile.getDefiningOp();
  std::optional<PartialOperands> operands;
  if (op && ops.contains(op) && canRepeat(op, part))
    operands = partialOperands(op, part);
  if (!operands)
    return extractPart(tile, part, builder);
  RankedTensorType type = typeOf(tile).clone(part.sizes);
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, op->getLoc(), constant.resizeSplat(type));
  if (auto load = dyn_cast<LoadViewOp>(op))
    return takeLoad(load, part, builder);
  if (isa<IotaOp>(op))
    return takeIota(op->getLoc(), type, part, builder);
  SmallVector<Value> parts;
  for (auto &[operand, its] : *operands)
    parts.push_back(take(operand->get(), its, builder));
  if (isa<CatOp, ExtractOp>(op))
    return parts[0];
  Operation *copy = builder.clone(*op);
  for (auto [operand, value] : llvm::zip_equal(*operands, parts))
    copy->setOperand(operand.first->getOperandNumber(), value);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}
