// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUPACKOPERANDS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

Value castElement(OpBuilder &builder, Location loc, Value value, Type to, bool isUnsigned) {
  Type from = value.getType();
  if (from == to)
    return value;
  if (isa<IntegerType>(to))
    return isUnsigned ? arith::ExtUIOp::create(builder, loc, to, value).getResult()
                      : arith::ExtSIOp::create(builder, loc, to, value).getResult();
  return to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth()
             ? arith::ExtFOp::create(builder, loc, to, value).getResult()
             : arith::TruncFOp::create(builder, loc, to, value).getResult();
}

// A loop that copies the tile, to another element type, with `panelColumns` as [N/panelColumns, K, panelColumns].
// Integers are only extended.
Value copy(OpBuilder &builder, Location loc, Value tile, Type element, int64_t panelColumns = 0,
           bool isUnsigned = false) {
  RankedTensorType from = typeOf(tile);
  SmallVector<int64_t> shape(from.getShape());
  AffineMap input = builder.getMultiDimIdentityMap(from.getRank());
  if (panelColumns) {
    shape = {shape[1] / panelColumns, shape[0], panelColumns};
    AffineExpr panel = builder.getAffineDimExpr(0), k = builder.getAffineDimExpr(1),
               column = builder.getAffineDimExpr(2);
    input = AffineMap::get(3, 0, {k, panel * panelColumns + column}, builder.getContext());
  }
  auto to = RankedTensorType::get(shape, element);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  AffineMap output = builder.getMultiDimIdentityMap(to.getRank());
  SmallVector<utils::IteratorType> iterators(to.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, TypeRange(to), tile, empty, ArrayRef<AffineMap>{input, output},
                                   iterators,
                                   [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
                                     Value value = castElement(body, bodyLoc, args[0], element, isUnsigned);
                                     linalg::YieldOp::create(body, bodyLoc, value);
                                   })
      .getResult(0);
}

Value convert(OpBuilder &builder, Location loc, Value tile, Type element) {
  return typeOf(tile).getElementType() == element ? tile : copy(builder, loc, tile, element);
}

// Computed one element at a time, at the element's own place.
linalg::GenericOp elementwise(Value tile) {
  auto loop = tile.getDefiningOp<linalg::GenericOp>();
  if (!loop || !tile.hasOneUse())
    return nullptr;
  return loop.getIndexingMapMatchingResult(cast<OpResult>(tile)).isIdentity() ? loop : nullptr;
}

// A tile that is narrowed for the product alone is rounded where it is computed, and stays as wide as the product wants
// it: null if it is not such a tile.
Value roundedAtSource(Value tile, Type element) {
  linalg::GenericOp narrowing = elementwise(tile);
  if (!narrowing || narrowing->getNumResults() != 1 || narrowing.getNumDpsInputs() != 1 ||
      !narrowing.getIndexingMapsArray()[0].isIdentity())
    return nullptr;
  Operation *yield = narrowing.getBody()->getTerminator();
  auto narrow = yield->getOperand(0).getDefiningOp<arith::TruncFOp>();
  if (!narrow || narrow.getIn() != narrowing.getBody()->getArgument(0) || narrow.getIn().getType() != element)
    return nullptr;
  Value source = narrowing.getDpsInputs()[0];
  linalg::GenericOp maker = elementwise(source);
  if (!maker)
    return nullptr;
  OpOperand &made = maker.getBody()->getTerminator()->getOpOperand(cast<OpResult>(source).getResultNumber());
  OpBuilder body(made.getOwner());
  Value rounded = arith::TruncFOp::create(body, narrow.getLoc(), narrow.getType(), made.get());
  made.set(arith::ExtFOp::create(body, narrow.getLoc(), element, rounded));
  tile.replaceAllUsesWith(source);
  narrowing.erase();
  return source;
}

