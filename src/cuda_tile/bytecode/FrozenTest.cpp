// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that were written once and stay readable: test/Inputs/frozen/freeze.py says how they came about.
#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/TypeTable.h"
#include "cuda_tile/ir/OpTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace {

using TileModule = tilewright::cuda_tile::ModuleOp;

struct FrozenFile {
  std::string path, text;
  unsigned set;
  BytecodeVersion version;
};

std::vector<FrozenFile> findFiles() {
  SmallString<128> root(llvm::sys::path::parent_path(__FILE__));
  llvm::sys::path::append(root, "test", "Inputs", "frozen");
  std::vector<FrozenFile> files;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator it(root, code), end; it != end && !code; it.increment(code)) {
    StringRef path = it->path(), name = llvm::sys::path::stem(path);
    if (llvm::sys::path::extension(path) != ".tilebc") {
      continue;
    }
    auto [since, version] = name.split("-in-");
    FrozenFile &file = files.emplace_back();
    file.path = path.str();
    file.text = (llvm::sys::path::parent_path(path) + "/" + since + ".mlir").str();
    EXPECT_FALSE(llvm::sys::path::filename(llvm::sys::path::parent_path(path)).getAsInteger(10, file.set))
        << path.str();
    file.version = BytecodeVersion::parse(version).value();
  }
  EXPECT_FALSE(files.empty()) << "no frozen files in " << root.str().str();
  llvm::sort(files, [](const FrozenFile &a, const FrozenFile &b) { return a.path < b.path; });
  return files;
}

std::unique_ptr<llvm::MemoryBuffer> load(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(buffer) << path;
  return std::move(*buffer);
}

struct Source {
  Source(const FrozenFile &file, MLIRContext &context)
      : parsed(parseSourceFile<mlir::ModuleOp>(file.text, ParserConfig(&context))) {}
  TileModule get() { return *parsed->getOps<TileModule>().begin(); }

  OwningOpRef<mlir::ModuleOp> parsed;
};

std::vector<Operation *> collect(TileModule module) {
  std::vector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

/// What bytecode keeps of a location: one with a scope, or nothing.
Location keptLocation(Operation *op) {
  Location location = op->getLoc();
  return isa<FileLineColLoc>(location) ? UnknownLoc::get(op->getContext()) : location;
}

struct Frozen : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Frozen() { context.loadDialect<CudaTileDialect>(); }
};

} // namespace

TEST_F(Frozen, filesReadAsTheirText) {
  for (const FrozenFile &file : findFiles()) {
    SCOPED_TRACE(file.path);
    auto bytes = load(file.path);
    auto module = readBytecode(bytes->getMemBufferRef(), &context);
    ASSERT_TRUE(module && succeeded(verify(*module)));
    Source source(file, context);
    ASSERT_TRUE(source.parsed);
    EXPECT_TRUE(
        OperationEquivalence::isEquivalentTo(*module, source.get(), OperationEquivalence::Flags::IgnoreLocations));
    std::vector<Operation *> ops = collect(*module), sourceOps = collect(source.get());
    ASSERT_EQ(ops.size(), sourceOps.size());
    for (auto [op, sourceOp] : llvm::zip(ops, sourceOps)) {
      EXPECT_EQ(op->getLoc(), keptLocation(sourceOp));
    }
  }
}

TEST_F(Frozen, theWriterWritesTheLastSet) {
  std::vector<FrozenFile> files = findFiles();
  unsigned last = llvm::max_element(files, [](const auto &a, const auto &b) { return a.set < b.set; })->set;
  for (const FrozenFile &file : files) {
    if (file.set != last) {
      continue;
    }
    std::string written;
    llvm::raw_string_ostream os(written);
    Source source(file, context);
    ASSERT_TRUE(source.parsed && succeeded(writeBytecode(source.get(), file.version, os))) << file.path;
    EXPECT_TRUE(load(file.path)->getBuffer() == written) << file.path;
  }
}

//===- What the files cover -------------------------------------------------------------===//

namespace {

/// How often each operation, field and type of the format occurs in files of one version.
struct Coverage {
  std::map<std::string, unsigned> present, absent;

