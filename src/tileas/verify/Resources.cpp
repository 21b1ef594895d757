// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals of the resources of a CTA: shared memory, tensor memory, threads and their registers, barriers.
#include "tileas/ir/RegisterPool.h"
#include "tileas/memory/SharedPlaces.h"
#include "tileas/verify/Verifier.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using nvidia::Architecture;

namespace {

//===-- shared memory -----------------------------------------------------===//

std::optional<int64_t> offsetOf(Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>("offset");
  return offset ? std::optional(offset.getInt()) : std::nullopt;
}

class SharedMemoryRules {
public:
  explicit SharedMemoryRules(Verifier &verifier) : verifier(verifier), places(verifier.function) {}

  bool check() {
    bytes = sharedBytesOf(verifier.function);
    if (int64_t limit = sharedLimit(verifier.function, verifier.architecture); bytes > limit)
      verifier.report(verifier.function, "memory-limit")
          << "takes " << bytes << " bytes of shared memory, and " << verifier.architecture.name << " has " << limit;
    for (const SharedPlace &place : places.all())
      checkPlace(place);
    checkOverlaps();
    return placed.size() == places.all().size();
  }

private:
  void checkPlace(const SharedPlace &place) {
    std::optional<int64_t> offset = offsetOf(place.op);
    if (!offset) {
      verifier.report(place.op, "memory-place") << "has no offset, expected one from tileas-allocate-shared";
      return;
    }
    if (*offset % place.alignment != 0)
      verifier.report(place.op, "memory-place")
          << "lies at " << *offset << ", expected a multiple of " << place.alignment << " bytes";
    if (*offset < 0 || *offset + place.bytes > bytes)
      verifier.report(place.op, "memory-place") << "takes the bytes from " << *offset << " to " << *offset + place.bytes
                                                << " of shared memory, and the function has " << bytes;
    placed.push_back({*offset, &place});
  }

  void checkOverlaps() {
    llvm::sort(placed, [](const auto &a, const auto &b) { return a.first < b.first; });
    for (auto one = placed.begin(); one != placed.end(); ++one)
      for (auto other = std::next(one); other != placed.end() && other->first < one->first + one->second->bytes;
           ++other)
        if (one->second->life.meets(other->second->life)) {
          InFlightDiagnostic error = verifier.report(other->second->op, "memory-overlap");
          error << "lies at " << other->first << " while the bytes up to " << one->first + one->second->bytes
                << " are in use";
          error.attachNote(one->second->op->getLoc()) << "by this buffer";
        }
  }

