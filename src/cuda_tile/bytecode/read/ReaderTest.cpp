// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad bytes: each is one diagnostic, with the exact words.
#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/read/Cursor.h"
#include "cuda_tile/bytecode/write/Output.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

namespace {

using Bytes = std::string;

Bytes bytes(std::initializer_list<unsigned> values) {
  return Bytes(values.begin(), values.end());
}
Bytes varint(uint64_t value) {
  Output out;
  out.varint(value);
  return out.str().str();
}

/// A table with offsets of type `Offset`.
template <typename Offset> Bytes table(const std::vector<Bytes> &entries) {
  Output out;
  out.varint(entries.size());
  out.align(sizeof(Offset));
  Offset offset = 0;
  for (const Bytes &entry : entries) {
    out.fixed(offset);
    offset += entry.size();
  }
  for (const Bytes &entry : entries) {
    out.raw(entry);
  }
  return out.str().str();
}

Bytes repeat(const Bytes &part, unsigned times) {
  Bytes all;
  for (unsigned i = 0; i < times; ++i) {
    all += part;
  }
  return all;
}

/// A file with one entry `k` of one i32; its parts can be replaced.
struct File {
  unsigned minor = 4;
  std::vector<Bytes> strings = {"k", "f.py"};
  // 0: i1, 1: i32, 2: tile<i32>, 3: (tile<i32>) -> ()
  std::vector<Bytes> types = {bytes({0}), bytes({3}), bytes({13, 1, 0}), bytes({16, 1, 2, 0})};
  std::vector<Bytes> constants;
  std::vector<Bytes> debug;
  Bytes body = bytes({0x5c, 0, 0}); // return
  /// Name, type, flags, list of locations.
  Bytes head = bytes({0, 3, 2, 0});
  std::optional<Bytes> function;
  unsigned numFunctions = 1;
  std::vector<uint64_t> locations;

  Bytes str() const {
    Output out;
    out.raw(magic);
    out.byte(13);
    out.byte(minor);
    out.fixed<uint16_t>(0);
    auto section = [&](unsigned id, uint64_t alignment, const Bytes &data) {
      out.byte(id | isAligned);
      out.varint(data.size());
      out.varint(alignment);
      out.align(alignment);
      out.raw(data);
    };
    section(1, 4, table<uint32_t>(strings));
    section(5, 4, table<uint32_t>(types));
    section(4, 8, table<uint64_t>(constants));
    if (!locations.empty()) {
      Output list;
      list.varint(1);
      list.align(4);
      list.fixed<uint32_t>(0);
      list.varint(locations.size());
      list.align(8);
      for (uint64_t location : locations) {
        list.fixed(location);
      }
      list.raw(table<uint32_t>(debug));
      section(3, 8, list.str().str());
    }
    section(2, 8, varint(numFunctions) + repeat(function.value_or(head + varint(body.size()) + body), numFunctions));
    out.byte(0);
    return out.str().str();
  }
};

/// The diagnostics of reading, one per line; empty if the module is read and correct.
std::string read(StringRef file) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text += (text.empty() ? "" : "\n") + diagnostic.str();
    return success();
  });
  auto module = readBytecode(llvm::MemoryBufferRef(file, "bad.tilebc"), &context);
  EXPECT_EQ(!module, !text.empty()) << text;
  if (module) {
    EXPECT_TRUE(succeeded(verify(*module))) << text;
  }
  return text;
}

} // namespace

TEST(BytecodeReader, readsTheSmallestFile) {
  EXPECT_EQ(read(File().str()), "");
}

TEST(BytecodeReader, wrongMagic) {
  EXPECT_EQ(read(""), "byte 0x0: expected the magic number 7f 'TileIR' 00 of Tile IR bytecode");
  EXPECT_EQ(read("ELF"), "byte 0x0: expected the magic number 7f 'TileIR' 00 of Tile IR bytecode");
}

