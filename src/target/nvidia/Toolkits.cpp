// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Toolkits.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace tilewright::nvidia {

std::vector<std::string> neighbours() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&toolkits), &info) || !info.dli_fname)
    return {};
  StringRef package = sys::path::parent_path(info.dli_fname), packages = sys::path::parent_path(package);
  if (sys::path::filename(package) != "tilewright" || !sys::path::filename(packages).ends_with("-packages"))
    return {};
  return {packages.str()};
}

std::vector<std::string> toolkits() {
  std::vector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *value = std::getenv(name); value && *value)
      folders.push_back(value);
  folders.push_back("/usr/local/cuda");
  return folders;
}

} // namespace tilewright::nvidia