// A tile loaded for this product alone, again for each.
tileaa::LoadViewOp loadedFor(MmaOp mma, Value tile) {
  auto load = tile.getDefiningOp<tileaa::LoadViewOp>();
  return load && load->getBlock() == mma->getBlock() ? load : nullptr;
}

// A left operand that lies in memory column by column is taken as [K,M]: nothing is transposed, the elements of a
// column are broadcast from where they are.
void readAsItLies(MmaOp mma) {
  tileaa::LoadViewOp load = loadedFor(mma, mma.getLhs());
  if (!load || !load.getTile().hasOneUse() || load.getDimMap().size() != 2)
    return;
  ArrayRef<int64_t> strides = load.getView().getType().getStrides();
  SmallVector<int64_t> map(load.getDimMap());
  if (strides[map[1]] == 1 || strides[map[0]] != 1)
    return;
  std::swap(map[0], map[1]);
  load.setDimMap(map);
  ArrayRef<int64_t> shape = typeOf(load.getTile()).getShape();
  load.getTile().setType(RankedTensorType::get({shape[1], shape[0]}, typeOf(load.getTile()).getElementType()));
  mma.setTransposedLhs(true);
}

// Whether the elements of a column of the tile lie side by side in memory, from the tile's last coordinates.
bool liesByColumns(Value tile, AffineMap coordinates) {
  if (auto load = tile.getDefiningOp<tileaa::LoadViewOp>()) {
    ArrayRef<int64_t> strides = load.getView().getType().getStrides(), map = load.getDimMap();
    auto unit = llvm::find_if(map, [&](int64_t dim) { return strides[dim] == 1; });
    return unit != map.end() && coordinates.getResult(unit - map.begin()) == getAffineDimExpr(0, tile.getContext());
  }
  return !coordinates.isConstant() && coordinates.getResults().back() == getAffineDimExpr(0, tile.getContext());
}

// A right operand that is computed for the product alone from tiles that lie in memory column by column: its loop as
// one over [N,K], so that only whole words are transposed, when they are packed. Null for other operands.
Value computedByColumns(Value tile) {
  auto loop = tile.getDefiningOp<linalg::GenericOp>();
  if (!loop || !tile.hasOneUse() || loop->getNumResults() != 1 || loop.getNumParallelLoops() != 2 ||
      loop.getNumReductionLoops() != 0 || !loop.getIndexingMapMatchingResult(cast<OpResult>(tile)).isIdentity())
    return nullptr;
  auto isTile = [&](OpOperand *input) {
    AffineMap map = loop.getMatchingIndexingMap(input);
    return isa<RankedTensorType>(input->get().getType()) && map.isFunctionOfDim(0) && map.isFunctionOfDim(1);
  };
  SmallVector<OpOperand *> tiles = llvm::filter_to_vector(loop.getDpsInputOperands(), isTile);
  if (tiles.empty() || !llvm::all_of(tiles, [&](OpOperand *input) {
        return liesByColumns(input->get(), loop.getMatchingIndexingMap(input));
      }))
    return nullptr;
  OpBuilder builder(loop);
  RankedTensorType type = typeOf(tile);
  SmallVector<int64_t> shape{type.getDimSize(1), type.getDimSize(0)};
  auto empty = tensor::EmptyOp::create(builder, loop.getLoc(), shape, type.getElementType());
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> exchanged{getAffineDimExpr(1, context), getAffineDimExpr(0, context)};
  SmallVector<AffineMap> maps;
  for (AffineMap map : loop.getIndexingMapsArray())
    maps.push_back(map.replaceDimsAndSymbols(exchanged, {}, 2, 0));
  maps.back() = builder.getMultiDimIdentityMap(2);
  auto byColumns = linalg::GenericOp::create(builder, loop.getLoc(), empty.getType(), loop.getDpsInputs(),
                                             ValueRange{empty}, maps, loop.getIteratorTypesArray());
  byColumns.getRegion().takeBody(loop.getRegion());
  for (auto index : byColumns.getBody()->getOps<linalg::IndexOp>())
    index.setDim(1 - index.getDim());
  return byColumns.getResult(0);
}

