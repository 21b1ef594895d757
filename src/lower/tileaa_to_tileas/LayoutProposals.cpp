// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_tileas/LayoutProposals.h"

#include "lower/tileaa_to_tileas/AccessLayouts.h"
#include "tileas/analysis/PointerMemory.h"
#include "tileas/async/StagedTile.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/ReduceForms.h"
#include "tileas/plan/Tcgen05Choice.h"
#include "tileas/plan/WgmmaChoice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using layout::LinearLayout;

// Work inside loops counts more.
static double frequency(Operation *op) {
  double times = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(parent))
      times *= 8;
  return times;
}

LayoutProposals::LayoutProposals(func::FuncOp function, const nvidia::Architecture &architecture)
    : architecture(architecture), warps(tileas::warpsOf(function)), tmemColumns(architecture.tensorMemoryColumns()),
      classes(function), slopes(function) {
  function.walk([&](Operation *op) { propose(op); });
  function.walk([&](tileaa::StorePtrOp store) { decideStore(store); });
  classes.solve(warps);
  function.walk([&](tileaa::LoadPtrOp load) { proposeSpread(load); });
  function.walk([&](tileaa::ReduceOp reduce) { proposeForm(reduce); });
}

//===-- memory ------------------------------------------------------------===//

layout::TileMemory LayoutProposals::memoryOf(tileaa::LoadViewOp load) const {
  if (!classes.isStored(load.getTile()))
    if (auto shifted = tileas::memoryOfShifted(load))
      return *shifted;
  return tileas::memoryOf(load);
}

layout::TileMemory LayoutProposals::memoryOf(tileaa::StoreViewOp store) {
  auto tile = cast<RankedTensorType>(store.getTile().getType());
  return tileas::memoryOf(store.getView(), store.getOffsets(), store.getDimMap(), tile.getShape());
}

template <typename Access> void LayoutProposals::proposeAccess(Access access) {
  auto tile = dyn_cast<RankedTensorType>(access.getTile().getType());
  if (!tile)
    return;
  classes.propose(access.getTile(), accessLayout(tile.getShape(), memoryOf(access), warps),
                  frequency(access) * tile.getNumElements() * tile.getElementTypeBitWidth());
}

void LayoutProposals::propose(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tileaa::MmaOp mma) { proposeProduct(mma); })
      .Case([&](tileaa::MmaScaledOp mma) { proposeScaled(mma); })
      .Case<tileaa::LoadViewOp, tileaa::StoreViewOp>([&](auto access) { proposeAccess(access); })
      .Case<tileaa::LoadPtrOp, tileaa::StorePtrOp>([&](auto access) { proposeAddresses(access); });
}

// Nothing where elements are not known to lie one after another: then they may be held in any way.
template <typename Access> std::optional<layout::TileMemory> LayoutProposals::memoryAt(Access access) {
  auto tile = dyn_cast<RankedTensorType>(access.getTile().getType());
  if (!tile || access.getOrdering())
    return std::nullopt;
  int64_t bytes = std::max(1u, tile.getElementTypeBitWidth() / 8);
  return tileas::memoryOf(access.getAddresses(), access.getMask(), bytes, slopes);
}
template <typename Access> void LayoutProposals::proposeAddresses(Access access) {
  if (auto memory = memoryAt(access)) {
    auto tile = cast<RankedTensorType>(access.getTile().getType());
    classes.propose(access.getAddresses(), accessLayout(tile.getShape(), *memory, warps),
                    frequency(access) * tile.getNumElements() * tile.getElementTypeBitWidth());
  }
}
// Elements that many threads need, as a scale of each column of a product, are loaded in a loop by one thread each
// where a thread would need many loads for them: the addresses of these would take more registers than the elements.
void LayoutProposals::proposeSpread(tileaa::LoadPtrOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getTile().getType());
  if (!tile || load.getOrdering() || !classes.isKnown(load.getTile()) || !load->getParentOfType<scf::ForOp>())
    return;
  const LinearLayout &held = classes.layoutOf(load.getTile());
  if (held.redundantBits(layout::Dim::Lane) == 0 || held.redundantBits(layout::Dim::Warp) == 0)
    return;
  auto memory = memoryAt(load);
  LinearLayout best = memory ? accessLayout(tile.getShape(), *memory, warps) : defaultLayout(tile.getShape(), warps);
  if (instructionsOf(held, memory) < spreadMore * instructionsOf(best, memory))
    return;
  classes.propose(load.getTile(), best, 1e9 * frequency(load) * tile.getNumElements());
  classes.solve(warps);
}
// A tile is stored as it is held unless that takes much longer than to hold it otherwise before.
void LayoutProposals::decideStore(tileaa::StorePtrOp store) {
  Value tile = store.getTile();
  if (!classes.isKnown(tile))
    return;
  auto memory = memoryAt(store);
  const std::optional<LinearLayout> &held = classes.proposalFor(tile);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  if (!memory || !held || !isMuchWorse(*held, accessLayout(shape, *memory, warps), *memory, storesMore))
    classes.unite(store.getAddresses(), tile);
}

