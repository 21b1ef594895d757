// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever came after 13.1 is refused by every version before it, by name: taken from the records, not listed.
#include "cuda_tile/bytecode/Coverage.h"
#include "cuda_tile/bytecode/write/BodyWriter.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace {

struct Versions : testing::Test {
  Versions()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
          return success();
        }) {
    context.loadDialect<CudaTileDialect>();
    add(getInputs() + "/later.mlir");
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(getInputs() + "/frozen/1", code), end; it != end && !code;
         it.increment(code)) {
      if (llvm::sys::path::extension(it->path()) == ".mlir") {
        add(it->path());
      }
    }
    EXPECT_EQ(sources.size(), 5u);
  }

  void add(const std::string &path) {
    sources.push_back(std::make_unique<SourceModule>(path, context));
    if (!sources.back()->parsed) {
      llvm::report_fatal_error(Twine(path) + ": " + llvm::join(messages, "\n"));
    }
    llvm::for_each(sources.back()->operations(), [&](Operation *op) { coverage.add(op); });
  }

  /// Calls `check(version, lacks)` for each version: whether it lacks what came with `since`.
  void forEachVersion(StringRef since, llvm::function_ref<void(BytecodeVersion, bool)> check) {
    for (const SupportedVersion &known : getSupportedVersions()) {
      SCOPED_TRACE(known.version.str());
      check(known.version, !isAvailable(since, known.version));
    }
  }

  /// The diagnostic of writing `work`: at most one.
  std::string refusal(BytecodeVersion version, Operation *op, llvm::function_ref<void(TableBuilder &)> work) {
    messages.clear();
    TableBuilder tables(version, &context);
    tables.enter(op);
    work(tables);
    EXPECT_LE(messages.size(), 1u);
    EXPECT_EQ(tables.hasFailed(), !messages.empty());
    return messages.empty() ? "" : messages.front();
  }

  /// Expects that one of the operations is refused for `reason`, and that a version that is not old is no reason.
  void expectRefusal(const Coverage::Operations &ops, BytecodeVersion version, bool lacks, const std::string &reason,
                     llvm::function_ref<void(TableBuilder &, Operation *)> work) {
    EXPECT_FALSE(ops.empty()) << "no text has what is refused: " << reason;
    bool found = false;
    for (Operation *op : ops) {
      std::string wanted =
          ("'" + op->getName().getStringRef() + "' op cannot be written in version " + version.str() + ": " + reason)
              .str();
      found |= refusal(version, op, [&](TableBuilder &tables) { work(tables, op); }) == wanted;
    }
    EXPECT_EQ(found, lacks) << reason;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
  std::vector<std::unique_ptr<SourceModule>> sources;
  Coverage coverage;
};

void checkOperation(TableBuilder &tables, Operation *op) {
  checkVersion(tables, *op, *Payload::lookup(op->getName().stripDialect()));
}

std::string came(const std::string &what, StringRef since) {
  return what + (since == "preview" ? " is a preview" : (" is of version " + since).str());
}

} // namespace

TEST_F(Versions, operations) {
  unsigned numLater = 0;
  for (const Payload &payload : Payload::getAll()) {
    const OpRecord &record = payload.getRecord();
    forEachVersion(record.since, [&](BytecodeVersion version, bool lacks) {
      numLater += lacks;
      expectRefusal(coverage.present[record.mnemonic.str()], version, lacks, came("the operation", record.since),
                    checkOperation);
    });
  }
  EXPECT_GT(numLater, 20u);
}