// Before the loops that the operand is made outside of: it need be packed only once for all their products.
OpBuilder packingPlace(MmaOp mma, Value operand) {
  Operation *before = mma;
  while (auto loop = dyn_cast<scf::ForOp>(before->getParentOp())) {
    if (loop.getRegion().isAncestor(operand.getParentRegion()))
      break;
    before = loop;
  }
  return OpBuilder(before);
}

struct CpuPackOperands : tilewright::impl::CpuPackOperandsBase<CpuPackOperands> {
  void runOnOperation() override {
    Plan plan = Plan::of(getOperation());
    getOperation().walk([&](MmaOp mma) { pack(mma, plan); });
  }

  static int64_t wordElements(Type element) { return 32 / element.getIntOrFloatBitWidth(); }

  // Whether the product has whole tiles on the matrix unit; the extents are powers of two. A function configures the
  // eight registers once, each for one shape, and a block takes them all: LLVM runs out of registers where tiles of one
  // product have another shape than those of the next.
  static bool canTile(MmaOp mma, const Plan &plan) {
    RankedTensorType lhs = typeOf(mma.getLhs()), rhs = typeOf(mma.getRhs());
    Type element = rhs.getElementType();
    if (!plan.hasMatrixUnit() || lhs.getElementType() != element || !(element.isBF16() || element.isInteger(8)))
      return false;
    return rhs.getRank() == 2 && lhs.getDimSize(0) >= matrixRows && rhs.getDimSize(1) >= matrixRows &&
           rhs.getDimSize(0) >= matrixRows * wordElements(element);
  }

  // A loop adds products to the sums, and does nothing else with them: their depth is merged, which takes packed
  // operands.
  static bool onlyAccumulates(MmaOp mma) {
    auto sums = dyn_cast<BlockArgument>(mma.getAcc());
    Operation *loop = mma->getParentOp();
    return sums && sums.getOwner()->getParentOp() == loop && isa<scf::ForOp>(loop) && sums.hasOneUse() &&
           mma->getResult(0).hasOneUse() && isa<scf::YieldOp>(*mma->getResult(0).user_begin());
  }

  // The rows of the left operand are read in place if their elements lie side by side, once for every panel of the
  // right one.
  static void packBoth(MmaOp mma, int64_t mostColumns) {
    Type element = typeOf(mma.getLhs()).getElementType();
    if (tileaa::LoadViewOp load = loadedFor(mma, mma.getLhs())) {
      OpBuilder builder(mma);
      ArrayRef<int64_t> strides = load.getView().getType().getStrides(), map = load.getDimMap();
      if (strides[map.back()] != 1 || onlyAccumulates(mma))
        mma.getLhsMutable().assign(copy(builder, mma.getLoc(), mma.getLhs(), element));
    }
    packWords(mma, mostColumns, element);
  }

  static bool canPack(MmaOp mma, const Plan &plan, int64_t word) {
    ArrayRef<int64_t> shape = typeOf(mma.getRhs()).getShape();
    return shape.size() == 2 && shape[0] % word == 0 && shape[1] % plan.lanes(32) == 0;
  }

  static void packWords(MmaOp mma, int64_t mostColumns, Type element) {
    OpBuilder builder = packingPlace(mma, mma.getRhs());
    SmallVector<int64_t> shape(typeOf(mma.getRhs()).getShape());
    int64_t panel = std::min(shape[1], mostColumns);
    int64_t word = wordElements(element);
    SmallVector<int64_t> packed{shape[1] / panel, shape[0] / word, panel * word};
    Value empty = tensor::EmptyOp::create(builder, mma.getLoc(), packed, element);
    Value source = mma.getRhs(), byColumns = computedByColumns(source);
    auto pack = PackWordsOp::create(builder, mma.getLoc(), empty.getType(), byColumns ? byColumns : source, empty,
                                    mma.getUnsignedRhs(), /*transposedSource=*/byColumns != nullptr);
    mma.getRhsMutable().assign(pack.getResult());
    if (byColumns)
      source.getDefiningOp()->erase();
  }

