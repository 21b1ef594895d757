// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Machine.h"

#include "machine/AmxPermission.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

constexpr const char *linuxTriple = "x86_64-unknown-linux-gnu";

// LLVM's tuning for many AVX-512 processors splits 512-bit vectors in two; the micro-tiles are sized for whole ones.
constexpr const char *whole512 = "-prefer-256-bit";

Machine makeMachine(const char *name, const char *features, unsigned vectorBits, unsigned registers,
                    unsigned microTileM, unsigned microTileN) {
  Machine machine;
  machine.name = machine.cpu = name;
  machine.triple = linuxTriple;
  machine.features = features;
  machine.vectorBits = vectorBits;
  machine.numVectorRegisters = registers;
  machine.microTileM = microTileM;
  machine.microTileN = microTileN;
  machine.l1Bytes = 32 << 10;
  machine.l2Bytes = 1 << 20;
  machine.hasFma = machine.hasF16Convert = vectorBits >= 256;
  machine.whyNoAmx = "the target has no amx-bf16 and amx-int8";
  return machine;
}

// A processor with a matrix unit, the first of its kind.
Machine makeSapphireRapids() {
  Machine machine = makeMachine("sapphirerapids", whole512, 512, 32, 4, 64);
  machine.l1Bytes = 48 << 10;
  machine.l2Bytes = 2 << 20;
  machine.hasVnni = machine.hasF16Arith = machine.hasAmx = true;
  machine.whyNoAmx.clear();
  return machine;
}

// The levels of the x86-64 ABI supplement, then single processors. A micro-tile's accumulators leave room for one row
// of B vectors and one broadcast of A.
const Machine table[] = {
    makeMachine("x86-64-v2", "", 128, 16, 6, 8),
    makeMachine("x86-64-v3", "", 256, 16, 6, 16),
    makeMachine("x86-64-v4", whole512, 512, 32, 4, 64),
    makeSapphireRapids(),
};

int64_t cacheBytes(int query, int64_t unknown) {
  long bytes = sysconf(query); // 0 or -1 in some containers
  return bytes > 0 ? bytes : unknown;
}

constexpr std::initializer_list<const char *> amxFeatures = {"amx-tile", "amx-bf16", "amx-int8"};

Machine detectHost() {
  StringMap<bool> has = sys::getHostCPUFeatures();
  auto all = [&](std::initializer_list<const char *> names) {
    return llvm::all_of(names, [&](const char *name) { return has.lookup(name); });
  };

  const Machine *level = &table[0];
  if (all({"avx2", "fma", "f16c", "bmi2"}))
    level = &table[1];
  if (level == &table[1] && all({"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}))
    level = &table[2];

  Machine machine = *level;
  machine.name = "host";
  machine.cpu = sys::getHostCPUName().str();
  machine.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, level->l1Bytes);
  machine.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, level->l2Bytes);
  bool wide = machine.vectorBits == 512;
  // vdpbf16ps issues every cycle on AMD, but every second one on Intel, where widening and f32 fma do twice as much.
  machine.hasBf16Dot = wide && has.lookup("avx512bf16") && StringRef(machine.cpu).starts_with("znver");
  machine.hasVnni = wide && has.lookup("avx512vnni");
  machine.hasF16Arith = wide && has.lookup("avx512fp16");
  if (wide && all(amxFeatures)) {
    machine.whyNoAmx = whyAmxIsDenied(askForAmx());
    machine.hasAmx = machine.whyNoAmx.empty();
  }
  if (!machine.hasAmx)
    for (const char *feature : amxFeatures)
      has[feature] = false;

  // A hypervisor may hide features that the processor's name implies, so each is written out; in order, because the
  // text is part of cache keys.
  SmallVector<std::string> features;
  for (const auto &feature : has)
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  if (wide)
    features.push_back(whole512);
  machine.features = join(features, ",");
  return machine;
}

} // namespace

std::string Machine::key() const {
  std::string text;
  raw_string_ostream(text) << triple << ' ' << cpu << ' ' << features << ' ' << vectorBits << 'x' << numVectorRegisters
                           << ' ' << microTileM << 'x' << microTileN << ' ' << l1Bytes << ' ' << l2Bytes;
  return text;
}

ArrayRef<Machine> knownMachines() {
  return table;
}

const Machine &hostMachine() {
  static const Machine host = detectHost();
  return host;
}

Expected<Machine> parseMachine(StringRef target) {
  auto [kind, name] = target.split(':');
  if (kind == "cpu") {
    if (name == "host" || (name.empty() && !target.ends_with(":")))
      return hostMachine();
    for (const Machine &machine : table)
      if (machine.name == name)
        return machine;
  }
  std::string names;
  for (const Machine &machine : table)
    names += ", cpu:" + machine.name;
  return createStringError("unknown target '" + target + "', expected cpu, cpu:host" + names);
}

} // namespace tilewright
