// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/MmaChoice.h"

#include "layout/Distributed.h"
#include "layout/memory/SharedLayouts.h"
#include "tileaa/ir/Numbers.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/MmaAtom.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::LinearLayout;
using layout::MmaOperand;
using layout::tileDim;

namespace {

// The extents of a product; without a batch it is 1.
struct Extents {
  int64_t batch, m, n, k;
};

// How many warps share each of them.
struct Split {
  int64_t batch, m, n;
};

std::optional<nvidia::MmaType> typeOf(tileaa::MmaOp mma) {
  Type lhs = getElementTypeOrSelf(mma.getLhs().getType()), acc = getElementTypeOrSelf(mma.getAcc().getType());
  if (std::optional<Type> format = mma.getFormat())
    return isa<FloatTF32Type>(*format) ? nvidia::MmaType::TF32 : nvidia::MmaType::F8;
  if (lhs.isInteger(8) && acc.isInteger(32))
    return nvidia::MmaType::I8;
  if (lhs.isF64())
    return nvidia::MmaType::F64;
  if (lhs.isF16())
    return nvidia::MmaType::F16;
  if (lhs.isBF16() && acc.isF32())
    return nvidia::MmaType::BF16;
  return std::nullopt;
}

// Whether an assembler takes it for threads with so few registers. For f64 with m16 ptxas (13.0 to 13.5, all levels of
// optimization) wants 64, whatever K: "cannot be compiled with specified register target constraints".
bool hasRegistersFor(nvidia::MmaShape shape, int64_t registers) {
  return shape.type != nvidia::MmaType::F64 || shape.m == 8 || registers >= 64;
}

// The most warps first in the batch, then by `cost` of what one warp has.
template <typename Cost> Split splitWarps(const Extents &extents, int64_t warps, Cost cost) {
  Split best{};
  for (int64_t batch = 1; batch <= std::min(warps, extents.batch); batch *= 2)
    best.batch = batch;
  warps /= best.batch;
  std::optional<std::pair<int64_t, int64_t>> least;
  for (int64_t m = 1; m <= warps; m *= 2) {
    auto found = cost(std::max<int64_t>(1, extents.m / m), std::max<int64_t>(1, extents.n / (warps / m)));
    if (!least || found < *least) {
      least = found;
      best.m = m, best.n = warps / m;
    }
  }
  return best;
}

LinearLayout warpsOver(const Split &split, bool hasBatch) {
  unsigned lead = hasBatch ? 1 : 0;
  LinearLayout warps = LinearLayout::identity(split.m, Dim::Warp, tileDim(lead)) *
                       LinearLayout::identity(split.n, Dim::Warp, tileDim(lead + 1));
  return hasBatch ? warps * LinearLayout::identity(split.batch, Dim::Warp, tileDim(0)) : warps;
}

// m16n8 of accumulators for each warp and step. Registers continue along n first.
LinearLayout spread(LinearLayout one, const Split &split, ArrayRef<int64_t> shape) {
  bool hasBatch = shape.size() == 3;
  if (hasBatch)
    one = one.expand(0);
  return layout::fitToShape(one * warpsOver(split, hasBatch), shape, layout::rowMajorOrder(shape.size()));
}

// Each thread has up to eight rows and eight columns, in steps of four where there are as many.
LinearLayout spreadThreads(const Extents &extents, int64_t warps, ArrayRef<int64_t> shape) {
  auto cost = [](int64_t m, int64_t n) { return std::pair(std::max<int64_t>(m * n, layout::kLanes), m + n); };
  Split split = splitWarps(extents, warps, cost);
  int64_t m = std::max<int64_t>(1, extents.m / split.m), n = std::max<int64_t>(1, extents.n / split.n);
  // The lanes of a warp as nearly square as its part.
  int64_t lanesN = std::min<int64_t>(layout::kLanes, n), lanesM = layout::kLanes / lanesN;
  while (lanesN > 1 && lanesM < m && m / lanesM > n / lanesN)
    lanesN /= 2, lanesM *= 2;
  int64_t rows = std::clamp<int64_t>(m / lanesM, 1, 4), columns = std::clamp<int64_t>(n / lanesN, 1, 4);
  LinearLayout one = LinearLayout::identity(columns, Dim::Register, tileDim(1)) *
                     LinearLayout::identity(rows, Dim::Register, tileDim(0)) *
                     LinearLayout::identity(lanesN, Dim::Lane, tileDim(1)) *
                     LinearLayout::identity(lanesM, Dim::Lane, tileDim(0));
  return spread(one, split, shape);
}

// The rows of lhs, or the columns of rhs, lie side by side for a thread to read several at once. They are written by
// threads that have neighbours along K: a swizzle keeps these out of one bank.
LinearLayout bufferLayout(ArrayRef<int64_t> shape, bool isLhs, unsigned elementBits) {
  unsigned rank = shape.size();
  SmallVector<unsigned> order = layout::rowMajorOrder(rank);
  if (!isLhs)
    return layout::plainShared(shape, order);
  std::swap(order[0], order[1]);
  int64_t vector = std::min<int64_t>(4, shape[rank - 2]);
  int64_t phases = std::min<int64_t>({8, shape[rank - 2] / vector, shape[rank - 1]});
  if (rank != 2 || phases < 2)
    return layout::plainShared(shape, order);
  return layout::swizzledShared(shape, order, {uint64_t(vector), 1, uint64_t(phases)});
}

} // namespace

