// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/work/DescribeStep.h"

#include "layout/conversion/Conversion.h"
#include "layout/memory/SharedAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tileas/schedule/OperationCost.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using predict::Pipe;
using predict::ProductType;
using predict::Step;

namespace {

constexpr double warpThreads = 32, sharedLine = 128;

double &at(Step &step, Pipe pipe) {
  return step.instructions[static_cast<unsigned>(pipe)];
}

// Of different elements.
double registersOf(Type type) {
  if (hasLayout(type)) {
    const layout::LinearLayout &layout = layoutOf(cast<RankedTensorType>(type));
    return layout.inputSize(Dim::Register) >> llvm::popcount(layout.freeBits(Dim::Register));
  }
  return type.isIntOrIndexOrFloat() ? 1 : 0;
}

unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

// Instructions for one element, by what executes them.
struct Element {
  Pipe pipe = Pipe::Integer;
  double count = 1, special = 0; // special: besides
};

Element floatElement(Operation *op, Pipe plain) {
  return llvm::TypeSwitch<Operation *, Element>(op)
      .Case<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(
          [&](auto) { return Element{Pipe::Compare, 1, 0}; })
      .Case<math::Exp2Op, math::RsqrtOp>([&](auto) { return Element{plain, 2, 1}; })
      .Case<math::ExpOp, math::TanhOp, math::SinOp, math::CosOp, math::LogOp, math::Log2Op>(
          [&](auto) { return Element{plain, 8, 1}; })
      .Case<arith::DivFOp, math::SqrtOp>([&](auto) { return Element{plain, 8, 1}; })
      .Case<math::PowFOp>([&](auto) { return Element{plain, 30, 2}; })
      .Case([&](tileaa::FloatOp op) {
        StringRef kind = stringifyFloatKind(op.getKind());
        if (kind.starts_with("exp") || kind.starts_with("rsqrt"))
          return Element{plain, 1, 1};
        if (kind.starts_with("div") || kind.starts_with("sqrt"))
          return Element{plain, 8, 1};
        return Element{kind.starts_with("m") && kind != "mul" ? Pipe::Compare : plain, 1, 0};
      })
      .Default([&](Operation *) { return Element{plain, 1, 0}; });
}

Element elementOf(Operation *op) {
  Type type = op->getNumResults() ? getElementTypeOrSelf(op->getResult(0).getType()) : Type();
  if (isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(op))
    return {Pipe::Compare, 1, 0};
  // Two numbers at a time.
  if (isa<arith::TruncFOp>(op))
    return {Pipe::Convert, 0.5, 0};
  if (isa<arith::ExtFOp>(op)) // of bf16 a shift
    return {getElementTypeOrSelf(op->getOperand(0).getType()).isBF16() ? Pipe::Integer : Pipe::Convert, 1, 0};
  if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, tileaa::ConvertOp>(op))
    return {Pipe::Convert, 1, 0};
  if (type && isa<FloatType>(type)) {
    double width = type.isF64() || bitsOf(type) >= 32 ? 1 : 0.5;
    Element element = floatElement(op, type.isF64() ? Pipe::F64 : Pipe::F32);
    element.count *= width;
    return element;
  }
  double words = type && type.isInteger() && bitsOf(type) > 32 ? 2 : 1;
  if (isa<arith::MulIOp>(op))
    return {Pipe::Integer, words == 1 ? 1.0 : 4.0, 0};
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return {Pipe::Integer, 12 * words, 0};
  return {Pipe::Integer, words, 0};
}

void addElements(Step &step, const Element &element, double count) {
  at(step, element.pipe) += element.count * count;
  at(step, Pipe::Special) += element.special * count;
}

