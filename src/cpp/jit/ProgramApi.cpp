// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of <tilewright/program.h>.
#include "cpp/Compile.h"
#include "cuda_tile/ir/CudaTile.h"
#include "pipeline/TileIrFile.h"
#include "session/c_api/Error.h"
#include "tilewright/program.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/Path.h"

using namespace tilewright;
using namespace tilewright::c_api;

struct tilewright_program {
  std::string file; // an absolute name
  cpp::CompileOptions options;
  std::vector<std::string> symbols; // of options.kernels
  std::string module, log;
};

namespace {

// Where files are that are on no disk.
constexpr llvm::StringLiteral virtualFolder = "/tilewright";

std::string absoluteName(llvm::StringRef name) {
  llvm::SmallString<128> path(virtualFolder);
  llvm::sys::path::append(path, name);
  return llvm::sys::path::is_absolute(name) ? name.str() : path.str().str();
}

tilewright_error *compile(tilewright_program &program) {
  llvm::raw_string_ostream log(program.log);
  clang::DiagnosticOptions options;
  options.ShowPresumedLoc = true;
  clang::TextDiagnosticPrinter printer(log, options);
  program.options.diagnostics = &printer;
  program.options.arguments.push_back("-fno-caret-diagnostics"); // no count of errors on stderr
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = cpp::compile(program.file, program.options, &context, &program.symbols);
  program.options.diagnostics = nullptr;
  if (!module)
    return makeError(TILEWRIGHT_BAD_MODULE, llvm::StringRef(program.log).rtrim());
  llvm::raw_string_ostream os(program.module);
  if (failed(writeTileIr(*module->getOps<cuda_tile::ModuleOp>().begin(), cuda_tile::BytecodeVersion(), os)))
    return makeError(TILEWRIGHT_COMPILER, "the module has no bytecode");
  return nullptr;
}

} // namespace

extern "C" {

tilewright_error *tilewright_program_create(const char *source, const char *name, size_t numHeaders,
                                            const char *const *headers, const char *const *headerNames,
                                            tilewright_program **program) {
  return guarded([&]() -> tilewright_error * {
    if (!source || !name || !program || (numHeaders && (!headers || !headerNames)))
      return badArgument("a source, its name and a place for the program are expected, one of them is null");
    auto made = std::make_unique<tilewright_program>();
    made->file = absoluteName(name);
    made->options.files[made->file] = source;
    for (size_t i = 0; i < numHeaders; ++i)
      made->options.files[absoluteName(headerNames[i])] = headers[i];
    made->options.arguments.push_back("-I" + virtualFolder.str());
    *program = made.release();
    return nullptr;
  });
}

void tilewright_program_free(tilewright_program *program) {
  delete program;
}

tilewright_error *tilewright_program_add_name(tilewright_program *program, const char *expression) {
  return guarded([&]() -> tilewright_error * {
    if (!program || !expression)
      return badArgument("a program and the name of a kernel are expected, one of them is null");
    if (!program->module.empty())
      return badArgument("the program is compiled, names are added before");
    program->options.kernels.push_back(expression);
    return nullptr;
  });
}

tilewright_error *tilewright_program_compile(tilewright_program *program, size_t numOptions,
                                             const char *const *options) {
  return guarded([&]() -> tilewright_error * {
    if (!program || (numOptions && !options))
      return badArgument("a program and options are expected, one of them is null");
    if (!program->module.empty())
      return badArgument("the program is compiled");
    for (llvm::StringRef option : llvm::ArrayRef(options, numOptions)) {
      if (option == "-ffp-contract=off")
        program->options.contracts = false;
      else
        program->options.arguments.push_back(option.str());
    }
    return compile(*program);
  });
}

const char *tilewright_program_log(const tilewright_program *program) {
  return program ? program->log.c_str() : "";
}

const void *tilewright_program_module(const tilewright_program *program, size_t *size) {
  if (size)
    *size = program ? program->module.size() : 0;
  return program ? program->module.data() : nullptr;
}

const char *tilewright_program_lowered_name(const tilewright_program *program, const char *expression) {
  if (!program || !expression)
    return nullptr;
  for (const auto &[name, symbol] : llvm::zip(program->options.kernels, program->symbols))
    if (name == expression)
      return symbol.c_str();
  return nullptr;
}

} // extern "C"
