// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan inside each warp. The bits of an element's place along the dimension
// are each a bit of the register or of the lane; they are taken from the lowest
// on, in runs of one kind. Elements that differ in lower bits are a block,
// which is scanned by then; a run combines each block with what came before it.
//
//   64 elements, {register: 1 .., lane: 2 4 8 16 32}
//     the run of one register bit       register 1 is combined with register 0:
//     blocks of 2 are scanned the run of five lane bits         the totals, in
//     register 1, are scanned over the lanes by shuffles, so that each
//                                       lane has what came before it; both
//                                       registers are combined with that
//
// At last each element takes the identity in.
#include "lower/tileas_to_nvvm/shape/ShapePatterns.h"
#include "lower/tileas_to_nvvm/shape/WarpShuffle.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/verify/ThreadElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

using Values = SmallVector<Value>; // one for each source

using Places = SmallVector<tileas::PlaceBit>;

class WarpScan {
public:
  WarpScan(tileaa::ScanOp scan, Places places, ArrayRef<ValueRange> sources, ThreadBuilder &thread)
      : scan(scan), thread(thread), layout(tileas::layoutOf(scan.getSources()[0])), reverse(scan.getReverse()),
        places(std::move(places)) {
    elements.resize(layout.inputSize(Dim::Register));
    for (ValueRange source : sources)
      for (auto [reg, value] : llvm::enumerate(source))
        elements[reg].push_back(value);
  }