Step stepOfReduce(Operation *op, OperandRange sources, Region &body, unsigned dim, bool isScan) {
  Step step;
  auto tile = cast<RankedTensorType>(sources[0].getType());
  const layout::LinearLayout &layout = layoutOf(tile);
  Dim along = layout::tileDim(dim);
  double registers = registersOf(tile), results = registersOf(op->getResult(0).getType()), lanes = 0;
  for (layout::F2Vector basis : layout.basisOf(Dim::Lane))
    lanes += layout.coordinate(basis, along) != 0;
  if (isScan) {
    double run = 1; // registers along the scan
    for (layout::F2Vector basis : layout.basisOf(Dim::Register))
      run *= layout.coordinate(basis, along) != 0 ? 2 : 1;
    results = registers / run;
  }
  double combined = std::max(0.0, registers - results) * (isScan ? 2 : 1) + lanes * results;
  for (Operation &inner : body.front().without_terminator())
    addElements(step, elementOf(&inner), combined);
  at(step, Pipe::Shuffle) += lanes * results * sources.size();
  step.shuffleWaits = lanes;
  return step;
}

Step stepOfConversion(ConvertLayoutOp convert, const nvidia::Architecture &architecture) {
  Step step;
  layout::ConversionOptions options;
  options.elementBits = std::max(8u, bitsOf(convert.getResult().getType()));
  options.stmatrix = architecture.has(nvidia::Feature::Stmatrix);
  options.mostSharedBytes = architecture.sharedBytesPerBlock();
  auto plan = layout::chooseConversion(layoutOf(convert.getSource()), layoutOf(convert.getResult()), options);
  if (!plan)
    return step;
  at(step, Pipe::Integer) = plan->cost.selects;
  at(step, Pipe::Shuffle) = plan->cost.shuffles;
  at(step, Pipe::Memory) = plan->cost.accesses;
  step.sharedCycles = plan->cost.wavefronts;
  step.shuffleWaits = plan->cost.shuffles > 0;
  step.sharedWaits = plan->kind == layout::ConversionKind::Shared ? 2 : 0;
  step.barriers = plan->cost.barriers;
  return step;
}

// The instructions that the lowering chooses, and their conflicts of banks.
Step stepOfBuffer(Type tile, BufferType buffer, layout::SharedDirection direction,
                  const nvidia::Architecture &architecture) {
  Step step;
  bool isRead = direction == layout::SharedDirection::Load;
  layout::SharedAccess access = layout::chooseSharedAccess(
      layoutOf(cast<RankedTensorType>(tile)).withoutFreeRegisters(), buffer.getLayout().getLayout(), direction,
      std::max(8u, bitsOf(tile)), isRead || architecture.has(nvidia::Feature::Stmatrix));
  at(step, Pipe::Memory) = access.instructions();
  at(step, Pipe::Integer) = at(step, Pipe::Memory) / 2;
  step.sharedCycles = access.wavefronts;
  step.sharedWaits = isRead;
  return step;
}

// Of a tile whose accesses are not known: as wide as they can be.
Step stepOfShared(Type tile, bool isRead) {
  Step step;
  double bytes = registersOf(tile) * warpThreads * std::max(8u, bitsOf(tile)) / 8;
  at(step, Pipe::Memory) = std::max(1.0, bytes / (warpThreads * 16));
  at(step, Pipe::Integer) = at(step, Pipe::Memory) / 2;
  step.sharedCycles = std::max(1.0, bytes / sharedLine);
  step.sharedWaits = isRead;
  return step;
}

// Each warp's registers pass between two multiprocessors, and are added there.
Step stepOfClusterSum(ClusterSumOp sum) {
  // Of data sheets none has it. Transfers between multiprocessors of an H800 are published as 3.3 TB/s for all of them,
  // which is 14 bytes a cycle of each.
  constexpr double bytesBetweenCycle = 14;
  Type tile = sum.getTile().getType();
  Step step = stepOfShared(tile, /*isRead=*/true);
  addElements(step, {Pipe::F32, 1, 0}, registersOf(tile));
  step.sharedCycles += registersOf(tile) * warpThreads * bitsOf(tile) / 8 / bytesBetweenCycle;
  // The last tile is read, this one is written, and the other CTA is told.
  step.sharedWaits = 6;
  step.barriers = 1;
  return step;
}

