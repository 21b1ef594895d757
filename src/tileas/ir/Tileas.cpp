// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Tileas.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tileas/ir/ShapeText.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

#include "tileas/ir/TileasDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tileas/ir/TileasTypes.cpp.inc"

#include "tileas/ir/TileasInterfaces.cpp.inc"

// A stage that is not written is the producer's own: [%stage, 0] or [0].
static ParseResult parseBufferOfStage(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &stage,
                                      IntegerAttr &index) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult found = parser.parseOptionalOperand(operand);
  if (found.has_value()) {
    if (failed(*found) || parser.parseComma())
      return failure();
    stage = operand;
  }
  int64_t number = 0;
  if (parser.parseInteger(number))
    return failure();
  index = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}
static void printBufferOfStage(OpAsmPrinter &printer, Operation *, Value stage, IntegerAttr index) {
  if (stage)
    printer << stage << ", ";
  printer << index.getInt();
}

#define GET_OP_CLASSES
#include "tileas/ir/TileasOps.cpp.inc"

namespace {

// Layouts are long, so each is written once, above the module.
class Aliases : public OpAsmDialectInterface {
public:
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void TileasDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tileas/ir/TileasTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tileas/ir/TileasOps.cpp.inc"
      >();
  addInterfaces<Aliases>();
}

std::string tileas::textOf(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getLayout().shape() != shape)
    return emitError() << "a tile of shape " << textOf(shape) << " has a layout of shape "
                       << textOf(getLayout().shape());
  return success();
}

//===-- BufferType --------------------------------------------------------===//

// Both kinds of memory are written alike: `<128x64xbf16, #layout>`.
template <typename Memory> static void printMemory(Memory memory, AsmPrinter &printer) {
  printer << "<";
  printer.printDimensionList(memory.getShape());
  printer << "x" << memory.getElementType() << ", " << memory.getLayout() << ">";
}

template <typename Memory> static Type parseMemory(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  LayoutAttr layout;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(layout) || parser.parseGreater())
    return {};
  return parser.getChecked<Memory>(parser.getContext(), shape, elementType, layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printMemory(*this, printer);
}
Type BufferType::parse(AsmParser &parser) {
  return parseMemory<BufferType>(parser);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type elementType, LayoutAttr layout) {
  return layout.verifyEncoding(shape, elementType, emitError);
}

int64_t BufferType::getBytes() const {
  return int64_t(getLayout().getLayout().inputSize(layout::Dim::Offset)) *
         std::max(1u, getElementType().getIntOrFloatBitWidth() / 8);
}

//===-- PipelineType ------------------------------------------------------===//

int64_t PipelineType::getBufferOffset(unsigned index) const {
  int64_t offset = 0;
  for (BufferType buffer : getBuffers().take_front(index))
    offset += llvm::alignTo(buffer.getBytes(), 1024);
  return offset;
}

//===-- TmemType ----------------------------------------------------------===//

void TmemType::print(AsmPrinter &printer) const {
  printMemory(*this, printer);
}
Type TmemType::parse(AsmParser &parser) {
  return parseMemory<TmemType>(parser);
}

LogicalResult TmemType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type elementType,
                               LayoutAttr layout) {
  if (failed(layout.verifyEncoding(shape, elementType, emitError)))
    return failure();
  const layout::LinearLayout &places = layout.getLayout();
  if (!elementType.isF32() && !elementType.isInteger(32))
    return emitError() << "tensor memory with elements of " << elementType << ", expected f32 or i32";
  if (places.inputSize(layout::Dim::Row) > 128 || places.inputSize(layout::Dim::Column) > 512)
    return emitError() << "a tile takes " << places.inputSize(layout::Dim::Row) << " rows and "
                       << places.inputSize(layout::Dim::Column) << " columns of tensor memory, which has 128 and 512";
  return success();
}

int64_t TmemType::getColumns() const {
  return std::max<int64_t>(32, getLayout().getLayout().inputSize(layout::Dim::Column));
}

//===-- operations --------------------------------------------------------===//

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

LogicalResult WriteOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  BufferType buffer = getBuffer().getType();
  if (tile.getShape() != buffer.getShape() || tile.getElementType() != buffer.getElementType())
    return emitOpError() << "writes a tile of " << tile.getElementType() << " of shape " << textOf(tile.getShape())
                         << " into a buffer of " << buffer.getElementType() << " of shape "
                         << textOf(buffer.getShape());
  return success();
}

