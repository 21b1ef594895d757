// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/CompileLevel.h"

#include "session/UsageError.h"
#include "support/Remarks.h"
#include "target/cpu/CodeGen.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilewright;
using namespace tilewright::session;

// A linker writes files.
static llvm::Expected<std::string> linkInMemory(llvm::StringRef object) {
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tilewright", "so", path))
    return llvm::createStringError("there is no place for a temporary file: " + code.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove(path); });
  if (llvm::Error error = linkSharedLibrary(llvm::ArrayRef(object.data(), object.size()), path))
    return error;
  auto linked = llvm::MemoryBuffer::getFile(path);
  if (!linked)
    return llvm::createStringError("cannot read " + path + ": " + linked.getError().message());
  return (*linked)->getBuffer().str();
}

llvm::Expected<CompiledLevel> session::compileLevel(llvm::StringRef targetName, llvm::StringRef levelName,
                                                    llvm::StringRef module, const Settings &settings) {
  auto target = asUsage(parseTarget(targetName));
  if (!target)
    return target.takeError();
  auto level =
      levelName.empty() ? llvm::Expected<Level>((*target)->codeLevel()) : asUsage((*target)->parseLevel(levelName));
  if (!level)
    return level.takeError();
  auto options = asUsage(settings.resolve());
  if (!options)
    return options.takeError();
  PipelineReport report;
  auto code = compileTo(*level, module, "<module>", *target, *options, report);
  if (code && *level == Level::So)
    code = linkInMemory(*code);
  if (!code)
    return code.takeError();
  CompiledLevel compiled{std::move(*code), std::move(report.remarks), std::move(report.header)};
  llvm::raw_string_ostream os(compiled.remarks);
  printRemarks(report.optimizations, os);
  return compiled;
}
