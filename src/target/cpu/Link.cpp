// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/cpu/CodeGen.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilewright {
namespace {

Expected<Triple::ArchType> architectureOf(ArrayRef<char> object) {
  auto file = object::ObjectFile::createELFObjectFile({StringRef(object.data(), object.size()), "object"});
  if (!file)
    return file.takeError();
  return (*file)->getArch();
}

// LLVM's links objects of every architecture, the system's its own.
Expected<std::string> findLinker(Triple::ArchType architecture) {
  SmallVector<std::string> names{"ld.lld-22", "ld.lld"};
  bool isNative = architecture == Triple(sys::getProcessTriple()).getArch();
  names.push_back(isNative ? "ld" : Triple::getArchTypeName(architecture).str() + "-linux-gnu-ld");
  for (const std::string &name : names)
    if (auto path = sys::findProgramByName(name))
      return *path;
  return createStringError("no linker found for a shared library, expected ld.lld (package lld) or " + names.back() +
                           " in PATH; --emit=obj needs none");
}

} // namespace

Error linkSharedLibrary(ArrayRef<char> object, StringRef output) {
  auto architecture = architectureOf(object);
  if (!architecture)
    return architecture.takeError();
  auto linker = findLinker(*architecture);
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
