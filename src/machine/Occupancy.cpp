// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Occupancy.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

// Registers are given to a warp in pieces of 256, to warps by fours; shared memory in pieces of 128 bytes (CUDA's
// occupancy calculator, the same for all of these architectures).
constexpr unsigned registerPiece = 256, warpPiece = 4, sharedPiece = 128;

struct Bound {
  StringLiteral resource;
  uint64_t blocks;
};

} // namespace

Occupancy computeOccupancy(const BlockNeeds &needs, const Architecture &architecture) {
  uint64_t warps = std::max<uint64_t>(1, divideCeil(needs.threads, Architecture::warpThreads));
  uint64_t registersPerWarp = alignTo(uint64_t(needs.registers) * Architecture::warpThreads, registerPiece);
  uint64_t warpsByRegisters = registersPerWarp == 0
                                  ? architecture.warpsPerSm() * 2
                                  : alignDown(Architecture::registersPerSm / registersPerWarp, warpPiece);
  uint64_t shared = alignTo(needs.sharedBytes + Architecture::reservedSharedBytes, sharedPiece);
  const Bound bounds[] = {{"warps", architecture.warpsPerSm() / warps},
                          {"registers", warpsByRegisters / warps},
                          {"shared memory", architecture.sharedBytesPerSm / shared},
                          {"blocks", architecture.blocksPerSm}};
  const Bound &least = *llvm::min_element(bounds, [](const Bound &a, const Bound &b) { return a.blocks < b.blocks; });
  return {static_cast<unsigned>(least.blocks), static_cast<unsigned>(least.blocks * warps), least.resource};
}

} // namespace tilewright::nvidia
