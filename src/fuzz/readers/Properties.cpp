// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/readers/Properties.h"
#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "support/ModuleText.h"

using llvm::StringRef;

namespace tilewright::cuda_tile {

static std::string print(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}

static std::string describe(StringRef what, StringRef before, StringRef after) {
  return (what + "\n---- before\n" + before + "\n---- after\n" + after).str();
}

std::optional<std::string> findBrokenText(StringRef input, mlir::MLIRContext &context) {
  llvm::MemoryBufferRef text(input, "input");
  // MLIR's own bytecode is a text to its parser, and not ours to mend.
  if (mlir::isBytecode(text)) {
    return std::nullopt;
  }
  auto module = parseModuleText(text, &context);
  if (!module) {
    return std::nullopt;
  }
  std::string printed = print(*module);
  auto again = parseModuleText(llvm::MemoryBufferRef(printed, "printed"), &context);
  if (!again) {
    return describe("the text of a verified module does not read back", input, printed);
  }
  std::string reprinted = print(*again);
  if (reprinted != printed) {
    return describe("text that was printed and read back prints otherwise", printed, reprinted);
  }
  return std::nullopt;
}

std::optional<std::string> findBrokenReading(StringRef input, mlir::MLIRContext &context) {
  llvm::MemoryBufferRef bytes(input, "input");
  readBytecode(bytes, &context);
  (void)describeBytecode(bytes, &context);
  return std::nullopt;
}

std::optional<std::string> findBrokenRoundTrip(StringRef input, mlir::MLIRContext &context) {
  mlir::OwningOpRef<ModuleOp> module = readBytecode(llvm::MemoryBufferRef(input, "input"), &context);
  if (!module || failed(mlir::verify(*module))) {
    return std::nullopt;
  }
  auto byte = [&](size_t index) { return static_cast<uint8_t>(input[index]); };
  BytecodeVersion version;
  version.major = byte(8);
  version.minor = byte(9);
  version.tag = byte(10) | byte(11) << 8;

  // The reader takes hints that came after the version of the file, as NVIDIA's does; the writer does not write them.
  BytecodeVersion newest = getSupportedVersions().back().version;
  newest.tag = version.tag;
  std::string before = print(*module), written;
  llvm::raw_string_ostream os(written);
  if (failed(writeBytecode(*module, version, os)) && failed(writeBytecode(*module, newest, os))) {
    return describe("a module that was read cannot be written, neither in its version nor in the newest", before, "");
  }
  mlir::OwningOpRef<ModuleOp> again = readBytecode(llvm::MemoryBufferRef(written, "written"), &context);
  if (!again || failed(mlir::verify(*again))) {
    return describe("what was written does not read back", before, "");
  }
  std::string after = print(*again);
  if (after != before) {
    return describe("what was written and read back prints otherwise", before, after);
  }
  return std::nullopt;
}

std::unique_ptr<mlir::MLIRContext> makeContextForInputs() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<CudaTileDialect>();
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  return context;
}

} // namespace tilewright::cuda_tile