//===-- products ----------------------------------------------------------===//

// The dimensions of a loaded tile as they lie in memory, the nearest first.
std::optional<SmallVector<unsigned>> LayoutProposals::orderInMemory(Value tile) {
  if (auto load = tile.getDefiningOp<tileaa::LoadPtrOp>()) {
    auto memory = memoryAt(load);
    return memory ? std::optional(tileas::orderOf(*memory)) : std::nullopt;
  }
  auto loaded = tileas::stagedTile(tile);
  if (!loaded)
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  // A tile that threads would have to round counts as computed by them.
  bool isRoundedForUs = architecture.hasWgmma() || architecture.hasTcgen05();
  if (loaded->format && !(isRoundedForUs && tileas::isDescribed(*loaded, shape)))
    return std::nullopt;
  return tileas::orderOf(*loaded, shape);
}

// Whether the right operand, of other than 16 bits, would have to be written across the order in which it was loaded:
// element by element, which takes longer than mma.sync's fragments. GEMM tf32 4096^3, B row-major: 75 TFLOP/s, and
// 144.
bool LayoutProposals::isTransposedByWriting(tileaa::MmaOp mma) {
  Value rhs = mma.getRhs();
  if (orderInMemory(rhs) || getElementTypeOrSelf(rhs.getType()).getIntOrFloatBitWidth() == 16)
    return false;
  while (Operation *op = rhs.getDefiningOp()) {
    if (auto order = orderInMemory(rhs))
      return order->front() != 0;
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() != 1)
      break;
    rhs = op->getOperand(0);
  }
  return true;
}

// The order in which an operand is in shared memory. Of bytes wgmma wants those along K side by side, and threads of
// the producer turn a tile that has them otherwise.
std::optional<SmallVector<unsigned>>
LayoutProposals::orderOnArrival(Value tile, std::optional<SmallVector<unsigned>> order, unsigned k) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!architecture.hasWgmma() || !order || order->front() == k || type.getElementType().getIntOrFloatBitWidth() != 8)
    return order;
  // Rows without alignment are loaded byte by byte.
  auto staged = tileas::stagedTile(tile);
  bool isTurned = staged && tileas::isDescribed(*staged, type.getShape());
  return isTurned ? SmallVector<unsigned>{k, 1 - k} : order;
}

// Of a rounded operand that lies across, nothing: threads can hold the left one as they like.
std::optional<SmallVector<unsigned>> LayoutProposals::orderOfLeft(tileaa::MmaOp mma) {
  auto order = orderInMemory(mma.getLhs());
  if (order && order->front() != 1 && mma.getLhs().getDefiningOp<tileaa::ConvertOp>())
    return std::nullopt;
  return order;
}

// Without an order in memory a warpgroup has its left operand in registers.
std::optional<SmallVector<unsigned>> LayoutProposals::lhsOrderAsked(tileaa::MmaOp mma,
                                                                    std::optional<SmallVector<unsigned>> order) {
  std::optional<int64_t> asked = tileas::askedFor(mma, tileas::DecisionKind::Lhs);
  if (asked == tileas::lhs::registers)
    return std::nullopt;
  return asked == tileas::lhs::shared && !order ? SmallVector<unsigned>{1, 0} : order;
}