TEST_F(Versions, fieldsAndResults) {
  unsigned numLater = 0;
  for (const Payload &payload : Payload::getAll()) {
    const OpRecord &record = payload.getRecord();
    auto check = [&](const Coverage::Operations &ops, StringRef since, const std::string &what) {
      forEachVersion(since, [&](BytecodeVersion version, bool lacks) {
        if (isAvailable(record.since, version)) {
          numLater += lacks;
          expectRefusal(ops, version, lacks, came(what, since), checkOperation);
        }
      });
    };
    for (const PayloadField &field : payload.getFields()) {
      if (field.since != record.since) {
        check(coverage.present[(record.mnemonic + "." + field.name).str()], field.since,
              ((field.isAttribute() ? "attribute '" : "operand '") + field.name + "'").str());
      }
    }
    if (payload.getResultsSince() != record.since) {
      check(coverage.present[record.mnemonic.str()], payload.getResultsSince(), "the result");
    }
  }
  EXPECT_GT(numLater, 20u);
}

TEST_F(Versions, types) {
  Operation *op = sources.front()->get();
  for (const TypeRecord &record : getTypeRecords()) {
    if (record.tag == format::TypeTag::Function) {
      continue;
    }
    ASSERT_FALSE(coverage.types[record.name.str()].empty()) << record.name.str();
    Type type = coverage.types[record.name.str()].front();
    forEachVersion(record.since, [&](BytecodeVersion version, bool lacks) {
      expectRefusal({op}, version, lacks, came("type " + record.name.str(), record.since),
                    [&](TableBuilder &tables, Operation *) { tables.type(type); });
    });
  }
}

TEST_F(Versions, enumerators) {
  EXPECT_FALSE(getLaterCases().empty());
  for (const LaterCase &later : getLaterCases()) {
    SCOPED_TRACE(later.attribute.str());
    if (later.attribute == PointerKindAttr::getMnemonic()) {
      auto kind = PointerKindAttr::get(&context, PointerKind(later.value));
      Type type = PtrType::get(&context, IntegerType::get(&context, 32), kind);
      forEachVersion(later.since, [&](BytecodeVersion version, bool lacks) {
        if (isAvailable("13.4", version)) {
          expectRefusal({sources.front()->get()}, version, lacks,
                        came("pointer kind " + stringifyEnum(kind.getValue()).str(), later.since),
                        [&](TableBuilder &tables, Operation *) { tables.type(type); });
        }
      });
      continue;
    }
    ASSERT_EQ(later.attribute, RoundingModeAttr::getMnemonic());
    Attribute value = RoundingModeAttr::get(&context, RoundingMode(later.value));
    forEachVersion(later.since, [&](BytecodeVersion version, bool lacks) {
      expectRefusal({sources.front()->get()}, version, lacks,
                    came(stringifyEnum(RoundingMode(later.value)).str() + " of attribute 'rounding_mode'", later.since),
                    [&](TableBuilder &tables, Operation *) {
                      Output out;
                      attributeCodec<RoundingModeAttr>.write({tables, out, "rounding_mode"}, value);
                    });
    });
  }
}

TEST_F(Versions, hints) {
  Builder builder(&context);
  auto dictionary = [&](StringRef key, Attribute value) {
    return builder.getDictionaryAttr(builder.getNamedAttr(key, value));
  };
  for (const LaterHint &later : getLaterHints()) {
    bool isArchitecture = later.name == "default";
    // 2 is a value that came later where some came before.
    Attribute hints =
        isArchitecture
            ? dictionary(later.name, builder.getDictionaryAttr({}))
            : dictionary("sm_100", dictionary(later.name, builder.getI32IntegerAttr(later.before.empty() ? 4 : 2)));
    std::string what = "'" + later.name.str() + "' of attribute 'optimization_hints'";
    forEachVersion(later.since, [&](BytecodeVersion version, bool lacks) {
      // The reason for which the hint itself is refused comes first.
      if (!later.before.empty() && !isAvailable("13.3", version)) {
        return;
      }
      expectRefusal({sources.front()->get()}, version, lacks,
                    came(later.before.empty() ? what : "2 of " + what, later.since),
                    [&](TableBuilder &tables, Operation *) {
                      Output out;
                      writeTagged({tables, out, "optimization_hints"},
                                  OptimizationHintsAttr::get(&context, cast<DictionaryAttr>(hints)));
                    });
    });
  }
}