  Verifier &verifier;
  SharedPlaces places;
  int64_t bytes = 0;
  std::vector<std::pair<int64_t, const SharedPlace *>> placed;
};

//===-- tensor memory -----------------------------------------------------===//

void checkTensorMemory(Verifier &verifier) {
  int64_t columns = 0, most = verifier.architecture.tensorMemoryColumns();
  verifier.function.walk([&](TmemAllocOp alloc) {
    columns += alloc.getTmem().getType().getColumns();
    if (columns > most)
      verifier.report(alloc, "tmem-columns")
          << "needs " << columns << " columns of tensor memory with those before it, and " << verifier.architecture.name
          << " has " << most;
    int64_t freed = llvm::count_if(alloc->getUsers(), llvm::IsaPred<TmemDeallocOp>);
    if (freed != 1)
      verifier.report(alloc, "tmem-columns") << "is freed " << freed << " times, expected once";
  });
}

//===-- threads -----------------------------------------------------------===//

AgentsOp agentsOf(func::FuncOp function) {
  AgentsOp found;
  function.walk([&](AgentsOp agents) { found = agents; });
  return found;
}

void checkThreads(Verifier &verifier, AgentsOp agents) {
  int64_t warps = verifier.warps;
  if (agents) {
    if (agents.getWarps()[0] != verifier.warps)
      verifier.report(agents, "threads") << "has " << agents.getWarps()[0]
                                         << " warps of consumers, and the function's tiles " << verifier.warps;
    warps = agents.getWarps()[0] + agents.getWarps()[1];
  }
  int64_t threads = warps * Architecture::warpThreads;
  std::optional<int64_t> launched = ctaOf(verifier.function).getThreads();
  if (launched ? *launched != threads : agents != nullptr)
    verifier.report(verifier.function, "threads")
        << "is launched with " << launched.value_or(verifier.warps * 32) << " threads, and its agents have " << threads;
  if (threads > Architecture::threadsPerBlock)
    verifier.report(verifier.function, "threads")
        << "has " << threads << " threads, expected at most " << Architecture::threadsPerBlock;
}

// A warpgroup that requests more registers than others of the CTA have released waits forever (see RegisterPool.h).
void checkRegisterFile(Verifier &verifier, AgentsOp agents) {
  ArrayRef<int32_t> warps = agents.getWarps(), registers = agents.getRegisters();
  int64_t all = warps[0] + warps[1], resident = ctaOf(verifier.function).getResident();
  int64_t atLaunch = registersAtLaunch(all, resident);
  int64_t launched = all * Architecture::warpThreads * atLaunch, requested = 0;
  for (auto [count, each] : llvm::zip_equal(warps, registers))
    requested += int64_t(count) * Architecture::warpThreads * each;
  if (requested > launched)
    verifier.report(agents, "register-file")
        << "requests " << requested << " registers, " << registers[0] << " for each thread of " << warps[0]
        << " warps and " << registers[1] << " for each of " << warps[1] << ", and the CTA is launched with " << launched
        << ", " << atLaunch << " a thread" << (resident > 1 ? " where its SM has " + std::to_string(resident) : "");
}

// `setmaxnreg` is of whole warpgroups.
void checkRegisters(Verifier &verifier, AgentsOp agents) {
  if (llvm::all_of(agents.getRegisters(), [](int32_t count) { return count == 0; }))
    return;
  if (!verifier.architecture.has(nvidia::Feature::SetMaxRegisters))
    verifier.report(agents, "registers") << "redistributes registers, which " << verifier.architecture.name
                                         << " cannot";
  for (int32_t warps : agents.getWarps())
    if (warps % 4 != 0)
      verifier.report(agents, "registers")
          << "redistributes registers of " << warps << " warps, expected whole warpgroups of 4";
  checkRegisterFile(verifier, agents);
}

// Of the sixteen of a CTA one is for all threads, one for the consumers, and the last eight for a warpgroup each.
void checkNamedBarriers(Verifier &verifier, AgentsOp agents) {
  constexpr int32_t barriersOfWarpgroups = 8, warpsOfGroup = 4;
  if (agents.getWarps()[0] > barriersOfWarpgroups * warpsOfGroup)
    verifier.report(agents, "named-barriers")
        << "has " << agents.getWarps()[0] / warpsOfGroup << " warpgroups of consumers, expected at most "
        << barriersOfWarpgroups << ": each needs one of the sixteen barriers of a CTA";
}

//===-- mbarriers ---------------------------------------------------------===//

void checkMbarriers(Verifier &verifier, AgentsOp agents) {
  verifier.function.walk([&](CreatePipelineOp create) {
    int64_t consumers = create.getConsumers();
    if (consumers == 0)
      return;
    int64_t expected = !agents ? 0 : create.getByOne() ? 1 : agents.getWarps()[0] / 4;
    if (consumers != expected)
      verifier.report(create, "mbarrier-arrivals")
          << "waits for " << consumers << " consumers to release a stage, and " << expected << " do";
  });
}

} // namespace

bool tileas::checkSharedMemory(Verifier &verifier) {
  return SharedMemoryRules(verifier).check();
}

void tileas::checkResources(Verifier &verifier) {
  checkTensorMemory(verifier);
  AgentsOp agents = agentsOf(verifier.function);
  checkThreads(verifier, agents);
  if (agents) {
    checkRegisters(verifier, agents);
    checkNamedBarriers(verifier, agents);
  }
  checkMbarriers(verifier, agents);
}
