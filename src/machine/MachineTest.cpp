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

static std::string errorOf(const char *target) {
  auto parsed = parseMachine(target);
  EXPECT_FALSE(bool(parsed)) << target;
  return parsed ? "" : llvm::toString(parsed.takeError());
}

TEST(Machine, anUnknownTargetIsNamedWithTheKnownOnes) {
  const char *known = "expected cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3, cpu:x86-64-v4, cpu:sapphirerapids, "
                      "cpu:aarch64, cpu:neoverse-n1, cpu:neoverse-n2, cpu:neoverse-v1, cpu:neoverse-v2";
  for (const char *name : {"cpu:", "gpu", "", "host"})
    EXPECT_EQ(errorOf(name), std::string("unknown target '") + name + "', " + known);
  EXPECT_EQ(errorOf("cpu:neoverse-n9"),
            std::string("unknown target 'cpu:neoverse-n9', ") + known + "; the nearest is cpu:neoverse-n1");
}

TEST(Machine, featuresOfAarch64AreThoseOfLLVM) {
  auto machine = parseMachine("aarch64+sve2+bf16+dotprod");
  ASSERT_TRUE(bool(machine));
  EXPECT_EQ(machine->name, "aarch64+sve2+bf16+dotprod");
  EXPECT_EQ(machine->triple, "aarch64-unknown-linux-gnu");
  for (const char *implied : {"+sve2", "+sve", "+fullfp16", "+neon", "+bf16"})
    EXPECT_TRUE(machine->hasFeature(implied)) << implied;
  EXPECT_TRUE(machine->hasBf16Dot && machine->hasByteDot && machine->hasF16Arith);
  EXPECT_FALSE(llvm::cantFail(parseMachine("cpu:aarch64")).hasByteDot);
  EXPECT_TRUE(llvm::cantFail(parseMachine("cpu:neoverse-n1")).hasByteDot);
  EXPECT_FALSE(llvm::cantFail(parseMachine("cpu:neoverse-n1")).hasBf16Dot);
}

TEST(Machine, anUnknownFeatureIsNamedWithTheNearest) {
  EXPECT_EQ(llvm::StringRef(errorOf("aarch64+sve2+dotprot")).split(", expected one of ").first,
            "target 'aarch64+sve2+dotprot': there is no feature 'dotprot' of aarch64, the nearest is 'dotprod'");
  EXPECT_NE(errorOf("cpu:aarch64+").find("there is no feature '' of aarch64, expected one of aes, "),
            std::string::npos);
  EXPECT_NE(errorOf("cpu:aarch64+nosimd").find("there is no feature 'nosimd' of aarch64"), std::string::npos);
  EXPECT_EQ(errorOf("cpu:x86-64-v3+avx512f"), "target 'cpu:x86-64-v3+avx512f' has features, expected x86-64-v3 alone: "
                                              "features are added to targets of aarch64");
}

TEST(Machine, codeOfAnotherArchitectureIsNotForTheHost) {
  for (const char *name : {"x86-64-v2", "aarch64"}) {
    Machine machine = llvm::cantFail(parseMachine(name));
    llvm::Error wrong = checkOnHost(machine, name);
    EXPECT_EQ(bool(wrong), machine.isa != hostMachine().isa);
    llvm::consumeError(std::move(wrong));
  }
}

// Accumulators, a row of B and one value of A must be in registers together, or the k loop spills.
TEST(Machine, microTilesFitTheRegisters) {
  for (const Machine &machine : knownMachines()) {
    unsigned columns = machine.microTileN / machine.lanes(32);
    EXPECT_EQ(machine.microTileN % machine.lanes(32), 0u) << machine.name;
    EXPECT_LT(machine.microTileM * columns + columns, machine.unit().registers) << machine.name;
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
