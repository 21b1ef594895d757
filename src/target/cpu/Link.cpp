// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/cpu/CodeGen.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

Expected<std::string> findLinker() {
  for (const char *name : {"ld.lld-22", "ld.lld", "ld"})
    if (auto path = sys::findProgramByName(name))
      return *path;
  return createStringError(
      "no linker found for a shared library, expected ld.lld (package lld) or ld in PATH; --emit=obj needs none");
}

} // namespace

Error linkSharedLibrary(ArrayRef<char> object, StringRef output) {
  auto linker = findLinker();
  if (!linker)
    return linker.takeError();

  SmallString<128> path;
  int descriptor;
  if (std::error_code code = sys::fs::createTemporaryFile("tilewright", "o", descriptor, path))
    return createStringError("cannot write a temporary object: " + code.message());
  FileRemover remove(path);
  {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os.write(object.data(), object.size());
  }

  std::string error;
  int status = sys::ExecuteAndWait(*linker, {*linker, "-shared", "-o", output, path}, std::nullopt, {}, 60, 0, &error);
  if (status != 0)
    return createStringError("linking " + output +
                             " failed: " + (error.empty() ? *linker + " returned " + std::to_string(status) : error));
  return Error::success();
}

} // namespace tilewright