MmaChoice tileas::chooseMma(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps) {
  auto lhs = cast<RankedTensorType>(mma.getLhs().getType()), rhs = cast<RankedTensorType>(mma.getRhs().getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(mma.getAcc().getType()).getShape();
  unsigned rank = shape.size(), bits = lhs.getElementTypeBitWidth();
  Extents extents{rank == 3 ? shape[0] : 1, shape[rank - 2], shape[rank - 1], lhs.getShape().back()};

  auto function = mma->getParentOfType<FunctionOpInterface>();
  int64_t threads = warps * nvidia::Architecture::warpThreads;
  int64_t registers = registersOfThread(function ? blocksAsked(function, threads, architecture) : 0, threads);
  std::optional<nvidia::MmaShape> instruction;
  std::optional<int64_t> asked = askedFor(mma, DecisionKind::Atom);
  if (std::optional<nvidia::MmaType> type = typeOf(mma); type && asked != int64_t(AtomKind::Fma))
    for (nvidia::MmaShape known : architecture.mmaShapes())
      if (known.type == *type && known.k <= extents.k && hasRegistersFor(known, registers) &&
          (!instruction || std::pair(known.m, known.k) > std::pair(instruction->m, instruction->k)))
        instruction = known;
  MLIRContext *context = mma.getContext();
  if (!instruction)
    return MmaChoice{AtomAttr::get(context, AtomKind::Fma, 1, 1, 1),
                     spreadThreads(extents, warps, shape),
                     bufferLayout(lhs.getShape(), true, bits),
                     bufferLayout(rhs.getShape(), false, bits),
                     /*lhsInBuffer=*/true,
                     /*rhsInBuffer=*/true};

  auto atom = AtomAttr::get(context, AtomKind::MmaSync, instruction->m, instruction->n, instruction->k);
  auto cost = [&](int64_t m, int64_t n) {
    m = std::max<int64_t>(m, instruction->m), n = std::max<int64_t>(n, instruction->n);
    return std::pair(m * n, m + n);
  };
  LinearLayout acc =
      spread(fragmentLayout(atom, MmaOperand::Accumulator, bits), splitWarps(extents, warps, cost), shape);
  return MmaChoice{atom,
                   acc,
                   operandLayout(atom, MmaOperand::A, acc, extents.k, bits),
                   operandLayout(atom, MmaOperand::B, acc, extents.k, bits),
                   /*lhsInBuffer=*/false,
                   /*rhsInBuffer=*/false};
}

ScaledMmaChoice tileas::chooseScaledMma(tileaa::MmaScaledOp mma, int64_t warps) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(mma.getType()).getShape();
  int64_t depth = cast<RankedTensorType>(mma.getLhs().getType()).getShape().back();
  int64_t blocks = cast<RankedTensorType>(mma.getLhsScale().getType()).getShape().back();
  unsigned bits = mma.getFormat().getIntOrFloatBitWidth(), rank = shape.size();
  Extents extents{rank == 3 ? shape[0] : 1, shape[rank - 2], shape[rank - 1], depth};
  auto atom = AtomAttr::get(mma.getContext(), AtomKind::MmaSync, 16, 8, 256 / bits);
  auto cost = [&](int64_t m, int64_t n) {
    m = std::max<int64_t>(m, 16), n = std::max<int64_t>(n, 8);
    return std::pair(m * n, m + n);
  };
  LinearLayout acc =
      spread(fragmentLayout(atom, MmaOperand::Accumulator, bits), splitWarps(extents, warps, cost), shape);
  return ScaledMmaChoice{atom,
                         acc,
                         operandLayout(atom, MmaOperand::A, acc, depth, bits),
                         operandLayout(atom, MmaOperand::B, acc, depth, bits),
                         scaleLayout(atom, MmaOperand::A, acc, blocks, bits),
                         scaleLayout(atom, MmaOperand::B, acc, blocks, bits)};
}
