// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/AmxPermission.h"
#include "machine/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

int64_t cacheBytes(int query, int64_t unknown) {
  long bytes = sysconf(query); // 0 or -1 in some containers
  return bytes > 0 ? bytes : unknown;
}

constexpr std::initializer_list<const char *> amxFeatures = {"amx-tile", "amx-bf16", "amx-int8"};

bool hasAll(const StringMap<bool> &has, std::initializer_list<const char *> names) {
  return llvm::all_of(names, [&](const char *name) { return has.lookup(name); });
}

const char *levelOfX86(const StringMap<bool> &has) {
  if (!hasAll(has, {"avx2", "fma", "f16c", "bmi2"}))
    return "x86-64-v2";
  return hasAll(has, {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}) ? "x86-64-v4" : "x86-64-v3";
}

// Flags for features that are worth their use. Those that the system does not allow are taken away.
void describeX86(Machine &machine, StringMap<bool> &has) {
  bool wide = machine.vectorBits == 512;
  // vdpbf16ps issues every cycle on AMD, but every second one on Intel, where widening and f32 fma do twice as much.
  machine.hasBf16Dot = wide && has.lookup("avx512bf16") && StringRef(machine.cpu).starts_with("znver");
  machine.hasF16Arith = wide && has.lookup("avx512fp16");
  if (wide && hasAll(has, amxFeatures)) {
    machine.whyNoAmx = whyAmxIsDenied(askForAmx());
    machine.hasAmx = machine.whyNoAmx.empty();
  }
  if (!machine.hasAmx)
    for (const char *feature : amxFeatures)
      has[feature] = false;
}

Machine detectHost() {
  StringMap<bool> has = sys::getHostCPUFeatures();
  bool isX86 = Triple(sys::getProcessTriple()).isX86();
  Machine machine = cantFail(parseMachine(isX86 ? levelOfX86(has) : "aarch64"));
  machine.name = "host";
  machine.cpu = sys::getHostCPUName().str();
  machine.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, machine.l1Bytes);
  machine.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, machine.l2Bytes);
  if (isX86) {
    describeX86(machine, has);
  } else {
    machine.hasF16Arith = has.lookup("fullfp16");
    machine.hasBf16Dot = has.lookup("bf16");
    machine.hasByteDot = has.lookup("dotprod");
  }

  // A hypervisor may hide features that the processor's name implies, so each is written out; in order, because the
  // text is part of cache keys.
  SmallVector<std::string> features;
  for (const auto &feature : has)
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  if (machine.vectorBits == 512)
    features.push_back(whole512.str());
  machine.features = join(features, ",");
  return machine;
}

} // namespace

const Machine &hostMachine() {
  static const Machine host = detectHost();
  return host;
}

} // namespace tilewright
