// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option --preview of the tools in the place of NVIDIA's.
#ifndef TILEWRIGHT_TOOLS_PREVIEWOPTION_H
#define TILEWRIGHT_TOOLS_PREVIEWOPTION_H

#include "llvm/Support/CommandLine.h"

namespace tilewright {

/// There is one preview feature. The reader knows itself what a file has of it, so that it need not be enabled.
struct PreviewParser : llvm::cl::parser<std::string> {
  using parser::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef argument, std::string &value) {
    if (argument != "simt")
      return option.error("unknown preview feature '" + argument + "'; supported features: simt");
    value = argument.str();
    return false;
  }
};

struct PreviewOption : llvm::cl::list<std::string, bool, PreviewParser> {
  explicit PreviewOption(llvm::cl::OptionCategory &category)
      : list("preview", llvm::cl::desc("Enable one or more named preview features"),
             llvm::cl::value_desc("feature[,feature...]"), llvm::cl::CommaSeparated, llvm::cl::cat(category)) {}
};

} // namespace tilewright

#endif
