// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/TileIrFile.h"

#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "pipeline/Pipeline.h"
#include "support/Diagnostics.h"
#include "support/Guard.h"
#include "support/ModuleText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {
namespace {

// How the reference prints the producer of a module whose lines it leaves out.
constexpr StringLiteral producerComment = "// Producer: ";

std::string moduleBegin(StringRef producer) {
  return producer.empty() ? "cuda_tile.module @kernels {"
                          : ("cuda_tile.module @kernels producer \"" + producer + "\" {").str();
}

// A line outside of any module: blank, a comment, or an alias.
bool isOutside(StringRef line) {
  line = line.ltrim();
  return line.empty() || line.starts_with("//") || line.starts_with("#") || line.starts_with("!");
}

// The content of a module gets its module around it, without a new line: places in messages stay right, but for the
// column in the line of the first operation.
struct Wrapped {
  std::string text;
  unsigned firstLine = 0, shift = 0; // where columns are `shift` too large
};

std::optional<Wrapped> wrapContent(StringRef text) {
  size_t begin = 0;
  unsigned line = 1;
  StringRef producer;
  while (begin < text.size() && isOutside(text.slice(begin, text.find('\n', begin)))) {
    StringRef outside = text.slice(begin, text.find('\n', begin));
    if (outside.consume_front(producerComment))
      producer = outside;
    size_t next = text.find('\n', begin);
    begin = next == StringRef::npos ? text.size() : next + 1;
    ++line;
  }
  StringRef first = text.substr(begin).ltrim();
  if (!first.starts_with("entry ") && !first.starts_with("global "))
    return std::nullopt;
  size_t end = text.size();
  while (end > begin) {
    size_t lineBegin = text.take_front(end - 1).rfind('\n') + 1; // npos + 1 is 0
    if (!isOutside(text.slice(lineBegin, end).rtrim()))
      break;
    end = lineBegin;
  }
  Wrapped result;
  result.firstLine = line;
  std::string moduleLine = moduleBegin(producer);
  result.shift = moduleLine.size();
  // The last line may end in a comment.
  result.text = (text.take_front(begin) + moduleLine + text.slice(begin, end) +
                 (text.take_front(end).ends_with("\n") ? "} " : "\n} ") + text.substr(end))
                    .str();
  return result;
}

// Passes diagnostics on with the columns that the reader of the file counts.
class ColumnFix {
public:
  ColumnFix(MLIRContext *context, StringRef name, const Wrapped &wrapped)
      : handler(context, [context, name, wrapped](Diagnostic &diagnostic) {
          // To the previous handler, in a new diagnostic.
          auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
          if (!place || place.getLine() != wrapped.firstLine || place.getFilename() != name ||
              place.getColumn() <= wrapped.shift)
            return failure();
          Location fixed = FileLineColLoc::get(context, name, place.getLine(), place.getColumn() - wrapped.shift);
          InFlightDiagnostic copy = context->getDiagEngine().emit(fixed, diagnostic.getSeverity());
          copy << diagnostic.str();
          copy.report();
          return success();
        }) {}

private:
  ScopedDiagnosticHandler handler;
};

OwningOpRef<ModuleOp> readText(const TileIrFile &file, MLIRContext *context) {
  std::optional<Wrapped> wrapped = wrapContent(file.bytes);
  std::optional<ColumnFix> fix;
  if (wrapped)
    fix.emplace(context, file.name, *wrapped);
  return parseModuleText(llvm::MemoryBufferRef(wrapped ? StringRef(wrapped->text) : file.bytes, file.name), context);
}

// The one cuda_tile.module of a file, taken out of the builtin module.
OwningOpRef<cuda_tile::ModuleOp> readTileModule(const TileIrFile &file, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = readTileIr(file, context);
  if (!module)
    return nullptr;
  auto tiles = module->getOps<cuda_tile::ModuleOp>();
  if (!llvm::hasSingleElement(tiles)) {
    emitError(FileLineColLoc::get(context, file.name, 1, 1), "found ")
        << llvm::range_size(tiles) << " Tile IR modules, expected one";
    return nullptr;
  }
  cuda_tile::ModuleOp result = *tiles.begin();
  result->remove();
  return OwningOpRef<cuda_tile::ModuleOp>(result);
}

// The text between the braces of a module, at its left margin, and the aliases after it; an empty module is a line.
void printContent(cuda_tile::ModuleOp module, const OpPrintingFlags &flags, llvm::raw_ostream &os) {
  Block &body = module.getBody().front();
  if (body.empty())
    os << '\n';
  else // the location of the module is not printed and must not have a name before those that are
    module->setLoc(body.front().getLoc());
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream, flags);
  StringRef text = printed;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.starts_with("cuda_tile.module") || line.starts_with("}"))
      continue;
    line.consume_front("  ");
    os << line << '\n';
  }
}