// The atom of the best engine that takes the product, and how it wants its operands.
tileas::MmaChoice LayoutProposals::chooseProduct(tileaa::MmaOp mma) {
  std::optional<int64_t> asked = tileas::askedFor(mma, tileas::DecisionKind::Atom);
  auto mayBe = [&](tileas::AtomKind kind) { return !asked || *asked == int64_t(kind); };
  if (asked || !isTransposedByWriting(mma)) {
    auto lhsOrder = orderOnArrival(mma.getLhs(), orderOfLeft(mma), 1),
         rhsOrder = orderOnArrival(mma.getRhs(), orderInMemory(mma.getRhs()), 0);
    if (mayBe(tileas::AtomKind::Wgmma))
      if (auto choice = tileas::chooseWgmma(mma, architecture, warps, lhsOrderAsked(mma, lhsOrder), rhsOrder))
        return *choice;
    if (mayBe(tileas::AtomKind::Tcgen05))
      if (auto choice = tileas::chooseTcgen05(mma, architecture, warps, lhsOrder, rhsOrder, tmemColumns)) {
        tmemColumns -= tileas::tmemColumns(cast<RankedTensorType>(mma.getType()).getShape());
        return *choice;
      }
  }
  return tileas::chooseMma(mma, architecture, warps);
}

// The decision for people.
void LayoutProposals::recordAtom(Operation *mma, tileas::AtomKind kind) {
  bool hasLarger = architecture.hasWgmma() || architecture.hasTcgen05();
  const char *why = kind == tileas::AtomKind::Wgmma || kind == tileas::AtomKind::Tcgen05
                        ? "the largest instruction of the architecture takes its types and its shape"
                    : kind == tileas::AtomKind::Fma ? "no instruction of the tensor cores takes its types and its shape"
                    : hasLarger ? "wgmma and tcgen05 do not take its types, its shape or the order of its operands"
                                : "the tensor cores of the architecture have no larger instruction";
  tileas::decide(mma, tileas::DecisionKind::Atom, int64_t(kind), why);
}

void LayoutProposals::recordLhs(tileaa::MmaOp mma, const tileas::MmaChoice &choice) {
  if (choice.atom.getKind() == tileas::AtomKind::Wgmma)
    tileas::decide(mma, tileas::DecisionKind::Lhs, choice.lhsInBuffer ? tileas::lhs::shared : tileas::lhs::registers,
                   choice.lhsInBuffer ? "it is loaded, and no thread computes it" : "threads compute it");
  else if (choice.atom.getKind() == tileas::AtomKind::Tcgen05)
    tileas::decide(mma, tileas::DecisionKind::Lhs, tileas::lhs::shared,
                   "tcgen05 reads no registers, and copies write to shared memory");
  else if (std::optional<int64_t> asked = tileas::askedFor(mma, tileas::DecisionKind::Lhs))
    tileas::decide(mma, tileas::DecisionKind::Lhs, !*asked, "only wgmma reads its left operand from either");
}

void LayoutProposals::proposeProduct(tileaa::MmaOp mma) {
  tileas::MmaChoice choice = chooseProduct(mma);
  recordAtom(mma, choice.atom.getKind());
  recordLhs(mma, choice);
  auto type = cast<RankedTensorType>(mma.getType());
  // Nothing else may decide about accumulators.
  classes.propose(mma.getResult(), choice.acc, 1e6 * frequency(mma) * type.getNumElements());
  // An operand that a warpgroup takes from registers is best computed there.
  auto lhs = cast<RankedTensorType>(mma.getLhs().getType());
  if (choice.atom.getKind() == tileas::AtomKind::Wgmma && !choice.lhsInBuffer)
    classes.propose(mma.getLhs(), choice.lhs, 100 * frequency(mma) * lhs.getNumElements());
  products.try_emplace(mma, choice);
}

void LayoutProposals::proposeScaled(tileaa::MmaScaledOp mma) {
  tileas::ScaledMmaChoice choice = tileas::chooseScaledMma(mma, warps);
  recordAtom(mma, choice.atom.getKind());
  auto type = cast<RankedTensorType>(mma.getType());
  classes.propose(mma.getResult(), choice.acc, 1e6 * frequency(mma) * type.getNumElements());
  scaledProducts.try_emplace(mma, choice);
}

//===-- reductions --------------------------------------------------------===//

// The tile as it would be held without this proposal, with whole lines in each warp.
void LayoutProposals::proposeForm(tileaa::ReduceOp reduce) {
  if (tileas::askedFor(reduce, tileas::DecisionKind::Form) != tileas::form::warp)
    return;
  unsigned axis = reduce.getDim();
  for (Value tile : reduce.getSources()) {
    if (!classes.isKnown(tile) || !tileas::areLinesShared(classes.layoutOf(tile), axis))
      continue;
    if (auto within = tileas::linesInWarps(classes.layoutOf(tile), axis)) {
      int64_t elements = cast<RankedTensorType>(tile.getType()).getNumElements();
      classes.propose(tile, *within, 1e5 * frequency(reduce) * elements);
      classes.solve(warps);
    }
  }
}