TEST(BytecodeReader, truncatedAnywhere) {
  Bytes file = File().str();
  for (size_t size = 0; size < file.size(); ++size) {
    std::string text = read(StringRef(file).take_front(size));
    EXPECT_NE(text, "") << size;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  EXPECT_EQ(read(StringRef(file).take_front(9)), "byte 0x9: expected minor version, got the end");
  EXPECT_EQ(read(StringRef(file).drop_back()), "byte 0x61: expected section or end of bytecode, got the end");
}

TEST(BytecodeReader, tooNew) {
  File file;
  file.minor = 6;
  EXPECT_EQ(read(file.str()), "byte 0x8: expected a file of version 13.1, 13.2, 13.3, 13.4, 13.5, got 13.6");
}

TEST(BytecodeReader, sections) {
  Bytes header = File().str().substr(0, 12);
  EXPECT_EQ(read(header + bytes({9})), "byte 0xc: expected a section from 1 to 7, got 9");
  EXPECT_EQ(read(header + bytes({2, 0, 2, 0, 0})), "byte 0xe: expected section Func once, got it again");
  EXPECT_EQ(read(header + bytes({2, 50, 1, 0})),
            "byte 0xd: expected section Func to end inside of the file, got 50 bytes of which 2 are there");
  EXPECT_EQ(read(header + bytes({0x82, 0, 3})),
            "byte 0xe: expected the alignment of section Func to be a power of two up to 4096, got 3");
  EXPECT_EQ(read(header + bytes({2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})),
            "byte 0xd: expected size of section Func of at most 64 bits, got a longer number");
}

TEST(BytecodeReader, countsBeyondTheFile) {
  Bytes header = File().str().substr(0, 12);
  EXPECT_EQ(read(header + bytes({1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})),
            "byte 0xe in section String: expected no more string than the 0 bytes left can hold, got 4294967295");
  File file;
  file.types[3] = bytes({16, 0xff, 0xff, 0xff, 0x7f});
  EXPECT_EQ(read(file.str()), "byte 0x3e in section Type: expected no more parameter types than the 0 bytes left can "
                              "hold, got 268435455");
}

TEST(BytecodeReader, numbersOutOfRange) {
  File file;
  file.head = bytes({7, 3, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x59 in section Func: expected name of a function to be one of 2 strings, got 7");
  file.head = bytes({0, 9, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x5a in section Func: expected type of a function to be one of 4 types, got 9");
  file.head = bytes({0, 1, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x5a in section Func: expected the type of a function, got 'i32'");
  file.head = bytes({0, 3, 8, 0});
  EXPECT_EQ(read(file.str()), "byte 0x5b in section Func: expected flags of a function up to 7, got 8");
  file.head = bytes({0, 3, 0, 0});
  EXPECT_EQ(read(file.str()), "byte 0x59 in section Func: expected functions to be entries, got 'k', which is not one");
  file.head = bytes({0, 3, 2, 1});
  EXPECT_EQ(read(file.str()),
            "byte 0x5c in section Func: expected number of the list of locations to be at most 0, got 1");
}

TEST(BytecodeReader, privateEntries) {
  File file;
  file.head = bytes({0, 3, 3, 0});
  EXPECT_EQ(read(file.str()), "byte 0x59 in section Func: expected entries to be public, got 'k', which is private");
}

TEST(BytecodeReader, cyclicTypes) {
  File file;
  file.types[2] = bytes({13, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x3b in section Type: expected types to nest at most 16 deep, got type 2 nested "
                              "too deeply or in itself");
}

TEST(BytecodeReader, badTypes) {
  File file;
  file.types[1] = bytes({99});
  EXPECT_EQ(read(file.str()), "byte 0x39 in section Type: expected the tag of a type, got 99");
  file.types[1] = bytes({3, 0});
  EXPECT_EQ(read(file.str()), "byte 0x3a in section Type: expected the end of the type, got 1 more byte");
  file = File();
  file.minor = 1;
  file.types[1] = bytes({19});
  EXPECT_EQ(read(file.str()),
            "byte 0x39 in section Type: expected a type of version 13.1, got f4E2M1FN of version 13.3");
  file = File();
  file.types[2] = bytes({13, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(read(file.str()), "byte 0x3a in section Type: expected tile extents to be powers of two, got 3");
}

TEST(BytecodeReader, operations) {
  File file;
  file.body = bytes({25});
  EXPECT_EQ(read(file.str()), "byte 0x5e in section Func: expected an operation of a function, got opcode 25");
  file.body = bytes({1, 2, 1});
  EXPECT_EQ(read(file.str()),
            "byte 0x60 in section Func: expected an operand to be one of the 1 values before it, got 1");
  file.body = bytes({3, 2, 4, 0, 0});
  EXPECT_EQ(read(file.str()), "byte 0x60 in section Func: expected overflow up to 3, got 4");
  file.minor = 2;
  file.body = bytes({0x6f, 2, 0});
  EXPECT_EQ(read(file.str()),
            "byte 0x5e in section Func: expected an operation of version 13.2, got pack of version 13.3");
  file = File();
  file.body = bytes({0x32, 0, 0, 3});
  EXPECT_EQ(read(file.str()), "byte 0x61 in section Func: expected 2 regions of if, got 3");
  file.body = bytes({0x26, 1, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x61 in section Func: expected at least 1 operands of extract, got 0");
  file.body = bytes({0x2});
  EXPECT_EQ(read(file.str()), "byte 0x5f in section Func: expected result type, got the end");
}

// Its token came with 13.2; the operation after it has the number that the token would have.
TEST(BytecodeReader, printWithoutResult) {
  File file;
  file.minor = 1;
  file.strings.push_back("hi");
  file.body = bytes({0x55, 0, 2, 0}) + bytes({1, 2, 0, 1, 2, 1, 0x5c, 0, 0});
  EXPECT_EQ(read(file.str()), "");
  file.body = bytes({0x55, 1, 2, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x67 in section Func: expected no results of print_tko before version 13.2, got 1");
}

// The sign of an f64 is bit 63, which a signed number holds and an unsigned one has after 64 others.
TEST(BytecodeReader, bitsOfNegativeNumbers) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Bytes isSigned = Bytes(9, '\xff') + bytes({1}), isUnsigned = Bytes(9, '\x80') + bytes({2});
  for (const Bytes &number : {isSigned, isUnsigned}) {
    BytecodeFile file(number, UnknownLoc::get(&context));
    Cursor cursor(&file, number);
    uint64_t value = 0;
    EXPECT_TRUE(succeeded(cursor.bits(value, "bits")));
    EXPECT_EQ(value, uint64_t(1) << 63);
    EXPECT_TRUE(cursor.atEnd());
  }
}

// loop { loop { loop { ...
TEST(BytecodeReader, deepRegions) {
  File file;
  file.body = repeat(bytes({0x41, 0, 0, 1, 1, 0, 1}), 10000);
  EXPECT_EQ(read(file.str()), "byte 0x763 in section Func: expected regions to nest at most 256 deep, got more");
}

// assume [[[[...
TEST(BytecodeReader, deepAttributes) {
  File file;
  file.body = bytes({6, 2}) + repeat(bytes({6, 1}), 10000);
  EXPECT_EQ(read(file.str()), "byte 0xe2 in section Func: expected attributes to nest at most 64 deep, got more");
}

TEST(BytecodeReader, constants) {
  File file;
  file.body = bytes({0x10, 2, 0});
  EXPECT_EQ(read(file.str()), "byte 0x60 in section Func: expected value to be one of 0 constants, got 0");
  file.constants = {bytes({0xff, 0xff, 0x7f, 1})};
  EXPECT_EQ(read(file.str()),
            "byte 0x5b in section Constant: expected constant of 2097151 bytes, got 1 before the end");
  file.constants = {bytes({3, 1, 2, 3})};
  EXPECT_EQ(read(file.str()), "byte 0x58 in section Constant: expected the bytes of one or all elements of "
                              "'!cuda_tile.tile<i32>', got 3 bytes");
}

// Memory is bounded by the length of the file, whatever a few bytes of it name again and again.
TEST(BytecodeReader, overlappingEntries) {
  File file;
  std::string bytes = file.str();
  size_t offsets = bytes.find(std::string("\0\0\0\0\1\0\0\0kf.py", 13));
  ASSERT_NE(offsets, std::string::npos);
  bytes[offsets] = 2;
  EXPECT_EQ(read(bytes),
            "byte 0x14 in section String: expected string 0 to lie in the 5 bytes of the table, got 2 to 1");
}

TEST(BytecodeReader, oneConstantInManyTypes) {
  File file;
  file.constants = {varint(1 << 16) + Bytes(1 << 16, '\1')};
  file.body.clear();
  file.types[0] = bytes({1}); // i8
  auto extent = [](unsigned log) {
    Bytes extent(8, '\0');
    extent[log / 8] = 1 << log % 8;
    return extent;
  };
  for (unsigned i = 0; i <= 16; ++i) {
    for (unsigned j = 0; i + j <= 16; ++j) {
      file.body += bytes({0x10}) + varint(file.types.size()) + bytes({0});
      file.types.push_back(bytes({13, 0, 3}) + extent(i) + extent(j) + extent(16 - i - j));
    }
  }
  EXPECT_EQ(read(file.str()), "byte 0x12e8 in section Constant: expected constants in all their types to take no more "
                              "than the 8730624 bytes that a file of 70880 may, got more");
}

TEST(BytecodeReader, manyParametersOfManyFunctions) {
  File file;
  file.types[3] = bytes({16}) + varint(10000) + repeat(bytes({2}), 10000) + bytes({0});
  file.numFunctions = 1000;
  EXPECT_EQ(read(file.str()), "byte 0x27d2 in section Func: expected parameters of functions to take no more than the "
                              "5352128 bytes that a file of 18091 may, got more");
}

TEST(BytecodeReader, debugAttributes) {
  File file;
  file.head = bytes({0, 3, 2, 1});
  file.locations = {5, 0};
  EXPECT_EQ(read(file.str()), "byte 0x68 in section Debug: expected one of 0 debug attributes, got 5");
  file.locations = {1, 0};
  file.debug = {bytes({2, 0, 1})};
  EXPECT_EQ(read(file.str()),
            "byte 0x68 in section Debug: expected debug attribute 1 to be a location, got cuda_tile.di_file");
  file.debug = {bytes({6, 1, 1})};
  EXPECT_EQ(read(file.str()), "byte 0x81 in section Debug: expected debug attributes to nest at most 256 deep, got "
                              "attribute 1 nested too deeply or in itself");
  file.debug = {bytes({0})};
  EXPECT_EQ(read(file.str()), "byte 0x80 in section Debug: expected the tag of a debug attribute, got 0");
  file.locations = {0};
  EXPECT_EQ(read(file.str()), "byte 0x70 in section Debug: expected a location per operation, got the end of the list "
                              "of the function");
}

// Each call site names the one before twice: unfolded there are 2^40.
TEST(BytecodeReader, debugAttributesThatUnfold) {
  File file;
  file.head = bytes({0, 3, 2, 1});
  file.debug = {bytes({2, 0, 1}), bytes({1, 1}), bytes({5, 1, 1, 0, 0, 2, 1}), bytes({4, 3, 1, 1, 1})};
  for (unsigned i = 4; i < 44; ++i) {
    file.debug.push_back(bytes({6, i, i}));
  }
  file.locations = {44, 0};
  EXPECT_EQ(read(file.str()), "byte 0x15c in section Debug: expected a location of at most 4096 parts, 256 deep, got "
                              "6143 parts, 14 deep");
}

// One byte is eight bits, or the same bit for all of more than eight elements: so NVIDIA's reader has it.
TEST(BytecodeReader, constantsOfBits) {
  auto read = [](int64_t extent, unsigned byte) {
    File file;
    // 4: tile<EXTENTxi1>
    file.types.push_back(bytes({13, 0, 1, unsigned(extent), 0, 0, 0, 0, 0, 0, 0}));
    file.constants = {bytes({1, byte})};
    file.body = bytes({0x10, 4, 0, 0x5c, 0, 0});
    MLIRContext context(MLIRContext::Threading::DISABLED);
    auto module = readBytecode(llvm::MemoryBufferRef(file.str(), "bits.tilebc"), &context);
    std::string text;
    module->walk([&](ConstantOp constant) {
      for (bool bit : constant.getValue().getValues<bool>()) {
        text += bit ? '1' : '0';
      }
    });
    return text;
  };
  EXPECT_EQ(read(1, 1), "1");
  EXPECT_EQ(read(1, 2), "0");
  EXPECT_EQ(read(4, 5), "1010");
  EXPECT_EQ(read(8, 0x81), "10000001");
  EXPECT_EQ(read(16, 1), "1111111111111111");
  EXPECT_EQ(read(16, 0xfe), "0000000000000000");
}