// No text begins with a control character: such a file is reported as bytecode whose first bytes are wrong.
bool isText(StringRef bytes) {
  return bytes.empty() || llvm::isSpace(bytes.front()) || !llvm::isASCII(bytes.front()) || llvm::isPrint(bytes.front());
}

} // namespace

OwningOpRef<ModuleOp> readTileIr(const TileIrFile &file, MLIRContext *context) {
  if (!cuda_tile::isBytecode(file.bytes) && isText(file.bytes))
    return readText(file, context);
  context->loadDialect<cuda_tile::CudaTileDialect>();
  OwningOpRef<cuda_tile::ModuleOp> tiles =
      cuda_tile::readBytecode(llvm::MemoryBufferRef(file.bytes, file.name), context);
  if (!tiles)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(tiles->getLoc());
  module->push_back(tiles.release());
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

LogicalResult writeTileIr(cuda_tile::ModuleOp module, cuda_tile::BytecodeVersion version, llvm::raw_ostream &os) {
  OwningOpRef<cuda_tile::ModuleOp> copy = module.clone();
  synthesizeDebugInfoScopes(*copy);
  return cuda_tile::writeBytecode(*copy, version, os);
}

llvm::Expected<std::string>
processTileIr(const TileIrFile &file,
              llvm::function_ref<LogicalResult(cuda_tile::ModuleOp, llvm::raw_ostream &)> write) {
  std::string result;
  llvm::Error error = runGuarded([&]() -> llvm::Error {
    DialectRegistry registry;
    registerPipelineDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    DiagnosticCollector diagnostics(&context, {file.name, file.bytes});
    OwningOpRef<cuda_tile::ModuleOp> module = readTileModule(file, &context);
    llvm::raw_string_ostream os(result);
    if (module && succeeded(write(*module, os)))
      return llvm::Error::success();
    const std::string &errors = diagnostics.errors();
    return llvm::createStringError(errors.empty() ? file.name.str() + ": error: the module cannot be read" : errors);
  });
  if (error)
    return error;
  return result;
}

llvm::Expected<std::string> disassemble(const TileIrFile &file, const TextOptions &options) {
  return processTileIr(file, [&](cuda_tile::ModuleOp module, llvm::raw_ostream &os) {
    OpPrintingFlags flags;
    if (options.debugInfo)
      flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
    if (options.moduleLines) {
      module->print(os, flags);
      return success();
    }
    if (std::optional<StringRef> producer = module.getProducer()) {
      os << producerComment;
      llvm::printEscapedString(*producer, os);
      os << '\n';
    }
    printContent(module, flags, os);
    return success();
  });
}

llvm::Expected<std::string> assemble(const TileIrFile &file, StringRef version) {
  std::optional<cuda_tile::BytecodeVersion> number = cuda_tile::BytecodeVersion();
  if (!version.empty())
    number = cuda_tile::BytecodeVersion::parse(version);
  if (!number)
    return llvm::createStringError("unknown bytecode version '" + version + "', expected one of " +
                                   cuda_tile::listSupportedVersions());
  return processTileIr(
      file, [&](cuda_tile::ModuleOp module, llvm::raw_ostream &os) { return writeTileIr(module, *number, os); });
}

} // namespace tilewright
