// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/agents/StageRings.h"

#include "tileaa/ir/Hints.h"
#include "tileas/ir/Decisions.h"
#include "tileas/memory/SharedPlaces.h"

using namespace mlir;
using namespace tilewright;
using tileas::DecisionKind;
using tileas::ProducerGroup;
using tileas::ProducerLoad;
using tileas::Ring;

// For what is exchanged of small tiles.
static constexpr int64_t spareBytes = 1 << 10;

bool Ring::takes(const ProducerGroup &group, ArrayRef<BufferType> types, bool once) const {
  return !isOnce && !once && buffers == types && byThreads == group.byThreads() &&
         llvm::none_of(blocks, [&](Block *block) {
           return block->getParentOp()->isAncestor(group.block()->getParentOp()) ||
                  group.block()->getParentOp()->isAncestor(block->getParentOp());
         });
}

std::vector<Ring> tileas::shareRings(MutableArrayRef<ProducerGroup> groups) {
  std::vector<Ring> rings;
  for (ProducerGroup &group : groups) {
    SmallVector<tileas::BufferType> types;
    for (tileas::ProducerLoad &staged : group.loads)
      types.push_back(staged.buffer);
    bool isInLoop = outermostLoop(group.block()->getParentOp());
    bool isOnce = !isInLoop || group.firstUse()->getNumRegions() != 0;
    auto found = llvm::find_if(rings, [&](const Ring &ring) { return ring.takes(group, types, isOnce); });
    group.ring = found - rings.begin();
    if (found == rings.end())
      rings.push_back({types, group.byThreads(), {}, isOnce, isOnce && isInLoop, {}});
    rings[group.ring].blocks.push_back(group.block());
  }
  return rings;
}

// Bytes of the buffers that are live together with the pipelines: the most at one time until the last loop with
// products ends, as the producer fills the stages of a loop while the consumers are still before it.
static int64_t bytesOfOthers(func::FuncOp function, ArrayRef<ProducerGroup> groups) {
  DenseSet<Operation *> staged, users;
  for (const ProducerGroup &group : groups)
    for (const ProducerLoad &load : group.loads) {
      if (load.read)
        staged.insert(load.read.getDefiningOp());
      for (const tileas::StagedBuffer &buffer : load.buffers)
        staged.insert(buffer.alloc);
      Operation *loop = tileas::outermostLoop(load.firstUse);
      users.insert(loop ? loop : load.firstUse);
    }
  tileas::SharedPlaces others(function, staged);
  int64_t most = 0;
  for (Operation *user : users)
    most = std::max(most, others.mostUntil(user));
  return most;
}

// Of all pipelines one after another, each at a multiple of 1024 bytes.
static int64_t bytesOfRings(ArrayRef<Ring> rings, int64_t stages) {
  int64_t end = 0;
  for (const Ring &ring : rings)
    end += llvm::alignTo(ring.type(stages).getBytes(), 1024);
  return end;
}

// The most stages that a hint asks for.
static int64_t askedStages(ArrayRef<ProducerGroup> groups, ArrayRef<Ring> rings) {
  int64_t asked = 0;
  for (const ProducerGroup &group : groups)
    for (const ProducerLoad &staged : group.loads)
      if (!rings[group.ring].isOnce)
        asked = std::max(asked, tileaa::numberHinted(staged.load(), tileaa::hint::latency).value_or(0));
  return asked + 1;
}

// The stages that a plan file asks for; of several loops the most.
static std::optional<int64_t> stagesOfPlan(ArrayRef<ProducerGroup> groups) {
  std::optional<int64_t> most;
  for (const ProducerGroup &group : groups)
    if (std::optional<int64_t> asked = tileas::askedFor(group.block()->getParentOp(), DecisionKind::Stages))
      most = std::max(most.value_or(0), *asked);
  return most;
}

// More bytes ahead of the products than this slow the loads of all multiprocessors down. GEMM bf16 of 4096^3 on an
// H100: tiles of 64x128x64, 24 KB a stage, take 347 us with 8 stages, 254 with 6 and 281 with 5; 128x128x64, 32 KB, 228
// with 6, 204 with 5 and 210 with 4; 64x256x64, 40 KB, 220 with 5 and with 4; 64x64x64, 16 KB, 376 with 8 and 383
// with 7.
static int64_t usefulStages(int64_t stageBytes) {
  constexpr int64_t bytesAhead = 162 * 1024, least = 4;
  return std::max(least, bytesAhead / stageBytes);
}

// So many bytes are left for the rings.
static std::optional<int64_t> stagesIn(int64_t left, ArrayRef<ProducerGroup> groups, ArrayRef<Ring> rings,
                                       int64_t most) {
  int64_t onceBytes = 0, stageBytes = 0;
  for (const Ring &ring : rings)
    (ring.isOnce ? onceBytes : stageBytes) += ring.type(1).getBytes();
  int64_t room = left - spareBytes - onceBytes;
  if (stageBytes == 0)
    return room >= 0 ? std::optional<int64_t>(1) : std::nullopt;
  int64_t wanted = stagesOfPlan(groups).value_or(
      std::max<int64_t>(std::min(most, usefulStages(stageBytes)), askedStages(groups, rings)));
  int64_t stages = std::min(wanted, room / stageBytes);
  while (stages >= 2 && bytesOfRings(rings, stages) > left)
    --stages;
  if (stages < 2)
    return std::nullopt;
  return stages;
}

std::optional<int64_t> tileas::countStages(func::FuncOp function, const nvidia::Architecture &architecture,
                                           ArrayRef<ProducerGroup> groups, MutableArrayRef<Ring> rings, int64_t most,
                                           int64_t blocks) {
  int64_t ofOne = architecture.sharedBytesPerSm / blocks - nvidia::Architecture::reservedSharedBytes;
  int64_t left = std::min(sharedLimit(function, architecture), ofOne) - bytesOfOthers(function, groups);
  std::optional<int64_t> alone = stagesIn(left, groups, rings, most);
  if (!alone || llvm::none_of(rings, [](const Ring &ring) { return ring.isRepeated; }))
    return alone;
  auto setRepeated = [&](int64_t stages) {
    for (Ring &ring : rings)
      if (ring.isRepeated)
        ring.onceStages = stages;
  };
  setRepeated(2);
  constexpr int64_t enough = 4;
  std::optional<int64_t> beside = stagesIn(left, groups, rings, most);
  if (beside && *beside >= std::min(*alone, enough))
    return beside;
  setRepeated(1);
  return alone;
}
