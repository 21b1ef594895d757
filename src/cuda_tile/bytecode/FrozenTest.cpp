// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that were written once and stay readable: test/Inputs/frozen/freeze.py says how they came about.
#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/Coverage.h"
#include "cuda_tile/ir/OpTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace {

struct FrozenFile {
  std::string path, text;
  unsigned set;
  BytecodeVersion version;
};

std::vector<FrozenFile> findFiles() {
  std::string root = getInputs() + "/frozen";
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
  EXPECT_FALSE(files.empty()) << "no frozen files in " << root;
  llvm::sort(files, [](const FrozenFile &a, const FrozenFile &b) { return a.path < b.path; });
  return files;
}

std::unique_ptr<llvm::MemoryBuffer> load(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(buffer) << path;
  return std::move(*buffer);
}

/// The part of a location that bytecode keeps: one with a scope, or nothing.
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
    SourceModule source(file.text, context);
    ASSERT_TRUE(source.parsed);
    EXPECT_TRUE(
        OperationEquivalence::isEquivalentTo(*module, source.get(), OperationEquivalence::Flags::IgnoreLocations));
    std::vector<Operation *> ops, sourceOps = source.operations();
    (*module)->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
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
    SourceModule source(file.text, context);
    ASSERT_TRUE(source.parsed && succeeded(writeBytecode(source.get(), file.version, os))) << file.path;
    EXPECT_TRUE(load(file.path)->getBuffer() == written) << file.path;
  }
}

//===- What the files cover -------------------------------------------------------------===//

TEST_F(Frozen, everyOperationFieldAndTypeOccurs) {
  std::vector<std::unique_ptr<SourceModule>> sources;
  std::map<unsigned, Coverage> byMinor;
  for (const FrozenFile &file : findFiles()) {
    sources.push_back(std::make_unique<SourceModule>(file.text, context));
    llvm::for_each(sources.back()->operations(), [&](Operation *op) { byMinor[file.version.minor].add(op); });
  }
  ASSERT_EQ(byMinor.size(), 4u);
  for (auto &entry : byMinor) {
    BytecodeVersion version{13, uint8_t(entry.first)};
    Coverage &coverage = entry.second;
    auto expect = [&](const std::string &name, bool mayBeAbsent) {
      EXPECT_FALSE(coverage.present[name].empty()) << name << " does not occur in the files of " << version.str();
      EXPECT_FALSE(mayBeAbsent && coverage.absent[name].empty())
          << name << " always occurs in the files of " << version.str();
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
        EXPECT_FALSE(coverage.types[record.name.str()].empty())
            << record.name.str() << " does not occur in the files of " << version.str();
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
    // A module that can be read can be verified, and written if it is valid.
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
