// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Reproducer.h"

#include "mlir/IR/BuiltinOps.h"
#include "options/Environment.h"
#include "support/Guard.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {
namespace {

// Reading it again must not be what takes for ever.
constexpr std::chrono::seconds readLimit(5);

// The module as text with locations; as it came where it cannot even be read without a failure.
std::string readable(const TileIrFile &file) {
  struct Reading {
    std::string bytes, name, text;
  };
  auto reading = std::make_shared<Reading>(Reading{file.bytes.str(), file.name.str(), {}});
  llvm::Error error = runGuarded(
      [reading]() -> llvm::Error {
        DialectRegistry registry;
        registerPipelineDialects(registry);
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
        OwningOpRef<ModuleOp> module = readTileIr({reading->bytes, reading->name}, &context);
        if (!module)
          return llvm::createStringError("the module cannot be read");
        std::string text;
        llvm::raw_string_ostream os(text);
        module->print(os, OpPrintingFlags().enableDebugInfo());
        reading->text = std::move(text);
        return llvm::Error::success();
      },
      {readLimit, {}});
  if (!error)
    return reading->text;
  llvm::consumeError(std::move(error));
  return file.bytes.str();
}

bool writeFile(StringRef path, StringRef content) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << content;
  return !code;
}

} // namespace

std::string keepForReport(const TileIrFile &file, Level level, const Target &target, const PipelineOptions &options) {
  if (!options.keepFailures)
    return "";
  SmallString<128> folder(environmentText("TILEWRIGHT_REPRODUCER_DIR")), path;
  if (folder.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  int descriptor;
  if (llvm::sys::fs::createUniqueFile(folder + "/tilewright-%%%%%%%%.mlir", descriptor, path))
    return "";
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << readable(file);

  // A library fails, if at all, as its object does.
  Level shown = level == Level::So ? Level::Obj : level;
  std::string command = llvm::formatv("tilewright compile {0} --target={1} --emit={2} --opt-level={3}", path,
                                      target.name(), nameOf(shown), options.codeGen.optLevel)
                            .str();
  if (options.debugInfo != DebugInfo::None)
    command += options.debugInfo == DebugInfo::Full ? " -g" : " --lineinfo";
  if (!options.plan.empty() && writeFile((path + ".plan").str(), options.plan))
    command += (" --plan=" + path + ".plan").str();
  if (options.limits.time != PipelineOptions().limits.time)
    command += llvm::formatv(" --time-limit={0}", options.limits.time.count() / 1000.0).str();
  if (!options.failIn.empty())
    command += " '--fail-in=" + options.failIn + "'";
  return "; the module is in " + path.str().str() + ", to see this again: " + command + " -o /dev/null";
}

} // namespace tilewright
