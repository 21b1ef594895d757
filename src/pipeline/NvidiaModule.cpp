// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/NvidiaModule.h"

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "pipeline/Pipeline.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {
namespace {

DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerPipelineDialects(registry); // to say what a module is that is not taken
  nvidia::registerNvidiaTranslation(registry);
  return registry;
}

// Owned by the caller and by the thread that compiles, which may outlive the caller's interest.
struct Job {
  NvidiaLevel level;
  std::string bytes, name;
  nvidia::Architecture architecture;
  NvidiaOptions options;
  NvidiaReport report;
  std::string output;
};

// Every operation but the module is of the last dialects.
llvm::Error checkDialects(ModuleOp module) {
  Operation *other = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (other || op == module || isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return;
    other = op;
  });
  if (!other)
    return llvm::Error::success();
  return llvm::createStringError("the NVIDIA target does not take Tile IR yet: found " +
                                 other->getName().getStringRef() + ", expected a module of the llvm and nvvm dialects");
}

llvm::Error compile(Job &job) {
  TileIrFile file{job.bytes, job.name};
  MLIRContext context(createRegistry(), MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context, {file.name, file.bytes});
  auto explained = [&](llvm::Error error) -> llvm::Error {
    if (diagnostics.errors().empty())
      return error;
    llvm::consumeError(std::move(error));
    return llvm::createStringError(diagnostics.errors());
  };
  OwningOpRef<ModuleOp> module = readTileIr(file, &context);
  if (!module)
    return explained(llvm::createStringError("the module cannot be read"));
  if (llvm::Error error = checkDialects(*module))
    return error;

  nvidia::PtxOptions ptxOptions = job.options.ptx;
  if (job.level == NvidiaLevel::Llvm)
    ptxOptions.llvmIr = &job.output;
  auto ptx = nvidia::emitPtx(*module, job.architecture, ptxOptions, job.report.remarks);
  if (!ptx)
    return explained(ptx.takeError());
  job.report.remarks += diagnostics.remarks();
  if (job.level == NvidiaLevel::Ptx)
    job.output = std::move(*ptx);
  if (job.level != NvidiaLevel::Cubin)
    return llvm::Error::success();

  nvidia::CubinOptions options{job.options.assemblers, job.options.ptx.debugInfo, {}};
  auto cubin = nvidia::assembleCubin(*ptx, job.architecture, options);
  if (!cubin)
    return cubin.takeError();
  job.output = std::exchange(cubin->bytes, {});
  job.report.remarks += cubin->advice;
  job.report.cubin = std::move(*cubin);
  return llvm::Error::success();
}

} // namespace

std::optional<NvidiaLevel> nvidiaLevelByName(StringRef name) {
  return llvm::StringSwitch<std::optional<NvidiaLevel>>(name)
      .Case("llvm", NvidiaLevel::Llvm)
      .Case("ptx", NvidiaLevel::Ptx)
      .Case("cubin", NvidiaLevel::Cubin)
      .Default(std::nullopt);
}

llvm::Expected<std::string> compileNvidiaModule(NvidiaLevel level, const TileIrFile &file,
                                                const nvidia::Architecture &architecture, const NvidiaOptions &options,
                                                NvidiaReport &report) {
  auto job = std::make_shared<Job>(
      Job{level, file.bytes.str(), file.name.str(), architecture, options, NvidiaReport(), std::string()});
  llvm::Error error = runGuarded([job] { return compile(*job); }, options.limits);
  if (error)
    return llvm::handleErrors(std::move(error), [&](std::unique_ptr<GuardFailure> failure) -> llvm::Error {
      if (failure->getKind() == GuardFailure::Kind::Fatal)
        if (auto text = nvidia::explainFatalError(failure->message(), architecture))
          return llvm::createStringError(*text);
      return llvm::Error(std::move(failure));
    });
  report = std::move(job->report);
  return std::move(job->output);
}

std::string describeResources(const nvidia::Cubin &cubin) {
  std::string text;
  for (const nvidia::KernelResources &kernel : cubin.kernels)
    text +=
        llvm::formatv("{0}: {1} registers, {2} bytes shared, {3} bytes spilled, {4} bytes of stack, {5} barriers, "
                      "{6} bytes of constants, {7} bytes of code\n",
                      kernel.name, kernel.registers, kernel.sharedBytes, kernel.spillStoreBytes + kernel.spillLoadBytes,
                      kernel.stackBytes, kernel.barriers, kernel.constantBytes, kernel.codeBytes);
  return text;
}

} // namespace tilewright
