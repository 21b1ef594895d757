// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a version lacks is refused by name; what it has comes back.
#include "cuda_tile/bytecode/Bytecode.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace {

struct Writer {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string text;
  ScopedDiagnosticHandler handler{&context, [this](Diagnostic &diagnostic) {
                                    text += (text.empty() ? "" : "\n") + diagnostic.str();
                                    return success();
                                  }};
  Writer() { context.loadDialect<CudaTileDialect>(); }

  /// The diagnostics of writing an entry with this body.
  std::string operator()(StringRef body, StringRef version, StringRef parameters = "%a: tile<i32>, %x: tile<f32>") {
    return module(("entry @k(" + parameters + ") {\n" + body + "\n}").str(), version);
  }
  OwningOpRef<mlir::ModuleOp> parse(StringRef source) {
    text.clear();
    auto parsed = parseSourceString<mlir::ModuleOp>(source, &context);
    EXPECT_TRUE(parsed) << text;
    return parsed;
  }
  static tilewright::cuda_tile::ModuleOp only(mlir::ModuleOp parsed) {
    return *parsed.getOps<tilewright::cuda_tile::ModuleOp>().begin();
  }
  std::string module(StringRef source, StringRef version) {
    OwningOpRef<mlir::ModuleOp> parsed = parse(("cuda_tile.module @m {\n" + source + "\n}").str());
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (parsed && succeeded(writeBytecode(only(*parsed), *BytecodeVersion::parse(version), os))) {
      EXPECT_EQ(text, "");
      EXPECT_TRUE(readBytecode(llvm::MemoryBufferRef(bytes, "written"), &context)) << text;
    } else {
      EXPECT_EQ(bytes, "") << "nothing is written after a diagnostic";
    }
    return text;
  }
};

} // namespace

TEST(BytecodeWriter, refusesOperations) {
  Writer write;
  StringRef body = "%r = atan2 %x, %x : tile<f32>";
  EXPECT_EQ(write(body, "13.1"),
            "'cuda_tile.atan2' op cannot be written in version 13.1: the operation is of version 13.2");
  EXPECT_EQ(write(body, "13.2"), "");
}

TEST(BytecodeWriter, refusesAttributes) {
  Writer write;
  StringRef body = "%r = negi %a overflow<no_signed_wrap> : tile<i32>";
  EXPECT_EQ(write(body, "13.1"),
            "'cuda_tile.negi' op cannot be written in version 13.1: attribute 'overflow' is of version 13.2");
  EXPECT_EQ(write(body, "13.2"), "");
  EXPECT_EQ(write("%r = exp %x rounding<approx> : tile<f32>", "13.2"),
            "'cuda_tile.exp' op cannot be written in version 13.2: attribute 'rounding_mode' is of version 13.3");
}

TEST(BytecodeWriter, leavesDefaultsOutOfOlderVersions) {
  Writer write;
  EXPECT_EQ(write("%r = negi %a : tile<i32>", "13.1"), "");
  EXPECT_EQ(write("%r = exp %x : tile<f32>", "13.1"), "");
}

TEST(BytecodeWriter, refusesOperands) {
  Writer write;
  StringRef body = "%t = make_token : token\n%u = print_tko \"hi\" token=%t -> token";
  EXPECT_EQ(write(body, "13.1"),
            "'cuda_tile.print_tko' op cannot be written in version 13.1: operand 'token' is of version 13.2");
  EXPECT_EQ(write(body, "13.2"), "");
}

TEST(BytecodeWriter, refusesResults) {
  Writer write;
  EXPECT_EQ(write("%t = print_tko \"hi\" -> token", "13.1"), "");
  StringRef body = "%t = print_tko \"hi\" -> token\n%u = join_tokens %t, %t : token";
  EXPECT_EQ(write(body, "13.1"),
            "'cuda_tile.print_tko' op cannot be written in version 13.1: the result is of version 13.2");
  EXPECT_EQ(write(body, "13.2"), "");
}

TEST(BytecodeWriter, refusesTypes) {
  Writer write;
  StringRef body = "%r = ftof %x rounding<zero> : tile<f32> -> tile<f8E8M0FNU>";
  EXPECT_EQ(write(body, "13.1"),
            "'cuda_tile.ftof' op cannot be written in version 13.1: type f8E8M0FNU is of version 13.2");
  EXPECT_EQ(write(body, "13.2"), "");
}

