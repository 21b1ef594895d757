// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the op families of this lowering share: types, constants, refusals, and one pattern class.
#ifndef TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_LOWERING_H
#define TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_LOWERING_H

#include "cuda_tile/ir/CudaTile.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright {

namespace ct = cuda_tile;
namespace aa = tileaa;

/// cuda_tile types to those of the tileaa level.
class TileaaTypes : public mlir::TypeConverter {
public:
  TileaaTypes();
};

/// The state of one lowering: the insertion point of new operations, their location, and ways to end.
class Emitter {
public:
  Emitter(mlir::Operation *op, mlir::ConversionPatternRewriter &rewriter, const mlir::TypeConverter &types,
          bool &refused)
      : rewriter(rewriter), loc(op->getLoc()), op(op), types(types), refused(refused) {}

  mlir::ConversionPatternRewriter &rewriter;
  mlir::Location loc;

  mlir::Type convert(mlir::Type type) const { return types.convertType(type); }
  mlir::Type resultType(unsigned index = 0) const { return convert(op->getResult(index).getType()); }
  const mlir::TypeConverter &typeConverter() const { return types; }

  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(rewriter, loc, std::forward<Args>(args)...);
  }
  /// The value of a new operation, or the constant or operand it folds to.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return rewriter.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }

  /// A constant of a scalar type or a splat of a tensor type. The scalar has the element type.
  mlir::Value constant(mlir::Type type, mlir::TypedAttr scalar);
  mlir::Value constant(mlir::Type type, const llvm::APInt &value);
  mlir::Value constant(mlir::Type type, const llvm::APFloat &value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value index(int64_t value);
  /// A scalar integer as an `index`; signed.
  mlir::Value toIndex(mlir::Value value);
  /// A scalar as a tensor of this type.
  mlir::Value splat(mlir::Value scalar, mlir::RankedTensorType type);

  mlir::LogicalResult replace(mlir::ValueRange values);
  /// Reports "<op><what> is not lowered to tileaa yet"; the conversion continues, and the pass fails.
  mlir::LogicalResult refuse(const llvm::Twine &what = "");

private:
  mlir::Operation *op;
  const mlir::TypeConverter &types;
  bool &refused;
};

/// A lowering is a function of the operation, its converted operands and an Emitter.
template <typename Op> class LowerOp final : public mlir::OpConversionPattern<Op> {
public:
  using Function = std::function<mlir::LogicalResult(Op, typename Op::Adaptor, Emitter &)>;

  LowerOp(const mlir::TypeConverter &types, mlir::MLIRContext *context, bool &refused, Function function)
      : mlir::OpConversionPattern<Op>(types, context), refused(refused), function(std::move(function)) {}

  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(op, rewriter, *this->getTypeConverter(), refused);
    return function(op, operands, emitter);
  }

private:
  bool &refused;
  Function function;
};

/// The lowerings of all families.
class Lowerings {
public:
  Lowerings(const TileaaTypes &types, mlir::RewritePatternSet &patterns, bool &refused)
      : types(types), patterns(patterns), refused(refused) {}

  template <typename Op> void add(typename LowerOp<Op>::Function function) {
    patterns.add<LowerOp<Op>>(types, patterns.getContext(), refused, std::move(function));
  }
  /// An operation that has a twin with the same operands in the same order.
  template <typename Op, typename Twin> void addTwin() {
    add<Op>([](Op, typename Op::Adaptor operands, Emitter &emit) {
      return emit.replace(
          Twin::create(emit.rewriter, emit.loc, emit.resultType(), operands.getOperands())->getResults());
    });
  }
  /// An operation whose result is its only operand.
  template <typename Op> void addIdentity() {
    add<Op>(
        [](Op, typename Op::Adaptor operands, Emitter &emit) { return emit.replace(operands.getOperands().front()); });
  }

  const TileaaTypes &types;
  mlir::RewritePatternSet &patterns;
  bool &refused;
};

void populateArith(Lowerings &lowerings);
void populateAtomic(Lowerings &lowerings);
void populateConvert(Lowerings &lowerings);
void populateHost(Lowerings &lowerings);
void populateMath(Lowerings &lowerings);
void populateMemory(Lowerings &lowerings);
void populateMma(Lowerings &lowerings);
void populateReduce(Lowerings &lowerings);
void populateShape(Lowerings &lowerings);
void populateStorage(Lowerings &lowerings);
void populateView(Lowerings &lowerings);
/// Reports whatever cuda_tile operation no other lowering takes.
void populateRefusals(Lowerings &lowerings);

/// Rewrites the body of an entry to scf without jumps, moved to the builder. Types stay those of cuda_tile;
/// `unrealized_conversion_cast` joins them with the scalars that scf wants.
void structureControlFlow(mlir::Block &body, mlir::OpBuilder &builder);

/// The global as one of tileaa, made by the builder.
void moveGlobal(ct::GlobalOp global, mlir::OpBuilder &builder);

/// The hints of an operation for its successor. Null where there are none.
tileaa::HintsAttr hintsFor(std::optional<ct::OptimizationHintsAttr> hints);

/// How the tiles of a view lie in its tensor.
struct TileGrid {
  explicit TileGrid(mlir::Type viewType);
  llvm::SmallVector<int64_t> steps, dimMap; // elements between neighbours, and along which dimension; per dimension
};

/// Where the tile at some indices of a view lies: along each dimension of the tensor its first element.
struct Box {
  llvm::SmallVector<mlir::Value> offsets; // per dimension of the tensor
  llvm::SmallVector<int64_t> dimMap;      // per dimension of the tile
  mlir::DenseBoolArrayAttr inbounds;      // per dimension of the tensor
};
/// Of a partition or strided view.
Box makeBox(Emitter &emit, mlir::Type viewType, mlir::ValueRange indices, llvm::ArrayRef<bool> inbounds);

/// Addresses of the elements of a tile of a view, and the mask of those in bounds; without a mask all are. Elements of
/// half a byte have the addresses of their bytes and a flag for the upper half.
struct Elements {
  mlir::Value addresses, mask, isUpperHalf;
};
Elements makeElements(Emitter &emit, ct::TileView viewType, mlir::Value view, mlir::ValueRange indices,
                      llvm::ArrayRef<bool> inbounds);

/// Bytes that an element takes in memory.
int64_t getByteSize(mlir::Type element);

/// An extent of a view, as an `index`.
mlir::Value makeExtent(Emitter &emit, mlir::Value view, int64_t dim);

/// The only value of a scalar or tensor constant, looked up through broadcasts and reshapes.
std::optional<llvm::APInt> getConstantInt(mlir::Value value);

/// The type with another element type.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// A float in another float type, rounded to nearest even.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::FloatType to);

/// A number from one format to another, each in its storage.
mlir::Value convertFormat(Emitter &emit, mlir::Value value, mlir::Type from, mlir::Type to,
                          aa::Rounding rounding = aa::Rounding::NearestEven);

/// The rounding of a mode that rounds correctly; the inexact modes may round to nearest.
aa::Rounding getRounding(ct::RoundingMode mode);

} // namespace tilewright

#endif