  // The registers of each result.
  SmallVector<SmallVector<Value>> run() {
    for (ArrayRef<tileas::PlaceBit> rest = places; !rest.empty();) {
      Dim kind = rest[0].dim;
      ArrayRef<tileas::PlaceBit> bits = rest.take_while([&](tileas::PlaceBit bit) { return bit.dim == kind; });
      rest = rest.drop_front(bits.size());
      SmallVector<unsigned> masks;
      for (tileas::PlaceBit bit : bits)
        masks.push_back(1u << bit.bit);
      if (kind == Dim::Register)
        scanRegisters(masks);
      else
        scanLanes(masks);
    }
    if (scan.getKind() != tileaa::ScanKind::Partial)
      for (Values &values : elements)
        values = combine(Values(scan.getIdentities()), values);
    if (scan.getKind() == tileaa::ScanKind::Exclusive)
      shift();
    SmallVector<SmallVector<Value>> results(scan.getNumResults());
    for (const Values &values : elements)
      for (auto [result, value] : llvm::zip_equal(results, values))
        result.push_back(value);
    return results;
  }

private:
  Values combine(const Values &before, const Values &values) {
    return combineInBody(scan.getBody().front(), before, values, thread);
  }
  Values choose(Value condition, const Values &a, const Values &b) {
    Values chosen;
    for (auto [x, y] : llvm::zip_equal(a, b))
      chosen.push_back(arith::SelectOp::create(thread.builder, thread.loc, condition, x, y));
    return chosen;
  }
  Values shuffle(const Values &values, Value lane) {
    Values moved;
    for (Value value : values)
      moved.push_back(shuffleIndex(value, lane, thread));
    return moved;
  }
  // The number with some bits as the last of a scan has them.
  Value withLast(Value number, unsigned mask) {
    OpBuilder &b = thread.builder;
    if (mask == 0)
      return number;
    return reverse ? arith::AndIOp::create(b, thread.loc, number, thread.i32(~mask)).getResult()
                   : arith::OrIOp::create(b, thread.loc, number, thread.i32(mask)).getResult();
  }
  Value withFirst(Value number, unsigned mask) {
    OpBuilder &b = thread.builder;
    return reverse ? arith::OrIOp::create(b, thread.loc, number, thread.i32(mask)).getResult()
                   : arith::AndIOp::create(b, thread.loc, number, thread.i32(~mask)).getResult();
  }
  // Whether one of these bits of the lane is not as the first of a scan has it.
  Value isNotFirst(unsigned mask) {
    OpBuilder &b = thread.builder;
    Value bits = arith::AndIOp::create(b, thread.loc, thread.lane(), thread.i32(mask));
    return arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::ne, bits, thread.i32(reverse ? mask : 0));
  }
  unsigned lastRegister(unsigned reg) const { return reverse ? reg & ~lowerRegisters : reg | lowerRegisters; }
  // The total of a register's block, in all of its lanes.
  Values totalOf(unsigned reg) {
    const Values &last = elements[lastRegister(reg)];
    return lowerLanes ? shuffle(last, withLast(thread.lane(), lowerLanes)) : last;
  }
  static unsigned sumOf(ArrayRef<unsigned> masks, unsigned number) {
    unsigned sum = 0;
    for (auto [bit, mask] : llvm::enumerate(masks))
      sum |= number >> bit & 1 ? mask : 0;
    return sum;
  }

  void scanRegisters(ArrayRef<unsigned> masks) {
    unsigned count = 1u << masks.size(), run = sumOf(masks, count - 1);
    for (unsigned line = 0; line != elements.size(); ++line) {
      if (line & (run | lowerRegisters))
        continue;
      Values before;
      for (unsigned number = 0; number != count; ++number) {
        unsigned block = line | sumOf(masks, reverse ? count - 1 - number : number);
        Values total = number + 1 != count ? totalOf(block) : Values();
        if (number != 0)
          forBlock(block, [&](Values &values) { values = combine(before, values); });
        if (number + 1 != count)
          before = number == 0 ? total : combine(before, total);
      }
    }
    lowerRegisters |= run;
  }

  void scanLanes(ArrayRef<unsigned> masks) {
    unsigned run = sumOf(masks, (1u << masks.size()) - 1);
    for (unsigned line = 0; line != elements.size(); ++line) {
      if (line & lowerRegisters)
        continue;
      Values total = totalOf(line), before = total;
      unsigned below = 0;
      for (unsigned mask : masks) {
        Value source = withLast(withFirst(thread.lane(), mask), below);
        Values come = shuffle(total, source);
        Value isLater = isNotFirst(mask);
        Values more = below ? choose(isNotFirst(below), combine(come, before), come) : come;
        before = below ? choose(isLater, more, before) : come;
        if (mask != masks.back())
          total = choose(isLater, combine(come, total), total);
        below |= mask;
      }
      Value hasBefore = isNotFirst(run);
      forBlock(line, [&](Values &values) { values = choose(hasBefore, combine(before, values), values); });
    }
    lowerLanes |= run;
  }

  // The registers that differ in lower bits.
  void forBlock(unsigned block, function_ref<void(Values &)> change) {
    for (unsigned part = 0;; part = (part - lowerRegisters) & lowerRegisters) {
      change(elements[block | part]);
      if (part == lowerRegisters)
        return;
    }
  }

  // An exclusive scan from an inclusive one; only where a thread holds all elements.
  void shift() {
    SmallVector<unsigned> masks;
    for (tileas::PlaceBit bit : places)
      masks.push_back(1u << bit.bit);
    unsigned count = 1u << masks.size();
    std::vector<Values> inclusive = elements;
    for (unsigned line = 0; line != elements.size(); ++line) {
      if (line & lowerRegisters)
        continue;
      for (unsigned place = 0; place != count; ++place) {
        bool isFirst = place == (reverse ? count - 1 : 0);
        elements[line | sumOf(masks, place)] =
            isFirst ? Values(scan.getIdentities()) : inclusive[line | sumOf(masks, reverse ? place + 1 : place - 1)];
      }
    }
  }

  tileaa::ScanOp scan;
  ThreadBuilder &thread;
  const LinearLayout &layout;
  bool reverse;
  Places places;                               // along the scanned dimension
  std::vector<Values> elements;                // by register
  unsigned lowerRegisters = 0, lowerLanes = 0; // the bits that are scanned
};

struct ScanPattern : TilePattern<tileaa::ScanOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::ScanOp scan, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (tileas::Fault fault = tileas::faultOf(scan); !fault.empty())
      return thread.fail(scan, fault);
    auto places = tileas::placesAlong(tileas::layoutOf(scan.getSources()[0]), scan.getDim());
    Places bits(places->begin(), places->end());
    thread.builder.replaceOpWithMultiple(scan, WarpScan(scan, bits, adaptor.getSources(), thread).run());
    return success();
  }
};

} // namespace

void tilewright::populateScanPattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ScanPattern>(kernel);
}
