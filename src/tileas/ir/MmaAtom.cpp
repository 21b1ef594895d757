// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/MmaAtom.h"

#include "layout/Distributed.h"
#include "mlir/IR/DialectImplementation.h"
#include "tileaa/ir/MmaShapes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::DimSize;
using layout::F2Vector;
using layout::LinearLayout;
using layout::MmaOperand;
using layout::tileDim;

//===-- AtomAttr ----------------------------------------------------------===//

// `<fma>`, `<mma_sync m16n8k16>`
void AtomAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyAtomKind(getKind());
  if (getKind() != AtomKind::Fma)
    printer << " m" << getM() << "n" << getN() << "k" << getK();
  printer << ">";
}

Attribute AtomAttr::parse(AsmParser &parser, Type) {
  StringRef word, shape;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  std::optional<AtomKind> kind = symbolizeAtomKind(word);
  if (!kind) {
    parser.emitError(start) << "unknown atom '" << word << "', expected fma, mma_sync, wgmma or tcgen05";
    return {};
  }
  int64_t m = 1, n = 1, k = 1;
  if (*kind != AtomKind::Fma) {
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&shape))
      return {};
    StringRef rest = shape;
    if (!rest.consume_front("m") || rest.consumeInteger(10, m) || !rest.consume_front("n") ||
        rest.consumeInteger(10, n) || !rest.consume_front("k") || rest.consumeInteger(10, k) || !rest.empty()) {
      parser.emitError(at) << "found '" << shape << "', expected the atom's shape as in m16n8k16";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<AtomAttr>(start, parser.getContext(), *kind, m, n, k);
}

LogicalResult AtomAttr::verify(function_ref<InFlightDiagnostic()> emitError, AtomKind kind, int64_t m, int64_t n,
                               int64_t k) {
  if (kind == AtomKind::Fma && m * n * k != 1)
    return emitError() << "an fma has no shape";
  if (m < 1 || n < 1 || k < 1 || !llvm::isPowerOf2_64(m) || !llvm::isPowerOf2_64(k))
    return emitError() << "an atom of shape m" << m << "n" << n << "k" << k << ", expected powers of two";
  return success();
}

//===-- MmaOp -------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value operand) {
  if (auto buffer = dyn_cast<BufferType>(operand.getType()))
    return buffer.getShape();
  return cast<RankedTensorType>(operand.getType()).getShape();
}

LogicalResult MmaOp::verify() {
  if (failed(tileaa::verifyMmaShapes(*this, shapeOf(getLhs()), shapeOf(getRhs()), shapeOf(getAcc()))))
    return failure();
  if (getRunning() && getAtom().getKind() != AtomKind::Wgmma)
    return emitOpError() << "is asynchronous by " << stringifyAtomKind(getAtom().getKind()) << ", expected wgmma";
  return success();
}

void MmaOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<BufferType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, SharedMemory::get());
}

//===-- layouts -----------------------------------------------------------===//

LinearLayout tileas::fragmentLayout(AtomAttr atom, MmaOperand operand, unsigned elementBits) {
  if (atom.getKind() == AtomKind::Fma)
    return LinearLayout({}, {{tileDim(0), 0}, {tileDim(1), 0}}, {});
  layout::MmaShape shape{atom.getM(), atom.getN(), atom.getK(), elementBits};
  return atom.getKind() == AtomKind::MmaSync ? layout::mmaSync(operand, shape) : layout::wgmma(operand, shape);
}

// The elements of an operand that threads hold, extended from the fragment of one instruction.
static LinearLayout extendFragment(LinearLayout own, const LinearLayout &results, MmaOperand operand,
                                   const LinearLayout &acc, int64_t depth) {
  bool isLhs = operand == MmaOperand::A;
  unsigned rank = acc.outputs().size(), lead = rank - 2;
  SmallVector<int64_t> shape = acc.shape();
  shape[isLhs ? rank - 1 : rank - 2] = depth;

  // The accumulator's bits of one instruction are replaced by the operand's own.
  if (lead)
    own = own.expand(0);
  unsigned order[] = {isLhs ? rank - 1 : rank - 2};
  // Only the depth grows here: the other dimensions are the accumulator's to repeat.
  SmallVector<int64_t> first = shape;
  for (unsigned dim = 0; dim != rank; ++dim)
    if (dim != order[0])
      first[dim] = std::min<int64_t>(shape[dim], own.outputSize(tileDim(dim)));
  SmallVector<unsigned> all = layout::rowMajorOrder(rank);
  own = layout::fitToShape(own, first, all);

  // As numbers of the operand's tile.
  LinearLayout empty({},
                     [&] {
                       SmallVector<DimSize> outputs;
                       for (auto [dim, size] : llvm::enumerate(shape))
                         outputs.push_back({tileDim(dim), unsigned(llvm::Log2_64(size))});
                       return outputs;
                     }(),
                     {});
  Dim across = tileDim(isLhs ? rank - 2 : rank - 1);
  auto imageOf = [&](const LinearLayout &from, F2Vector basis, bool withDepth) {
    F2Vector image = empty.outputAt(across, from.coordinate(basis, across));
    if (lead)
      image |= empty.outputAt(tileDim(0), from.coordinate(basis, tileDim(0)));
    if (withDepth)
      image |= empty.outputAt(tileDim(order[0]), from.coordinate(basis, tileDim(order[0])));
    return image;
  };

  SmallVector<DimSize> inputs;
  SmallVector<F2Vector> bases;
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp}) {
    unsigned before = bases.size();
    for (F2Vector basis : own.basisOf(in))
      bases.push_back(imageOf(own, basis, /*withDepth=*/true));
    for (F2Vector basis : acc.basisOf(in).drop_front(results.inputBits(in))) {
      F2Vector image = imageOf(acc, basis, /*withDepth=*/false);
      // Registers that differ along the other dimension only need nothing more of this operand.
      if (image != 0 || in != Dim::Register)
        bases.push_back(image);
    }
    inputs.push_back({in, unsigned(bases.size() - before)});
  }
  return LinearLayout(inputs, empty.outputs(), bases);
}

LinearLayout tileas::operandLayout(AtomAttr atom, MmaOperand operand, const LinearLayout &acc, int64_t depth,
                                   unsigned elementBits) {
  return extendFragment(fragmentLayout(atom, operand, elementBits),
                        fragmentLayout(atom, MmaOperand::Accumulator, elementBits), operand, acc, depth);
}

// PTX ISA 9.7.14.3: of four lanes the first two have the rows r and r + 8, one has the column. The others may have
// anything; copies are what needs no thought.
LinearLayout tileas::scaleLayout(AtomAttr atom, MmaOperand operand, const LinearLayout &acc, int64_t blocks,
                                 unsigned elementBits) {
  bool isLhs = operand == MmaOperand::A;
  LinearLayout own = isLhs ? LinearLayout({{Dim::Lane, 5}}, {{tileDim(0), 4}, {tileDim(1), 0}}, {8, 0, 1, 2, 4})
                           : LinearLayout({{Dim::Lane, 5}}, {{tileDim(0), 0}, {tileDim(1), 3}}, {0, 0, 1, 2, 4});
  return extendFragment(own, fragmentLayout(atom, MmaOperand::Accumulator, elementBits), operand, acc, blocks);
}

bool tileas::addsByParts(Type element, Type acc, bool fastAcc) {
  return element.getIntOrFloatBitWidth() == 8 && acc.isF32() && !fastAcc;
}
