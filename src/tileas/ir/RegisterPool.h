// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the registers of a block move between its agents.
//
// A block is launched with an equal share for each thread of the SM's 64 K registers, in steps of 8, or of its part of
// them where several blocks share an SM. `setmaxnreg` redistributes them within the block only: a warpgroup that
// requests more waits until others of the block have released them. So agents may not have more, in total, than the
// block was launched with, even if other registers of the SM are free: they would wait forever. (On an H200 blocks of
// 384 threads, launched with 168 a thread, hang with two warpgroups of 208 beside one of 96 or of 224 beside 64, which
// are 64 K in all; they run with 216 beside 72 and with 240 beside 24, which are 3 * 168.)
#ifndef TILEWRIGHT_TILEAS_IR_REGISTERPOOL_H
#define TILEWRIGHT_TILEAS_IR_REGISTERPOOL_H

#include <array>
#include <cstdint>

namespace tilewright::tileas {

/// A warpgroup, as consumers are in.
constexpr int32_t warpsOfProducer = 4;
/// The registers of a thread of a producer that only starts copies of the hardware.
constexpr int32_t registersOfStarter = 24;

/// Registers of each thread of a block of so many warps when it begins, where an SM has so many of these blocks.
int32_t registersAtLaunch(int32_t warps, int32_t blocks = 1);

/// The registers of a thread of the consumers and of the producer, if the latter has `kept` and the consumers the rest:
/// the `registers` of tileas.agents, where an SM has so many blocks. Zeros if all threads have the maximum, or no more
/// than the producer keeps.
std::array<int32_t, 2> handOver(int32_t consumerWarps, int32_t producerWarps, int32_t kept, int32_t blocks = 1);

/// The registers of a thread that sums of wgmma may have while it runs, in a block where so many warps multiply beside
/// those of a producer. Sums beyond it are in local memory while others are added to.
int32_t registersForSums(int32_t warps);

/// Likewise of a block that shares the SM with others, where the producer keeps `kept`.
int32_t registersForSums(int32_t warps, int32_t kept, int32_t blocks);

} // namespace tilewright::tileas

#endif
