// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/host/Program.h"
#include "cpp/host/Diagnostics.h"
#include "cpp/host/HostCode.h"
#include "cuda_tile/ir/CudaTile.h"
#include "pipeline/TileIrFile.h"
#include "session/Bundle.h"
#include "session/Settings.h"
#include "tilewright/program.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/WithColor.h"

#include <dlfcn.h>

using namespace llvm;

namespace tilewright::cpp {

namespace {

// The host's part has no bodies of kernels, and the kernels' part no launches: neither sees all uses.
constexpr StringLiteral noUnused[] = {"-Wno-unused-function", "-Wno-unneeded-internal-declaration",
                                      "-Wno-unused-const-variable"};

Error told() {
  return createStringError("");
}

// Without `all` only warnings.
void tell(const PipelineReport &report, bool all) {
  if (all)
    printRemarks(report.optimizations, errs());
  for (StringRef line : split(StringRef(report.remarks).rtrim(), '\n'))
    if (!line.empty() && (all || !line.contains(": remark: ")))
      errs() << line << '\n';
}

// The images of a module, as many at a time as there are cores.
Expected<std::string> bundle(const std::string &module, const std::string &name, ArrayRef<std::string> targets,
                             bool remarks) {
  auto settings = session::Settings::fromEnvironment();
  if (!settings)
    return settings.takeError();
  settings->pipeline.wantsRemarks = remarks;
  settings->pipeline.isolation = Isolation::Never; // this is a process of its own
  auto options = settings->resolve();
  if (!options)
    return options.takeError();
  std::vector<session::BundledImage> images(targets.size());
  std::vector<PipelineReport> reports(targets.size());
  std::vector<std::string> failures(targets.size());
  DefaultThreadPool pool(hardware_concurrency(targets.size()));
  for (size_t i = 0; i < targets.size(); ++i)
    pool.async([&, i] {
      if (auto image = session::compileImage(targets[i], module, name, *options, reports[i]))
        images[i] = std::move(*image);
      else
        failures[i] = toString(image.takeError());
    });
  pool.wait();
  for (const auto &[target, report, failure] : zip_equal(targets, reports, failures)) {
    tell(report, remarks);
    if (!failure.empty())
      return createStringError("for " + target + ": " + failure);
  }
  return session::serializeBundle(images);
}

// Empty for a source without kernels.
Expected<std::string> compileKernels(const std::string &source, const CompileOptions &options, const Command &command) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = compile(source, options, &context);
  if (!module)
    return told();
  cuda_tile::ModuleOp kernels = *module->getOps<cuda_tile::ModuleOp>().begin();
  if (kernels.getOps<cuda_tile::EntryOp>().empty())
    return "";
  std::string bytes;
  raw_string_ostream os(bytes);
  if (failed(writeTileIr(kernels, cuda_tile::BytecodeVersion(), os)))
    return createStringError("the module has no bytecode");
  return bundle(bytes, source, command.targets, command.remarks);
}

// -MD and the like, for an object or the program.
std::vector<std::string> dependencyArguments(const Command &command, const std::string &source,
                                             const std::string &object) {
  std::vector<std::string> arguments = command.dependencies;
  auto has = [&](StringRef option) { return is_contained(command.dependencies, option); };
  if (!has("-MD") && !has("-MMD"))
    return arguments;
  SmallString<128> path(command.output.empty() ? source : command.output);
  sys::path::replace_extension(path, "d");
  if (!has("-MF"))
    arguments.insert(arguments.end(), {"-MF", path.str().str()});
  if (!has("-MT") && !has("-MQ"))
    arguments.insert(arguments.end(), {"-MQ", command.output.empty() ? object : command.output});
  return arguments;
}

Invocation invocationForHost(const Command &command, const std::string &source, DiagnosticsOnce &diagnostics) {
  Invocation invocation{command.options.arguments, source, {}, &diagnostics};
  invocation.arguments.insert(invocation.arguments.end(), {"-include", "tilewright/launch.h"});
  append_range(invocation.arguments, noUnused);
  return invocation;
}

Error compileSource(const Command &command, const std::string &source, const std::string &object) {
  DiagnosticsOnce diagnostics;
  Invocation invocation = invocationForHost(command, source, diagnostics);
  append_range(invocation.arguments, dependencyArguments(command, source, object));
  Error error = Error::success();
  auto makeBundle = [&](const std::vector<std::string> &instances) -> std::optional<std::string> {
    CompileOptions options = command.options;
    options.diagnostics = &diagnostics;
    append_range(options.kernels, instances);
    append_range(options.arguments, noUnused);
    auto bundle = compileKernels(source, options, command);
    if (bundle)
      return std::move(*bundle);
    error = joinErrors(std::move(error), bundle.takeError());
    return std::nullopt;
  };
  bool isComplete = compileHost(invocation, object, makeBundle);
  if (error)
    return error;
  return isComplete ? Error::success() : told();
}

// The library that has a function.
template <typename Function> std::string fileOf(Function *function) {
  Dl_info info;
  SmallString<128> path;
  if (dladdr(reinterpret_cast<void *>(function), &info) && info.dli_fname)
    sys::fs::real_path(info.dli_fname, path);
  return path.str().str();
}

Error link(const Command &command, ArrayRef<std::string> inputs) {
  std::string library = fileOf(&tilewright_api_version), compiler = fileOf(&tilewright_program_free);
  std::vector<std::string> arguments(inputs);
  append_range(arguments, command.options.arguments);
  std::string folder = sys::path::parent_path(library).str();
  arguments.insert(arguments.end(),
                   {"-Wl,--as-needed", compiler, "-Wl,--no-as-needed", library, "-Wl,-rpath," + folder, "-pthread",
                    "-Wno-unused-command-line-argument", "-o", command.output.empty() ? "a.out" : command.output});
  return runClang(arguments) == 0 ? Error::success() : told();
}

Error compileToObjects(const Command &command) {
  if (!command.output.empty() && command.sources.size() > 1)
    return createStringError("-c with -o expects one source, found " + Twine(command.sources.size()));
  for (const std::string &source : command.sources) {
    SmallString<128> object(command.output.empty() ? sys::path::filename(source) : StringRef(command.output));
    if (command.output.empty())
      sys::path::replace_extension(object, "o");
    if (Error error = compileSource(command, source, object.str().str()))
      return error;
  }
  return Error::success();
}

} // namespace