static LogicalResult verifyTransfer(Operation *op, RankedTensorType tile, TmemType tmem) {
  if (tile.getShape() != tmem.getShape() || tile.getElementType() != tmem.getElementType())
    return op->emitOpError() << "moves a tile of " << tile.getElementType() << " of shape " << textOf(tile.getShape())
                             << " and tensor memory of " << tmem.getElementType() << " of shape "
                             << textOf(tmem.getShape());
  return success();
}
LogicalResult TmemStoreOp::verify() {
  return verifyTransfer(*this, cast<RankedTensorType>(getTile().getType()), getTmem().getType());
}
LogicalResult TmemLoadOp::verify() {
  return verifyTransfer(*this, cast<RankedTensorType>(getTile().getType()), getTmem().getType());
}

LogicalResult TmemMmaOp::verify() {
  ArrayRef<int64_t> lhs = getLhs().getType().getShape(), rhs = getRhs().getType().getShape(),
                    acc = getAcc().getType().getShape();
  if (getAtom().getKind() != AtomKind::Tcgen05)
    return emitOpError() << "multiplies by " << getAtom() << ", expected tcgen05";
  if (lhs.size() != 2 || rhs.size() != 2 || acc.size() != 2 || lhs[1] != rhs[0] || lhs[0] != acc[0] || rhs[1] != acc[1])
    return emitOpError() << "multiplies " << textOf(lhs) << " by " << textOf(rhs) << " into " << textOf(acc);
  return success();
}

void TmemMmaOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    effects.emplace_back(MemoryEffects::Read::get(), operand, SharedMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getAccMutable(), TensorMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable(), TensorMemory::get());
}

//===-- layouts of tiles --------------------------------------------------===//

namespace tilewright::tileas {

RankedTensorType typeWith(Type elementType, const layout::LinearLayout &layout) {
  return RankedTensorType::get(layout.shape(), elementType, LayoutAttr::get(elementType.getContext(), layout));
}

void retype(OpResult tile, RankedTensorType type) {
  tile.setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(tile.getOwner()))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
}

bool isByWarpgroups(MmaOp mma) {
  AtomKind kind = mma.getAtom().getKind();
  return kind == AtomKind::Wgmma || kind == AtomKind::Tcgen05;
}

bool multipliesByHardware(Operation *op) {
  auto mma = dyn_cast<MmaOp>(op);
  return isa<TmemMmaOp>(op) || (mma && mma.getAtom().getKind() == AtomKind::Wgmma);
}

layout::LinearLayout splitWarps(const layout::LinearLayout &layout, unsigned dim) {
  using namespace layout;
  Dim axis = tileDim(dim);
  // The images of the warps' bits along the dimension, and those of the others, each as coordinates of their own: the
  // i-th new vector of a span is its i-th bit.
  F2Space warpSpan;
  for (F2Vector basis : layout.basisOf(Dim::Warp))
    if (layout.coordinate(basis, axis))
      warpSpan.insert(layout.coordinate(basis, axis));
  F2Space all = warpSpan;
  unsigned warpBits = warpSpan.dimension(), axisBits = layout.outputBits(axis);
  SmallVector<F2Vector> order(warpSpan.basis());
  F2Space ordered(order);
  for (DimSize in : layout.inputs())
    for (F2Vector basis : layout.basisOf(in.dim))
      if (ordered.insert(layout.coordinate(basis, axis)))
        order.push_back(layout.coordinate(basis, axis));
  for (unsigned bit = 0; bit != axisBits; ++bit)
    if (ordered.insert(F2Vector(1) << bit))
      order.push_back(F2Vector(1) << bit);
  F2Matrix coordinates = *F2Matrix(axisBits, order).inverse();

  SmallVector<DimSize> outputs;
  for (DimSize out : layout.outputs()) {
    unsigned index = tileDimIndex(out.dim);
    if (index == dim) {
      outputs.push_back({tileDim(index), warpBits});
      outputs.push_back({tileDim(index + 1), out.bits - warpBits});
    } else {
      outputs.push_back({tileDim(index + (index > dim)), out.bits});
    }
  }
  // Outputs are numbered with the last dimension lowest.
  LinearLayout empty({}, outputs, {});
  SmallVector<F2Vector> bases;
  for (DimSize in : layout.inputs())
    for (F2Vector basis : layout.basisOf(in.dim)) {
      F2Vector image = 0;
      for (DimSize out : layout.outputs()) {
        unsigned index = tileDimIndex(out.dim);
        uint64_t coordinate = layout.coordinate(basis, out.dim);
        if (index != dim) {
          image |= empty.outputAt(tileDim(index + (index > dim)), coordinate);
          continue;
        }
        uint64_t split = coordinates.apply(coordinate);
        image |= empty.outputAt(tileDim(index), split & ((uint64_t(1) << warpBits) - 1));
        image |= empty.outputAt(tileDim(index + 1), split >> warpBits);
      }
      bases.push_back(image);
    }
  return LinearLayout(layout.inputs(), outputs, bases);
}

} // namespace tilewright::tileas
