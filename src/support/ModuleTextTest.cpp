// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ModuleText.h"
#include "support/Diagnostics.h"
#include "gtest/gtest.h"

using namespace tilewright;

static std::string repeat(llvm::StringRef part, unsigned times) {
  std::string all;
  for (unsigned i = 0; i < times; ++i)
    all += part;
  return all;
}

static std::string read(const std::string &text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  auto module = parseModuleText(llvm::MemoryBufferRef(text, "deep.mlir"), &context);
  EXPECT_EQ(!module, !diagnostics.errors().empty());
  return diagnostics.errors();
}

TEST(ModuleText, nestingWithoutEndIsOneDiagnostic) {
  llvm::StringRef message = "error: expected brackets to nest at most 512 deep, got more\n";
  EXPECT_EQ(read(repeat("module {\n", 10000)), "deep.mlir:513:8: " + message.str());
  // A generic operation takes two: the third is that of its operands.
  EXPECT_EQ(read(repeat("\"builtin.module\"() ({\n", 10000)), "deep.mlir:257:17: " + message.str());
  EXPECT_EQ(read("module attributes {t.a = " + repeat("[", 10000)), "deep.mlir:1:537: " + message.str());
  EXPECT_EQ(read("module attributes {t.a = " + repeat("tuple<", 10000)), "deep.mlir:1:3097: " + message.str());
  EXPECT_EQ(read("module {} loc(" + repeat("callsite(", 10000)), "deep.mlir:1:4622: " + message.str());
}

TEST(ModuleText, whatJustFitsIsRead) {
  EXPECT_EQ(read(repeat("module {\n", 512) + repeat("}\n", 512)), "");
  EXPECT_EQ(read(repeat("\"builtin.module\"() ({\n^bb0:\n", 256) + repeat("}) : () -> ()\n", 256)), "");
}

TEST(ModuleText, countsNoBracketThatIsNone) {
  EXPECT_EQ(findTooDeep("\"" + repeat("(", 1000) + "\\\"" + repeat("[", 1000) + "\" //" + repeat("{", 1000)),
            llvm::StringRef::npos);
  // Arrows close nothing, and what is never closed ends with the bracket around it.
  EXPECT_EQ(findTooDeep(repeat("(<) -> ", 1000)), llvm::StringRef::npos);
  EXPECT_EQ(findTooDeep(repeat("<->", 513)), 1536u);
}

static std::string doubling(unsigned times) {
  std::string text = "#a0 = [1]\n";
  for (unsigned i = 1; i <= times; ++i)
    text += "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + ",\n  #a" + std::to_string(i - 1) + "]\n";
  return text + "module attributes {t.a = #a" + std::to_string(times) + "} {}\n";
}

TEST(ModuleText, aliasesThatUnfoldAreOneDiagnostic) {
  EXPECT_EQ(read(doubling(10)), "");
  EXPECT_EQ(read(doubling(1000)), "deep.mlir:2002:26: error: expected aliases that unfold to at most 64 parts per "
                                  "character of the text, got more\n");
}

TEST(ModuleText, countsAliasesWhereverTheyAreDefined) {
  // Locations may come after their use; what is used in the module is no part of the alias before it.
  std::string uses = repeat("module {} loc(#l)\n", 2000);
  EXPECT_EQ(read("module {\n" + uses + "}\n#k = loc(\"#l #l\":1:1) // #l\n#l = loc(fused[#k, #k])\n"), "");
  EXPECT_EQ(read("#k =\n  loc(\"k\":1:1)\n#l = loc(#k)\nmodule {\n" + uses + "}\n"), "");
}