double bytesOf(Type operand) {
  if (auto buffer = dyn_cast<BufferType>(operand))
    return buffer.getBytes();
  auto tile = cast<RankedTensorType>(operand);
  return double(tile.getNumElements()) * bitsOf(tile) / 8;
}

ProductType typeOf(Type element, std::optional<Type> format) {
  if (element.isF64())
    return ProductType::F64;
  if (bitsOf(element) <= 8)
    return ProductType::Bits8;
  return bitsOf(element) == 32 ? ProductType::Tf32 : ProductType::Bits16;
}

ArrayRef<int64_t> shapeOf(Type operand) {
  if (auto buffer = dyn_cast<BufferType>(operand))
    return buffer.getShape();
  return cast<RankedTensorType>(operand).getShape();
}

Type elementTypeOf(Type operand) {
  if (auto buffer = dyn_cast<BufferType>(operand))
    return buffer.getElementType();
  return getElementTypeOrSelf(operand);
}

// A product of scalars: each thread multiplies rows by columns of its own, which it loads from buffers.
Step stepOfFma(MmaOp mma, double results, double depth) {
  Step step;
  Type element = getElementTypeOrSelf(mma.getAcc().getType());
  at(step, element.isF64() ? Pipe::F64 : Pipe::F32) = results * depth;
  double side = std::sqrt(results) * 2, bytes = bitsOf(elementTypeOf(mma.getLhs().getType())) / 8.0;
  at(step, Pipe::Memory) = side * depth * bytes / 16;
  // A wavefront for a quarter of the lanes' 16 bytes, most of which several lanes share.
  step.sharedCycles = side * depth * bytes / 16 * 2;
  step.sharedWaits = 1;
  return step;
}

Step stepOfMma(MmaOp mma, unsigned warps) {
  AtomAttr atom = mma.getAtom();
  auto acc = cast<RankedTensorType>(mma.getAcc().getType());
  Type left = mma.getLhs().getType(), right = mma.getRhs().getType();
  double depth = shapeOf(left).back(), results = registersOf(acc);
  if (atom.getKind() == AtomKind::Fma)
    return stepOfFma(mma, results, depth);
  Step step;
  step.kind = Step::Kind::Product;
  step.type = typeOf(elementTypeOf(right), mma.getFormat());
  step.operations = 2 * results * warpThreads * warps * depth;
  step.parts = std::max(1.0, warps / 4.0);
  step.isRunning = mma.getRunning() || atom.getKind() != AtomKind::Wgmma;
  bool isWgmma = atom.getKind() == AtomKind::Wgmma;
  double perInstruction = double(atom.getM()) * atom.getN();
  double group = isWgmma ? 4 : 1; // warps that an instruction is of
  at(step, Pipe::Other) = std::max(1.0, results * warpThreads * group / perInstruction * (depth / atom.getK()));
  // Bytes of shared memory that hardware, or ldmatrix, reads for a warp's part of the result.
  double rowsOfWarp = 1, columnsOfWarp = 1;
  const layout::LinearLayout &layout = layoutOf(acc);
  unsigned rank = acc.getRank();
  for (layout::F2Vector basis : layout.basisOf(Dim::Warp)) {
    rowsOfWarp *= layout.coordinate(basis, layout::tileDim(rank - 2)) != 0 ? 2 : 1;
    columnsOfWarp *= layout.coordinate(basis, layout::tileDim(rank - 1)) != 0 ? 2 : 1;
  }
  auto share = [&](Type operand, double parts) { return isa<BufferType>(operand) ? bytesOf(operand) / parts : 0; };
  double bytes = share(left, rowsOfWarp) + share(right, columnsOfWarp);
  if (isWgmma) // of B once for 64 rows, for the four warps together
    bytes = share(left, rowsOfWarp) + share(right, columnsOfWarp) / 4 *
                                          std::max(1.0, acc.getShape()[rank - 2] / rowsOfWarp / (atom.getM() / 4.0));
  step.sharedCycles = bytes / sharedLine;
  if (!isWgmma && bytes > 0) {
    at(step, Pipe::Memory) = bytes / 512;
    step.sharedWaits = 1;
  }
  return step;
}

