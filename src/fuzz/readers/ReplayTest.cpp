// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties that fuzzing looks at, for every input it broke once (found/<target>/) and for the sources of the
// other tests, which are where it starts from.
#include "fuzz/readers/Properties.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace tilewright::cuda_tile;

/// The content of each file of a folder beside this one.
static void replay(llvm::StringRef folder, llvm::StringRef suffix, Property property) {
  llvm::SmallString<256> path(__FILE__);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, folder);
  if (!llvm::sys::fs::is_directory(path)) {
    GTEST_SKIP() << "nothing was found yet: no " << folder.str();
  }
  auto context = makeContextForInputs();
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error)) {
    auto buffer = llvm::MemoryBuffer::getFile(it->path(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer || !llvm::StringRef(it->path()).ends_with(suffix)) {
      continue;
    }
    if (std::optional<std::string> broken = property((*buffer)->getBuffer(), *context)) {
      ADD_FAILURE() << it->path() << ": " << *broken;
    }
  }
  EXPECT_FALSE(error) << error.message();
}

TEST(Fuzz, foundTexts) {
  replay("found/text", "", findBrokenText);
}
TEST(Fuzz, foundFiles) {
  replay("found/bytecode", "", findBrokenReading);
  replay("found/bytecode", "", findBrokenRoundTrip);
}
TEST(Fuzz, testsAsTexts) {
  replay("../../cuda_tile/ir/test", ".mlir", findBrokenText);
}