TEST(BytecodeWriter, refusesWhatBytecodeHasNoPlaceFor) {
  Writer write;
  EXPECT_EQ(write("%r = absf %x {mine = 1 : i32} : tile<f32>", "13.4"),
            "'cuda_tile.absf' op cannot be written in version 13.4: bytecode has no attribute 'mine'");
  EXPECT_EQ(write("", "13.4", "%a: tile<i32> {cuda_tile.mine = 1 : i32}"),
            "'cuda_tile.entry' op cannot be written in version 13.4: attribute 'arg_attrs' is of version 13.5");
}

TEST(BytecodeWriter, refusesPreviews) {
  Writer write;
  EXPECT_EQ(write("cuda_tile.preview$call \"f\"(%a) {const_args = []} : (tile<i32>) -> ()", "13.4"),
            "'cuda_tile.preview$call' op cannot be written in version 13.4: the operation is a preview");
}

TEST(BytecodeWriter, refusesDeepRegions) {
  Writer write;
  std::string body;
  for (unsigned i = 0; i < 300; ++i) {
    body += "loop {\n";
  }
  for (unsigned i = 0; i < 300; ++i) {
    body += "break\n}\n";
  }
  EXPECT_EQ(write(body, "13.4"),
            "'cuda_tile.loop' op cannot be written in version 13.4: its regions nest more than 256 deep");
}

TEST(BytecodeWriter, keepsTheProducerFrom13_3On) {
  Writer write;
  OwningOpRef<mlir::ModuleOp> parsed = write.parse("cuda_tile.module @m producer \"tests 1.0\" {}");
  ASSERT_TRUE(parsed);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  EXPECT_TRUE(failed(writeBytecode(Writer::only(*parsed), {13, 2}, os)));
  EXPECT_EQ(write.text,
            "'cuda_tile.module' op cannot be written in version 13.2: attribute 'producer' is of version 13.3");
  ASSERT_TRUE(succeeded(writeBytecode(Writer::only(*parsed), {13, 3}, os)));
  auto info = describeBytecode(llvm::MemoryBufferRef(bytes, "written"), &write.context);
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->producer, "tests 1.0");
  EXPECT_EQ(info->version.str(), "13.3");
}

// Aliases make of a few lines what unfolds to more than fits into memory, or nests without end.
TEST(BytecodeWriter, refusesLocationsWithoutEnd) {
  std::string head = "#f = #cuda_tile.di_file<\"k.py\" in \"/\">\n"
                     "#u = #cuda_tile.di_compile_unit<file = #f>\n"
                     "#b0 = #cuda_tile.di_subprogram<file = #f, line = 1, name = \"k\", linkageName = \"k\", "
                     "compileUnit = #u, scopeLine = 1>\n";
  std::string blocks = head, calls = head + "#c0 = loc(#cuda_tile.di_loc<loc(\"k.py\":1:1) in #b0>)\n";
  for (unsigned i = 0; i < 10000; ++i) {
    std::string number = std::to_string(i), next = std::to_string(i + 1);
    blocks +=
        "#b" + next + " = #cuda_tile.di_lexical_block<scope = #b" + number + ", file = #f, line = 1, column = 1>\n";
  }
  blocks += "#c0 = loc(#cuda_tile.di_loc<loc(\"k.py\":1:1) in #b10000>)\n";
  for (unsigned i = 0; i < 40; ++i) {
    std::string number = std::to_string(i), next = std::to_string(i + 1);
    calls += "#c" + next + " = loc(callsite(#c" + number + " at #c" + number + "))\n";
  }
  auto write = [](const std::string &aliases, const std::string &location) {
    Writer writer;
    auto parsed = writer.parse(aliases + "cuda_tile.module @m { entry @k() { return } loc(" + location + ") }");
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(failed(writeBytecode(Writer::only(*parsed), {13, 4}, os)));
    return writer.text;
  };
  EXPECT_EQ(write(blocks, "#c0"),
            "'cuda_tile.entry' op cannot be written in version 13.4: its location nests more than 256 deep");
  EXPECT_EQ(write(calls, "#c40"), "'cuda_tile.entry' op cannot be written in version 13.4: its location has more than "
                                  "4096 parts or nests more than 256 deep");
}
