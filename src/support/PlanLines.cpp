// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/PlanLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using llvm::Twine;

llvm::Error
tilewright::forEachDecision(StringRef text, StringRef name, llvm::ArrayRef<std::string> kernels,
                            llvm::function_ref<llvm::Error(size_t kernel, StringRef key, StringRef value)> decide) {
  std::optional<size_t> kernel;
  unsigned number = 0;
  auto error = [&](const Twine &message) {
    return llvm::createStringError(name + ":" + Twine(number) + ": " + message);
  };
  for (StringRef line : llvm::split(text, '\n')) {
    ++number;
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    if (line.consume_front("@")) {
      auto found = llvm::find(kernels, line);
      if (found == kernels.end())
        return error("no kernel '@" + line + "', the module has " +
                     llvm::join(llvm::map_range(kernels, [](const std::string &each) { return "@" + each; }), ", "));
      kernel = found - kernels.begin();
      continue;
    }
    auto [key, value] = line.split('=');
    key = key.trim();
    value = value.trim();
    if (value.empty())
      return error("found '" + line + "', expected '@kernel' or 'name = value'");
    if (!kernel)
      return error("'" + key + "' belongs to no kernel, expected a line '@kernel' above it");
    if (llvm::Error wrong = decide(*kernel, key, value))
      return error(llvm::toString(std::move(wrong)));
  }
  return llvm::Error::success();
}
