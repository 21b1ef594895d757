// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Machine.h"

#include "machine/Aarch64Features.h"
#include "options/Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr const char *triples[] = {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"}; // by the values of Isa

struct Row {
  StringLiteral name;
  Isa isa;
  StringLiteral cpu; // of LLVM
  unsigned vectorBits, microTileM, microTileN;
  int64_t l1Kilobytes, l2Kilobytes;
  bool hasAmx;
};

// The levels of the x86-64 ABI supplement, then single processors; then those of Arm, which are all programmed as NEON.
// A micro-tile's accumulators leave room for one row of B vectors and one broadcast of A.
constexpr Row rows[] = {
    {"x86-64-v2", Isa::X86, "x86-64-v2", 128, 6, 8, 32, 1024, false},
    {"x86-64-v3", Isa::X86, "x86-64-v3", 256, 6, 16, 32, 1024, false},
    {"x86-64-v4", Isa::X86, "x86-64-v4", 512, 4, 64, 32, 1024, false},
    {"sapphirerapids", Isa::X86, "sapphirerapids", 512, 4, 64, 48, 2048, true}, // the first with a matrix unit
    {"aarch64", Isa::Aarch64, "generic", 128, 6, 16, 32, 512, false},
    {"neoverse-n1", Isa::Aarch64, "neoverse-n1", 128, 6, 16, 64, 1024, false},
    {"neoverse-n2", Isa::Aarch64, "neoverse-n2", 128, 6, 16, 64, 1024, false},
    {"neoverse-v1", Isa::Aarch64, "neoverse-v1", 128, 6, 16, 64, 1024, false},
    {"neoverse-v2", Isa::Aarch64, "neoverse-v2", 128, 6, 16, 64, 2048, false},
};

void takeFeatures(Machine &machine, std::string features) {
  machine.features = std::move(features);
  machine.hasBf16Dot = machine.unit().bfloatPairs && machine.hasFeature(machine.unit().bfloatPairs.feature);
  machine.hasByteDot = machine.unit().byteQuads && machine.hasFeature(machine.unit().byteQuads.feature);
  machine.hasF16Arith |= machine.hasFeature("+fullfp16");
}

Machine makeMachine(const Row &row) {
  Machine machine;
  machine.name = row.name.str();
  machine.triple = triples[size_t(row.isa)];
  machine.cpu = row.cpu.str();
  machine.isa = row.isa;
  machine.vectorBits = row.vectorBits;
  machine.microTileM = row.microTileM;
  machine.microTileN = row.microTileN;
  machine.l1Bytes = row.l1Kilobytes << 10;
  machine.l2Bytes = row.l2Kilobytes << 10;
  machine.hasAmx = machine.hasF16Arith = row.hasAmx;
  if (!row.hasAmx)
    machine.whyNoAmx = row.isa == Isa::X86 ? "the target has no amx-bf16 and amx-int8" : "only x86 has AMX";
  if (row.isa == Isa::Aarch64)
    takeFeatures(machine, cantFail(aarch64Features(row.cpu, {})));
  else if (row.vectorBits == 512)
    takeFeatures(machine, whole512.str());
  return machine;
}

ArrayRef<Machine> table() {
  static const auto machines = map_to_vector(rows, makeMachine);
  return machines;
}

} // namespace

bool Machine::hasFeature(StringRef feature) const {
  return feature.empty() || is_contained(split(features, ','), feature);
}

std::string Machine::key() const {
  std::string text;
  raw_string_ostream(text) << triple << ' ' << cpu << ' ' << features << ' ' << vectorBits << 'x' << unit().registers
                           << ' ' << microTileM << 'x' << microTileN << ' ' << l1Bytes << ' ' << l2Bytes;
  return text;
}

ArrayRef<Machine> knownMachines() {
  return table();
}

static Error unknownTarget(StringRef target, StringRef name) {
  std::string names;
  SmallVector<StringRef> known;
  for (const Machine &machine : table()) {
    names += ", cpu:" + machine.name;
    known.push_back(machine.name);
  }
  StringRef nearest = nearestOf(name, known);
  return createStringError("unknown target '" + target + "', expected cpu, cpu:host" + names +
                           (nearest.empty() ? "" : "; the nearest is cpu:" + nearest.str()));
}

Expected<Machine> parseMachine(StringRef target) {
  StringRef name = target;
  bool isCpu = name.consume_front("cpu:");
  if (target == "cpu" || (isCpu && name == "host"))
    return hostMachine();
  SmallVector<StringRef> features;
  name.split(features, '+');
  StringRef base = features.front();
  for (const Machine &known : table()) {
    if (known.name != base)
      continue;
    if (features.size() == 1)
      return known;
    if (known.isa != Isa::Aarch64)
      return createStringError("target '" + target + "' has features, expected " + base +
                               " alone: features are added to targets of aarch64");
    auto text = aarch64Features(known.cpu, ArrayRef(features).drop_front());
    if (!text)
      return createStringError("target '" + target + "': " + toString(text.takeError()));
    Machine machine = known;
    machine.name = name.str();
    takeFeatures(machine, std::move(*text));
    return machine;
  }
  return unknownTarget(target, base);
}

Error checkOnHost(const Machine &machine, StringRef target) {
  const Machine &host = hostMachine();
  if (machine.isa != host.isa)
    return createStringError("target " + target + " has code for " + nameOf(machine.isa) +
                             ", which this machine cannot run, expected code for " + nameOf(host.isa));
  // Its instructions would end the launch.
  if (machine.vectorBits > host.vectorBits)
    return createStringError("target " + target + " has vectors of " + Twine(machine.vectorBits) +
                             " bits, expected at most " + Twine(host.vectorBits) + ", as this machine has");
  if (machine.hasAmx && !host.hasAmx)
    return createStringError("target " + target + " has AMX, expected one without, as this machine: " + host.whyNoAmx);
  return Error::success();
}

} // namespace tilewright
