// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Environment.h"
#include "session/Settings.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace tilewright;

namespace {

std::string errorOf(llvm::Expected<Value> value) {
  return value ? "" : llvm::toString(value.takeError());
}

TEST(Options, HaveLegalInitialValues) {
  for (const Option &option : allOptions()) {
    std::string name = (option.name + " " + option.variable).str();
    EXPECT_FALSE(option.name.empty() && option.variable.empty());
    EXPECT_FALSE(option.meaning.empty()) << name;
    EXPECT_FALSE(option.meaning.ends_with(".")) << name;
    if (!option.initial.empty())
      EXPECT_EQ(errorOf(readValue(option.values, option.initial)), "") << name;
    EXPECT_EQ(option.visibility == 0, option.name.empty()) << name;
    if (!option.reference.empty())
      EXPECT_EQ(rowOfVariable(option.reference).variable, option.reference);
  }
}

TEST(Options, HaveOneMeaningForATaker) {
  for (const Option &option : allOptions())
    for (const Option &other : allOptions())
      if (&option != &other) {
        EXPECT_FALSE(!option.name.empty() && option.name == other.name && option.isVisibleTo(other.visibility))
            << option.name.str();
        EXPECT_FALSE(!option.variable.empty() && option.variable == other.variable) << option.variable.str();
      }
}

TEST(Options, OfSessionsAreSettings) {
  for (const Option &option : allOptions())
    if (option.isVisibleTo(visibility::Session))
      EXPECT_TRUE(session::isSetting(option.name)) << option.name.str();
}

TEST(Options, ReadTheirValues) {
  const Values &level = findOption("opt-level", visibility::Compile)->values;
  EXPECT_EQ(llvm::cantFail(readValue(level, "3")), Value(int64_t(3)));
  EXPECT_EQ(errorOf(readValue(level, "4")), "'4', expected a number from 0 to 3");
  EXPECT_EQ(errorOf(readValue(level, "")), "'', expected a number from 0 to 3");
  const Values &limit = findOption("time-limit", visibility::Compile)->values;
  EXPECT_EQ(llvm::cantFail(readValue(limit, "2.5")), Value(2.5));
  for (const char *wrong : {"nan", "inf", "-1", "1e7", "soon", "1 2"})
    EXPECT_NE(errorOf(readValue(limit, wrong)), "") << wrong;
  const Values &logs = rowOfVariable("CUDA_TILE_LOGS").values;
  EXPECT_EQ(llvm::cantFail(readValue(logs, "tileir, CUTILEIR")), Value(std::vector<std::string>{"TILEIR", "CUTILEIR"}));
  EXPECT_EQ(errorOf(readValue(logs, "TILEIR,TILEI")),
            "'TILEIR,TILEI', expected CUTILEIR or TILEIR, or several with commas between, as in 'TILEIR'");
  const Values &packages = findOption("packages", visibility::Session)->values;
  EXPECT_EQ(llvm::cantFail(readValue(packages, "/a::/b")), Value(std::vector<std::string>{"/a", "/b"}));
}

TEST(Options, NameTheNearest) {
  EXPECT_EQ(nearestOf("opt-levl", {"opt-level", "time-limit"}), "opt-level");
  EXPECT_EQ(nearestOf("speed", {"opt-level", "time-limit"}), "");
  EXPECT_EQ(nearestOf("", {"a"}), "");
  EXPECT_EQ(nearestOf("x", {}), "");
  auto found = findOptionOrError("time-limits", visibility::Session);
  EXPECT_TRUE(llvm::StringRef(llvm::toString(found.takeError())).ends_with(", as in 'time-limit'"));
}

TEST(Options, AreReadFromTheEnvironment) {
  unsetenv("TILEWRIGHT_TIME_LIMIT");
  unsetenv("CUDA_TILE_COMPILER_TIMEOUT_SEC");
  auto limit = [] { return std::get<double>(llvm::cantFail(readEnvironment("TILEWRIGHT_TIME_LIMIT"))); };
  EXPECT_EQ(limit(), 60);
  setenv("CUDA_TILE_COMPILER_TIMEOUT_SEC", "7", 1);
  EXPECT_EQ(limit(), 7);
  setenv("TILEWRIGHT_TIME_LIMIT", "8", 1);
  EXPECT_EQ(limit(), 8);
  setenv("TILEWRIGHT_TIME_LIMIT", "", 1); // as if it were not set
  EXPECT_EQ(limit(), 7);
  EXPECT_FALSE(checkEnvironment());
  setenv("CUDA_TILE_COMPILER_TIMEOUT_SEC", "0", 1);
  EXPECT_EQ(llvm::toString(checkEnvironment()),
            "environment variable CUDA_TILE_COMPILER_TIMEOUT_SEC is '0', expected seconds above 0, at most 1e6");
  unsetenv("TILEWRIGHT_TIME_LIMIT");
  unsetenv("CUDA_TILE_COMPILER_TIMEOUT_SEC");

  setenv("TILEWRIGHT_NUM_THREADS", "many", 1);
  EXPECT_EQ(environmentNumber("TILEWRIGHT_NUM_THREADS"), 0); // said by checkEnvironment
  unsetenv("TILEWRIGHT_NUM_THREADS");
}

TEST(Options, BecomeSettings) {
  auto settings = llvm::cantFail(session::Settings::fromEnvironment());
  auto set = [&](const char *name, const char *text) {
    const Option *option = findOption(name, visibility::Compile | visibility::Session);
    return llvm::toString(settings.set(*option, llvm::cantFail(readValue(option->values, text))));
  };
  EXPECT_EQ(settings.pipeline.isolation, Isolation::Large);
  EXPECT_EQ(set("g", "1"), "");
  EXPECT_EQ(set("lineinfo", "1"), "");
  EXPECT_EQ(llvm::cantFail(settings.resolve()).debugInfo, DebugInfo::Full);
  EXPECT_EQ(set("g", "0"), "");
  EXPECT_EQ(llvm::cantFail(settings.resolve()).debugInfo, DebugInfo::Lines);
  EXPECT_EQ(set("time-limit", "2.5"), "");
  EXPECT_EQ(settings.pipeline.limits.time.count(), 2500);
  EXPECT_EQ(set("plan", "/nowhere/plan"), "cannot read /nowhere/plan: No such file or directory");
  EXPECT_EQ(set("output", "x"), ""); // no setting
}

} // namespace
