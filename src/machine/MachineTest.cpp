// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Machine.h"
#include "machine/AmxPermission.h"
#include "gtest/gtest.h"
#include <cerrno>

using namespace tilewright;

TEST(Machine, everyTargetNameIsParsed) {
  for (const Machine &machine : knownMachines()) {
    auto parsed = parseMachine("cpu:" + machine.name);
    ASSERT_TRUE(bool(parsed)) << machine.name;
    EXPECT_EQ(parsed->key(), machine.key());
  }
  for (const char *name : {"cpu", "cpu:host"}) {
    auto parsed = parseMachine(name);
    ASSERT_TRUE(bool(parsed)) << name;
    EXPECT_EQ(parsed->key(), hostMachine().key());
  }
}

TEST(Machine, anUnknownTargetIsNamedWithTheKnownOnes) {
  for (const char *name : {"cpu:x86-64-v9", "cpu:", "gpu", ""}) {
    auto parsed = parseMachine(name);
    ASSERT_FALSE(bool(parsed)) << name;
    EXPECT_EQ(llvm::toString(parsed.takeError()),
              "unknown target '" + std::string(name) +
                  "', expected cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3, cpu:x86-64-v4, cpu:sapphirerapids");
  }
}

// Accumulators, a row of B and one value of A must be in registers together, or the k loop spills.
TEST(Machine, microTilesFitTheRegisters) {
  for (const Machine &machine : knownMachines()) {
    unsigned columns = machine.microTileN / machine.lanes(32);
    EXPECT_EQ(machine.microTileN % machine.lanes(32), 0u) << machine.name;
    EXPECT_LT(machine.microTileM * columns + columns, machine.numVectorRegisters) << machine.name;
  }
}

TEST(Machine, theHostIsDescribed) {
  const Machine &host = hostMachine();
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_GE(host.vectorBits, 128u);
  EXPECT_GT(host.l1Bytes, 0);
  EXPECT_GE(host.l2Bytes, host.l1Bytes);
}

TEST(Machine, aMachineSaysWhyItHasNoMatrixUnit) {
  for (const Machine &machine : knownMachines())
    EXPECT_EQ(machine.hasAmx, machine.whyNoAmx.empty()) << machine.name;
  EXPECT_EQ(hostMachine().hasAmx, hostMachine().whyNoAmx.empty());
  EXPECT_EQ(whyAmxIsDenied(0), "");
  EXPECT_EQ(whyAmxIsDenied(EPERM), "the system denies AMX: Operation not permitted");
  EXPECT_EQ(whyAmxIsDenied(ENOSPC), "the system denies AMX: an alternate signal stack of this process is too small");
}

// LLVM gives a processor the features that its name implies, unless they are written out.
TEST(Machine, theHostHasTheFeaturesOfAmxIfItIsAllowed) {
  llvm::StringRef features = hostMachine().features;
  EXPECT_EQ(hostMachine().hasAmx, features.contains("+amx-bf16"));
}