  void add(const Payload &payload, Operation *op) {
    std::string name = payload.getRecord().mnemonic.str();
    ++present[name];
    unsigned segment = 0;
    for (const PayloadField &field : payload.getFields()) {
      std::string fieldName = name + "." + field.name.str();
      bool isPresent = true;
      if (field.isAttribute()) {
        isPresent = isGiven(op, field, payload.getRecord());
      } else if (payload.hasOperandSegments()) {
        auto sizes = cast<DenseI32ArrayAttr>(*op->getInherentAttr("operandSegmentSizes"));
        isPresent = sizes[segment++] > 0;
      } else if (field.kind != FieldKind::Operand) {
        isPresent = op->getNumOperands() > fixedOperands(payload);
      }
      ++(isPresent ? present : absent)[fieldName];
    }
    for (Type type : op->getResultTypes()) {
      addType(type);
    }
    for (Region &region : op->getRegions()) {
      for (Type type : region.getArgumentTypes()) {
        addType(type);
      }
    }
  }

private:
  static unsigned fixedOperands(const Payload &payload) {
    return llvm::count_if(payload.getFields(), [](const auto &field) { return field.kind == FieldKind::Operand; });
  }
  /// Whether the file has it. Of an attribute that came after its operation a default does not count.
  static bool isGiven(Operation *op, const PayloadField &field, const OpRecord &record) {
    Attribute value = op->getInherentAttr(field.name).value_or(Attribute());
    if (auto bools = dyn_cast_or_null<DenseBoolArrayAttr>(value)) {
      return !bools.empty();
    }
    if (field.kind != FieldKind::Attribute || field.since == record.since) {
      return bool(value);
    }
    Operation *fresh = Operation::create(op->getLoc(), op->getName(), TypeRange(), ValueRange(), NamedAttrList(),
                                         OpaqueProperties(nullptr));
    bool isDefault = fresh->getInherentAttr(field.name) == value;
    fresh->destroy();
    return !isDefault;
  }
  void addType(Type type) {
    type.walk([&](Type part) {
      if (const TypeRecord *record = lookupType(part)) {
        ++present["type " + record->name.str()];
      }
    });
  }
};

} // namespace

TEST_F(Frozen, everyOperationFieldAndTypeOccurs) {
  std::map<unsigned, Coverage> byMinor;
  for (const FrozenFile &file : findFiles()) {
    Source source(file, context);
    for (Operation *op : collect(source.get())) {
      byMinor[file.version.minor].add(*Payload::lookup(op->getName().stripDialect()), op);
    }
  }
  ASSERT_EQ(byMinor.size(), 4u);
  for (auto &entry : byMinor) {
    BytecodeVersion version{13, uint8_t(entry.first)};
    Coverage &coverage = entry.second;
    auto expect = [&](const std::string &name, bool mayBeAbsent) {
      EXPECT_GT(coverage.present[name], 0u) << name << " does not occur in the files of " << version.str();
      if (mayBeAbsent) {
        EXPECT_GT(coverage.absent[name], 0u) << name << " always occurs in the files of " << version.str();
      }
    };
    for (const Payload &payload : Payload::getAll()) {
      std::string name = payload.getRecord().mnemonic.str();
      if (!isAvailable(payload.getRecord().since, version)) {
        continue;
      }
      expect(name, /*mayBeAbsent=*/false);
      for (const PayloadField &field : payload.getFields()) {
        // Entries have no results, so their results have no attributes; a return has no values in an entry.
        bool isImpossible = (name == "entry" && field.name == "res_attrs") || (name == "return");
        if (isAvailable(field.since, version) && !isImpossible) {
          expect(name + "." + field.name.str(), payload.isFlagged(field));
        }
      }
    }
    for (const TypeRecord &record : getTypeRecords()) {
      if (isAvailable(record.since, version) && record.tag != format::TypeTag::Function) {
        expect("type " + record.name.str(), /*mayBeAbsent=*/false);
      }
    }
  }
}

//===- Damaged files --------------------------------------------------------------------===//

namespace {

/// Reads bytes that may be anything: a module, or one diagnostic.
struct DamagedReader {
  DamagedReader()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
          return success();
        }) {}

  bool operator()(StringRef bytes) {
    messages.clear();
    auto module = readBytecode(llvm::MemoryBufferRef(bytes, "damaged"), &context);
    EXPECT_EQ(messages.size(), module ? 0u : 1u) << llvm::join(messages, "\n");
    if (!module) {
      EXPECT_TRUE(messages.empty() || StringRef(messages.front()).starts_with("byte 0x")) << messages.front();
      return false;
    }
    // Whatever was read can be judged, and written if it is right.
    if (succeeded(verify(*module))) {
      llvm::raw_null_ostream os;
      (void)writeBytecode(*module, {13, 5}, os);
    }
    return true;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

} // namespace

TEST_F(Frozen, everyTruncationIsOneDiagnostic) {
  DamagedReader read;
  for (const FrozenFile &file : findFiles()) {
    auto bytes = load(file.path);
    for (size_t size = 0; size < bytes->getBufferSize(); ++size) {
      ASSERT_FALSE(read(bytes->getBuffer().take_front(size))) << file.path << " cut at " << size;
    }
  }
}

// Some hundred places of each file; fuzzing goes on from there.
TEST_F(Frozen, damagedBytesAreAtMostOneDiagnostic) {
  DamagedReader read;
  size_t number = 0;
  for (const FrozenFile &file : findFiles()) {
    std::string bytes = load(file.path)->getBuffer().str();
    // Neighbouring files are damaged at different places.
    size_t step = bytes.size() / 200 + 1;
    for (size_t at = number++ % step; at < bytes.size(); at += step) {
      char before = bytes[at];
      for (unsigned mask : {0x01, 0x80, 0xff}) {
        bytes[at] = char(before ^ mask);
        read(bytes);
        ASSERT_FALSE(testing::Test::HasFailure()) << file.path << " at " << at << " ^ " << mask;
      }
      bytes[at] = before;
    }
  }
}
