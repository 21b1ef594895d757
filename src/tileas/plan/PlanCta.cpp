// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/analysis/BlocksBeside.h"
#include "tileas/analysis/ProductRegisters.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/RegisterPool.h"
#include "tileas/plan/Passes.h"
#include "tileas/plan/WgmmaChoice.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASPLANCTA
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t mostWarps = 32, threadsPerWarp = 32;

// A thread has 255 registers. A tile with more elements for each is in local memory for the most part, and code for
// thousands of them takes a minute to compile.
constexpr int64_t mostElementsOfThread = 256;

// The largest tile for which so many warps are enough. Products want many accumulators in a thread. Kernels that only
// read, compute and write want many threads: on an H200 rows of softmax, f32, of 8192, 16384 and 32768 elements have
// 3.70, 2.86 and 3.25 TB/s with 16 warps and 3.41, 2.61 and 2.83 with 8, sums of two arrays 4.0 and 3.9 to 4.05. On an
// H100, with 4 warps for tiles of 4096 elements LayerNorm of rows of 32768 takes 1.10 to 1.22 times as long as with 8,
// cross-entropy 1.03 to 1.07, softmax 1.00. The warps of a scan wait for each other: cumsum of tiles of 4096 elements
// takes 1.47 times as long with 8 warps as with 2, of 8192 elements 4.48 times as long with 16 as with 4.
struct Enough {
  int64_t elements, warps;
};
constexpr Enough forProducts[] = {{128, 1}, {256, 2}, {4096, 4}, {32768, 8}, {65536, 16}};
constexpr Enough forScans[] = {{128, 1}, {256, 2}, {8192, 4}, {16384, 8}, {65536, 16}};
constexpr Enough forOthers[] = {{128, 1}, {256, 2}, {2048, 4}, {4096, 8}, {65536, 16}};
// Of elements of 16 bits and fewer: softmax of rows of 8192 bf16 takes 1.23 times as long with 16 warps as with 8 on an
// H200, 1.09 times on an H100.
constexpr Enough forNarrow[] = {{128, 1}, {256, 2}, {2048, 4}, {8192, 8}, {65536, 16}};

// No thread waits for another one: on an H200 SwiGLU by tiles of 4096 takes 190 us of f32 and 111 of f16 with 4 warps,
// 209 and 116 with 8; sums of two arrays 99.0 and 99.7.
constexpr Enough forElements[] = {{128, 1}, {256, 2}, {4096, 4}, {8192, 8}, {65536, 16}};

// A kind of kernels, in words that follow `for other kernels`.
struct Kind {
  const char *words;
  ArrayRef<Enough> table;
};

bool loadsWideTiles(Operation *op) {
  constexpr unsigned narrowBits = 16;
  return isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op) && llvm::any_of(op->getResultTypes(), [](Type type) {
           auto tile = dyn_cast<RankedTensorType>(type);
           return tile && (!tile.getElementType().isIntOrFloat() || tile.getElementTypeBitWidth() > narrowBits);
         });
}

Kind kindOf(func::FuncOp function) {
  bool multiplies = false, scans = false, exchanges = false, isWide = false;
  function.walk([&](Operation *op) {
    multiplies |= isa<tileaa::MmaOp, tileaa::MmaScaledOp>(op);
    scans |= isa<tileaa::ScanOp>(op);
    exchanges |= isa<tileaa::ReduceOp, tileaa::PermuteOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp>(op);
    isWide |= loadsWideTiles(op);
  });
  if (multiplies)
    return {" with products", forProducts};
  if (scans)
    return {" with scans", forScans};
  if (!exchanges)
    return {" without reductions", forElements};
  return isWide ? Kind{"", forOthers} : Kind{" of narrow elements", forNarrow};
}

int64_t warpsFor(int64_t elements, ArrayRef<Enough> table) {
  for (Enough row : table)
    if (elements <= row.elements)
      return row.warps;
  return mostWarps;
}

constexpr int64_t rowsOfGroup = 64, warpsOfGroup = 4;

// Whether one warpgroup has all products, by wgmma: none has more rows than its instruction.
bool areOfOneGroup(ArrayRef<tileaa::MmaOp> products, const nvidia::Architecture &architecture) {
  return llvm::all_of(products, [&](tileaa::MmaOp mma) {
    return cast<RankedTensorType>(mma.getAcc().getType()).getDimSize(0) == rowsOfGroup &&
           tileas::chooseWgmma(mma, architecture, warpsOfGroup, std::nullopt, std::nullopt);
  });
}