  // On vectors bytes become 16-bit integers, signed or not, of which every x86 multiplies and adds pairs; or they stay
  // as they are, where quads of bytes that are both signed or both not are multiplied.
  static void packIntegers(MmaOp mma, const Plan &plan) {
    if (canTile(mma, plan))
      return packBoth(mma, matrixPanel);
    Type left = typeOf(mma.getLhs()).getElementType(), right = typeOf(mma.getRhs()).getElementType();
    if (!left.isInteger(8) || !right.isInteger(8) || plan.byteWords == 1 || !canPack(mma, plan, plan.byteWords))
      return;
    if (plan.byteWords == 4) {
      // Words of bytes are tiles where there is a matrix unit.
      if (mma.getUnsignedLhs() == mma.getUnsignedRhs() && !plan.hasMatrixUnit())
        packBoth(mma, plan.microTileN);
      return;
    }
    Type half = IntegerType::get(mma.getContext(), 16);
    OpBuilder place = packingPlace(mma, mma.getLhs());
    mma.getLhsMutable().assign(copy(place, mma.getLoc(), mma.getLhs(), half, 0, mma.getUnsignedLhs()));
    packWords(mma, plan.microTileN, half);
  }

  static void pack(MmaOp mma, const Plan &plan) {
    Type element = typeOf(mma.getAcc()).getElementType();
    if (!isa<FloatType>(element))
      return packIntegers(mma, plan);
    OpBuilder builder(mma);
    Location loc = mma.getLoc();
    // A half accumulator is kept in single precision inside one product.
    if (element.getIntOrFloatBitWidth() < 32) {
      Type wide = builder.getF32Type();
      mma.getAccMutable().assign(convert(builder, loc, mma.getAcc(), wide));
      builder.setInsertionPointAfter(mma);
      mma->getResult(0).setType(typeOf(mma->getResult(0)).clone(wide));
      Value narrow = convert(builder, loc, mma->getResult(0), element);
      mma->getResult(0).replaceAllUsesExcept(narrow, narrow.getDefiningOp());
      builder.setInsertionPoint(mma);
      element = wide;
    }
    ArrayRef<int64_t> shape = typeOf(mma.getRhs()).getShape();
    bool bothBf16 = typeOf(mma.getLhs()).getElementType().isBF16() && typeOf(mma.getRhs()).getElementType().isBF16();
    if (element.isF32() && canTile(mma, plan))
      return packBoth(mma, matrixPanel);
    if (plan.pairDot && bothBf16 && element.isF32() && canPack(mma, plan, 2))
      return packWords(mma, plan.microTileN, builder.getBF16Type());
    // Rows of the array lie far apart; a panel of the right operand that the register block walks down, and the left
    // operand, are multiplied once per product.
    int64_t panel = plan.microTileN * 32 / element.getIntOrFloatBitWidth();
    bool isWide = shape.size() == 2 && shape[1] >= panel;
    readAsItLies(mma);
    auto pack = [&](Value tile, int64_t panelColumns) -> Value {
      bool brings = isWide && loadedFor(mma, tile);
      if (Value rounded = roundedAtSource(tile, element))
        return rounded;
      if (!brings && typeOf(tile).getElementType() == element)
        return tile;
      OpBuilder place = packingPlace(mma, tile);
      return copy(place, loc, tile, element, brings ? panelColumns : 0);
    };
    mma.getLhsMutable().assign(pack(mma.getLhs(), 0));
    mma.getRhsMutable().assign(pack(mma.getRhs(), panel));
  }
};

} // namespace