int runClang(ArrayRef<std::string> arguments) {
  std::string program = clangProgram();
  std::string headers = headerFolder();
  std::vector<std::string> all = {program, "-std=c++20", "-isystem" + headers, "-I" + headers + "/tilewright"};
  append_range(all, arguments);
  std::string problem;
  SmallVector<StringRef> words(all.begin(), all.end());
  int status = sys::ExecuteAndWait(program, words, std::nullopt, {}, 0, 0, &problem);
  if (!problem.empty())
    WithColor::error(errs(), "tilewright-c++") << "cannot run " << program << ": " << problem << "; install clang-22\n";
  return status;
}

Expected<std::vector<std::string>> launchedInstances(const Command &command) {
  const std::string &source = command.sources.front();
  auto text = MemoryBuffer::getFile(source, /*IsText=*/true);
  if (!text || (!(*text)->getBuffer().contains("<<<") && !(*text)->getBuffer().contains("tilewright::launch")))
    return std::vector<std::string>(); // most sources with kernels alone
  DiagnosticsOnce diagnostics;
  std::optional<std::vector<std::string>> found;
  compileHost(invocationForHost(command, source, diagnostics), "", [&](const std::vector<std::string> &instances) {
    found = instances;
    return std::nullopt; // no object
  });
  if (!found)
    return told();
  return std::move(*found);
}

Error buildProgram(const Command &command) {
  if (command.compileOnly)
    return compileToObjects(command);
  std::vector<std::string> inputs, objects;
  scope_exit remove([&] {
    for (const std::string &object : objects)
      sys::fs::remove(object);
  });
  for (const std::string &input : command.linked) {
    if (!is_contained(command.sources, input)) {
      inputs.push_back(input);
      continue;
    }
    SmallString<128> object;
    if (std::error_code code = sys::fs::createTemporaryFile("tilewright", "o", object))
      return createStringError("there is no place for a temporary file: " + code.message());
    objects.push_back(object.str().str());
    inputs.push_back(objects.back());
    if (Error error = compileSource(command, input, objects.back()))
      return error;
  }
  return link(command, inputs);
}

} // namespace tilewright::cpp