// Whether rows of products are reduced beside these, as in the loop of attention.
bool reducesRows(ArrayRef<tileaa::MmaOp> products) {
  return llvm::any_of(products, [](tileaa::MmaOp mma) {
    return llvm::any_of(mma->getBlock()->getOps<tileaa::ReduceOp>(), [](tileaa::ReduceOp reduce) {
      auto tile = cast<RankedTensorType>(reduce.getSources()[0].getType());
      return tile.getRank() == 2 && reduce.getDim() == 1 && tile.getDimSize(0) == rowsOfGroup;
    });
  });
}

// Whether one warpgroup works on a CTA, and another one on the next CTA of the same multiprocessor. Two warpgroups of
// one CTA would have different columns of the same 64 rows: their maxima and sums go through shared memory, and each
// of them reads the whole left operand. Attention bf16 of 64x64 queries and keys, 128 values, on an H200: 1917 us with
// two warpgroups, 1044 with two CTAs of one.
bool isForOneGroup(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  if (!module || !module->hasAttr(tileas::targetAttr))
    return false;
  const nvidia::Architecture *architecture = tileas::architectureOf(function);
  if (!architecture || !architecture->hasWgmma())
    return false;
  if (tileas::occupancyAsked(function).value_or(0) < 2 &&
      tileas::blocksBeside(function, warpsOfGroup, *architecture) < 2)
    return false;
  SmallVector<tileaa::MmaOp> products;
  function.walk([&](tileaa::MmaOp mma) { products.push_back(mma); });
  return areOfOneGroup(products, *architecture) && reducesRows(products) &&
         tileas::registersOfProducts(function, warpsOfGroup * threadsPerWarp) <= tileas::registersForSums(warpsOfGroup);
}

class PlanCta : public tilewright::impl::TileasPlanCtaBase<PlanCta> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t largest = 1;
    function.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type))
          largest = std::max(largest, tile.getNumElements());
    });
    Kind kind = kindOf(function);
    int64_t warps = warpsFor(largest, kind.table);
    std::string reason =
        ("as many as for other kernels" + Twine(kind.words) + " whose largest tile has " + Twine(largest) + " elements")
            .str();
    if (warps > warpsOfGroup && isForOneGroup(function)) {
      warps = warpsOfGroup;
      reason = "a warpgroup has all rows of the products, and CTAs share the multiprocessor";
    }
    if (std::optional<int64_t> asked = tileaa::numberHinted(function, tileaa::hint::warps)) {
      warps = answerWarps(*asked, largest, warps);
      reason = warps == *asked ? "the hint num_worker_warps_per_cta asks for them" : reason;
    }
    if (std::optional<int64_t> asked = tileas::askedFor(function, tileas::DecisionKind::Warps)) {
      if (std::string obstacle = obstacleToWarps(*asked, largest, warps); !obstacle.empty())
        reason = obstacle;
      else
        warps = *asked;
    }
    tileas::decide(function, tileas::DecisionKind::Warps, warps, reason);
    replaceOccupancy();
    tileas::setCta(function, tileas::CtaAttr::ofWarps(&getContext(), warps));
  }

  // A plan file stands in the place of the hint, at which the passes behind look. One CTA is what there is without it.
  void replaceOccupancy() {
    func::FuncOp function = getOperation();
    std::optional<int64_t> asked = tileas::askedFor(function, tileas::DecisionKind::Occupancy);
    if (!asked || asked == tileaa::numberHinted(function, tileaa::hint::occupancy))
      return;
    tileaa::declineHint(function, tileaa::hint::occupancy, "the plan file asks for " + Twine(*asked));
    if (*asked > 1)
      tileaa::setNumberHinted(function, tileaa::hint::occupancy, *asked);
  }

  // Why fewer warps than planned cannot hold the tiles, as the end of a sentence; empty where they can.
  static std::string obstacleToWarps(int64_t asked, int64_t largest, int64_t planned) {
    int64_t ofThread = largest / (asked * threadsPerWarp);
    if (asked >= planned || ofThread <= mostElementsOfThread)
      return "";
    return ("each thread would have " + Twine(ofThread) + " elements of a tile, and has registers for " +
            Twine(mostElementsOfThread) + " at most; " + Twine(planned) + " warps work on it")
        .str();
  }

  // The number of warps, as asked for or as planned.
  int64_t answerWarps(int64_t asked, int64_t largest, int64_t planned) {
    func::FuncOp function = getOperation();
    if (!llvm::isPowerOf2_64(asked) || asked > mostWarps) {
      tileaa::declineHint(function, tileaa::hint::warps,
                          "a block has a power of two of at most " + Twine(mostWarps) + " warps");
      return planned;
    }
    if (std::string obstacle = obstacleToWarps(asked, largest, planned); !obstacle.empty()) {
      tileaa::declineHint(function, tileaa::hint::warps, obstacle);
      return planned;
    }
    tileaa::followHint(function, tileaa::hint::warps, "these warps work on the tiles of a block");
    return asked;
  }
};

} // namespace
