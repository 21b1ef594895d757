// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All files of a directory, in one process: read, verify, write, read again. test/corpus.py names the directory and
// looks at the times.
#include "cuda_tile/bytecode/Bytecode.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <ctime>

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace {

struct Module {
  std::string name;
  std::unique_ptr<llvm::MemoryBuffer> file;
  OwningOpRef<tilewright::cuda_tile::ModuleOp> module;
  BytecodeVersion version;
  std::string bytes;
};

std::vector<Module> load(StringRef directory) {
  std::vector<Module> modules;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(directory, code), end; it != end && !code; it.increment(code)) {
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    if (buffer && isBytecode((*buffer)->getBuffer())) {
      modules.push_back({llvm::sys::path::filename(it->path()).str(), std::move(*buffer), {}, {}, {}});
    }
  }
  return modules;
}

/// Seconds of processor time, independent of other processes.
double timed(llvm::function_ref<void()> work) {
  std::clock_t start = std::clock();
  work();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string print(tilewright::cuda_tile::ModuleOp module, bool withDebugInfo) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo(withDebugInfo));
  return text;
}

void save(StringRef directory, const Twine &name, StringRef content) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << content;
  EXPECT_FALSE(code) << code.message();
}

} // namespace

TEST(BytecodeCorpus, isReadVerifiedAndWritten) {
  const char *directory = std::getenv("TILEWRIGHT_TILE_IR_MODULES"), *out = std::getenv("TILEWRIGHT_TILE_IR_OUT");
  if (!directory) {
    GTEST_SKIP() << "TILEWRIGHT_TILE_IR_MODULES is not set to a directory of modules";
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<CudaTileDialect>();
  std::vector<Module> modules = load(directory);
  ASSERT_FALSE(modules.empty()) << directory << " has no module";
  uint64_t numBytes = 0, numSame = 0;

  double reading = timed([&] {
    for (Module &module : modules) {
      module.module = readBytecode(module.file->getMemBufferRef(), &context);
      EXPECT_TRUE(module.module) << module.name;
    }
  });
  ASSERT_FALSE(HasFailure());
  double verifying = timed([&] {
    for (Module &module : modules) {
      EXPECT_TRUE(succeeded(verify(*module.module))) << module.name;
    }
  });
  for (Module &module : modules) {
    numBytes += module.file->getBufferSize();
    FailureOr<BytecodeInfo> info = describeBytecode(module.file->getMemBufferRef(), &context);
    ASSERT_TRUE(succeeded(info)) << module.name;
    module.version = info->version;
  }
  double writing = timed([&] {
    for (Module &module : modules) {
      llvm::raw_string_ostream os(module.bytes);
      EXPECT_TRUE(succeeded(writeBytecode(*module.module, module.version, os))) << module.name;
    }
  });
  for (Module &module : modules) {
    numSame += module.bytes == module.file->getBuffer();
    auto again = readBytecode(llvm::MemoryBufferRef(module.bytes, module.name), &context);
    ASSERT_TRUE(again) << module.name;
    std::string text = print(*module.module, /*withDebugInfo=*/true);
    EXPECT_EQ(text, print(*again, /*withDebugInfo=*/true)) << module.name;
    if (out) {
      save(out, module.name, module.bytes);
      save(out, module.name + ".g.txt", text);
      save(out, module.name + ".txt", print(*module.module, /*withDebugInfo=*/false));
    }
  }
  llvm::outs() << llvm::format("%zu modules, %llu bytes: read in %.2f s, verified in %.2f s, written in %.2f s; "
                               "%llu written as they were read\n",
                               modules.size(), (unsigned long long)numBytes, reading, verifying, writing,
                               (unsigned long long)numSame);
}