Step stepOfTmemMma(TmemMmaOp mma) {
  Step step;
  step.kind = Step::Kind::Product;
  step.type = typeOf(mma.getRhs().getType().getElementType(), mma.getFormat());
  ArrayRef<int64_t> acc = mma.getAcc().getType().getShape();
  step.operations = 2.0 * llvm::product_of(acc) * mma.getLhs().getType().getShape().back();
  step.isRunning = mma.getRunning();
  at(step, Pipe::Other) = 4;
  return step;
}

Step stepOfScaled(ScaledMmaOp mma, unsigned warps) {
  Step step;
  step.kind = Step::Kind::Product;
  step.type = ProductType::Bits8;
  double depth = cast<RankedTensorType>(mma.getLhs().getType()).getShape().back();
  step.operations = 2 * registersOf(mma.getAcc().getType()) * warpThreads * warps * depth;
  step.parts = std::max(1.0, warps / 4.0);
  step.isRunning = true;
  return step;
}

Step stepOfElements(Operation *op) {
  Step step;
  double count = distinctValues(op->getResult(0));
  for (Value operand : op->getOperands())
    if (op->hasTrait<OpTrait::Elementwise>() && hasLayout(operand.getType()))
      count = std::max<double>(count, distinctValues(operand));
  addElements(step, elementOf(op), count);
  return step;
}

} // namespace

std::optional<Step> tileas::describeStep(Operation *op, unsigned warps, const nvidia::Architecture &architecture) {
  using Result = std::optional<Step>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](MmaOp mma) { return stepOfMma(mma, warps); })
      .Case([&](TmemMmaOp mma) { return stepOfTmemMma(mma); })
      .Case([&](ScaledMmaOp mma) { return stepOfScaled(mma, warps); })
      .Case([&](tileaa::ReduceOp reduce) {
        return stepOfReduce(reduce, reduce.getSources(), reduce.getBody(), reduce.getDim(), false);
      })
      .Case([&](tileaa::ScanOp scan) {
        return stepOfReduce(scan, scan.getSources(), scan.getBody(), scan.getDim(), true);
      })
      .Case([&](ConvertLayoutOp convert) { return stepOfConversion(convert, architecture); })
      .Case([&](ClusterSumOp sum) { return stepOfClusterSum(sum); })
      .Case([&](WriteOp write) {
        return stepOfBuffer(write.getTile().getType(), write.getBuffer().getType(), layout::SharedDirection::Store,
                            architecture);
      })
      .Case([&](ProducerWriteOp write) {
        return stepOfBuffer(write.getTile().getType(), write.getBufferType(), layout::SharedDirection::Store,
                            architecture);
      })
      .Case([&](ReadOp read) {
        Type tile = read.getTile().getType();
        return read.getOffsets().empty()
                   ? stepOfBuffer(tile, read.getBuffer().getType(), layout::SharedDirection::Load, architecture)
                   : stepOfShared(tile, true);
      })
      .Case([&](TmemLoadOp load) { return stepOfShared(load.getTile().getType(), true); })
      .Case([&](TmemStoreOp store) { return stepOfShared(store.getTile().getType(), false); })
      .Default([&](Operation *op) -> Result {
        if (op->getNumResults() != 1 || matchPattern(op, m_Constant()) || !hasLayout(op->getResult(0).getType()))
          return std::nullopt;
        StringRef dialect = op->getName().getDialectNamespace();
        if (dialect == "arith" || dialect == "math" || isa<tileaa::FloatOp, tileaa::ConvertOp>(op))
          return stepOfElements(op);
        return std::nullopt;
      });
}
