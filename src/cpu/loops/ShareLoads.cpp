// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of one array that lie less than a register apart, as in stencils, have most of their elements in common. The
// first one is loaded, and the register behind it; those between are shifted out of these. A register as wide as a
// cache line is rarely aligned with one, and a load that straddles two lines takes the time of two.
//
//   %a = vector.load %x[%i] : vector<32xf32>        %0 = vector.load %x[%i] : vector<16xf32>
//   %b = vector.load %x1[%i] : vector<32xf32>  -->  %1 = vector.load %x[%i + 16] : vector<16xf32>
//   // %x1 begins one element after %x              %2 = vector.load %x1[%i + 16] : vector<16xf32>
//                                                   // %a is %0 and %1, %b is a shift of %0 and %1, then %2
#include "cpu/loops/VectorLoop.h"

#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// A load, and where its buffer begins: so many bytes behind an address.
struct Load {
  mutable vector::LoadOp op;
  mutable ArrayOp array;
  Value address;
  int64_t bytes = 0;

  static std::optional<Load> of(vector::LoadOp op) {
    auto array = op.getBase().getDefiningOp<ArrayOp>();
    if (!array || op.getVectorType().getRank() != 1)
      return std::nullopt;
    auto sum = array.getAddress().getDefiningOp<arith::AddIOp>();
    APInt bytes;
    if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&bytes)))
      return Load{op, array, sum.getLhs(), bytes.getSExtValue()};
    return Load{op, array, array.getAddress()};
  }

  int64_t elementBytes() const { return op.getVectorType().getElementTypeBitWidth() / 8; }

  // Whether the two differ in nothing but where their buffers begin.
  bool isLike(const Load &other) {
    return address == other.address && op.getVectorType() == other.op.getVectorType() &&
           op.getMemRefType() == other.op.getMemRefType() &&
           isEqualConstantIntOrValueArray(getAsOpFoldResult(array.getSizes()),
                                          getAsOpFoldResult(other.array.getSizes())) &&
           isEqualConstantIntOrValueArray(getAsOpFoldResult(op.getIndices()),
                                          getAsOpFoldResult(other.op.getIndices())) &&
           isEqualConstantIntOrValueArray(getAsOpFoldResult(array.getStrides()),
                                          getAsOpFoldResult(other.array.getStrides()));
  }
};

// Loads that are alike and at most a register apart, in the order of their addresses.
class Group {
public:
  Group(MutableArrayRef<Load> loads, int64_t lanes) : loads(loads), lanes(lanes) {}

  void share() {
    int64_t registers = loads.front().op.getVectorType().getNumElements() / lanes;
    if (registers + 1 >= registers * int64_t(loads.size()))
      return;
    Operation *earliest = *llvm::min_element(llvm::map_range(loads, [](Load &load) { return load.op; }),
                                             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    OpBuilder builder(earliest);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < registers; ++i)
      parts.push_back(loadRegister(builder, loads.front().op, i * lanes));
    Value behind = loadRegister(builder, loads.back().op, (registers - 1) * lanes);
    for (Load &load : loads) {
      builder.setInsertionPoint(load.op);
      load.op.replaceAllUsesWith(combine(builder, load, parts, behind));
    }
    for (Load &load : loads)
      load.op.erase();
  }

private:
  // How many elements behind the first load.
  int64_t distance(const Load &load) const { return (load.bytes - loads.front().bytes) / load.elementBytes(); }

  Value loadRegister(OpBuilder &builder, vector::LoadOp of, int64_t at) const {
    SmallVector<Value> indices(of.getIndices());
    Value ahead = arith::ConstantIndexOp::create(builder, of.getLoc(), at);
    indices.back() = builder.createOrFold<arith::AddIOp>(of.getLoc(), indices.back(), ahead);
    auto type = VectorType::get({lanes}, of.getVectorType().getElementType());
    return vector::LoadOp::create(builder, of.getLoc(), type, of.getBase(), indices);
  }

  // The vector of a load: `parts` are the registers of the first one, and `behind` is the last register of the last.
  Value combine(OpBuilder &builder, Load &load, ArrayRef<Value> parts, Value behind) const {
    Location loc = load.op.getLoc();
    Value whole = ub::PoisonOp::create(builder, loc, load.op.getVectorType());
    for (auto [i, part] : llvm::enumerate(parts)) {
      Value shifted = i + 1 < parts.size() ? shift(builder, part, parts[i + 1], distance(load), lanes)
                                           : shift(builder, part, behind, distance(load), distance(loads.back()));
      whole = vector::InsertStridedSliceOp::create(builder, loc, shifted, whole, i * lanes, 1);
    }
    return whole;
  }

  // A register of the elements from `from` on in a register, and one that begins `next` elements behind it.
  Value shift(OpBuilder &builder, Value first, Value second, int64_t from, int64_t next) const {
    if (from == 0 || from == next)
      return from == 0 ? first : second;
    SmallVector<int64_t> mask;
    for (int64_t element = from; element < from + lanes; ++element)
      mask.push_back(element < lanes ? element : lanes + element - next);
    return vector::ShuffleOp::create(builder, first.getLoc(), first, second, mask);
  }

  MutableArrayRef<Load> loads;
  int64_t lanes; // of a register
};

class Sharing {
public:
  explicit Sharing(const Plan &plan) : plan(plan) {}

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto load = dyn_cast<vector::LoadOp>(op))
        add(load);
      else if (!isMemoryEffectFree(&op) && !isa<memref::PrefetchOp, vector::MaskedLoadOp, memref::LoadOp>(op))
        shareAll(); // it may write
    }
    shareAll();
  }

private:
  void add(vector::LoadOp op) {
    std::optional<Load> load = Load::of(op);
    if (!load)
      return;
    for (SmallVector<Load> &family : families)
      if (family.front().isLike(*load))
        return family.push_back(*load);
    families.push_back({*load});
  }

  void shareAll() {
    for (SmallVector<Load> &family : families)
      shareFamily(family);
    families.clear();
  }

  void shareFamily(MutableArrayRef<Load> loads) {
    int64_t bytes = loads.front().elementBytes();
    if (bytes == 0)
      return;
    int64_t lanes = plan.lanes(8 * bytes);
    if (loads.front().op.getVectorType().getNumElements() % lanes != 0)
      return;
    llvm::stable_sort(loads, [](const Load &left, const Load &right) { return left.bytes < right.bytes; });
    while (!loads.empty()) {
      int64_t first = loads.front().bytes;
      auto rest = llvm::find_if(loads, [&](const Load &load) {
        return load.bytes - first > lanes * bytes || (load.bytes - first) % bytes != 0;
      });
      MutableArrayRef<Load> group(loads.begin(), rest);
      loads = loads.drop_front(group.size());
      Group(group, lanes).share();
    }
  }

  const Plan &plan;
  SmallVector<SmallVector<Load>> families;
};

} // namespace

void cpu::shareLoads(ArrayRef<vector::LoadOp> loads, const Plan &plan) {
  if (plan.vectorBits != 8 * cacheLineBytes)
    return;
  llvm::SetVector<Block *> blocks;
  for (vector::LoadOp load : loads)
    blocks.insert(load->getBlock());
  for (Block *block : blocks)
    Sharing(plan).run(*block);
}
