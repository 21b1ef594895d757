// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs every module of a directory, whatever its entries take: TILEWRIGHT_INTERPRETED_MODULES. All its pointers lead to
// one buffer, and checked mode skips accesses elsewhere; results are not checked. With the modules of
// python/test/tile_ir_generator this is every operation with every flag and element type.
#include "interpreter/Program.h"
#include "interpreter/check/Checker.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::interpreter;

namespace {

constexpr int64_t bufferBytes = 1 << 20, stepLimit = 50'000;

class ModulesTest : public ::testing::Test {
protected:
  ModulesTest() : buffer(bufferBytes, 256) {}

  void runFile(llvm::StringRef path) {
    auto bytes = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(static_cast<bool>(bytes)) << path.str();
    auto program = Program::read({(*bytes)->getBuffer(), path});
    ASSERT_TRUE(static_cast<bool>(program)) << llvm::toString(program.takeError());
    for (const EntryInfo &entry : (*program)->allEntries())
      runEntry(**program, entry, path);
  }

  void runEntry(Program &program, const EntryInfo &entry, llvm::StringRef path) {
    std::vector<uint64_t> values;
    for (const EntryParameter &parameter : entry.parameters)
      values.push_back(parameter.kind == EntryParameter::Kind::Pointer ? buffer.address() : 1);
    llvm::SmallVector<void *> args;
    for (uint64_t &value : values)
      args.push_back(&value);
    CheckedArray array;
    array.address = buffer.address();
    array.elementBytes = bufferBytes; // of whatever type
    array.isWritten = true;
    Checker checker(array);
    Options options;
    options.monitor = &checker;
    options.stepLimit = stepLimit;
    auto result = program.launch(entry.name, {2, 1, 1}, args, options);
    ++runs;
    if (result)
      return;
    std::string error = llvm::toString(result.takeError());
    // A loop may well not end on such arguments, and foreign functions are not there.
    if (llvm::StringRef(error).contains("the limit it was given"))
      ++endless;
    else if (!llvm::StringRef(error).contains("the foreign function"))
      ADD_FAILURE() << path.str() << ": " << error;
  }

  OwnedMemory buffer;
  int64_t runs = 0, endless = 0;
};

TEST_F(ModulesTest, EveryModuleOfADirectoryRuns) {
  const char *directory = std::getenv("TILEWRIGHT_INTERPRETED_MODULES");
  if (!directory)
    GTEST_SKIP() << "TILEWRIGHT_INTERPRETED_MODULES is not set to a directory of modules";
  std::error_code code;
  for (llvm::sys::fs::directory_iterator file(directory, code), end; file != end && !code; file.increment(code))
    if (llvm::sys::path::extension(file->path()) == ".tilebc")
      runFile(file->path());
  EXPECT_GT(runs, 0);
  std::cout << runs << " launches, " << endless << " of them without end\n";
}

} // namespace
